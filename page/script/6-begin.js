// What is inside <main> can be replaced; listeners therefore sit on the document. A choice is known
// by its name, so that a link still fits newer data.
const choose = (id, value) => {
  const all = $$(".choice").filter((e) => e.dataset.choice === id);
  if (!all.some((e) => e.dataset.value === value)) value = all[0].dataset.value;
  for (const e of all) e.hidden = e.dataset.value !== value;
  const select = $$("[data-choose]").find((e) => e.dataset.choose === id);
  if (select) select.value = value;
};

const apply = () => {
  setLanguage(state.get("lang") || opened);
  setTheme(state.get("theme") || "");
  restoreFilter();
  restoreSort();
  for (const e of $$("[data-choose]")) choose(e.dataset.choose, state.get(e.dataset.choose));
  pinned = data.id ? data.id.indexOf(state.get("pin")) : -1;
  applyFilter();
  showPin();
};

const begin = () => {
  readData();
  for (const e of [$("#filters"), $("#csv"), $("#json")]) e.hidden = false;
  findMarks();
  $("#window").addEventListener("scroll", () => requestAnimationFrame(() => drawWindow(false)), { passive: true });
  apply();
};

const goTo = (id) => {
  const target = document.getElementById(id);
  if (!target) return;
  target.scrollIntoView();
  (target.hasAttribute("tabindex") ? target : $("h2", target) || target).focus({ preventScroll: true });
};

const opened = document.documentElement.lang;

document.addEventListener("input", (event) => {
  const form = event.target.closest("#filters");
  if (form) { rememberFilter(); applyFilter(); }
});
document.addEventListener("change", (event) => {
  const select = event.target.closest("[data-choose]");
  if (select) { remember(select.dataset.choose, select.value); choose(select.dataset.choose, select.value); }
});
document.addEventListener("reset", () => setTimeout(() => { rememberFilter(); applyFilter(); }));
document.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("click", (event) => {
  const on = (selector) => event.target.closest(selector);
  const link = on('a[href^="#"]');
  if (link) { event.preventDefault(); goTo(link.getAttribute("href").slice(1)); return; }
  if (on("#language")) { remember("lang", language === "zh" ? "en" : "zh"); setLanguage(state.get("lang")); applyFilter(); return; }
  if (on("#theme")) { remember("theme", dark() ? "light" : "dark"); setTheme(state.get("theme")); return; }
  if (on("#csv")) return save(asCSV(), "text/csv", ".csv");
  if (on("#json")) return save(asJSON(), "application/json", ".json");
  if (on("#pinned button")) return pin(-1);
  const sort = on("#celltable thead th");
  if (sort) return sortBy(sort.dataset.key);
  const copy = on(".copy");
  if (copy) return copyText($("pre", copy.parentElement));
  const cell = on("button.cell, .mark[data-cell]");
  if (cell) { const i = Number(cell.dataset.cell); pin(i === pinned ? -1 : i); }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { $("#tip").hidden = true; if (pinned >= 0) pin(-1); return; }
  const mark = event.target.closest && event.target.closest(".mark[data-cell], .mark[tabindex]");
  if (mark && walk(mark, event.key)) { event.preventDefault(); return; }
  if (mark?.dataset.cell && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); const i = Number(mark.dataset.cell); pin(i === pinned ? -1 : i); }
});
document.addEventListener("mouseover", (event) => showTip(event.target, event));
document.addEventListener("focusin", (event) => { showTip(event.target); stopAt(event.target); });
document.addEventListener("focusout", () => { $("#tip").hidden = true; });
addEventListener("scroll", () => { if (!$("#tip").hidden) showTip(document.activeElement); }, { passive: true, capture: true });
addEventListener("hashchange", () => { if (location.hash.includes("=")) { readFragment(); apply(); } else goTo(location.hash.slice(1)); });

const copyText = (from) => {
  const range = document.createRange();
  range.selectNodeContents(from);
  getSelection().removeAllRanges();
  getSelection().addRange(range); // so that it can be copied where writing the clipboard is forbidden
  navigator.clipboard?.writeText(from.textContent).catch(() => {});
};

// What is folded is known by its section and its title: newer data can move it.
const titleOf = (details) => details.closest("section").id + " " + details.dataset.title;

// Newer data: the Main of a page.Drawing takes the place of what stands in <main>.
window.servematrix = {
  replace(html) {
    const fresh = new DOMParser().parseFromString("<main>" + html + "</main>", "text/html").querySelector("main");
    const top = $("#window").scrollTop, open = new Map($$("details").map((e) => [titleOf(e), e.open]));
    $("#main").replaceChildren(...fresh.childNodes);
    for (const e of $$("details")) e.open = open.get(titleOf(e)) ?? e.open;
    begin();
    $("#window").scrollTop = top;
  },
};

readFragment();
begin();
