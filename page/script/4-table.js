// The table of all cells: sorted and filtered, and of many rows only those that can be seen.
let order = [], sortKey = "", sortDown = false, rowHeight = 34;
const windowed = 300; // rows above which only a window of them is in the page

const valueOf = (key) => {
  switch (key) {
    case "server": return (i) => data.servers[data.server[i]];
    case "client": return (i) => data.clients[data.client[i]];
    case "status": return (i) => data.status[i];
    case "starts": return (i) => data.starts[i];
    case "note": return (i) => noteOf(i);
  }
  const numbers = data.means[Number(key.slice(1))];
  return (i) => numbers[i];
};

const collator = new Intl.Collator(undefined, { numeric: true });

const sorted = () => {
  const rows = [];
  for (let i = 0; i < data.count; i++) if (shown[i]) rows.push(i);
  if (!sortKey) return rows;
  const value = valueOf(sortKey), turn = sortDown ? -1 : 1;
  return rows.sort((a, b) => {
    const x = value(a), y = value(b);
    if (x === y) return a - b;
    if (x === null) return 1; // what is not known comes last either way
    if (y === null) return -1;
    return turn * (typeof x === "string" ? collator.compare(x, y) : x - y) || a - b;
  });
};

const cellAt = (row, tag, text, kind) => {
  const e = document.createElement(tag);
  if (kind) e.className = kind;
  e.textContent = text;
  row.append(e);
  return e;
};

const rowOf = (i, at) => {
  const row = document.createElement("tr");
  row.dataset.cell = i;
  row.setAttribute("aria-rowindex", at + 2);
  if (i === pinned) row.className = "pinned";
  const head = cellAt(row, "th", "");
  head.scope = "row";
  const button = cellAt(head, "button", "", "cell");
  button.type = "button";
  button.dataset.cell = i;
  button.setAttribute("aria-pressed", String(i === pinned));
  cellAt(button, "bdi", data.servers[data.server[i]]);
  cellAt(cellAt(row, "td", ""), "bdi", data.clients[data.client[i]]);
  const status = data.statuses[data.status[i]];
  cellAt(cellAt(row, "td", ""), "span", say(status), "status " + status);
  cellAt(row, "td", data.starts[i] + "/" + data.blocks[i], "num");
  data.metrics.forEach((_, k) => cellAt(row, "td", formatted(k, i), "num"));
  const note = cellAt(row, "td", "", "note");
  cellAt(note, "bdi", noteOf(i));
  note.title = noteOf(i);
  return row;
};

const spacer = (height) => {
  const row = document.createElement("tr");
  row.className = "spacer";
  row.setAttribute("aria-hidden", "true");
  cellAt(row, "td", "").style.height = height + "px";
  return row;
};

const drawTable = () => {
  order = sorted();
  $("#celltable").setAttribute("aria-rowcount", order.length + 1);
  for (const th of $$("#celltable thead th")) th.setAttribute("aria-sort", th.dataset.key !== sortKey ? "none" : sortDown ? "descending" : "ascending");
  drawWindow(true);
};

let drawnFrom = -1;

const drawWindow = (always) => {
  const body = $("#celltable tbody"), view = $("#window");
  if (order.length <= windowed) {
    if (!always) return;
    body.replaceChildren(...order.map(rowOf));
    if (!order.length) cellAt(body.insertRow(), "td", say("nocells")).colSpan = 20;
    return;
  }
  const from = Math.max(0, Math.floor(view.scrollTop / rowHeight) - 20) & ~7, to = Math.min(order.length, from + Math.ceil(view.clientHeight / rowHeight) + 48);
  if (!always && from === drawnFrom) return;
  drawnFrom = from;
  const held = body.contains(document.activeElement) ? document.activeElement.dataset.cell : null;
  const rows = [];
  for (let at = from; at < to; at++) rows.push(rowOf(order[at], at));
  body.replaceChildren(spacer(from * rowHeight), ...rows, spacer((order.length - to) * rowHeight));
  if (rows[0].offsetHeight) rowHeight = rows[0].offsetHeight;
  if (held !== null) $(`button[data-cell="${held}"]`, body)?.focus({ preventScroll: true });
};

const sortBy = (key) => {
  if (sortKey !== key) [sortKey, sortDown] = [key, false];
  else if (!sortDown) sortDown = true;
  else [sortKey, sortDown] = ["", false];
  remember("sort", sortKey && (sortDown ? "-" : "") + sortKey);
  drawTable();
};

const restoreSort = () => {
  const text = state.get("sort") || "";
  sortDown = text.startsWith("-");
  sortKey = sortDown ? text.slice(1) : text;
  if (!$$("#celltable thead th").some((th) => th.dataset.key === sortKey)) sortKey = "";
};
