// The twins of a match: the same deal with the bots in other seats, on further tables that follow the viewer's moment.

import { blockOf, Match, unpacked } from "./data.js";
import { counted, el } from "./elements.js";
import { drawTable, Scene } from "./table.js";

const MOST_TABLES = 3; // tables next to the match's own

export class Twins {
  constructor(viewer) {
    Object.assign(this, { viewer, shown: [], tables: [], loaded: new Map(), of: null });
    viewer.root.addEventListener("moment", () => this.draw());
  }

  get all() {
    return this.viewer.match.data.twins ?? [];
  }

  // The decision at which the first of some twins, named as in an address, parts from the match.
  parting(names = this.shown.join()) {
    return this.all.find(({ match }) => match === names?.split(",")[0])?.parts?.decision;
  }

  async toggle() {
    const { twins, twinsSwitch, missing } = this.viewer.parts;
    if (twinsSwitch.hidden) return;
    const held = this.all.find(({ match }) => blockOf(match));
    const lacking = "The other seats are not in this file; see tourney serve, or tourney replay RUN MATCH --html FILE.";
    if (!held) missing.textContent = missing.textContent ? "" : lacking;
    else await this.show(this.shown.length ? [] : [held.match]);
    (held ? twins : missing).scrollIntoView({ block: "nearest" });
  }

  goToParting() {
    if (!this.parting()) return;
    this.viewer.go(this.parting());
    this.viewer.parts.twins.scrollIntoView({ block: "nearest" });
  }

  // Puts some twins on the table, each with its match's name.
  async show(names) {
    const { viewer } = this;
    const { match } = viewer;
    const wanted = names.filter((name) => blockOf(name) && this.all.some((twin) => twin.match === name)).slice(-MOST_TABLES);
    for (const name of wanted.filter((name) => !this.loaded.has(name))) {
      this.loaded.set(name, new Match(await unpacked(blockOf(name).textContent)));
    }
    if (match !== viewer.match) return; // another one was opened in the meantime
    this.shown = wanted;
    const { tables, felt, caption } = viewer.parts;
    const isPaired = this.shown.length > 0;
    this.tables = this.shown.map((name) => this.table(name));
    const own = el("div", { class: "table" }, isPaired && el("p", { class: "who" }, match.data.match), felt, isPaired && caption);
    tables.replaceChildren(own, ...this.tables.map(({ element }) => element));
    if (!isPaired) viewer.parts.noted.before(caption);
    viewer.root.classList.toggle("paired", isPaired);
    if (this.of !== match) return; // drawn when it is watched
    viewer.draw(0);
    viewer.nameMoment();
  }

  // The table of a twin: its name, the felt, and what happens.
  table(name) {
    const match = this.loaded.get(name);
    const [felt, caption] = [el("div", { class: "felt" }), el("p", { class: "said" })];
    const about = { class: "table", "aria-label": `${name}: ${match.names.join(", ")}` };
    const element = el("figure", about, el("p", { class: "who" }, name), felt, caption);
    return { of: this.viewer.match, match, felt, caption, element };
  }

  // A twin's moment for the viewer's: the same one until they part, then the same of the round.
  place({ match, longs, stops }) {
    const { viewer: { at, longs: own, match: { last } } } = this;
    if (at >= last) return match.last;
    const i = own.findLastIndex((start) => start <= at);
    const to = (longs[i] ?? match.last) + at - own[i];
    const end = longs[i + 1] ?? match.last;
    return stops.findLast((stop) => stop <= to && (stop < end || end === match.last)) ?? match.last;
  }

  draw() {
    const { viewer } = this;
    const { parts, match, watcher, layout, pack } = viewer;
    this.of = match;
    if (this.tables.some(({ of }) => of !== match)) return this.show([]);
    parts.twinsSwitch.hidden = !this.all.length;
    parts.twinsSwitch.setAttribute("aria-pressed", this.shown.length > 0);
    parts.twins.hidden = !this.shown.length;
    if (!this.shown.length) return;
    for (const table of this.tables) {
      const twin = table.match;
      if (table.watcher !== watcher) {
        Object.assign(table, { watcher, longs: twin.starts(watcher, viewer.long.begins), stops: twin.stops(watcher, layout.ends) });
      }
      const scene = new Scene(twin, pack, layout, watcher, this.place(table));
      drawTable(table.felt, scene, layout);
      for (const seat of table.felt.querySelectorAll(".seat")) seat.ariaLabel = `${twin.data.match}: ${seat.ariaLabel}`;
      const [head, said] = scene.over ? ["the end: ", twin.data.result] : viewer.caption(scene);
      table.caption.replaceChildren(el("b", { dir: "auto" }, head), ...pack.text(said));
      const told = pack.inWords(head + said);
      if (scene.at > this.parting() || scene.over) parts.spoken.textContent += `; ${twin.data.match}: ${told}`;
    }
    this.describe();
  }

  describe() {
    const { viewer: { parts, match, timeline, at } } = this;
    const explained =
      "Each seat is dealt the same cards on every table. All move together until a bot decides otherwise than the bot in " +
      "the same seat, which knew the same; then round by round.";
    const first = this.all.find((twin) => twin.match === this.shown[0]);
    const focused = [...parts.twins.querySelectorAll("button")].indexOf(document.activeElement);
    parts.twins.replaceChildren(
      el("p", { class: "quiet" }, explained),
      el("p", { class: first.parts?.decision === Math.floor(at) ? "parting here" : "parting" }, this.parted(first)),
      el("div", { class: "group", role: "group", "aria-label": "other seats" }, this.all.map((twin) => this.choice(twin))),
    );
    parts.twins.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
    if (first.parts?.decision === at) parts.spoken.textContent += `; ${parts.twins.querySelector(".here").textContent}`;
    timeline.element.querySelectorAll(".parts").forEach((mark) => mark.remove());
    if (!first.parts) return;
    const { decision } = first.parts;
    const place = `${((decision - 1) / (match.last - 1)) * 100}%`;
    const title = `They part at decision ${decision}`;
    const attributes = { type: "button", class: "sign parts", tabindex: "-1", title, "aria-label": title, style: { "--at": place } };
    timeline.element.querySelector(".strip").append(el("button", { ...attributes, on: { click: () => this.goToParting() } }, "≠"));
  }

  // Where a twin parts from the match, and how far apart the seat ends.
  parted({ match: name, parts }) {
    const { viewer: { match, pack, layout, watcher } } = this;
    const failed = match.data.faults.length + this.loaded.get(name).data.faults.length > 0;
    if (!parts) return `All decisions are the same${failed ? "; only the fault of a bot differs" : ""}.`;
    const { decision, seat, gap } = parts;
    const chose = (of) => {
      const { said = " …", byHouse, fault } = of.decision(watcher, decision) ?? {};
      return [el("b", { dir: "auto" }, of.names[seat]), pack.text(said), fault ? " (a random move after a fault)" : byHouse && " (a random move)"];
    };
    const apart = gap ? `are ${counted(gap, layout.scored)} apart` : "have the same score";
    const go = el("button", { type: "button", title: "go there (p)", on: { click: () => this.goToParting() } }, `decision ${decision}`);
    return [
      "They part at ", go, `, where seat ${seat} had seen the same: `, chose(match), ", ", chose(this.loaded.get(name)),
      el("span", { class: "ending" }, `. In the end the bots in seat ${seat} ${apart}.`),
    ];
  }

  // A twin of the strip; it is on the table, or can be put there.
  choice({ match: name, names, scores }) {
    const on = this.shown.includes(name);
    const click = () => this.show(on ? this.shown.filter((each) => each !== name) : [...this.shown, name]);
    const sides = names.map((each, seat) => [seat ? ", " : "", each, el("span", { class: "ending" }, ` ${scores[seat]}`)]);
    const title = `${name}: ${names.map((each, seat) => `${each} in seat ${seat}`).join(", ")}`;
    if (!blockOf(name)) return el("span", { class: "chip", dir: "auto" }, sides, ", not in this page");
    return el("button", { type: "button", dir: "auto", "aria-pressed": on, title, on: { click } }, sides);
  }
}
