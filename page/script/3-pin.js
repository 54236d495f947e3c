// A pinned cell is marked in every chart and table.
let pinned = -1;

const numbersOf = (i) => data.metrics.map((m, k) => [inWords(m.label), formatted(k, i)]).filter(([, v]) => v !== "–");

const significant = (v) => {
  if (v === null || v === undefined) return "–";
  let digits = 0;
  for (let edge = 1000; Math.abs(v) < edge && digits < 4; edge /= 10) digits++;
  return v.toFixed(digits);
};

const formatted = (metric, i) => {
  const text = significant(data.means[metric][i]), half = data.halves[metric].length ? data.halves[metric][i] : null;
  return half === null ? text : text + " ± " + half.toFixed((text.split(".")[1] || "").length);
};

const pin = (i) => {
  pinned = i;
  remember("pin", i < 0 ? "" : data.id[i]);
  showPin();
};

const showPin = () => {
  for (const e of $$(".pinned", $("#main"))) e.classList.remove("pinned");
  for (const e of $$(".picture [aria-pressed]")) e.setAttribute("aria-pressed", String(Number(e.dataset.cell) === pinned));
  const bar = $("#pinned");
  bar.hidden = pinned < 0;
  if (pinned < 0) return;
  for (const [e, cells] of marks) if (cells.includes(pinned)) e.classList.add("pinned");
  for (const e of $$(`#celltable tr[data-cell="${pinned}"], .hitlist button[data-cell="${pinned}"]`)) e.classList.add("pinned");
  $("b", bar).textContent = nameOf(pinned);
  $(".numbers", bar).textContent = numbersOf(pinned).slice(0, 4).map(([label, v]) => label + " " + v).join(" · ");
};

// A line of a timeline's mark begins with the name of a phase.
const inPhaseWords = (line) => line.replace(/^(start|ready|client|stop)(?= )/, (word) => say(word));

const tipOf = (e) => {
  const i = Number(e.dataset.cell ?? -1);
  if (!(i >= 0)) return e.dataset.tip || "";
  const lines = [nameOf(i), say("status") + ": " + say(data.statuses[data.status[i]]) + ", " + say("starts") + " " + data.starts[i] + "/" + data.blocks[i]];
  for (const [label, v] of numbersOf(i)) lines.push(label + ": " + v);
  if (noteOf(i)) lines.push(noteOf(i));
  if (e.dataset.tip) lines.push(...e.dataset.tip.split("\n").map(inPhaseWords));
  return lines.join("\n");
};

const showTip = (e, pointer) => {
  const tip = $("#tip"), mark = e.closest && e.closest(".mark, [data-tip]");
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = tipOf(mark);
  tip.hidden = tip.textContent === "";
  const parted = pointer && mark.closest(".dense"); // it lies in many places
  const at = parted ? new DOMRect(pointer.clientX, pointer.clientY - 8, 0, 16) : mark.getBoundingClientRect(), size = tip.getBoundingClientRect();
  const left = Math.min(Math.max(8, at.left + at.width / 2 - size.width / 2), innerWidth - size.width - 8);
  const above = at.top - size.height - 8;
  tip.style.left = left + "px";
  tip.style.top = (above > 4 ? above : Math.min(at.bottom + 8, innerHeight - size.height - 4)) + "px";
};
