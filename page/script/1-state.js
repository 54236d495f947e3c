// What the reader chose stands in the URL fragment: it survives a reload, a link and newer data.
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => Array.from(root.querySelectorAll(selector));

let state = new Map();

const readFragment = () => {
  state = new Map();
  if (location.hash.includes("=")) for (const [k, v] of new URLSearchParams(location.hash.slice(1))) state.set(k, v);
};

const remember = (key, value) => {
  if (value === "" || value === null) state.delete(key); else state.set(key, String(value));
  const text = new URLSearchParams([...state]).toString();
  try {
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  } catch { // some viewers forbid it; the page works all the same
  }
};

let data, language;

const readData = () => { data = JSON.parse($("#data").textContent); data.count = data.id ? data.id.length : 0; };

const inWords = (text) => language === "zh" ? text.zh : text.en;

const say = (key, ...args) => {
  let i = 0;
  return inWords(data.words[key] || { en: key, zh: key }).replace(/%(?:\[(\d)\])?[ds]/g, (_, n) => args[n ? n - 1 : i++]);
};

const cut = new WeakMap(); // labels of charts that were too long, as they were drawn: in English

const setLanguage = (to) => {
  language = to === "zh" ? "zh" : "en";
  document.documentElement.lang = language;
  for (const e of $$("[data-en]")) {
    const text = e.dataset[language];
    if (e.tagName === "OPTION") e.textContent = text;
    e.setAttribute("aria-label", text);
  }
  const terms = new Map(data.terms.flatMap((t) => [[t.en, inWords(t)], [t.zh, inWords(t)]]));
  for (const e of $$(".picture text, .picture svg > title, .picture svg > desc")) {
    const full = $("title", e), text = full ? full.textContent : e.textContent;
    if (!terms.has(text)) continue;
    if (!full) { e.textContent = terms.get(text); continue; }
    if (!cut.has(e)) cut.set(e, e.lastChild.data);
    full.textContent = terms.get(text);
    e.lastChild.data = language === "zh" ? full.textContent : cut.get(e);
  }
  for (const svg of $$(".picture svg")) svg.setAttribute("lang", language);
  nameStops();
};

const setTheme = (to) => {
  if (to) document.documentElement.dataset.theme = to; else delete document.documentElement.dataset.theme;
  $("#theme").setAttribute("aria-pressed", String(dark()));
};

const dark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};
