"use strict";

// Tables sort by the heading that is clicked; without this script they stand in their first order.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    if (heading.classList.contains("members")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const numeric = heading.classList.contains("number");
      const was = heading.getAttribute("aria-sort");
      const rising = was ? was === "descending" : !numeric;
      const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const compare = (a, b) => {
        if (!numeric) return value(a).localeCompare(value(b), undefined, { numeric: true });
        const [x, y] = [parseFloat(value(a)), parseFloat(value(b))];
        // What is no number comes last in both directions.
        if (isNaN(x) || isNaN(y)) return (isNaN(x) - isNaN(y)) * (rising ? 1 : -1);
        return x - y;
      };
      const rows = [...body.rows].sort((a, b) => (rising ? compare(a, b) : compare(b, a)));
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
      body.append(...rows);
    });
  });
}

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
