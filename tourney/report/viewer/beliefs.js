// What the watched seat could believe: the chance of each card or role behind each back, from tourney/report/beliefs.py.

import { el } from "./elements.js";
import { axis, curves, swatch } from "./panels.js";

const MOST_CHANCES = 48; // chances listed, shared by the seats
const MOST_ASKED = 400; // decisions of a part, as in tourney/web/answers.py

export class Beliefs {
  constructor(viewer) {
    Object.assign(this, { viewer, on: false, asked: new Map() });
    viewer.root.addEventListener("moment", () => this.draw());
  }

  toggle() {
    const { viewer } = this;
    if (viewer.parts.beliefsSwitch.hidden) return;
    this.on = !this.on;
    for (const [address, known] of this.asked) if (known?.problem) this.asked.delete(address);
    viewer.nameMoment();
    if (this.on && !Number.isInteger(viewer.watcher)) viewer.watch(viewer.match.seats[0], viewer.at);
    this.draw();
    viewer.parts.beliefs.scrollIntoView({ block: "nearest" });
  }

  // The decisions of the part of the match, such as a round, at a moment: [first, end].
  span(at) {
    const { longs, match } = this.viewer;
    const i = longs.slice(0, -1).findLastIndex((start) => start <= at);
    const [start, end] = [longs[i] ?? 1, longs[i + 1] ?? match.last];
    const first = start + Math.floor((Math.min(at, end - 1) - start) / MOST_ASKED) * MOST_ASKED;
    return [first, Math.min(end, first + MOST_ASKED)];
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
      this.asked.set(address, { problem: "The server does not answer; switch off and on to ask again." });
    }
    this.draw();
  }

  draw() {
    const { viewer, on } = this;
    const { parts, match, watcher, at, pack } = viewer;
    const { imagines, title } = match.data;
    const isPlayed = match.goesOn || viewer.root.classList.contains("playing"); // nobody gets help at the table
    const isBarred = isPlayed || !match.data.beliefs; // as in a branch
    parts.beliefsSwitch.hidden = isBarred;
    parts.beliefsSwitch.setAttribute("aria-pressed", on);
    parts.beliefs.hidden = !on || isBarred;
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
    const news = this.told(came, at);
    const seats = at === match.last ? [] : Object.entries(shares);
    const off = Math.ceil(98 / Math.sqrt(known.draws)); // in points
    const most = Math.max(12, MOST_CHANCES / seats.length);
    const backs = seats.map(([seat, names]) => this.backs(Number(seat), names, off, most));
    const who = `What ${match.names[watcher]} in seat ${watcher} could believe; a chance may be ${off} points off:`;
    const about =
      `The chance of each card or role behind each back is its share among ${known.draws} deals, drawn from those that fit ` +
      "everything that the seat had seen, each equally likely. What the others say, or like to play, is not weighed.";
    const quiet = (text) => el("p", { class: "quiet" }, text);
    parts.beliefs.replaceChildren(quiet(who), ...news, el("div", { class: "backs" }, backs), this.curve(known), quiet(about));
    if (news.length) parts.spoken.textContent += `; ${news.map((part) => part.dataset.said ?? part.textContent).join(" ")}`;
  }

  // What the last decision brought to light, and how far off the beliefs have been in this part of the match.
  told(came, at) {
    if (!came.length) return [];
    const { match, pack } = this.viewer;
    const newest = came.filter(([decision]) => decision === Math.ceil(at) - 1);
    const each = ([, seat, name, text, share]) => `${match.names[seat]}, ${name}: ${text}, thought ${share} % likely`;
    const mean = Math.round(came.reduce((sum, [, , , , share]) => sum + share, 0) / came.length);
    const light = `Come to light: ${newest.map(each).join("; ")}.`;
    const off = `Of ${came.length} that came to light so far, the truth was thought ${mean} % likely on average right before: ${100 - mean} points off.`;
    return [newest.length > 0 && el("p", { class: "here", "data-said": pack.inWords(light) }, pack.text(light)), el("p", {}, off)].filter(Boolean);
  }

  // What may lie behind a seat's back, the likeliest first; chances that may be equal, in the order of the cards.
  backs(seat, names, off, most) {
    const { match, pack, watcher } = this.viewer;
    const list = ([name, shares]) => {
      let top = Infinity;
      const ranked = Object.entries(shares).sort(([, a], [, b]) => b - a).map(([text, share]) => {
        if (top - share > off || top === 100) top = share;
        return [text, share, top];
      });
      const all = ranked.sort(([one, , a], [two, , b]) => b - a || pack.order.indexOf(one) - pack.order.indexOf(two));
      const item = ([text, share]) => {
        const shown = pack.has(text) ? pack.card(text, { class: "small", still: true }) : el("b", {}, text);
        return el("li", {}, shown, share === 100 ? " known" : ` ${share} %`);
      };
      const rest = all.slice(most);
      const left = rest.length > 0 && el("li", { class: "quiet" }, `${rest.length} more, at most ${Math.max(...rest.map(([, share]) => share))} % each`);
      return [el("p", { class: "label" }, name), el("ul", { "aria-label": name }, all.slice(0, most).map(item), left)];
    };
    const who = el("figcaption", { dir: "auto" }, match.names[seat], seat === watcher && " (itself)");
    return el("figure", { class: "odds" }, who, Object.entries(names).map(list));
  }

  // The chance of the layout's `believed` name and text for each seat, over this part of the match.
  curve({ tables }) {
    const { viewer: { layout, match, watcher, at } } = this;
    if (!layout.believed || !tables.length) return "";
    const [name, text] = layout.believed;
    const [first, end] = this.span(at);
    const own = tables.filter(([number]) => number >= first && number < end);
    const seats = match.names.map((_, seat) => seat).filter((seat) => own.some(([, shares]) => shares[seat]?.[name]));
    const value = ([, shares], seat) => shares[seat]?.[name]?.[text] ?? 0;
    const steps = (seat) => own.flatMap((each, i) => [each[0], own[i + 1]?.[0] ?? end].map((moment) => [moment, value(each, seat)]));
    const chart = {
      lines: seats.map((seat) => ({ seat, points: steps(seat) })),
      ticks: [0, 50, 100],
      tick: (percent) => `${percent} %`,
      height: (percent) => percent,
    };
    const share = (moment) => (moment - first) / Math.max(1, end - first);
    const current = own.findLast(([number]) => number <= at);
    const entry = (seat) => el("span", { class: "series" }, swatch(seat), el("bdi", {}, match.names[seat]), ` ${value(current, seat)} %`);
    const now = el("span", { class: "now", style: { left: `${100 * share(Math.min(at, end))}%` } });
    const legend = el("figcaption", { class: "legend" }, el("b", {}, `${name}: ${text}`), current && seats.map(entry));
    return el("figure", { class: "chart" }, legend, axis(chart), el("div", { class: "strip" }, curves(chart, share), now));
  }
}
