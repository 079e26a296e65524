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
  const bang = [...anticipated, ...banged].includes(won);
  return { seat: Number(seat), card, anticipated, banged, penalties, won, bang };
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

// What a seat has answered, as far as the watcher knows.
function answered(scene, seat) {
  if (scene.view.anticipated.includes(seat)) return scene.chip("", "anticipated", "good");
  const answer = scene.views[seat]?.answer;
  return answer ? scene.chip("", ANSWERS[answer], ["anticipate", "bang"].includes(answer) ? "good" : "") : null;
}

register("bang", {
  chips(scene, seat) {
    const { view } = scene;
    const order = scene.over ? null : reflexes(scene);
    return [
      order && scene.chip("reflex", order.indexOf(seat) + 1, "", "1 is the quickest at this card"),
      seat === view.mover && !scene.over ? scene.chip("", view.question === "bang" ? "turned" : "turns next") : null,
      answered(scene, seat),
    ];
  },
  seat(scene, seat) {
    const size = scene.view.sizes[seat];
    const [top] = scene.view.known[seat];
    const known = scene.view.known[seat].filter((card) => card !== null).length;
    const remembered = `${size} cards, of which ${known} have been seen before`;
    const title = top === null ? "never turned so far" : "remembered";
    const topmost = () => [scene.card(top, { class: "small", still: true, title }), el("figcaption", {}, "top")];
    return el(
      "div",
      { class: "stock", title: remembered },
      size > 0 && el("span", { class: "height", role: "img", "aria-label": remembered, style: { "--cards": size } }),
      el("span", { class: "count" }, el("b", {}, size), el("span", { class: "label" }, size === 1 ? "card" : "cards")),
      size ? el("figure", { class: "fact" }, topmost()) : null,
    );
  },
  middle(scene) {
    const { view, names } = scene;
    const last = lastOf(view);
    const top = view.pile.at(-1);
    const joker = (card) => (card[0] === "X" ? "joker" : undefined);
    const shown = (card) => scene.card(card, { class: card === top ? "" : "past", title: joker(card) });
    const count = view.pile.length + view.under.length;
    const penalties = view.under.length ? `, ${view.under.length} of them penalties` : "";
    const won = last && `${names[last.won]} ${last.bang ? "was the quickest and " : ""}took the pile`;
    const taken = !count && last && scene.fact(won, scene.card(last.card, { class: "past" }));
    const owes = view.creditor === null ? "" : `${names[view.mover]} owes to ${names[view.creditor]}`;
    return [
      count ? scene.fact(`pile: ${count}${penalties}`, fan(view.pile.slice(-LAST).map(shown))) : taken,
      view.debt && owes ? scene.fact(owes, el("b", { class: "counter" }, view.debt)) : null,
      scene.over ? null : el("p", { class: "asked" }, asked(scene)),
    ];
  },
  arrows({ view: { debt, creditor, mover } }) {
    return debt && creditor !== null && creditor !== mover ? [{ from: mover, to: creditor }] : [];
  },
  table(scene) {
    const { view, names } = scene;
    const last = lastOf(view);
    const listed = (seats) => seats.map((seat) => names[seat]).join(", ");
    const paid = ([seat, count]) => `${names[seat]} paid ${count}`;
    const said = last && [
      `${names[last.seat]} turned ${last.card}`,
      last.anticipated.length && `${listed(last.anticipated)} anticipated`,
      last.banged.length && `${listed(last.banged)} banged`,
      last.penalties.length && `wrongly: ${last.penalties.map(paid).join(", ")}`,
      last.won !== null && `${names[last.won]} ${last.bang ? "was the quickest and took" : "took"} the pile`,
    ];
    return [
      ["cards turned", String(view.turned)],
      ["last settled card", said ? said.filter(Boolean).join("; ") : "none yet"],
    ];
  },
  onTable: ["reflex"],
  scores: ({ sizes }) => sizes,
  scored: "cards",
  highlights(events, match, watcher, at) {
    const seat = watcher === EVERYONE ? match.seats[0] : watcher;
    const [before, now] = [match.view(seat, at - 1), match.view(seat, at)];
    if (before.sizes === now.sizes) return [];
    const { won, bang } = events.some(({ kind }) => kind === "pile") ? lastOf(now) : {};
    const ranOut = match.names.filter((_, each) => before.sizes[each] && !now.sizes[each]);
    const gained = now.sizes[won] - before.sizes[won];
    return [
      ...(bang ? [`${match.names[won]} bangs and takes ${gained} cards`] : []),
      ...ranOut.map((name) => `${name} has no card left`),
    ];
  },
  short: { name: "card", begins: (events) => events.some(({ kind }) => kind === "turned") },
  long: {
    name: "bang",
    begins(events, match, watcher, at) {
      const seat = watcher === EVERYONE ? match.seats[0] : watcher;
      return events.some(({ kind }) => kind === "pile") && lastOf(match.view(seat, at)).bang;
    },
  },
});
