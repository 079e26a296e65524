// The match viewer: finds the matches in the page, shows one, and handles keys, clicks and the address.

import { Beliefs } from "./beliefs.js";
import { blockOf, blocks, EVERYONE, Match, unpacked } from "./data.js";
import { counted, el, Pack, words } from "./elements.js";
import { layoutOf, valueText } from "./layouts.js";
import { costsOf, GRADES, highlights } from "./highlights.js";
import { legalActions, Story, timeline } from "./panels.js";
import { drawArrows, drawTable, fly, Scene } from "./table.js";
import { WhatIf } from "./what_if.js";
import { Twins } from "./twins.js";

const STEP_MS = 1200; // time per decision at single speed
const FLIGHT_MS = 300;

class Viewer {
  // Shows matches in an element with the content of viewer.html. A viewer alone in its page gets all keys.
  constructor(root, alone) {
    Object.assign(this, { root, alone, speed: 1, pace: "decision", timer: null, at: 0 });
    this.parts = Object.fromEntries([...root.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
    const { search, slider, raw } = this.parts;
    this.deeds = {
      first: () => this.go(1),
      previous: () => this.step(-1),
      play: () => (this.timer ? this.pause() : this.play()),
      next: () => this.step(1),
      last: () => this.go(this.match.last),
      mark: () => this.nextMark(),
      shortBack: () => this.leap(this.shorts, -1),
      shortOn: () => this.leap(this.shorts, 1),
      longBack: () => this.leap(this.longs, -1),
      longOn: () => this.leap(this.longs, 1),
      pace: () => this.setPace(this.pace === "highlight" ? "decision" : "highlight"),
      copy: () => this.copy(this.parts.command, this.parts.copied),
      link: () => this.copyLink(),
      reveal: () => this.keep(false),
      twins: () => this.twins.toggle(),
      beliefs: () => this.beliefs.toggle(),
      parting: () => this.twins.goToParting(),
    };
    this.whatIf = new WhatIf(this);
    this.twins = new Twins(this);
    this.beliefs = new Beliefs(this);
    root.addEventListener("click", ({ target, detail }) => {
      const button = target.closest("button");
      if (button && detail) root.focus({ preventScroll: true }); // after a click, space plays, and keys are ours
      if (button?.dataset.do) this.deeds[button.dataset.do]();
      if (button?.dataset.speed) this.setSpeed(Number(button.dataset.speed));
      if (button?.dataset.pace) this.setPace(button.dataset.pace);
    });
    for (const kind of ["click", "focusin"]) {
      this.parts.felt.addEventListener(kind, ({ target }) => this.explain(target.closest("[title]")));
    }
    slider.addEventListener("input", () => this.go(Number(slider.value)));
    search.addEventListener("input", () => this.find(this.at - 1));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.find(this.at, event.shiftKey);
      if (event.key !== "Escape") return;
      event.preventDefault(); // a dialog around the viewer stays
      root.focus();
    });
    raw.addEventListener("toggle", () => this.drawView());
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => this.follow());
    const resized = new ResizeObserver(() => {
      if (!this.match) return;
      drawArrows(this.parts.felt, this.layout.arrows(this.scene()));
      this.story.mark(this.at);
    });
    for (const part of [this.parts.felt, this.parts.story]) resized.observe(part);
    this.setSpeed(1);
  }

  // Opens a match of the page at a decision, as seen by a seat or by everyone (null), beside some twins; returns whether
  // it did.
  async open(name, decision = null, seat = null, twins = null) {
    const block = blockOf(name);
    if (!block) return false;
    this.pause();
    if (this.whatIf.left || this.match?.data.match !== name) this.begin(new Match(await unpacked(block.textContent)));
    this.root.hidden = false;
    if (!this.root.contains(document.activeElement)) this.root.focus({ preventScroll: true }); // keys are ours
    this.watch(seat, decision ?? this.twins.parting(twins) ?? 1);
    await this.twins.show(twins?.split(",") ?? []);
    return true;
  }

  // Opens the match named in the address, if it is in the page; returns whether it did.
  async follow() {
    const named = new URLSearchParams(location.hash.slice(1));
    const wanted = named.has("match") ? named : new URLSearchParams(location.search); // as in links of a server
    const match = wanted.get("match") ?? (this.alone && document.querySelector("script.match-data")?.dataset.match);
    const decision = wanted.get("decision");
    const at = decision === "end" ? Infinity : Number.parseFloat(decision) || null;
    const seat = wanted.has("seat") ? Number(wanted.get("seat")) : null;
    this.beliefs.on ||= wanted.has("beliefs");
    const opened = Boolean(match) && (await this.open(match, at, seat, wanted.get("twins")));
    this.parts.missing.textContent = match && !opened ? `There is no match “${match}” in this page.` : "";
    return opened;
  }

  // Shows a match from a moment.
  show(match, seat, at) {
    this.pause();
    this.begin(match);
    this.root.hidden = false;
    this.watch(seat, at);
  }

  begin(match) {
    const { data } = match;
    const { parts } = this;
    this.match = match;
    this.whatIf.begin(match);
    this.layout = layoutOf(data.game);
    this.long = { name: data.numbered_by, ...this.layout.long };
    this.pack = new Pack(data.deck, this.layout.nicknames);
    this.story = new Story(parts.story, match, this.pack, this.layout.onTable, (at) => this.go(at));
    this.watchers = match.watchers.map((watcher) => {
      const attributes = { type: "button", dir: "auto", on: { click: () => this.watch(watcher, this.at) } };
      return el("button", attributes, match.names[watcher] ?? "everyone");
    });
    parts.watchers.replaceChildren(...this.watchers);
    parts.match.textContent = data.match;
    parts.about.textContent = [data.title, words(valueText(data.options))].filter(Boolean).join(" · ");
    parts.rules.hidden = !data.goal;
    parts.goal.textContent = data.goal;
    parts.result.textContent = data.result;
    this.keep(secret && !match.goesOn);
    parts.slider.max = match.last;
    parts.noted.hidden = !data.noted.length;
    const names = { short: this.layout.short.name, long: this.long.name };
    for (const place of this.root.querySelectorAll("[data-name]")) place.textContent = names[place.dataset.name];
  }

  // Hides how the match ends, or shows it.
  keep(hidden) {
    this.root.classList.toggle("kept", hidden);
    if (this.alone) document.title = hidden ? this.match.data.match : (this.title ??= document.title);
  }

  // Watches the match as a seat, or as everyone if the seat is null or its perspective is missing.
  watch(seat, at) {
    const { match, parts } = this;
    this.watcher = match.watchers.includes(seat) ? seat : match.watchers[0];
    this.watchers.forEach((button, i) => button.setAttribute("aria-pressed", match.watchers[i] === this.watcher));
    this.longs = match.starts(this.watcher, this.long.begins);
    const { short } = this.layout;
    this.shorts = match.starts(this.watcher, (...moment) => short.begins(...moment) || this.long.begins(...moment));
    this.stops = match.stops(this.watcher, this.layout.ends);
    this.highlights = highlights(match, this.watcher, this.layout, this.stops);
    const outcomes = (starts) => [...starts.map((at) => (this.stops.includes(at - 0.5) ? at - 0.5 : at)), match.last];
    const shown = [1, ...this.highlights.keys(), match.last];
    this.paces = { decision: this.stops, short: outcomes(this.shorts), long: outcomes(this.longs), highlight: shown };
    this.button("long").hidden = this.longs.length < 3;
    this.button("highlight").hidden = !this.highlights.size;
    parts.count.textContent = this.highlights.size;
    this.setPace(this.button(this.pace).hidden ? "decision" : this.pace);
    parts.nextMark.hidden = !this.marks().length;
    const grades = costsOf(match, this.watcher).map(({ mistake }) => mistake);
    const signs = GRADES.filter((grade, i) => grade && grades.includes(i)).map(([sign]) => sign);
    parts.nextMark.textContent = `next ${signs.join("")}${match.data.faults.length ? "●" : ""}`;
    this.story.show(this.watcher);
    this.timeline = timeline(match, this.watcher, this.layout, this.longs, this.long.name, (to) => this.go(to));
    parts.line.replaceChildren(this.timeline.element);
    this.at = 0;
    this.go(at);
  }

  button(pace) {
    return this.root.querySelector(`[data-pace="${pace}"]`);
  }

  go(at) {
    const before = this.at;
    this.at = Math.max(1, Math.min(this.match.last, this.stops.includes(at) ? at : Math.ceil(at)));
    if (this.at === before) return;
    this.draw(Math.abs(this.at - before) < 3 ? FLIGHT_MS / this.speed : 0);
    clearTimeout(this.naming); // browsers limit how often a page may change its address
    this.naming = setTimeout(() => this.nameMoment(), 150);
    if (this.at === this.match.last) this.pause();
  }

  draw(duration) {
    const { match, at, watcher, parts, pack } = this;
    const scene = this.scene();
    const decision = scene.decision ?? scene.last;
    fly(parts.felt, () => drawTable(parts.felt, scene, this.layout), duration);
    const rows = this.layout.table(scene).map(([name, value]) => [el("dt", {}, name), el("dd", {}, pack.text(value))]);
    parts.table.replaceChildren(...rows.flat());
    const [head, said] = this.caption(scene);
    const stakes = (!scene.over && scene.decision?.stakes) || "";
    const spelled = [head && el("b", { dir: "auto" }, head), ...pack.text(said)].filter(Boolean);
    if (stakes) spelled.push(el("span", { class: "quiet stakes" }, " – ", pack.text(stakes)));
    const why = (this.highlights.get(at) ?? []).join("; ");
    const reason = why ? [el("span", { class: "why" }, " ", pack.text(why))] : [];
    parts.caption.replaceChildren(...(scene.over ? [match.data.result] : spelled), ...reason);
    const noted = scene.over || !decision?.noted ? "" : `${match.names[decision.seat]} notes: ${decision.noted}`;
    parts.noted.textContent = parts.noted.title = noted;
    const now = match.goesOn && at === match.last;
    const listed = () => (scene.over ? this.places() : legalActions(decision, pack, match.names, this.whatIf));
    parts.legal.replaceChildren(...(now ? [] : listed()));
    this.whatIf.draw(scene.over ? null : decision);
    this.story.mark(at);
    this.timeline.mark(at);
    const number = Math.floor(at);
    const numbered = now ? (this.whatIf.left ? "cut here" : "now") : `${scene.outcome ? "after " : ""}decision ${number} of ${match.last - 1}`;
    const where = scene.over ? "end" : numbered;
    parts.slider.value = at;
    parts.slider.setAttribute("aria-valuetext", [where, this.timeline.read()].filter(Boolean).join("; "));
    parts.where.textContent = where;
    const bot = decision && !decision.byHouse && !match.data.undebugged.includes(decision.seat);
    parts.debug.hidden = !match.data.debug || !bot;
    parts.command.textContent = `${match.data.debug} ${number}`;
    const told = this.stops.includes(at - 0.5) ? [] : match.after(watcher, at - 1).map(({ text }) => text);
    const next = !scene.over && head + said;
    parts.spoken.textContent = pack.inWords([...told, where, why, next, stakes, noted].filter(Boolean).join("; "));
    this.drawView(scene);
    this.root.dispatchEvent(new Event("moment"));
  }

  // The table's caption, as a head and a sentence: the decision, or its outcome.
  caption(scene) {
    const { decision, outcome, names, match: { data } } = scene;
    const apart = scene.match === this.match ? (this.highlights.get(this.at) ?? []) : []; // shown separately
    const isLeft = (text) => text && !apart.includes(text);
    const told = outcome ? this.layout.outcome(scene).filter(isLeft).join("; ") : "";
    if (scene.match.goesOn && scene.at === scene.match.last) return this.latest(scene);
    const round = scene.next && scene.view[data.numbered_by];
    const { seat, said = "…", note = "" } = told ? {} : (decision ?? scene.last ?? {});
    const over = round ? `${data.numbered_by} ${round} is over${told || seat !== undefined ? ": " : ""}` : "";
    return [over + (names[seat] ?? ""), told || [said, note].filter(Boolean).join(" – ")];
  }

  // The last decision known to the watcher, and its effects: the state of a live match.
  latest(scene) {
    const story = this.match.story(this.watcher);
    const from = story.findLastIndex(({ kind }) => kind === "decision");
    const { seat, said, note } = story[from] ?? {};
    const told = story.slice(from + 1).map(({ text }) => text);
    return [scene.names[seat] ?? "", [said, note, ...told].filter(Boolean).join(" – ")];
  }

  // Shows an element's title as the caption, for readers without a mouse.
  explain(element) {
    if (!element) return;
    const said = [...new Set([element.textContent, element.title])].join(": ");
    this.parts.caption.textContent = element.getAttribute("aria-label") ?? said;
  }

  // The seats, best place first.
  order() {
    const { names, data } = this.match;
    return names.map((_, seat) => seat).sort((a, b) => data.places[a] - data.places[b]);
  }

  places() {
    const { data, names } = this.match;
    const name = (seat) => el("span", { dir: "auto" }, names[seat]);
    const row = (seat) => el("li", {}, `${data.places[seat]}. `, name(seat), `: ${data.scores[seat]}`);
    return [el("p", {}, el("b", {}, "the end")), el("ol", {}, this.order().map(row))];
  }

  scene() {
    return new Scene(this.match, this.pack, this.layout, this.watcher, this.at);
  }

  drawView(scene = this.scene()) {
    if (!this.parts.raw.open) return;
    const view = scene.views[scene.decision?.seat] ?? scene.view;
    this.parts.view.textContent = Object.entries(view).map(([key, value]) => `${key}: ${valueText(value)}\n`).join("");
  }

  // Moves forward or back at the chosen pace: by visible decisions and outcomes, or by larger steps.
  step(by) {
    this.leap(this.paces[this.pace], by);
  }

  leap(starts, by) {
    const to = by > 0 ? starts.find((start) => start > this.at) : starts.findLast((start) => start < this.at);
    this.go(to ?? this.at);
  }

  // The moments of faults, and of mistakes known to the watcher.
  marks() {
    const known = costsOf(this.match, this.watcher).filter(({ mistake }) => mistake);
    return [...known, ...this.match.data.faults].map(({ decision }) => Math.max(1, decision)).sort((a, b) => a - b);
  }

  nextMark() {
    const marks = this.marks();
    if (marks.length) this.go(marks.find((at) => at > this.at) ?? marks[0]);
  }

  play(step = STEP_MS / this.speed) {
    if (this.at === this.match.last) this.go(1);
    this.timer = setInterval(() => this.step(1), step);
    this.parts.play.textContent = "pause";
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.parts.play.textContent = "play";
  }

  setSpeed(speed) {
    this.speed = speed;
    for (const button of this.root.querySelectorAll("[data-speed]")) {
      button.setAttribute("aria-pressed", Number(button.dataset.speed) === speed);
    }
    if (!this.timer) return;
    this.pause();
    this.play();
  }

  setPace(pace) {
    this.pace = pace;
    for (const button of this.root.querySelectorAll("[data-pace]")) {
      button.setAttribute("aria-pressed", button.dataset.pace === pace);
    }
  }

  find(at, back = false) {
    const { value } = this.parts.search;
    const found = value && this.story.find(value, at, back);
    this.parts.searched.textContent = value && !found ? `No event contains “${value}”.` : "";
    if (found) this.go(found);
  }

  // Copies an element's text, and confirms it in another.
  async copy(element, said) {
    try {
      await navigator.clipboard.writeText(element.textContent);
      said.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(element);
      said.textContent = document.execCommand("copy") ? "copied" : "selected: copy it now";
    }
    setTimeout(() => said.replaceChildren(), 2000);
  }

  copyLink() {
    this.nameMoment();
    const link = el("span", { class: "visually-hidden" }, location.href);
    this.parts.linked.after(link);
    this.copy(link, this.parts.linked).then(() => link.remove());
  }

  // Puts the match, the decision and the seat into the address.
  nameMoment() {
    const { match, at, watcher } = this;
    if (!blockOf(match.data.match) || this.whatIf.left || !this.root.checkVisibility()) return; // or its dialog is closed
    const named = new URLSearchParams({ match: match.data.match, decision: at === match.last ? "end" : at });
    if (watcher !== EVERYONE) named.set("seat", watcher);
    if (this.beliefs.on) named.set("beliefs", "");
    if (this.twins.shown.length) named.set("twins", this.twins.shown.join());
    history.replaceState(null, "", `#${named}`);
  }

  key(event) {
    const { target, key, ctrlKey, shiftKey } = event;
    const here = this.root.contains(target) || (this.alone && target === document.body);
    const typing = target === this.parts.search || event.altKey || event.metaKey;
    if (!this.match || this.root.hidden || !here || typing) return;
    const way = { ArrowLeft: "Back", ArrowRight: "On" }[key];
    const plain = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", m: "mark", h: "pace", t: "twins", p: "parting", b: "beliefs" }[key];
    if (way && (ctrlKey || shiftKey)) this.deeds[(ctrlKey ? "long" : "short") + way]();
    else if (ctrlKey) return;
    else if (plain) this.deeds[plain]();
    else if (key === " " && !target.matches("button, summary")) this.deeds.play();
    else if (key === "0" && this.match.data.everyone) this.watch(EVERYONE, this.at);
    else if (/^[1-9]$/.test(key) && this.match.seats.includes(key - 1)) this.watch(key - 1, this.at);
    else if (key === "Escape" && this.whatIf.left) this.whatIf.leave();
    else if (key === "/") this.parts.search.focus();
    else return;
    event.preventDefault();
  }
}

const root = document.getElementById("match-viewer");
const asked = new URLSearchParams(location.search);
const embedded = asked.has("embed"); // in a slide: only the viewer
const secret = asked.get("spoiler") === "0"; // how matches end is hidden until it is asked for
document.documentElement.classList.toggle("embed", embedded);
export const viewer = new Viewer(root, embedded || document.body.classList.contains("alone"));
window.tourneyViewer = viewer;
viewer.follow().then((opened) => {
  if (viewer.alone && !opened) viewer.open(blocks()[0]?.dataset.match);
});
