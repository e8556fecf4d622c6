"use strict";

// What is shown: one state, kept in the page's address, for tables and charts alike.
(() => {
  const { methods, coloured, own } = charts.content;
  const control = (name) => document.getElementById(name);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const first = () => ({
    data: "", measure: control("measure").options[0].value, ranker: "", method: "", only: false,
    coloured: [...coloured], theme: "", sort: "", choices: {},
  });
  let state = first();

  const offered = (name, value) => [...control(name).options].some((option) => option.value === value);
  const fromAddress = () => {
    const given = new URLSearchParams(location.hash.slice(1));
    const found = first();
    for (const name of ["data", "measure", "ranker"]) {
      if (given.has(name) && offered(name, given.get(name))) found[name] = given.get(name);
    }
    found.method = given.get("method") ?? "";
    found.only = given.has("only");
    if (given.has("coloured")) {
      found.coloured = given.getAll("coloured").filter((method) => methods.includes(method));
    }
    if (["dark", "light"].includes(given.get("theme"))) found.theme = given.get("theme");
    found.sort = given.get("sort") ?? "";
    for (const [name, value] of given) {
      if (name.startsWith("show.")) found.choices[name.slice(5)] = value;
    }
    return found;
  };
  const toAddress = () => {
    const start = first();
    const given = new URLSearchParams();
    for (const name of ["data", "measure", "ranker", "method", "theme", "sort"]) {
      if (state[name] !== start[name]) given.set(name, state[name]);
    }
    if (state.only) given.set("only", "yes");
    if (state.coloured.join("\n") !== coloured.join("\n")) {
      (state.coloured.length ? state.coloured : [""]).forEach((method) => given.append("coloured", method));
    }
    Object.entries(state.choices).forEach(([name, value]) => given.set(`show.${name}`, value));
    const text = given.toString();
    if (text !== location.hash.slice(1)) history.replaceState(null, "", text ? `#${text}` : "#");
  };

  const keeps = ({ data, measure, ranker, method }) => {
    if (state.data && data && data !== state.data) return false;
    if (measure && measure !== state.measure) return false;
    if (state.ranker && ranker && ranker !== state.ranker && ranker !== own) return false;
    if (!method) return true;
    if (state.only && methods.includes(method) && !state.coloured.includes(method)) return false;
    return method.toLowerCase().includes(state.method.trim().toLowerCase());
  };

  const scheme = () => state.theme || (dark.matches ? "dark" : "light");
  const showScheme = () => {
    document.documentElement.dataset.scheme = scheme();
    control("scheme").setAttribute("aria-pressed", String(scheme() === "dark"));
  };

  const showControls = () => {
    for (const name of ["data", "measure", "ranker", "method"]) control(name).value = state[name];
    control("only").checked = state.only;
    const colour = charts.colourOf({ ...state, scheme: scheme() });
    for (const chip of control("methods").children) {
      const { method } = chip.dataset;
      chip.setAttribute("aria-pressed", String(state.coloured.includes(method)));
      chip.style.setProperty("--dot", colour(method));
      chip.hidden = !method.toLowerCase().includes(state.method.trim().toLowerCase());
    }
  };

  // Long tables hold their rows packed until they are looked at.
  const fill = (table) => {
    const source = table.querySelector('script[type="application/json"]');
    if (!source || !table.querySelector("details").open) return;
    const headings = [...table.querySelectorAll("thead th")];
    const rows = charts.unpacked(JSON.parse(source.textContent)).map((texts) => {
      const row = document.createElement("tr");
      row.dataset.method = texts.method;
      row.dataset.ranker = texts.ranker;
      headings.forEach((heading, place) => {
        const cell = row.insertCell();
        cell.textContent = texts[place];
        cell.className = heading.className || "mark";
        if (/[<,]/.test(texts[place])) cell.dataset.value = texts[place].replace(/[<,]/g, "");
      });
      return row;
    });
    table.querySelector("tbody").append(...rows);
    source.remove();
  };

  // What does not fit says so; of narrow boxes the first two columns stay in sight.
  const showWidths = () => {
    for (const box of document.querySelectorAll(".scroll")) {
      box.parentElement.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1);
      const [first, second] = box.querySelectorAll("thead th");
      if (!first?.offsetWidth || !second) continue;
      box.style.setProperty("--first", `${first.offsetWidth}px`);
      box.classList.toggle("two", first.offsetWidth + second.offsetWidth < 0.62 * box.clientWidth);
    }
  };

  const showTables = () => {
    for (const part of document.querySelectorAll(".verdict [data-measure]")) part.hidden = !keeps(part.dataset);
    for (const table of document.querySelectorAll(".table")) {
      table.hidden = !keeps(table.dataset);
      if (!table.hidden) fill(table);
      let shown = 0;
      for (const row of table.querySelectorAll("tbody tr")) {
        row.hidden = !keeps(row.dataset);
        shown += !row.hidden;
      }
      const unread = table.querySelector('script[type="application/json"]');
      table.classList.toggle("empty", !shown && !unread);
    }
    const [key, column, rising] = state.sort.split(":");
    for (const table of document.querySelectorAll(`[data-table="${CSS.escape(key)}"] table`)) {
      if (Number(column) < table.tHead.rows[0].cells.length) sortTable(table, Number(column), rising === "up");
    }
    for (const section of document.querySelectorAll("main > [id]")) {
      const parts = [...section.querySelectorAll(".table, figure")];
      section.hidden = parts.length > 0 && parts.every((part) => part.hidden);
      const link = document.querySelector(`nav a[href="#${section.id}"]`);
      if (link) link.hidden = section.hidden;
    }
    showWidths();
  };

  const showWords = () => {
    const parts = [state.measure, state.data || "all data sets", state.ranker || "all rankers"];
    if (state.method.trim()) parts.push(`methods with “${state.method.trim()}”`);
    if (state.only) parts.push("only methods with a colour");
    control("shown").textContent = `Shown: ${parts.join(", ")}.`;
  };

  const drawCharts = () =>
    charts.drawAll({ ...state, scheme: scheme() }, keeps, (figure, value) => {
      state.choices[figure] = value;
      show();
    });
  const show = () => {
    toAddress();
    showScheme();
    showControls();
    showTables();
    showWords();
    drawCharts();
  };
  const set = (change) => {
    Object.assign(state, change);
    show();
  };

  control("methods").append(
    ...methods.map((method) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.dataset.method = method;
      chip.textContent = method;
      chip.addEventListener("click", () => {
        const without = state.coloured.filter((other) => other !== method);
        set({ coloured: without.length < state.coloured.length ? without : [...without, method] });
      });
      return chip;
    })
  );
  for (const name of ["data", "measure", "ranker"]) {
    control(name).addEventListener("change", (event) => set({ [name]: event.target.value }));
  }
  let waiting;
  control("method").addEventListener("input", (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => set({ method: event.target.value }), 200);
  });
  control("only").addEventListener("change", (event) => set({ only: event.target.checked }));
  control("scheme").addEventListener("click", () => set({ theme: scheme() === "dark" ? "light" : "dark" }));
  control("reset").addEventListener("click", () => set({ ...first(), theme: state.theme }));
  control("controls").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("sorted", (event) => {
    const key = event.target.closest(".table").dataset.table;
    state.sort = `${key}:${event.detail.column}:${event.detail.rising ? "up" : "down"}`;
    toAddress();
    showTables();
  });
  for (const part of document.querySelectorAll("main details")) {
    part.addEventListener("toggle", showTables);
  }
  addEventListener("hashchange", () => {
    state = fromAddress();
    show();
  });
  dark.addEventListener("change", show);
  let width = innerWidth;
  addEventListener("resize", () => {
    // A phone's bars come and go with the height alone.
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      showWidths();
      drawCharts();
    }, 250);
  });

  // After the parts were opened for paper: their tables need their rows.
  addEventListener("beforeprint", showTables);
  matchMedia("print").addEventListener("change", showTables);

  document.documentElement.classList.add("scripted");
  // The address holds what is shown; one that names a part alone is a link to it.
  const part = location.hash.slice(1);
  state = fromAddress();
  show();
  if (part && document.getElementById(part)) goTo(part);
})();
