// The tab key stops once at each chart; from there the arrows go from mark to mark.
const stopsOf = (svg) => $$("[tabindex]", svg).filter((e) => !e.closest(".off"));

const stopAt = (mark) => {
  const svg = mark?.matches?.(".picture [tabindex]") && mark.ownerSVGElement;
  if (!svg) return;
  for (const e of $$('[tabindex="0"]', svg)) e.setAttribute("tabindex", "-1");
  mark.setAttribute("tabindex", "0");
};

// A stop that a filter hides is handed on to the first mark that is left.
const setStops = () => {
  for (const svg of $$(".picture svg")) {
    const stops = stopsOf(svg);
    stopAt(stops.find((e) => e.getAttribute("tabindex") === "0") || stops[0]);
  }
};

const nameStops = () => {
  for (const e of $$(".picture [tabindex]")) {
    e.setAttribute("role", e.dataset.cell ? "button" : "img");
    if (e.dataset.cell) e.setAttribute("aria-pressed", String(Number(e.dataset.cell) === pinned));
    e.setAttribute("aria-label", tipOf(e).replaceAll("\n", "; "));
    e.ownerSVGElement.setAttribute("aria-describedby", "walk");
  }
};

// Left and right go through all marks: series by series, else line by line.
const placed = (svg) => stopsOf(svg).map((e) => {
  const at = e.getBoundingClientRect();
  return { e, series: Number(e.closest("[data-series]")?.dataset.series ?? -1), x: at.left + at.width / 2, y: at.top + at.height / 2 };
}).sort((a, b) => a.series - b.series || (a.series < 0 && Math.abs(a.y - b.y) > 2 ? a.y - b.y : 0) || a.x - b.x || a.y - b.y);

// Up and down go to the nearest mark that lies there.
const nearest = (from, all, way) => {
  const far = (to) => way * (to.y - from.y) + 3 * Math.abs(to.x - from.x);
  return all.filter((to) => way * (to.y - from.y) > 2).sort((a, b) => far(a) - far(b))[0];
};

// walk moves the focus from a mark as a key says; it tells whether the key is one of those.
const walk = (mark, key) => {
  if (!/^(Arrow(Left|Right|Up|Down)|Home|End)$/.test(key) || !mark.hasAttribute("tabindex")) return false;
  const all = placed(mark.ownerSVGElement), at = all.findIndex((one) => one.e === mark), from = all[at];
  const to = { ArrowLeft: () => all[at - 1], ArrowRight: () => all[at + 1], Home: () => all[0], End: () => all.at(-1), ArrowUp: () => nearest(from, all, -1), ArrowDown: () => nearest(from, all, 1) }[key]();
  to?.e.focus();
  return true;
};
