// The match viewer: finds the matches that are in the page, shows one, and takes keys, clicks and the address.

import { EVERYONE, Match, unpacked } from "./data.js";
import { el, Pack } from "./elements.js";
import { layoutOf, valueText } from "./layouts.js";
import { legalActions, Story, timeline } from "./panels.js";
import { drawTable, fly, Scene } from "./table.js";

const STEP_MS = 1200;
const SPEEDS = [1, 2, 4];
const KEYS = [
  ["← →", "a decision back, on"],
  ["shift ← →", "a trick"],
  ["ctrl ← →", "a round"],
  ["home end", "first, end"],
  ["space", "play, pause"],
  ["0", "as everyone"],
  ["1–9", "as a seat, from the left"],
  ["m", "next mistake or fault"],
  ["/", "find in the events"],
];

class Viewer {
  constructor(root, alone) {
    this.root = root;
    this.alone = alone;
    this.speed = 1;
    this.timer = null;
    root.classList.add("match-viewer");
    root.tabIndex = -1;
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => this.follow());
    new ResizeObserver(() => this.match && this.draw(0)).observe(root);
  }

  // Opens a match that the page holds, at a decision, as everyone (null) or a seat sees it.
  async open(name, decision = null, seat = null) {
    const block = [...document.querySelectorAll("script.match-data")].find((each) => each.dataset.match === name);
    if (!block) return false;
    this.pause();
    if (this.match?.data.match !== name) this.begin(new Match(await unpacked(block.textContent)));
    this.root.hidden = false;
    this.watch(seat, decision ?? (this.at || 1));
    return true;
  }

  // Opens what the address names, if the page holds it.
  async follow() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const seat = wanted.get("seat");
    const at = wanted.get("decision") === "end" ? Infinity : Number.parseInt(wanted.get("decision"), 10) || 1;
    return wanted.has("match") && this.open(wanted.get("match"), at, seat === null ? null : Number(seat));
  }

  begin(match) {
    const { data } = match;
    this.match = match;
    this.layout = layoutOf(data.game);
    this.pack = new Pack(data.deck, this.layout.nicknames);
    this.at = 0;
    const button = (text, label, act, keys) => el("button", { type: "button", title: keys ? `${label} (${keys})` : label, "aria-label": label, on: { click: act } }, text);
    this.watchers = match.watchers.map((watcher) => el("button", { type: "button", dir: "auto", on: { click: () => this.watch(watcher, this.at) } }, watcher === EVERYONE ? "everyone" : match.names[watcher]));
    this.felt = el("div", { class: "felt" });
    this.facts = el("dl", { class: "facts-table" });
    this.story = new Story(match, this.pack, (at) => this.go(at));
    this.search = el("input", { type: "search", placeholder: "find in the events", "aria-label": "find in the events", on: { keydown: (event) => this.typed(event), input: () => this.find(false, this.at - 1) } });
    this.legal = el("section", { class: "legal", "aria-label": "legal actions" });
    this.line = el("div");
    this.slider = el("input", { type: "range", min: 1, max: match.last, "aria-label": "decision", on: { input: () => this.go(Number(this.slider.value)) } });
    this.where = el("output", { class: "where" });
    this.spoken = el("p", { class: "visually-hidden", "aria-live": "polite" });
    this.playing = button("▷", "play", () => this.toggle(), "space");
    this.speeds = SPEEDS.map((speed) => button(`${speed}×`, `play at ${speed} times the speed`, () => this.setSpeed(speed)));
    this.debug = el("code", {});
    this.copied = el("span", { role: "status" });
    this.views = el("pre", { class: "view" });
    const { short, long } = this.layout;
    const controls = el(
      "div",
      { class: "controls" },
      el("div", { class: "group", role: "group", "aria-label": "move" }, button("⏮", "first", () => this.go(1), "home"), button("◀", "previous", () => this.step(-1), "←"), button("▶", "next", () => this.step(1), "→"), button("⏭", "end", () => this.go(match.last), "end")),
      el("div", { class: "group", role: "group", "aria-label": "leap" }, button(`◀ ${short.name}`, `previous ${short.name}`, () => this.leap(short, -1), "shift ←"), button(`${short.name} ▶`, `next ${short.name}`, () => this.leap(short, 1), "shift →"), button(`◀ ${long.name}`, `previous ${long.name}`, () => this.leap(long, -1), "ctrl ←"), button(`${long.name} ▶`, `next ${long.name}`, () => this.leap(long, 1), "ctrl →"), button("● ▲", "next mistake or fault", () => this.mistake(), "m")),
      el("div", { class: "group", role: "group", "aria-label": "play" }, this.playing, this.speeds),
      this.slider,
      this.where,
    );
    const places = data.seats.map((_, seat) => seat).sort((a, b) => data.places[a] - data.places[b]);
    const result = places.map((seat) => el("li", { class: data.places[seat] === 1 ? "first" : "" }, el("span", { dir: "auto" }, match.names[seat]), " ", el("b", {}, data.scores[seat])));
    this.root.replaceChildren(
      el("header", {}, el("div", {}, el("h2", {}, data.match), el("p", { class: "quiet" }, [data.title, valueText(data.options)].filter(Boolean).join(" · "))), el("ol", { class: "result", "aria-label": "result" }, result), el("nav", { class: "watchers", "aria-label": "as seen by" }, el("span", { class: "quiet" }, "as"), this.watchers)),
      el("div", { class: "stage" }, el("div", { class: "left" }, this.felt, this.facts), el("div", { class: "right" }, this.search, this.story.list, this.legal)),
      this.line,
      controls,
      this.spoken,
      el("div", { class: "more" }, data.debug && el("p", { class: "debug" }, button("copy", "copy the command", () => this.copy()), " ", this.debug, " ", this.copied), el("details", { on: { toggle: () => this.drawView() } }, el("summary", {}, "the view as bots get it"), this.views), el("details", {}, el("summary", {}, "keys"), el("dl", { class: "keys" }, KEYS.map(([keys, what]) => [el("dt", {}, keys), el("dd", {}, what)])))),
    );
    this.setSpeed(this.speed);
  }

  // Watches the match as everyone or as a seat; as everyone if the seat is none, or its perspective is not there.
  watch(seat, at) {
    const there = this.match.watchers;
    this.watcher = there.includes(seat) ? seat : there[0];
    this.watchers.forEach((button, i) => button.setAttribute("aria-pressed", String(there[i] === this.watcher)));
    this.rounds = this.match.starts(this.watcher, this.layout.long.begins);
    this.tricks = [...new Set([...this.match.starts(this.watcher, this.layout.short.begins), ...this.rounds])].sort((a, b) => a - b);
    this.story.show(this.watcher);
    this.timeline = timeline(this.match, this.watcher, this.rounds, this.layout.long.name, (to) => this.go(to));
    this.line.replaceChildren(this.timeline.element);
    this.at = 0;
    this.go(at);
  }

  go(at) {
    const before = this.at;
    this.at = Math.max(1, Math.min(this.match.last, at));
    if (this.at === before) return;
    this.draw(Math.abs(this.at - before) < 3 ? 300 / this.speed : 0);
    clearTimeout(this.naming);
    this.naming = setTimeout(() => this.name(), 150);
    if (this.at === this.match.last) this.pause();
  }

  draw(duration) {
    const { match, at, watcher } = this;
    const scene = new Scene(match, this.pack, watcher, at);
    fly(this.felt, () => drawTable(this.felt, scene, this.layout), duration);
    this.facts.replaceChildren(...this.layout.table(scene).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, this.pack.text(value))]));
    this.story.mark(at);
    this.legal.replaceChildren(...(scene.over ? this.result() : legalActions(scene.decision, this.pack, match.names)).filter(Boolean));
    this.timeline.mark(at);
    this.slider.value = at;
    const where = scene.over ? "end" : `decision ${at} of ${match.last - 1}`;
    this.where.textContent = where;
    this.slider.setAttribute("aria-valuetext", where);
    this.debug.textContent = scene.over || !scene.decision ? "" : `${match.data.debug} ${at}`;
    this.debug.parentElement?.toggleAttribute("hidden", !this.debug.textContent);
    const told = match.after(watcher, at - 1).map(({ text }) => text);
    const next = scene.decision ? `${match.names[scene.decision.seat]}: ${scene.decision.action.replace(":", " ")} ${scene.decision.note}` : "";
    this.spoken.textContent = [...told, where, next].filter(Boolean).join("; ");
    this.drawView();
  }

  result() {
    const { data, names } = this.match;
    const order = names.map((_, seat) => seat).sort((a, b) => data.places[a] - data.places[b]);
    return [el("p", {}, el("b", {}, "the end")), el("ol", { class: "places" }, order.map((seat) => el("li", {}, `${data.places[seat]}. `, el("span", { dir: "auto" }, names[seat]), `: ${data.scores[seat]}`)))];
  }

  drawView() {
    if (!this.views.parentElement.open) return;
    const scene = new Scene(this.match, this.pack, this.watcher, this.at);
    const view = scene.decision && scene.views[scene.decision.seat] ? scene.views[scene.decision.seat] : scene.view;
    this.views.replaceChildren(...Object.entries(view).map(([key, value]) => `${key}: ${valueText(value)}\n`));
  }

  // Moves to the next decision that the watcher sees something of, or the one before.
  step(by) {
    let to = this.at + by;
    while (to > 1 && to < this.match.last && !this.match.decision(this.watcher, to)) to += by;
    this.go(to);
  }

  leap(stretch, by) {
    const starts = stretch === this.layout.long ? this.rounds : this.tricks;
    this.go((by > 0 ? starts.find((start) => start > this.at) : starts.findLast((start) => start < this.at)) ?? this.at);
  }

  mistake() {
    const { match } = this;
    const mistakes = match.data.costs.filter(({ mistake, seat }) => mistake && (this.watcher === EVERYONE || this.watcher === seat)).map(({ decision }) => decision);
    const all = [...mistakes, ...match.data.faults.map(({ decision }) => Math.max(1, decision))].sort((a, b) => a - b);
    if (all.length) this.go(all.find((at) => at > this.at) ?? all[0]);
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.at === this.match.last) this.go(1);
    this.timer = setInterval(() => this.step(1), STEP_MS / this.speed);
    this.playing.textContent = "⏸";
    this.playing.setAttribute("aria-label", "pause");
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    if (this.playing) this.playing.textContent = "▷";
    this.playing?.setAttribute("aria-label", "play");
  }

  setSpeed(speed) {
    this.speed = speed;
    this.speeds.forEach((button, i) => button.setAttribute("aria-pressed", String(SPEEDS[i] === speed)));
    if (this.timer) {
      this.pause();
      this.toggle();
    }
  }

  find(back, at = this.at) {
    const found = this.search.value && this.story.find(this.search.value, at, back);
    if (found) this.go(found);
  }

  typed(event) {
    event.stopPropagation();
    if (event.key === "Enter") this.find(event.shiftKey);
    if (event.key === "Escape") this.root.focus();
  }

  async copy() {
    const text = this.debug.textContent;
    try {
      await navigator.clipboard.writeText(text);
      this.copied.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(this.debug);
      this.copied.textContent = document.execCommand("copy") ? "copied" : "selected: copy it now";
    }
    setTimeout(() => this.copied.replaceChildren(), 2000);
  }

  // Puts the match and the decision into the address.
  name() {
    const { match, at, watcher } = this;
    const named = new URLSearchParams({ match: match.data.match, decision: at === match.last ? "end" : at });
    if (watcher !== EVERYONE) named.set("seat", watcher);
    history.replaceState(null, "", `#${named}`);
  }

  key(event) {
    const { target } = event;
    const inside = this.root.contains(target) || (this.alone && target === document.body);
    if (!this.match || this.root.hidden || !inside || event.altKey || event.metaKey || target === this.search) return;
    const { key } = event;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (by) event.ctrlKey ? this.leap(this.layout.long, by) : event.shiftKey ? this.leap(this.layout.short, by) : this.step(by);
    else if (event.ctrlKey) return;
    else if (key === "Home") this.go(1);
    else if (key === "End") this.go(this.match.last);
    else if (key === " " && !target.matches("button:focus-visible, summary")) this.toggle();
    else if (key === "0") this.watch(EVERYONE, this.at);
    else if (/^[1-9]$/.test(key) && this.match.seats.includes(key - 1)) this.watch(key - 1, this.at);
    else if (key === "m") this.mistake();
    else if (key === "/") this.search.focus();
    else return;
    event.preventDefault();
  }
}

const root = document.getElementById("match-viewer");
const viewer = new Viewer(root, root.hasAttribute("data-alone"));
window.tourneyViewer = viewer;
if (viewer.alone) viewer.follow().then((opened) => opened || viewer.open(document.querySelector("script.match-data").dataset.match));
else viewer.follow();
