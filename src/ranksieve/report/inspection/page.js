"use strict";

// The nearest feature of the picture of importance: one of two, by the width of the screen.
for (const chart of document.querySelectorAll("svg.importance")) {
  const readout = document.getElementById("importance-readout");
  const marks = [...chart.querySelectorAll("g > *")];
  const titles = marks.map((mark) => mark.querySelector("title").textContent);
  let last = null;
  chart.addEventListener("pointermove", (event) => {
    const box = marks[0].getBoundingClientRect();
    const end = marks[marks.length - 1].getBoundingClientRect();
    const step = marks.length > 1 ? (end.left - box.left) / (marks.length - 1) : 1;
    const place = Math.round((event.clientX - box.left - box.width / 2) / step);
    const rank = Math.min(Math.max(place, 0), marks.length - 1);
    if (last) last.classList.remove("on");
    last = marks[rank];
    last.classList.add("on");
    readout.textContent = `${rank + 1}. ${titles[rank]}`;
  });
}

// The two features of a cell of the heat map.
const map = document.querySelector(".map");
if (map) {
  const { names, low, high, steps, cells } = JSON.parse(
    document.getElementById("similarity-data").textContent
  );
  const levels = atob(cells);
  const readout = document.getElementById("similarity-readout");
  const cross = map.querySelector(".cross");
  map.addEventListener("pointermove", (event) => {
    const box = map.getBoundingClientRect();
    const place = (share) => Math.min(Math.max(Math.floor(share * names.length), 0), names.length - 1);
    const column = place((event.clientX - box.left) / box.width);
    const row = place((event.clientY - box.top) / box.height);
    const [a, b] = row > column ? [row, column] : [column, row];
    const level = levels.charCodeAt((a * (a + 1)) / 2 + b);
    const value = low + ((high - low) * level) / (steps - 1);
    cross.setAttribute("x", column);
    cross.setAttribute("y", row);
    cross.removeAttribute("hidden");
    readout.textContent =
      row === column ? names[row] : `${names[row]} and ${names[column]}: ${value.toFixed(2)}`;
  });
}
