// The Vole in the Valley. This layout is also the example for others.
//
// A layout is one file per game. It only imports the names imported below, and calls `register(game, layout)` with any of
// the functions below; the generic layout (../layouts.js) provides the rest. Each gets the Scene of a moment (../table.js)
// and returns a list of elements, in which null and false are left out; it keeps no state.
//
//   chips(scene, seat)  chips next to a seat's name, made by scene.chip(label, value, kind)
//   seat(scene, seat)   the objects before a seat: scene.hand(seat, cards), scene.backs(count), or elements of el(…)
//   middle(scene)       the objects in the middle: scene.fact(label, …)
//   trick(scene)        cards on the table towards their seats: [{ seat, content, label }], or scene.finished(…); null if
//                       no room is kept for them
//   arrows(scene)       arrows between seats: [{ from, to, label }]
//   as(text)            the card of an action, by default the one at the end of its text
//   aims(text)          the seat of an action or null, by default the number at the end of its text
//   outcome(scene)      who gets what and why after a trick or a round: [text]; by default the events in words
//   gain(scene, seat)   the same at a seat: "10 tricks: +0"; by default from the game's wording
//   table(scene)        the lines below the table: [[name, text]]
//   nicknames           the labels of cards without a suit, by name
//   onTable             kinds of events shown on the table while they last, and therefore not in the list
//   ends(events, match, watcher, number)
//                       whether a decision's effects are an outcome, which the table shows before it continues
//   short, long         { name, begins(events, match, watcher, at) }: the parts skipped with shift and ctrl; `begins`
//                       returns whether one starts at a moment, given the events right before it: [{ kind, text }]
//   highlights(events, match, watcher, at)
//                       the highlights of a moment in words, from the same events: [text]; besides faults, mistakes
//                       and changes of the lead
//   believed            [name, text] of Game.hidden whose chance is drawn as a curve for each seat, if any
//   scores(view)        the number of each seat that determines the lead; scored, its unit
//
// scene.views[seat] is the seat's own view as plain data (the `as_dict` of the game's view), or null if hidden from the
// watcher; scene.view is always present, for public values. A layout cannot show a watcher hidden information, because it
// does not get any. scene.decision is the next decision, { seat, action, legal, … }, or null if the watcher does not
// notice it. If scene.outcome is true, scene.last is the last decision; at the end of a round the views are from before
// it, and scene.next is the following scene, whose views know the round's result.

import { register } from "../layouts.js";
import { el } from "../elements.js";

// The round finished in this outcome, or the current one.
const round = ({ view, next }) => (next ? next.view.rounds.at(-1) : view.now);

const tricksOf = (scene, seat) => round(scene).tricks.filter(({ winner }) => winner === seat).length;

// A seat's buried cards: small, and face up only for that seat.
function buried(scene, seat) {
  const own = scene.views[seat]?.now?.buried;
  const title = ({ drew, buried }) => `drew ${drew}, buried ${buried}`;
  if (own) return own.map((each) => scene.card(each.buried, { class: "small", title: title(each), still: true }));
  const steps = scene.view.now?.steps ?? [];
  const times = steps.filter((step) => step.seat === seat && step.action === "bury");
  return times.map(() => scene.card(null, { class: "small", title: "buried, unseen" }));
}

register("vole", {
  chips(scene, seat) {
    const { scores, extra } = (scene.next ?? scene).view;
    const sevens = extra[seat] > 0 && scene.chip("for 7s", `+${extra[seat]}`, "", "points that are added at the end");
    return [scene.chip("points", scores[seat]), !scene.over && scene.chip("tricks", tricksOf(scene, seat)), sevens];
  },
  seat(scene, seat) {
    const own = scene.views[seat];
    const away = buried(scene, seat);
    const hand = own ? scene.hand(seat, own.hand) : scene.backs(scene.view.other_hand);
    return [!scene.next && hand, away.length > 0 && el("div", { class: "aside" }, "buried ", away)];
  },
  middle(scene) {
    const { up, deck } = scene.view;
    if (scene.over) return [];
    return [scene.fact("trump", scene.card(up)), scene.fact(`deck: ${deck}`, scene.card(null, { title: "the deck" }))];
  },
  trick(scene) {
    const { led, leader, now } = scene.view;
    const step = now?.steps.at(-1);
    const isPending = /^play:[35].$/.test(step?.action); // a 3 or a 5 with its effect still undecided
    const laid = [led && [leader, led], isPending && [step.seat, step.action.slice("play:".length)]].filter(Boolean);
    if (!scene.outcome) return laid.map(([seat, card]) => ({ seat, content: scene.card(card) }));
    const last = round(scene).tricks.at(-1);
    return scene.finished(last.cards.map((card, i) => [(last.leader + i) % 2, card]), last.winner);
  },
  short: { name: "trick", begins: (events) => events.some(({ kind }) => kind === "trick") },
});
