// Bang: stocks as heights with what all remember of their tops, the pile, the debt, and who is quicker than whom.

import { register } from "../layouts.js";
import { EVERYONE } from "../data.js";
import { el } from "../elements.js";
import { fan } from "../table.js";

const RANKS = "23456789TJQKA";
const LAST = 6; // turned cards of the pile that are shown: a reason to bang is among the last three

// A settled card, from a line such as "0:Qs anticipate:0,2 bang:1 penalty:0=1,1=1 pile:1".
function settled(line) {
  const [[seat, card], ...parts] = line.split(" ").map((part) => part.split(":"));
  const said = Object.fromEntries(parts);
  const seats = (text) => (text ? text.split(",").map(Number) : []);
  const penalties = said.penalty ? said.penalty.split(",").map((each) => each.split("=").map(Number)) : [];
  const [anticipated, banged] = [seats(said.anticipate), seats(said.bang)];
  const won = said.pile === undefined ? null : Number(said.pile);
  return { seat: Number(seat), card, anticipated, banged, penalties, won, bang: [...anticipated, ...banged].includes(won) };
}

const lastOf = (view) => (view.turns.length ? settled(view.turns.at(-1)) : null);

// docs/rules/bang, "Reasons to bang"
const REASONS = {
  pair: ([top, second]) => top === second,
  sandwich: ([top, , third]) => top === third,
  marriage: (ranks) => ["KQ", "QK"].includes(ranks.slice(0, 2).join("")),
  ten: ([top, second]) => ["A9", "28", "37", "46", "55", "64", "73", "82", "9A"].includes(top + second),
  run([top, second, third]) {
    const [high, middle, low] = [top, second, third].map((rank) => RANKS.indexOf(rank));
    return Math.min(high, middle, low) >= 0 && high - middle === middle - low && Math.abs(high - middle) === 1;
  },
};

function reasons(scene, pile) {
  const ranks = pile.map((card) => card[0]).reverse();
  return scene.match.data.options.bang_on.filter((name) => REASONS[name](ranks));
}

// The seats from the quickest to the slowest at this card; nobody at the table knows, so only everyone is shown it.
function reflexes(scene) {
  for (let number = scene.at - 1; scene.watcher === EVERYONE && number >= 0; number--) {
    const drawn = scene.match.after(scene.watcher, number).findLast(({ kind }) => kind === "reflex");
    if (drawn) return drawn.facts.order;
  }
  return null;
}

// What all seats are being asked, and whether they should say yes.
function asked(scene) {
  const { view, names } = scene;
  if (view.question === "anticipate") return `Before ${names[view.mover]} turns: who bangs unseen?`;
  const why = reasons(scene, view.pile);
  return ["Who bangs? ", why.length ? el("b", {}, `There is a reason: ${why.join(" and ")}.`) : "There is no reason."];
}

const ANSWERS = { anticipate: "anticipates", wait: "waits", bang: "bangs", hold: "holds" };

register("bang", {
  chips(scene, seat) {
    const { view } = scene;
    const answer = scene.views[seat]?.answer;
    const order = scene.over ? null : reflexes(scene);
    return [
      order && scene.chip("reflex", order.indexOf(seat) + 1, "", "1 is the quickest at this card"),
      seat === view.mover && !scene.over ? scene.chip("", view.question === "bang" ? "turned" : "turns next") : null,
      view.anticipated.includes(seat) ? scene.chip("", "anticipated", "good") : answer ? scene.chip("", ANSWERS[answer], answer === "anticipate" || answer === "bang" ? "good" : "") : null,
    ];
  },
  seat(scene, seat) {
    const size = scene.view.sizes[seat];
    const [top] = scene.view.known[seat];
    const known = scene.view.known[seat].filter((card) => card !== null).length;
    const remembered = `${size} cards, of which ${known} have been seen before`;
    return el(
      "div",
      { class: "stock", title: remembered },
      size > 0 && el("span", { class: "height", role: "img", "aria-label": remembered, style: { "--cards": size } }),
      el("span", { class: "count" }, el("b", {}, size), el("span", { class: "label" }, size === 1 ? "card" : "cards")),
      size ? el("figure", { class: "fact" }, scene.card(top, { class: "small", still: true, title: top === null ? "never turned so far" : "remembered" }), el("figcaption", {}, "top")) : null,
    );
  },
  middle(scene) {
    const { view, names } = scene;
    const last = lastOf(view);
    const top = view.pile.at(-1);
    const cards = view.pile.slice(-LAST).map((card) => scene.card(card, { class: card === top ? "" : "past", title: card[0] === "X" ? "joker" : undefined }));
    const count = view.pile.length + view.under.length;
    const taken = !count && last && scene.fact(last.bang ? `${names[last.won]} was the quickest and took the pile` : `${names[last.won]} took the pile`, scene.card(last.card, { class: "past" }));
    return [
      count ? scene.fact(`pile: ${count}${view.under.length ? `, ${view.under.length} of them penalties` : ""}`, fan(cards)) : taken,
      view.debt && view.creditor !== null ? scene.fact(`${names[view.mover]} owes to ${names[view.creditor]}`, el("b", { class: "counter" }, view.debt)) : null,
      scene.over ? null : el("p", { class: "asked" }, asked(scene)),
    ];
  },
  arrows: ({ view }) => (view.debt && view.creditor !== null && view.creditor !== view.mover ? [{ from: view.mover, to: view.creditor }] : []),
  table(scene) {
    const { view, names } = scene;
    const last = lastOf(view);
    const listed = (seats) => seats.map((seat) => names[seat]).join(", ");
    const said = last && [
      `${names[last.seat]} turned ${last.card}`,
      last.anticipated.length && `${listed(last.anticipated)} anticipated`,
      last.banged.length && `${listed(last.banged)} banged`,
      last.penalties.length && `wrongly: ${last.penalties.map(([seat, count]) => `${names[seat]} paid ${count}`).join(", ")}`,
      last.won !== null && `${names[last.won]} ${last.bang ? "was the quickest and took" : "took"} the pile`,
    ];
    return [
      ["cards turned", String(view.turned)],
      ["last settled card", said ? said.filter(Boolean).join("; ") : "none yet"],
    ];
  },
  short: { name: "card", begins: (events) => events.some(({ kind }) => kind === "turned") },
  long: {
    name: "bang",
    begins: (events, match, watcher, at) => events.some(({ kind }) => kind === "pile") && lastOf(match.view(watcher === EVERYONE ? match.seats[0] : watcher, at)).bang,
  },
});
