// The highlights of a match: faults, mistakes, changes of the lead, and the layout's own.

import { EVERYONE } from "./data.js";

// The grades of mistakes with their signs; docs/debug-a-bot.md has the thresholds.
export const GRADES = [null, ["△", "small mistake"], ["▲", "serious mistake"], ["◆", "blunder"]];

// The cost of decisions known to a watcher.
export function costsOf({ data }, watcher) {
  return data.costs.filter(({ seat }) => [EVERYONE, seat].includes(watcher));
}

// All scores at each moment, from moment 1; empty if the game's views have none.
export function scoresOf(match, watcher, layout) {
  const seat = watcher === EVERYONE ? match.seats[0] : watcher;
  const found = [null];
  const ends = match.goesOn ? [] : [match.data.scores];
  for (let at = 1; at <= match.last - ends.length; at++) found[at] = layout.scores(match.view(seat, at));
  const known = (scores) => scores?.length === match.names.length && scores.every(Number.isFinite);
  return found.slice(1).every(known) ? [...found, ...ends] : [];
}

// A watcher's highlights of a match: texts by moment, in order. Effects of a decision are shown at its outcome, if that is
// one of the stops.
export function highlights(match, watcher, layout, stops) {
  const { data, names, last } = match;
  const found = new Map();
  const add = (at, text) => found.set(at, [...(found.get(at) ?? []), text]);
  for (const { seat, kind, decision } of data.faults) add(Math.max(1, decision), `${names[seat]}: fault, ${kind}`);
  for (const { seat, decision, mistake } of costsOf(match, watcher)) {
    if (mistake) add(decision, `${names[seat]}: ${GRADES[mistake][1]}`);
  }
  const scores = scoresOf(match, watcher, layout);
  const outcomes = new Set(stops);
  let leader = null;
  for (let at = 2; at <= last; at++) {
    const there = outcomes.has(at - 0.5) ? at - 0.5 : at;
    for (const text of layout.highlights(match.after(watcher, at - 1), match, watcher, at)) add(there, text);
    if (!scores.length || scores[at] === scores[at - 1]) continue;
    const most = Math.max(...scores[at]);
    const first = scores[at].indexOf(most);
    if (first !== scores[at].lastIndexOf(most)) continue;
    if (leader !== null && first !== leader) add(there, `${names[first]} takes the lead`);
    leader = first;
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}
