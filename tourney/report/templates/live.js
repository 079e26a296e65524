"use strict";
// A server's list of runs or matches: news replaces it.
(() => {
  const { dataset } = document.documentElement;
  const PAUSE_MS = 2000; // between two lists
  let newest = dataset.at;
  let renewing = false;

  const renew = async () => {
    if (renewing || newest === dataset.at) return;
    renewing = true;
    const answer = await fetch(location.href).catch(() => null);
    if (answer?.ok) {
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      const focused = document.activeElement?.getAttribute("href");
      const main = document.adoptNode(made.querySelector("main"));
      const left = document.querySelector(".scroll")?.scrollLeft ?? 0;
      document.querySelector("main").replaceWith(main);
      main.querySelector(".scroll")?.scrollTo(left, 0);
      if (focused) [...main.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
      dataset.at = newest = made.documentElement.dataset.at;
    }
    setTimeout(() => {
      renewing = false;
      renew();
    }, PAUSE_MS);
  };

  const hear = (news) => {
    if ("soon" in dataset && news.page) return location.reload(); // the report is there
    newest = String(news[dataset.field]);
    renew();
  };
  if (dataset.events) listen(dataset.events, hear);
})();
