// Newer pages come when the server says that there are some. Behind drawn, which stands above: the
// event of the journal up to which this page was drawn.
(() => {
  const words = {
    first: ["connecting to servematrix …", "正在连接 servematrix……"],
    start: ["starting", "正在启动"], ready: ["waiting until ready", "等待就绪"], client: ["measuring", "正在测量"], stop: ["stopping", "正在停止"], "": ["between two steps", "步骤之间"],
    ended: ["The run has ended; this page stays as it is.", "运行已结束；本页不再变化。"],
    halted: ["The run ended before everything was measured; this page stays as it is. servematrix resume goes on with it.", "运行在全部测完之前结束；本页不再变化。可用 servematrix resume 继续。"],
    gone: ["Nothing works on this run any more; this page stays as it is. servematrix resume goes on with it.", "已没有进程在执行此运行；本页不再变化。可用 servematrix resume 继续。"],
    away: ["The server of this page is away; trying again. What stands here is what was known.", "本页的服务器已断开，正在重试。此处为断开前的内容。"],
    locked: ["This page's link no longer counts: its server was started anew. Open the link that it printed.", "本页的链接已失效：服务器已重新启动。请打开它打印的新链接。"],
  };
  const line = document.createElement("p");
  line.id = "live";
  line.setAttribute("role", "status");
  document.querySelector("header").append(line);

  const show = (kind, en, zh) => {
    line.className = kind;
    line.replaceChildren(...[["en", en], ["zh", zh]].map(([lang, text]) => {
      const e = document.createElement("span");
      e.lang = e.className = lang;
      e.textContent = text;
      return e;
    }));
  };

  const took = (s) => s < 60 ? s + " s" : s < 3600 ? Math.floor(s / 60) + " min" : Math.floor(s / 3600) + " h " + Math.floor(s % 3600 / 60) + " min";

  let now, heard;
  const tell = () => {
    const [en, zh] = words[now.phase] || words[""], what = [now.server, now.client].filter(Boolean).join(" × ");
    const tail = (what ? " " + what : "") + (now.block > 1 ? " b" + now.block : "") + " · " + took(Math.round(now.age + (performance.now() - heard) / 1000));
    show("on", en + tail + " · " + now.done + " done", zh + tail + " · 已完成 " + now.done);
  };
  setInterval(() => { if (now && !document.hidden) tell(); }, 1000);

  // What the page shows, what there is to show, and what is said when the page has the last of it.
  let have = drawn, newest = drawn, end = null, loading = null, events;
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));

  // load puts the newest page in the place of this one. The field in which somebody types stays theirs.
  const load = async () => {
    const answer = await fetch("/main", { cache: "no-store", credentials: "same-origin" });
    if (!answer.ok) throw new Error(answer.status);
    const text = await answer.text(), held = document.activeElement, name = held && held.form && held.form.id === "filters" && held.name;
    const [from, to] = name && held.type === "search" ? [held.selectionStart, held.selectionEnd] : [];
    servematrix.replace(text);
    const again = name && document.querySelector("#filters").elements[name];
    if (again) {
      again.focus({ preventScroll: true });
      if (from !== undefined) again.setSelectionRange(from, to);
    }
  };

  // catchUp loads until there is nothing newer, and again what did not come. At the end of the run
  // also where nobody looks: the server goes.
  const catchUp = async () => {
    for (let wait = 500; have < newest && (end || !document.hidden);) {
      const to = newest;
      try {
        await load();
        [have, wait] = [to, 500];
      } catch (why) {
        if (why.message === "403") return show("away", ...words.locked);
        if (!now) show("away", ...words.away);
        await pause(wait);
        wait = Math.min(2 * wait, 30000);
      }
    }
    if (!end || have < newest) return;
    events.close();
    show("over", ...end);
  };
  const fresh = () => { loading ||= catchUp().finally(() => { loading = null; }); };
  document.addEventListener("visibilitychange", () => { if (!document.hidden) fresh(); });

  // The browser comes back by itself after most failures; where it gives up, we ask why.
  const again = async (after) => {
    await pause(after);
    const answer = await fetch("/events", { method: "HEAD", cache: "no-store" }).catch(() => null);
    if (answer && answer.status === 403) return show("away", ...words.locked);
    if (answer && answer.ok) return listen();
    again(Math.min(2 * after, 30000));
  };

  const listen = () => {
    events = new EventSource("/events?have=" + have);
    events.addEventListener("now", (e) => {
      [now, end] = [JSON.parse(e.data), null];
      heard = performance.now();
      tell();
    });
    events.addEventListener("newer", (e) => {
      newest = Number(e.lastEventId);
      fresh();
    });
    events.addEventListener("over", (e) => {
      now = null;
      end = words[e.data] || words.gone;
      fresh();
    });
    events.addEventListener("error", () => {
      now = null;
      show("away", ...words.away);
      if (events.readyState === EventSource.CLOSED) again(3000);
    });
  };
  show("away", ...words.first);
  listen();
})();
