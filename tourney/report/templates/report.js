"use strict";
(() => {
  let data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const views = [];

  const remembered = (key, value) => {
    try {
      if (value === undefined) return sessionStorage.getItem(`${location.pathname} ${key}`);
      sessionStorage.setItem(`${location.pathname} ${key}`, value);
    } catch { /* there is no storage; nothing is remembered */ }
    return null;
  };

  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  // ---- light and dark

  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
  const LIGHT = { ink: "#1d2126", muted: "#4b525c", faint: "#c9ced4", accent: "#0b63b0" };

  const colors = () => {
    const style = getComputedStyle(root);
    return Object.fromEntries(["ink", "muted", "faint", "accent"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  };

  const paint = (palette) => {
    for (const { view } of views) {
      for (const [name, value] of Object.entries(palette)) view.signal(name, value);
      view.run();
    }
  };

  const showTheme = () => {
    byId("theme").textContent = isDark() ? "light" : "dark";
    byId("theme").setAttribute("aria-label", `${isDark() ? "light" : "dark"} theme`);
    paint(colors());
  };

  byId("theme").hidden = false;
  byId("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remembered("theme", root.dataset.theme);
    showTheme();
  });
  if (remembered("theme")) root.dataset.theme = remembered("theme");
  systemDark.addEventListener("change", showTheme);

  // A browser lays the page out for paper after the event, too late for redrawing the pictures.
  const print = (printing) => {
    root.toggleAttribute("data-printing", printing);
    paint(printing ? LIGHT : colors());
    for (const { fit } of views) fit();
    arrange();
  };

  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));

  // ---- pictures

  const tip = byId("tip");
  const showTip = (_handler, event, _item, value) => {
    tip.hidden = value === null || value === undefined || value === "";
    if (tip.hidden) return;
    tip.textContent = String(value);
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.min(event.clientX + 12, innerWidth - width - 8)}px`;
    tip.style.top = `${Math.max(event.clientY - height - 10, 4)}px`;
  };

  const draw = async (target, spec, changes) => {
    const options = { mode: "vega-lite", ast: true, actions: false, defaultStyle: false, renderer: "svg" };
    Object.assign(options, { tooltip: showTip, logLevel: 1 }); // only errors: while sorting rows, a layer may be empty
    const place = element("div");
    place.ariaHidden = "true"; // the whole picture has a description, and a table has its numbers
    const { view } = await vegaEmbed(place, { ...spec, width: target.clientWidth, ...changes }, options);
    for (const [name, value] of Object.entries(colors())) view.signal(name, value);
    let width = target.clientWidth;
    const fit = () => {
      if (!target.clientWidth || target.clientWidth === width) return;
      width = target.clientWidth;
      view.width(width).run();
    };
    await view.runAsync();
    target.replaceChildren(place); // replaces an earlier one
    const sizes = new ResizeObserver(fit);
    sizes.observe(target);
    views.push({ view, fit, sizes, target });
    return view;
  };

  const drawParts = async (target, { spec, parts }) => {
    for (const [i, [title, values]] of parts.entries()) {
      const box = target.children[i] ?? target.appendChild(element("div"));
      if (!box.children.length) box.append(element("h3"), element("div"));
      const [heading, place] = box.children;
      heading.textContent = heading.title = title;
      await draw(place, withData(spec, values, values.length / parts[0][1].length));
    }
    while (target.children.length > parts.length) target.lastChild.remove();
  };

  const withData = (spec, values, rows) => {
    const made = structuredClone(spec);
    const replace = (part) => {
      if (part.data && part.data.name === "part") part.data.values = values;
      (part.layer || []).forEach(replace);
    };
    replace(made);
    if (made.layer.some(({ encoding }) => encoding?.y?.type === "ordinal")) made.height *= rows;
    return made;
  };

  // ---- the standings: sortable by any column, with the picture next to them in the same order

  let table, rows, order;
  let ratings = null;

  const readTable = () => {
    table = byId("standings");
    rows = table ? [...table.tBodies[0].rows] : [];
    order = rows.map((_, i) => i);
    ratings = null;
    if (table) listenToHeads();
  };

  const number = (text) => {
    const found = parseFloat(text.replace(/^[<>]/, ""));
    return Number.isNaN(found) ? null : found;
  };

  const sortBy = (column, descending) => {
    const heads = [...table.tHead.rows[0].cells];
    const isText = heads[column].classList.contains("text");
    const value = (i) => {
      const text = rows[i].cells[column].textContent.trim();
      return isText ? text : number(text);
    };
    order = rows.map((_, i) => i).sort((one, other) => {
      const [a, b] = [value(one), value(other)];
      if (a === null || b === null) return (a === null) - (b === null) || one - other;
      const sign = isText ? a.localeCompare(b) : a - b;
      return (descending ? -sign : sign) || one - other;
    });
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
    table.tBodies[0].append(...order.map((i) => rows[i]));
    table.classList.toggle("resorted", order.some((row, i) => row !== i));
    remembered("sorted", JSON.stringify([column, Boolean(descending), heads[column].textContent]));
    arrange();
  };

  const arrange = () => {
    const target = byId("picture-ratings");
    if (!ratings || !target) return;
    const beside = target.getBoundingClientRect().left >= table.getBoundingClientRect().right;
    const height = root.hasAttribute("data-printing") ? 28 : 38; // thirty rows fit a sheet of paper
    const natural = order.every((row, i) => row === i);
    target.style.marginTop = beside ? `${table.tHead.offsetHeight - data.axis}px` : "1rem";
    ratings
      .data("dots", data.dots.map((dot) => ({ ...dot, row: order.indexOf(dot.row) })))
      .signal("names", beside ? "0" : "1")
      .signal("forks", natural ? "1" : "0")
      .height(beside ? table.tBodies[0].offsetHeight : height * rows.length)
      .run();
  };

  const listenToHeads = () => {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const first = head.classList.contains("text") || column === 0 ? "ascending" : "descending";
        sortBy(column, now ? now === "ascending" : first === "descending");
      });
    });
    const [at, descending, name] = JSON.parse(remembered("sorted") || "[]");
    const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent);
    const column = heads[at] === name ? at : heads.indexOf(name); // a report that grows may have got a column
    if (heads[column] !== undefined && (column || descending)) sortBy(column, descending);
    new ResizeObserver(arrange).observe(table);
  };
  addEventListener("resize", () => arrange());

  // ---- from a cell to its matches, from a match to the viewer: the address names the open dialog, so Back closes it

  const dialog = byId("matches");
  const matchDialog = byId("match");
  const stepped = new Set(); // the dialogs opened by a step forward in the history
  let named = null; // the dialog named in the address
  let listed = ""; // the listed pair

  const addressOf = (id) => `${data.ending === null ? "" : `matches/${encodeURIComponent(id)}${data.ending}`}#match=${encodeURIComponent(id)}`;

  const matchText = ([, , seats, scores, places]) =>
    seats
      .map((bot, seat) => [places[seat], `${data.names[bot]} ${scores[seat]}`])
      .sort((one, other) => one[0] - other[0])
      .map(([place, text]) => `${place}. ${text}`)
      .join(", ");

  const matchItem = (match) => {
    const [id, round, , , , decisions, faults] = match;
    const item = element("li");
    if (data.embedded.includes(id)) {
      const link = element("a", id);
      link.href = addressOf(id);
      item.append(link);
    } else {
      item.append(element("span", id, "absent"));
    }
    item.append(` ${matchText(match)}`);
    const facts = [round ? `round ${round}` : "", `${decisions} decisions`, faults ? `${faults} faults` : ""];
    item.append(element("div", facts.filter(Boolean).join(" · "), "what"));
    return item;
  };

  const replayCommand = (id) => `tourney replay ${data.run} ${id} --html ${id}.html`;

  const show = (title, note, items) => {
    byId("matches-title").textContent = title;
    byId("matches-note").textContent = note;
    byId("matches-list").replaceChildren(...items);
  };

  const sorted = (pair) => pair.split("-").sort((one, other) => one - other).join("-");

  const listPair = (pair) => {
    if (listed === pair) return; // it is still open below its match
    const bots = pair.split("-").map((number) => data.names[number]);
    const matches = data.pairs[sorted(pair)].map((i) => data.matches[i]);
    const hidden = matches.some(([id]) => !data.embedded.includes(id));
    const note = [
      "The largest wins and the first matches.",
      hidden ? `Matches without a link are not in this file; a page of one: ${replayCommand("MATCH")}.` : "",
      `All of them: tourney matches ${data.run} --bot ${bots[0]}.`,
    ].join(" ");
    show(bots.join(bots.length > 2 ? ", " : " and "), note, matches.map(matchItem));
    listed = pair;
  };

  const listAbsent = (id) => {
    const item = element("li");
    item.append(element("code", replayCommand(id)));
    const isNamed = data.matches.some(([name]) => name === id) || /^[\w-]+-\d+-\d+$/.test(id);
    const note = "This match is not in the file, to keep it small. Write a page of it with:";
    show(id, isNamed ? note : "This run has no such match.", isNamed ? [item] : []);
    listed = "";
  };

  // Shows the match or list named in the address. The viewer also follows it; here it gets its place above the list.
  const follow = (step) => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const [match, pair] = [wanted.get("match"), wanted.get("pair")];
    const isHeld = data.ending === null && data.embedded.includes(match);
    named = isHeld ? matchDialog : match || data.pairs[sorted(pair ?? "")] ? dialog : null;
    if (named !== matchDialog) matchDialog.close();
    if (!named) dialog.close();
    if (named === dialog) match ? listAbsent(match) : listPair(pair);
    if (!named || named.open) return;
    stepped[step ? "add" : "delete"](named);
    named.showModal();
    named.scrollTop = 0;
    if (isHeld) byId("match-viewer").focus({ preventScroll: true });
  };

  for (const each of [dialog, matchDialog]) {
    each.addEventListener("close", () => {
      if (each === dialog) listed = "";
      window.tourneyViewer?.pause();
      if (each !== named) return; // closed by a step back
      named = null;
      if (stepped.has(each)) history.back();
      else history.replaceState(null, "", location.pathname + location.search);
    });
  }
  addEventListener("hashchange", () => follow(true));

  // In a folder a match is another page, and a browser may have dropped this one when the reader returns.
  const comeBack = () => {
    document.addEventListener("click", ({ target }) => remembered("left", target.closest("a")?.href ?? ""));
    if (performance.getEntriesByType("navigation")[0]?.type !== "back_forward") return;
    const links = [...(dialog.open ? dialog : document).querySelectorAll("a")];
    const left = links.find(({ href }) => href === remembered("left"));
    left?.closest("details")?.setAttribute("open", "");
    left?.focus();
  };

  // ---- an unfinished run

  const renew = () => {
    if (document.querySelector("dialog[open]")) setTimeout(renew, 1000);
    else location.reload();
  };
  if (data.refresh) setTimeout(renew, 1000 * data.refresh);
  if (byId("written")) byId("written").textContent = ` as of ${new Date(document.lastModified).toLocaleString()}`;

  // ---- a served run: news shows its progress, and announces new reports, which replace the old one

  const drawPictures = async (part) => {
    for (const target of part.querySelectorAll("[id^=picture-], [id^=parts-]")) {
      const [, kind, name] = target.id.match(/^(picture|parts)-(.*)/);
      if (kind === "parts") await drawParts(target, data.pictures[name]);
      else {
        const view = await draw(target, data.pictures[name].spec);
        if (name !== "ratings") continue;
        ratings = view;
        arrange();
      }
    }
  };

  // A report's parts by name, with their original text, before drawing and sorting.
  const partsOf = (page) =>
    new Map([...page.querySelectorAll("body > header > :not(.top), main > *")].map((part) => [part.id || part.className || part.localName, part]));
  const textsOf = (parts) => {
    const pictures = (part) => [...part.querySelectorAll("[id^=picture-], [id^=parts-]")].map(({ id }) => data.pictures[id.replace(/^[a-z]+-/, "")]);
    return new Map([...parts].map(([name, part]) => [name, part.outerHTML + JSON.stringify(pictures(part))]));
  };
  let texts = textsOf(partsOf(document));

  const nameOf = (details) => details.id || details.querySelector("summary").textContent.replace(/\d+/g, "");
  const FOCUSED = "a, button, summary, [tabindex]";

  // Gives a new part the state of the old one; returns the steps to take once it is in the page.
  const takeOver = (part, old) => {
    const opened = new Map([...old.querySelectorAll("details")].map((each) => [nameOf(each), each.open]));
    for (const each of part.querySelectorAll("details")) each.open = opened.get(nameOf(each)) ?? each.open;
    for (const drawn of old.querySelectorAll("[id^=picture-], [id^=parts-]")) {
      const target = part.querySelector(`#${drawn.id}`);
      if (!target) continue;
      target.style.cssText = drawn.style.cssText;
      target.append(...drawn.childNodes); // shown until the new picture is drawn
    }
    const scrolled = [...old.querySelectorAll(".scroll")].map(({ scrollLeft }) => scrollLeft);
    const focused = [...old.querySelectorAll(FOCUSED)].indexOf(document.activeElement);
    return () => {
      part.querySelectorAll(".scroll").forEach((each, i) => each.scrollTo({ left: scrolled[i] ?? 0, behavior: "instant" }));
      part.querySelectorAll(FOCUSED)[focused]?.focus({ preventScroll: true });
    };
  };

  const exchange = async (page) => {
    const [before, after, known] = [partsOf(document), partsOf(page), texts];
    data = JSON.parse(page.getElementById("data").textContent);
    texts = textsOf(after);
    const tops = [...before].map(([name, part]) => [name, part.getBoundingClientRect()]);
    const [seen, at] = tops.find(([, { bottom }]) => bottom > 0) ?? []; // keeps the reader's position
    const [fresh, finish] = [[], []];
    let last = null; // the previous part
    for (const [name, part] of after) {
      const old = before.get(name);
      const home = document.querySelector(part.closest("main") ? "main" : "body > header");
      if (texts.get(name) !== known.get(name)) {
        fresh.push(part);
        if (old) finish.push(takeOver(part, old));
        if (old) old.replaceWith(part);
        else if (last?.parentElement === home) last.after(part);
        else home.prepend(part);
      }
      last = fresh.includes(part) ? part : old;
    }
    for (const [name, old] of before) if (!after.has(name)) old.remove();
    for (const { view, sizes } of views.filter(({ target }) => !target.isConnected)) {
      sizes.disconnect();
      view.finalize();
    }
    views.splice(0, views.length, ...views.filter(({ target }) => target.isConnected));
    if (!table?.isConnected) readTable();
    for (const each of finish) each();
    const now = partsOf(document).get(seen)?.getBoundingClientRect();
    if (now) scrollBy({ top: now.top - at.top, behavior: "instant" });
    for (const part of fresh) await drawPictures(part);
  };

  let newest = null; // the last news
  let renewing = false;

  const count = () => {
    const played = byId("played");
    const text = `${newest.played}${newest.of ? ` of ${newest.of}` : ""} matches`;
    if (played && played.textContent !== text) played.textContent = text;
  };

  const renewInPlace = async () => {
    count();
    if (renewing || newest.page <= Number(root.dataset.page)) return;
    renewing = true;
    const answer = await fetch(location.pathname).catch(() => null); // retried on the next news
    const page = new DOMParser().parseFromString((await answer?.text()) ?? "", "text/html");
    if (page.getElementById("data")) {
      root.dataset.page = page.documentElement.dataset.page;
      await exchange(page);
      count();
    }
    renewing = false;
  };

  const hear = (news) => {
    newest = news;
    renewInPlace();
  };

  const begin = async () => {
    showTheme();
    readTable();
    follow(false);
    comeBack();
    await drawPictures(document);
    root.dataset.drawn = "all";
    if (root.dataset.page) {
      root.style.overflowAnchor = "none"; // the replacement itself keeps the reader's position
      listen("events", hear);
    }
  };
  begin();
})();
