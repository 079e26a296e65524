// The Vole in the Valley. This layout is also the example for others.
//
// A layout is one file per game. It imports nothing but what is imported below, and calls `register(game, layout)` with
// any of the functions below; what it leaves out is as in the generic layout (../layouts.js). Each gets the Scene of a
// moment (../table.js) and returns a list of elements, in which null and false are left out; it keeps nothing.
//
//   chips(scene, seat)  chips beside the name of a seat, made by scene.chip(label, value, kind)
//   seat(scene, seat)   what lies before a seat: scene.hand(seat, cards), scene.backs(count), or elements of el(…)
//   middle(scene)       what lies in the middle: scene.fact(label, …)
//   trick(scene)        cards on the table towards their seats: [{ seat, content, label }], or scene.finished(…)
//   arrows(scene)       arrows between seats: [{ from, to, label }]
//   as(text)            the card that an action needs, where that is not the one that its text ends with
//   aims(text)          the seat that an action names, where that is not the number that its text ends with; or null
//   outcome(scene)      who gets what and why, where a trick or a round is over: [text]; by default the events in words
//   gain(scene, seat)   the same at a seat: "10 tricks: +0"; by default as the wording of the game says
//   table(scene)        what is written below the table: [[name, text]]
//   nicknames           what is written on cards without a suit, by name
//   onTable             kinds of events that the table shows as long as they hold, so that the list leaves them out
//   ends(events, match, watcher, number)
//                       whether what follows from a decision is an outcome, which the table shows before it goes on
//   short, long         { name, begins(events, match, watcher, at) }: the stretches that shift and ctrl leap over; it
//                       is asked whether one begins at a moment, with the events right before it: [{ kind, text }]
//   highlights(events, match, watcher, at)
//                       what makes a moment worth a stop, in words, from the same: [text]; faults, mistakes and changes
//                       of the lead are known without
//   scores(view)        the number for each seat that says who is ahead; scored, what it counts
//
// scene.views[seat] is the seat's own view as plain data (the `as_dict` of the game's view), or null where the watcher
// does not look through that seat; scene.view is one that is always there, for what all see alike. So a layout cannot
// show what a watcher may not know: it does not get it. scene.decision is the decision that is about to be made:
// { seat, action, legal, … }, or null if the watcher does not notice it. Where scene.outcome is true, scene.last is
// the decision that was made; at the end of a round the views are still those before it, and scene.next is the scene
// that follows, whose views know how the round ended.

import { register } from "../layouts.js";
import { el } from "../elements.js";

// The round that is over in this outcome, or the one that is played.
const round = ({ view, next }) => (next ? next.view.rounds.at(-1) : view.now);

const tricksOf = (scene, seat) => round(scene).tricks.filter(({ winner }) => winner === seat).length;

// The cards that a seat buried: small, and face up only for whoever buried them.
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
    const isPending = /^play:[35].$/.test(step?.action); // a 3 or a 5, while its player decides what it does
    const laid = [led && [leader, led], isPending && [step.seat, step.action.slice("play:".length)]].filter(Boolean);
    if (!scene.outcome) return laid.map(([seat, card]) => ({ seat, content: scene.card(card) }));
    const last = round(scene).tricks.at(-1);
    return scene.finished(last.cards.map((card, i) => [(last.leader + i) % 2, card]), last.winner);
  },
  short: { name: "trick", begins: (events) => events.some(({ kind }) => kind === "trick") },
});
