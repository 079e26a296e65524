// What the watched seat could believe: the chance of each card or role behind each back, from tourney/report/beliefs.py.

import { el } from "./elements.js";
import { curves } from "./panels.js";

const MOST_CHANCES = 12; // chances listed for a back

export class Beliefs {
  constructor(viewer) {
    Object.assign(this, { viewer, on: false, asked: new Map() });
    viewer.root.addEventListener("moment", () => this.draw());
  }

  toggle() {
    const { viewer } = this;
    this.on = !this.on;
    if (this.on && !Number.isInteger(viewer.watcher)) viewer.watch(viewer.match.seats[0], viewer.at);
    this.draw();
  }

  // The decisions of the part of the match, such as a round, that a moment lies in: [first, end].
  span(at) {
    const { longs, match } = this.viewer;
    const i = longs.findLastIndex((start) => start <= at);
    return [longs[i], longs[i + 1] ?? match.last];
  }

  // The watched seat's beliefs: those in the page, or what the server is asked for; null while it counts.
  known(at) {
    const { match, watcher } = this.viewer;
    const { ask, ...held } = match.data.beliefs;
    if (!ask) return held[watcher] ?? {};
    const [first, end] = this.span(at);
    const address = `${ask}?seat=${watcher}&first=${first}&end=${end}`;
    if (!this.asked.has(address)) {
      this.asked.set(address, null);
      this.fetch(address);
    }
    return this.asked.get(address);
  }

  async fetch(address) {
    try {
      const answer = await fetch(address);
      this.asked.set(address, answer.ok ? await answer.json() : { problem: await answer.text() });
    } catch {
      this.asked.delete(address);
    }
    this.draw();
  }

  draw() {
    const { viewer, on } = this;
    const { parts, match, watcher, at } = viewer;
    const { imagines, beliefs, title } = match.data;
    parts.beliefsSwitch.hidden = match.goesOn;
    parts.beliefsSwitch.setAttribute("aria-pressed", on);
    parts.beliefs.hidden = !on || match.goesOn;
    if (parts.beliefs.hidden) return;
    const say = (...said) => parts.beliefs.replaceChildren(el("p", { class: "quiet" }, ...said));
    if (!Number.isInteger(watcher)) return say("Watch as a seat (1 to 9) to see what it could believe.");
    if (!imagines) return say(`${title} lacks imagine: the game cannot draw what a seat does not see, so nobody can count its chances.`);
    const known = this.known(at);
    if (!known) return say("Counting …");
    if (known.problem) return say(known.problem);
    if (!known.tables) {
      return say("This file holds no beliefs. Write it with ", el("code", {}, "tourney replay RUN MATCH --html FILE --beliefs"), ", or open the match in ", el("code", {}, "tourney serve"), ".");
    }
    const [first] = this.span(at);
    const number = Math.floor(at) + (at % 1 && !match.closes(watcher, Math.floor(at)) ? 1 : 0);
    const [, shares] = known.tables.findLast(([from]) => from <= number) ?? known.tables[0] ?? [0, {}];
    const came = known.reveals.filter(([decision]) => decision >= first && decision < at);
    parts.beliefs.replaceChildren(
      el("p", { class: "quiet" }, this.about(known)),
      ...this.told(came, at),
      el("div", { class: "backs" }, viewer.match.goesOn || at === match.last ? [] : Object.entries(shares).flatMap((each) => this.backs(...each))),
      this.curve(known),
    );
  }

  about({ draws }) {
    const { match, watcher } = this.viewer;
    return (
      `What ${match.names[watcher]} in seat ${watcher} could believe: the share of the deals that fit all it has seen, each ` +
      `taken as equally likely, and ${draws} of them drawn. What others say, or like to play, is not weighed.`
    );
  }

  // What the last decision brought to light, and how far off the beliefs have been in this part of the match.
  told(came, at) {
    const { match, pack } = this.viewer;
    const newest = came.filter(([decision]) => decision === came.at(-1)[0] && decision >= Math.ceil(at) - 1);
    const each = ([, seat, name, text, share]) => el("li", {}, el("bdi", {}, match.names[seat]), `, ${name}: `, pack.text(text), `, thought ${share} % likely`);
    const mean = came.reduce((sum, [, , , , share]) => sum + share, 0) / came.length;
    return [
      newest.length > 0 && el("p", { class: "here" }, "Just come to light:"),
      newest.length > 0 && el("ul", { class: "light" }, newest.map(each)),
      came.length > 0 && el("p", {}, `Come to light so far: ${came.length}. Right before, the truth was thought ${Math.round(mean)} % likely on average, ${Math.round(100 - mean)} points off.`),
    ].filter(Boolean);
  }

  // What may lie behind a seat's back, the likeliest first.
  backs(seat, names) {
    const { match, pack, layout, watcher } = this.viewer;
    return Object.entries(names).map(([name, shares]) => {
      const all = Object.entries(shares).sort(([one, a], [two, b]) => b - a || pack.order.indexOf(one) - pack.order.indexOf(two));
      const own = Number(seat) === watcher ? "own " : "";
      const item = ([text, share]) => {
        const certain = share === 100 ? "known" : `${share} %`;
        const card = pack.has(text) || text in layout.nicknames;
        return el("li", {}, card ? pack.card(text, { class: "small", still: true }) : el("b", {}, text), ` ${certain}`);
      };
      const rest = all.slice(MOST_CHANCES);
      const left = rest.length > 0 && el("li", { class: "quiet" }, `${rest.length} more, at most ${rest[0][1]} % each`);
      const title = el("figcaption", {}, el("bdi", {}, match.names[seat]), `: ${own}${name}`);
      return el("figure", { class: "odds" }, title, el("ul", {}, all.slice(0, MOST_CHANCES).map(item), left));
    });
  }

  // The chance of the layout's `believed` name and text for each seat, over this part of the match.
  curve({ tables }) {
    const { viewer: { layout, match, watcher, at } } = this;
    if (!layout.believed || !tables.length) return "";
    const [name, text] = layout.believed;
    const [first, end] = this.span(at);
    const own = tables.filter(([number]) => number >= first && number < end);
    const seats = match.names.map((_, seat) => seat).filter((seat) => seat !== watcher && own.some(([, shares]) => shares[seat]?.[name]));
    const value = (shares, seat) => shares[seat]?.[name]?.[text] ?? 0;
    const steps = (seat) => own.flatMap(([number, shares], i) => [[number, value(shares, seat)], [own[i + 1]?.[0] ?? end, value(shares, seat)]]);
    const lines = seats.map((seat) => ({ seat, points: steps(seat) }));
    const share = (moment) => (moment - first) / Math.max(1, end - first);
    const current = own.findLast(([number]) => number <= at)?.[1] ?? {};
    const legend = seats.map((seat) => el("span", { class: `series series-${seat % 8}` }, el("bdi", {}, match.names[seat]), ` ${value(current, seat)} %`));
    const now = el("span", { class: "now", style: { left: `${100 * share(Math.min(at, end))}%` } });
    const chart = curves({ lines, ticks: [0, 50, 100], height: (percent) => percent }, share);
    return el("figure", { class: "curve-of" }, el("figcaption", { class: "legend" }, el("b", {}, `${name}: ${text}`), legend), el("div", { class: "strip" }, chart, now));
  }
}
