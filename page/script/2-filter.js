// One filter for all charts and tables: an element that stands for cells is hidden, never drawn again.
let shown = []; // by cell: does it pass
let marks = []; // [element, cells]

const noteOf = (i) => inWords(data.notes[data.note[i]]);
const nameOf = (i) => data.servers[data.server[i]] + " × " + data.clients[data.client[i]];

const findMarks = () => {
  marks = [];
  for (const e of $$("[data-cell], [data-cells]", $("#main"))) {
    if (e.closest("#celltable") || e.matches("button.cell")) continue;
    const text = e.dataset.cells ?? e.dataset.cell;
    marks.push([e, text.split(" ").map(Number).filter((n) => n >= 0)]);
  }
};

const passing = () => {
  const form = $("#filters"), axes = [];
  data.axes.forEach((_, a) => {
    const chosen = form.elements["a" + a];
    if (chosen && chosen.value !== "") axes.push([data.values[a], Number(chosen.value)]);
  });
  const status = form.elements.status.value;
  const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
  const out = new Array(data.count);
  for (let i = 0; i < data.count; i++) {
    let ok = axes.every(([values, want]) => values[i] === want) && (!status || data.statuses[data.status[i]] === status);
    if (ok && words.length) {
      const text = (nameOf(i) + " " + data.statuses[data.status[i]] + " " + noteOf(i)).toLowerCase();
      ok = words.every((word) => text.includes(word));
    }
    out[i] = ok;
  }
  return out;
};

// A line and its entry in the legend go with the last of its marks.
const hideSeries = (svg) => {
  const seen = new Map();
  const groups = $$("[data-series]", svg);
  for (const g of groups) {
    const own = $$(".mark", g);
    if (own.length) seen.set(g.dataset.series, seen.get(g.dataset.series) || own.some((e) => !e.classList.contains("off")));
  }
  for (const g of groups) g.classList.toggle("off", seen.get(g.dataset.series) === false);
};

const applyFilter = () => {
  shown = passing();
  const all = shown.every(Boolean);
  for (const [e, cells] of marks) e.classList.toggle("off", !all && cells.length > 0 && !cells.some((i) => shown[i]));
  for (const svg of $$(".picture svg")) hideSeries(svg);
  setStops();
  $("#count").textContent = say("shown", shown.filter(Boolean).length, data.count);
  drawTable();
};

// An axis goes into the fragment by its name and value, so that a link still fits newer data.
const keyOf = (a) => (data.axes[a].server ? "s." : "c.") + data.axes[a].name;

const rememberFilter = () => {
  const form = $("#filters");
  data.axes.forEach((axis, a) => {
    const chosen = form.elements["a" + a];
    if (chosen) remember(keyOf(a), chosen.value === "" ? "" : axis.values[Number(chosen.value)]);
  });
  remember("status", form.elements.status.value);
  remember("q", form.elements.q.value);
};

const restoreFilter = () => {
  const form = $("#filters");
  data.axes.forEach((axis, a) => {
    const chosen = form.elements["a" + a], at = axis.values.indexOf(state.get(keyOf(a)));
    if (chosen) chosen.value = at < 0 ? "" : String(at);
  });
  form.elements.status.value = state.get("status") || "";
  if (form.elements.status.selectedIndex < 0) form.elements.status.value = "";
  form.elements.q.value = state.get("q") || "";
};
