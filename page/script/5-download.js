// The rows that pass the filter as a file, made here.
const table = () => {
  const head = ["cell", "server", "client", ...data.axes.map((a) => (a.server ? "server." : "client.") + a.name), "status", "starts", "blocks"];
  for (const m of data.metrics) head.push(m.name, m.name + "_half_interval");
  head.push("note");
  const rows = order.map((i) => {
    const row = [data.id[i], data.servers[data.server[i]], data.clients[data.client[i]],
      ...data.axes.map((a, k) => data.values[k][i] < 0 ? null : a.values[data.values[k][i]]), data.statuses[data.status[i]], data.starts[i], data.blocks[i]];
    data.metrics.forEach((_, k) => row.push(data.means[k][i], data.halves[k].length ? data.halves[k][i] : null));
    row.push(noteOf(i));
    return row;
  });
  return [head, rows];
};

const quoted = (v) => {
  if (v === null) return "";
  if (typeof v === "number") return String(v);
  const text = /^[=+\-@\t\r]/.test(v) ? "'" + v : v; // a spreadsheet would run it
  return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
};

const asCSV = () => {
  const [head, rows] = table();
  return [head, ...rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
};

const asJSON = () => {
  const [head, rows] = table();
  return JSON.stringify(rows.map((row) => Object.fromEntries(row.map((v, k) => [head[k], v]))), null, 1) + "\n";
};

const save = (text, type, ending) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = data.run.replace(/[^\w.-]+/g, "_") + ending;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
