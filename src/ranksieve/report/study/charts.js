"use strict";

// The charts of a study: rows are filtered, split into panels, and drawn by Vega.
const charts = (() => {
  const content = JSON.parse(document.getElementById("charts").textContent);
  // Vega's number for its least talkative level but silence: a layer without rows is no news.
  const ERRORS_ONLY = 1;
  const views = new Map();
  let round = 0;

  const column = (packed) => {
    if (packed.plain) return (place) => packed.plain[place];
    const text = atob(packed.codes);
    const code =
      packed.bytes === 1
        ? (place) => text.charCodeAt(place)
        : (place) => text.charCodeAt(2 * place) + 256 * text.charCodeAt(2 * place + 1);
    return (place) => packed.values[code(place)];
  };
  const unpacked = ({ length, columns }) => {
    const readers = Object.entries(columns).map(([name, packed]) => [name, column(packed)]);
    return Array.from({ length }, (_, place) =>
      Object.fromEntries(readers.map(([name, read]) => [name, read(place)]))
    );
  };
  const rowsOf = Object.fromEntries(
    Object.entries(content.rows).map(([name, packed]) => [name, unpacked(packed)])
  );
  const distinct = (rows, field) => [...new Set(rows.map((row) => row[field]))];

  // Methods with weights of their own stand beside every ranker.
  const belongs = (row, field, value) =>
    row[field] === value || (field === "ranker" && row.ranker === content.own);
  const panelValues = (rows, field) => {
    const found = distinct(rows, field);
    const others = found.filter((value) => field !== "ranker" || value !== content.own);
    return others.length ? others : found;
  };
  const panelsOf = (rows, fields) => {
    let parts = [{ title: [], rows }];
    for (const field of fields) {
      parts = parts.flatMap((part) =>
        panelValues(rows, field).map((value) => ({
          title: [...part.title, value],
          rows: part.rows.filter((row) => belongs(row, field, value)),
        }))
      );
    }
    return parts.filter((part) => part.rows.length);
  };

  // No line without its name: where not all names have room, only methods with a colour are drawn.
  const withNames = (figure, panel) => {
    const n = distinct(panel.rows, "label").length;
    if (!figure.named || n <= figure.named) return panel;
    const rows = panel.rows.filter((row) => row.focus);
    return { title: [...panel.title, `${distinct(rows, "label").length} of ${n} methods`], rows };
  };

  const colourOf = (state) => {
    const colours = content.colours[state.scheme];
    const places = new Map(state.coloured.map((method, place) => [method, place]));
    return (method) =>
      places.has(method) ? colours[places.get(method) % colours.length] : content.grey[state.scheme];
  };

  const options = (figure) => {
    if (Object.keys(figure.axes).length) return Object.keys(figure.axes);
    return figure.select ? distinct(rowsOf[figure.source], figure.select) : [];
  };
  // The reader's choice; another where too few branches are left for a radar.
  const chosenRows = (figure, rows, wanted) => {
    if (figure.axes[wanted]) return [wanted, rows.map((row) => ({ ...row, x: row[figure.axes[wanted]] }))];
    if (!figure.select) return ["", rows];
    for (const option of [wanted, ...options(figure)]) {
      const kept = rows.filter((row) => row[figure.select] === option);
      if (!figure.branches || distinct(kept, figure.branches).length >= 3) return [option, kept];
    }
    return [wanted, []];
  };

  // More bands than these would hide each other; pointing at a line shows its own.
  const hasBands = (rows) => new Set(rows.filter((row) => row.focus).map((row) => row.method)).size <= 3;
  // Panels of a data set have one range of values, so that they can be compared: of all values, and
  // of the intervals that are drawn.
  const ranges = (rows, { value, ends, margin }) => {
    const found = new Map();
    const bands = hasBands(rows);
    const hasWhisker = (row) => (margin ? row.fewest : row.kind !== "curve") || (bands && row.focus);
    for (const row of rows.filter((row) => row[value] !== null)) {
      const [low, high] = found.get(row.data) ?? [Infinity, -Infinity];
      const drawn = [row[value], ...(hasWhisker(row) ? ends.map((end) => row[end] ?? row[value]) : [])];
      found.set(row.data, [Math.min(low, ...drawn), Math.max(high, ...drawn)]);
    }
    return found;
  };
  // The margin is in sight on both sides, and losses of many times as much are cut off.
  const withMargin = ([low, high], margin) => {
    if (!margin) return [low, high];
    const least = Math.max(low, Math.min(high, 0) - 5 * margin);
    return [Math.min(least, -1.5 * margin), Math.max(high, 1.5 * margin)];
  };
  const parameters = (figure, rows, all) => {
    if (!all?.has(rows[0]?.data)) return {};
    const [low, high] = withMargin(all.get(rows[0].data), figure.margin);
    const room = 0.02 * (high - low) || 0.01;
    return { lowest: low - room, highest: high + room, band: hasBands(rows) ? 0.12 : 0 };
  };

  const filled = (spec, words, values) =>
    JSON.parse(JSON.stringify(spec), (key, value) => {
      if (key === "title" && typeof value === "string") {
        return value.replace(/\{(measure|select)\}/, (name) => words[name]);
      }
      if (value && value.name in values && "value" in value) return { ...value, value: values[value.name] };
      return value;
    });

  const config = (scheme) => {
    const style = getComputedStyle(document.documentElement);
    const [ink, soft, line] = ["--ink", "--soft", "--line"].map((name) => style.getPropertyValue(name).trim());
    const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
    return {
      background: "transparent",
      font,
      view: { stroke: null },
      axis: {
        labelColor: soft, titleColor: soft, gridColor: line, domainColor: line, tickColor: line,
        titleFontWeight: 500, labelFontSize: 11, titleFontSize: 12,
      },
      legend: { labelColor: soft, titleColor: soft, titleFontWeight: 500, symbolFillColor: soft, symbolStrokeColor: soft },
      header: { labelColor: soft, labelFontSize: 12 },
      text: { color: soft },
      rule: { color: ink },
      range: { category: content.colours[scheme] },
    };
  };

  // As wide as the style makes a panel: in a folded part, nothing can be measured.
  const [LEAST, GAP] = [432, 24];
  const panelWidth = (figure, n) => {
    const room = document.querySelector("main").clientWidth;
    const columns = figure.lines || figure.least ? 1 : Math.max(Math.min(Math.floor((room + GAP) / (LEAST + GAP)), n), 1);
    return Math.floor((room - GAP * (columns - 1)) / columns);
  };
  const sized = (figure, spec, room, rows) => {
    if (figure.least) {
      // A part for each method, as many beside each other as have room.
      const n = distinct(rows, "label").length;
      const columns = Math.max(Math.min(Math.floor(room / (figure.least + 10)), n), 1);
      const width = Math.min(Math.floor(room / columns) - 10, 1.4 * figure.least);
      return { ...spec, columns, spec: { ...spec.spec, width, height: Math.round(width * figure.ratio) } };
    }
    if (figure.ratio) {
      const width = Math.min(room, 540);
      const height = Math.round(width * figure.ratio);
      return { ...spec, width, height, autosize: { type: "fit", contains: "padding" } };
    }
    const across = { type: "fit-x", contains: "padding" };
    if (!figure.lines) {
      // Each name beside a line has a line of its own.
      const names = figure.beside ? distinct(rows, "label").length : 0;
      return { ...spec, width: room, height: Math.max(figure.height, content.name_height * names), autosize: across };
    }
    const height = figure.height * distinct(rows, "fold").length * distinct(rows, "method").length;
    // As wide as its labels need; the panel scrolls where that is more than it has.
    const letters = Math.max(...distinct(rows, "method").map((method) => method.length));
    const needed = Math.min(6.2 * letters, figure.label) + figure.step * distinct(rows, "feature").length + 40;
    return { ...spec, width: Math.max(room, needed), height, autosize: across };
  };

  const choiceOf = (element, figure, key, state, change) => {
    const place = element.querySelector(".choice");
    const all = options(figure);
    const wanted = all.includes(state.choices[key]) ? state.choices[key] : all[0];
    if (all.length > 1 && !place.firstChild) {
      const select = document.createElement("select");
      select.setAttribute("aria-label", `${element.querySelector("h3").textContent}: what is shown`);
      select.append(...all.map((option) => new Option(option, option)));
      select.addEventListener("change", () => change(key, select.value));
      place.append(select);
    }
    if (place.firstChild) place.firstChild.value = wanted;
    return wanted;
  };

  const draw = async (element, state, keeps, change, current) => {
    const key = element.dataset.figure;
    const figure = content.figures[key];
    const colour = colourOf(state);
    const drawn = (row) => Object.entries(figure.only).every(([field, value]) => row[field] === value);
    const kept = rowsOf[figure.source]
      .filter((row) => drawn(row) && keeps(row))
      .map((row) =>
        row.method === undefined
          ? row
          : {
              ...row,
              colour: colour(row.method),
              focus: state.coloured.includes(row.method),
              label: content.labels[row.method],
            }
      );
    // Grey lies below.
    kept.sort((a, b) => (a.focus ?? false) - (b.focus ?? false));
    const wanted = choiceOf(element, figure, key, state, change);
    const [said, rows] = chosenRows(figure, kept, wanted);
    const panels = panelsOf(rows, figure.panels).map((panel) => withNames(figure, panel));
    const all = figure.value ? ranges(panels.flatMap((panel) => panel.rows), figure) : null;
    const place = element.querySelector(".panels");
    place.style.minHeight = `${place.offsetHeight}px`;
    (views.get(element) ?? []).forEach((view) => view.finalize());
    views.set(element, []);
    place.replaceChildren(...panels.map(() => document.createElement("div")));
    // A radar of two branches is none: its heading would stand alone.
    element.hidden = kept.length > 0 && !panels.length;
    if (!panels.length) place.textContent = "Nothing fits the filter.";
    const room = panelWidth(figure, panels.length);
    for (const [index, panel] of panels.entries()) {
      if (current !== round) return;
      const box = place.children[index];
      box.className = figure.lines || figure.least ? "panel whole" : "panel";
      const title = document.createElement("h4");
      title.textContent = panel.title.join(", ");
      const target = document.createElement("div");
      target.className = "plot";
      box.append(title, target);
      if (!panel.rows.length) continue;
      const words = { "{measure}": state.measure, "{select}": said };
      const spec = sized(figure, filled(figure.spec, words, parameters(figure, panel.rows, all)), room, panel.rows);
      spec.datasets = { ...spec.datasets, rows: panel.rows };
      const embedded = await vegaEmbed(target, spec, {
        mode: "vega-lite", renderer: figure.renderer, ast: true, logLevel: ERRORS_ONLY, config: config(state.scheme),
        tooltip: { theme: state.scheme }, downloadFileName: [key, ...panel.title].join(" "),
        actions: { export: true, source: false, compiled: false, editor: false },
      });
      if (current !== round) return embedded.finalize();
      views.get(element).push(embedded);
    }
    place.style.minHeight = "";
  };

  // Those in sight first.
  const distance = (element) => {
    const box = element.getBoundingClientRect();
    return box.bottom < 0 ? -box.bottom : Math.max(box.top - innerHeight, 0);
  };
  const drawAll = async (state, keeps, change) => {
    const current = ++round;
    document.documentElement.dataset.drawn = "";
    const elements = [...document.querySelectorAll("figure.chart")];
    for (const element of elements.sort((a, b) => distance(a) - distance(b))) {
      if (current !== round) return;
      try {
        await draw(element, state, keeps, change, current);
      } catch (error) {
        // The other charts do not depend on this one.
        console.error(error);
        element.querySelector(".panels").textContent = `This chart cannot be drawn: ${error.message}`;
      }
    }
    if (current === round) document.documentElement.dataset.drawn = "yes";
  };

  return { content, colourOf, drawAll, unpacked, rounds: () => round };
})();
