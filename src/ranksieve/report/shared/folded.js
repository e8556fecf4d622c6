"use strict";

// Parts of a page are folded: links open what they lead to, and paper has everything but long tables.
function goTo(id) {
  const target = document.getElementById(id);
  for (let part = target; part; part = part.parentElement) {
    if (part.localName === "details") part.open = true;
  }
  target?.scrollIntoView();
}

(() => {
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      goTo(link.hash.slice(1));
    });
  }
  let closed = [];
  const openAll = () => {
    closed = [...closed, ...document.querySelectorAll("details:not(.long, [open])")];
    closed.forEach((part) => (part.open = true));
  };
  const closeAgain = () => {
    closed.forEach((part) => (part.open = false));
    closed = [];
  };
  addEventListener("beforeprint", openAll);
  addEventListener("afterprint", closeAgain);
  matchMedia("print").addEventListener("change", (event) => (event.matches ? openAll() : closeAgain()));
})();
