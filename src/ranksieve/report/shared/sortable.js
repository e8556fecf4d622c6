"use strict";

// Tables sort by the heading that is clicked; without this script they stand in their first order.
function sortTable(table, column, rising) {
  const headings = [...table.tHead.rows[0].cells];
  const numeric = headings[column].classList.contains("number");
  const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const compare = (a, b) => {
    if (!numeric) return value(a).localeCompare(value(b), undefined, { numeric: true });
    const [x, y] = [a, b].map((row) => parseFloat(value(row).replace(/[<,]/g, "")));
    // What is no number comes last in both directions.
    if (isNaN(x) || isNaN(y)) return (isNaN(x) - isNaN(y)) * (rising ? 1 : -1);
    return x - y;
  };
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort((a, b) => (rising ? compare(a, b) : compare(b, a))));
  headings.forEach((other) => other.removeAttribute("aria-sort"));
  headings[column].setAttribute("aria-sort", rising ? "ascending" : "descending");
}

for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    if (heading.classList.contains("members")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const was = heading.getAttribute("aria-sort");
      const rising = was ? was === "descending" : !heading.classList.contains("number");
      sortTable(table, column, rising);
      table.dispatchEvent(new CustomEvent("sorted", { bubbles: true, detail: { column, rising } }));
    });
  });
}
