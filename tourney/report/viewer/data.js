// The data of a match from tourney/report/match_data.py, unpacked and accessed by moment. Moment n is the table right before
// decision n; the moment after the last decision is the end. Between two moments there may be an outcome, n + 0.5: the
// table right after decision n, when a trick or a round is over. The last moment of an unfinished match is the pending
// decision.

// The matches in the page.
export const blocks = () => [...document.querySelectorAll("script.match-data")];
export const blockOf = (name) => blocks().find((block) => block.dataset.match === name);

export async function unpacked(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// Applies a difference to a value; `difference` in tourney/report/match_data.py describes the format.
export function patched(old, change) {
  if (change === 0) return old;
  if (!Array.isArray(change)) {
    const copy = Array.isArray(old) ? [...old] : { ...old };
    for (const key of Object.keys(change)) copy[key] = patched(old[key], change[key]);
    return copy;
  }
  if (change.length === 1) return change[0];
  const [from, count, items] = change;
  return [...old.slice(0, from), ...items, ...old.slice(from + count)];
}

export const EVERYONE = "everyone";

export class Match {
  constructor(data) {
    this.data = data;
    this.names = data.names;
    // The actions: each with its text, its words as a choice, and what its sentence says after the seat's name.
    this.acts = data.acts.map((parts) => parts.map((part) => data.texts[part])).map(([text, lead, rest, said]) => {
      return { text, lead, rest, said, label: `${lead} ${rest}`.trim() };
    });
    this.seats = Object.keys(data.seen).map(Number);
    this.last = data.decisions + 1;
    this.seen = new Map(this.seats.map((seat) => [seat, [data.seen[seat].first]]));
    const labels = (this.labels = new Map(this.acts.map(({ text, label }) => [text, label])));
    const text = ([action, ...value]) => [data.texts[action], ...value];
    const named = (cost) => ({ ...cost, labels, best: data.texts[cost.best], values: cost.values.map(text) });
    this.costs = new Map(data.costs.map((cost) => [cost.decision, named(cost)]));
    this.noted = new Map(data.noted.map(([number, seat, said, value]) => [number, { seat, said: data.texts[said], value }]));
    this.told = new Map();
    this.goesOn = !data.places.length;
    this.asked = null; // the watcher's pending decision in a live match: see `decision`, and seat.js
  }

  // The possible watchers: everyone, if in the data, and seats.
  get watchers() {
    return this.data.everyone ? [EVERYONE, ...this.seats] : this.seats;
  }

  // A seat's view at a moment.
  view(seat, at) {
    const views = this.seen.get(seat);
    const { changes } = this.data.seen[seat];
    while (views.length < at) views.push(patched(views.at(-1), this.data.changes[changes[views.length - 1]]));
    return views[at - 1];
  }

  // A watcher's views at a moment, by seat; null for other seats.
  views(watcher, at) {
    return this.names.map((_, seat) => (watcher === seat || watcher === EVERYONE ? this.view(seat, at) : null));
  }

  // A decision as known to a watcher, or null: { number, seat, action, said, stakes, note, legal, … }; `choices` are the
  // legal actions in words.
  decision(watcher, number) {
    const { data } = this;
    if (number === this.last) return this.asked;
    const told = watcher === EVERYONE ? data.everyone : data.seen[watcher];
    const seat = told.seats[number - 1] ?? -1;
    if (seat < 0) return null;
    const open = watcher === EVERYONE || watcher === seat;
    const choices = (data.lists[open ? data.seen[seat].legal[number] : -1] ?? []).map((act) => this.acts[act]);
    const { text: action, said, label } = this.acts[told.actions[number - 1]];
    return {
      number,
      seat,
      action,
      said,
      label,
      stakes: data.texts[told.stakes[number - 1]],
      note: data.texts[told.notes[number]] ?? "",
      choices,
      legal: choices.map(({ text }) => text),
      byHouse: data.faults.some((fault) => fault.seat === seat && fault.decision < number),
      fault: data.faults.find((fault) => fault.seat === seat && fault.decision === number),
      cost: open ? this.costs.get(number) : undefined,
      noted: open ? (this.noted.get(number)?.said ?? "") : "",
    };
  }

  // The expectations noted by bots, as known to a watcher: [{ seat, points: [[number, value in %]] }].
  expected(watcher) {
    const known = [...this.noted].filter(([, { seat, value }]) => value !== null && [EVERYONE, seat].includes(watcher));
    const seats = [...new Set(known.map(([, { seat }]) => seat))].sort((a, b) => a - b);
    const points = (seat) => known.filter(([, each]) => each.seat === seat).map(([at, { value }]) => [at, 100 * value]);
    return seats.map((seat) => ({ seat, points: points(seat), noted: true }));
  }

  // The events right after a decision (0: at the start), as known to a watcher: [{ kind, text, facts, gains }].
  // facts is the event itself if no seat learns of it, only everyone; gains lists each seat's score.
  after(watcher, number) {
    const told = watcher === EVERYONE ? this.data.everyone : this.data.seen[watcher];
    const event = ([kind, text, facts, gains]) => ({ kind, text: this.data.texts[text], facts, gains });
    return (told.events[number] ?? []).map(event);
  }

  // Everything known to a watcher, in order: decisions, and events { number, kind, text }.
  story(watcher) {
    if (!this.told.has(watcher)) {
      const story = [];
      for (let number = 0; number < this.last; number++) {
        const decision = number ? this.decision(watcher, number) : null;
        if (decision) story.push({ kind: "decision", ...decision });
        for (const event of this.after(watcher, number)) story.push({ number, ...event });
      }
      this.told.set(watcher, story);
    }
    return this.told.get(watcher);
  }

  // Whether a round, or the match, is over after a decision.
  closes(watcher, number) {
    const ends = !this.goesOn && number === this.last - 1;
    return ends || this.after(watcher, number).some(({ kind }) => kind === "deal");
  }

  // A watcher's stops: before noticed decisions, at outcomes, and at the end; a match that ends without events has no
  // outcome besides its end.
  stops(watcher, hasOutcome) {
    const found = [];
    for (let at = 1; at < this.last; at++) {
      if (at === 1 || this.decision(watcher, at)) found.push(at);
      const events = this.after(watcher, at);
      const closes = this.closes(watcher, at) && events.length > 0;
      if (closes || hasOutcome(events, this, watcher, at)) found.push(at + 0.5);
    }
    return [...found, this.last];
  }

  // The first moments of the match's parts, such as rounds or tricks, and the end.
  starts(watcher, begins) {
    const found = [1];
    for (let at = 2; at < this.last; at++) {
      if (begins(this.after(watcher, at - 1), this, watcher, at)) found.push(at);
    }
    return [...found, this.last];
  }
}
