"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const SERIES = 9;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Sorting: a click on a column's button sorts by it, a second one reverses.
  const compare = (a, b) => {
    const [x, y] = [Number(a), Number(b)];
    const numeric = a !== "" && b !== "" && !Number.isNaN(x) && !Number.isNaN(y);
    return numeric ? x - y : a.localeCompare(b);
  };
  const sortValue = (cell) => {
    const value = cell.dataset.sort;
    return value === "-inf" ? "-Infinity" : value === "inf" ? "Infinity" : value;
  };
  for (const table of all("table")) {
    const heads = all("thead th", table);
    const body = table.tBodies[0];
    heads.forEach((head, column) => {
      if (body.rows.length && body.rows[0].cells[column].classList.contains("number")) head.classList.add("number");
      head.querySelector("button").addEventListener("click", () => {
        const descending = head.getAttribute("aria-sort") === "none"
          ? head.classList.contains("number")
          : head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        const sign = descending ? -1 : 1;
        const rows = [...body.rows].map((row, index) => [row, index]);
        rows.sort((a, b) => sign * compare(sortValue(a[0].cells[column]), sortValue(b[0].cells[column])) || a[1] - b[1]);
        body.append(...rows.map((pair) => pair[0]));
      });
    });
  }

  // The legend hides and shows methods in all curves.
  for (const box of all(".legend input")) {
    box.addEventListener("change", () => {
      for (const series of all("g.series, .forest-line")) {
        if (series.dataset.method === box.value) series.classList.toggle("hidden", !box.checked);
      }
    });
  }

  // Blocks of which one is shown at a time.
  for (const select of all("select[data-switch]")) {
    const blocks = all(".switched").filter((block) => block.dataset.group === select.dataset.switch);
    const show = () => blocks.forEach((block) => block.classList.toggle("hidden", block.dataset.index !== select.value));
    for (const block of blocks) block.querySelector("h4").classList.add("hidden");
    select.addEventListener("change", show);
    show();
  }

  // The forest plot: one block for each place and baseline, of which one is shown.
  const forest = { place: document.getElementById("forest-place"), baseline: document.getElementById("forest-baseline") };
  if (forest.place) {
    const blocks = all(".forest");
    const show = () => {
      const fits = (block) => block.dataset.place === forest.place.value && block.dataset.baseline === forest.baseline.value;
      const here = blocks.filter((block) => block.dataset.place === forest.place.value);
      const chosen = here.find(fits) || here[0];
      blocks.forEach((block) => block.classList.toggle("hidden", block !== chosen));
      forest.baseline.value = chosen.dataset.baseline;
    };
    forest.place.addEventListener("change", () => { show(); fillWhere(); });
    forest.baseline.addEventListener("change", () => { show(); fillWhere(); });
    show();
  }

  // Differences between two methods by family and source, from the means in the page.
  const where = { controls: document.getElementById("where-controls"), bars: document.getElementById("where-bars"), family: "all families" };
  const sourceRows = () => {
    const { columns, rows } = data.tables.sources;
    const at = Object.fromEntries(columns.map((name, index) => [name, index]));
    const value = columns.find((name) => !["track", "budget", "condition", "family", "method", "strict", "exact", "spent", "seeds", "missing"].includes(name));
    return rows.map((row) => ({ track: row[at.track], budget: row[at.budget], condition: row[at.condition], family: row[at.family], method: row[at.method], value: row[at[value]] }));
  };
  const everySource = sourceRows();
  const placeOf = (row) => `${row.track}, B = ${row.budget}`;
  const differences = () => {
    const here = everySource.filter((row) => placeOf(row) === where.place);
    const other = new Map(here.filter((row) => row.method === where.other).map((row) => [row.condition, row.value]));
    return here.filter((row) => row.method === where.method && other.has(row.condition))
      .filter((row) => where.family === "all families" || row.family === where.family)
      .map((row) => ({ condition: row.condition, family: row.family, difference: row.value - other.get(row.condition) }));
  };
  const signed = (value) => `${value > 0 ? "+" : ""}${value.toFixed(data.digits)}`.replace(/^[+-]?(0\.0*)$/, "$1");
  const drawWhere = () => {
    const found = differences();
    const families = [...new Set(found.map((row) => row.family))];
    const extent = Math.max(1e-9, ...found.map((row) => Math.abs(row.difference)));
    const list = document.createElement("div");
    list.className = "bars";
    const add = (name, difference, kind) => {
      const [label, place, number] = ["span", "span", "span"].map((tag) => document.createElement(tag));
      [label.className, place.className, number.className] = [`name ${kind}`, "place", "number"];
      label.textContent = name;
      number.textContent = signed(difference);
      const [zero, bar] = [document.createElement("i"), document.createElement("i")];
      zero.className = "zero";
      zero.style.left = "50%";
      // To the right is better, also where less of the score is.
      const gain = data.larger ? difference : -difference;
      const width = 49 * Math.abs(gain) / extent;
      bar.className = `${gain >= 0 ? "more" : "less"} ${kind === "family" ? "" : "small"}`;
      bar.style.left = `${gain >= 0 ? 50 : 50 - width}%`;
      bar.style.width = `${width}%`;
      place.append(bar, zero);
      place.setAttribute("role", "img");
      place.setAttribute("aria-label", `${name}: ${signed(difference)}`);
      list.append(label, place, number);
    };
    for (const family of families) {
      const members = found.filter((row) => row.family === family);
      add(family, members.reduce((sum, row) => sum + row.difference, 0) / members.length, "family");
      members.sort((a, b) => b.difference - a.difference).forEach((row) => add(row.condition, row.difference, "source"));
    }
    const caption = document.createElement("p");
    caption.className = "note";
    caption.textContent = found.length ? `${where.place}: ${where.method} less ${where.other}` : "These two share no condition here.";
    where.bars.replaceChildren(caption, list);
  };
  const chooseWhere = (name, label, values) => {
    const wrapper = document.createElement("label");
    wrapper.className = "control";
    const select = document.createElement("select");
    select.id = `where-${name}`;
    if (!values.includes(where[name])) where[name] = values[0];
    select.replaceChildren(...values.map((value) => new Option(value, value, false, value === where[name])));
    select.addEventListener("change", () => { where[name] = select.value; fillWhere(false); });
    wrapper.append(`${label} `, select);
    where.controls.append(wrapper);
  };
  function fillWhere(follow = true) {
    if (follow && forest.place) {
      where.place = forest.place.value;
      if (forest.baseline.value !== where.method) where.other = forest.baseline.value;
    }
    const places = [...new Set(everySource.map(placeOf))];
    where.controls.replaceChildren();
    chooseWhere("place", "Track and budget", places);
    chooseWhere("method", "Method", data.methods);
    chooseWhere("other", "less", data.methods);
    chooseWhere("family", "Family", ["all families", ...new Set(everySource.filter((row) => placeOf(row) === where.place).map((row) => row.family))]);
    drawWhere();
  }
  [where.method, where.other] = data.pair.length ? data.pair : [data.methods[0], data.methods[data.methods.length - 1]];
  if (forest.place) where.place = forest.place.value;
  fillWhere(false);

  // CSV files are made on demand from the numbers in the page.
  const quote = (value) => {
    const plain = value === null || value === undefined ? "" : String(value);
    // A spreadsheet must not take a text for a formula; the files of the package follow the same rule.
    const formula = /^'*[=+\-@\t\r\n＝＋－＠]/.test(plain) && !/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$/i.test(plain);
    const text = typeof value === "string" && formula ? `'${plain}` : plain;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = (columns, rows) => [columns, ...rows].map((row) => row.map(quote).join(",")).join("\n") + "\n";
  const save = (name, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = `${name}.csv`;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const bits = (rank, d) => rank.toString(2).padStart(d, "0");
  const purchases = ({ rows }) => rows.flatMap(([track, policy, d, budget, runs, counts]) =>
    counts.map((count, rank) => [track, policy, d, budget, bits(rank, d), count, runs]));
  const sheets = {
    recovery: () => csv(data.tables.recovery.columns, data.tables.recovery.rows),
    standings: () => csv(data.tables.standings.columns, data.tables.standings.rows),
    sources: () => csv(data.tables.sources.columns, data.tables.sources.rows),
    differences: () => csv(["condition", "family", "difference"], differences().map((row) => [row.condition, row.family, Number(row.difference.toPrecision(6))])),
    purchases: () => csv(["track", "policy", "d", "budget", "mask", "bought", "runs"], purchases(data.tables.purchases)),
    effects: () => csv(["track", "budget", "method", "condition", "option", "mask", "true", "predicted"], effects().map((one) => one.row)),
  };
  for (const button of all("button[data-csv]")) {
    button.addEventListener("click", () => save(button.dataset.csv, sheets[button.dataset.csv]()));
  }
  for (const button of all("button[data-table]")) {
    const table = button.closest("section").querySelector("table");
    button.addEventListener("click", () => save(button.dataset.table, csv(
      all("thead th", table).map((cell) => cell.textContent),
      [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.dataset.sort)))));
  }
  window.whatworked = { sheets, data };

  // The scatter of predicted against true effects.
  const { truth, tables, bought, dimensions, left_out: leftOut } = data.predictions;
  const host = document.getElementById("scatter");
  const controls = document.getElementById("scatter-controls");
  const choice = {};
  const choose = (name, label, values) => {
    const wrapper = document.createElement("label");
    wrapper.className = "control";
    const select = document.createElement("select");
    select.id = `scatter-${name}`;
    wrapper.append(`${label} `, select);
    controls.append(wrapper);
    select.addEventListener("change", () => { choice[name] = select.value; refresh(); });
    const first = { track: data.first[0], budget: String(data.first[1]) }[name];
    choice[name] = values().includes(first) ? first : values()[0];
    return () => {
      const allowed = values();
      if (!allowed.includes(choice[name])) choice[name] = allowed[0];
      select.replaceChildren(...allowed.map((value) => new Option(value, value, false, value === choice[name])));
    };
  };
  const byNumber = (a, b) => Number(a) - Number(b);
  const budgets = () => Object.keys(tables[choice.track]).sort(byNumber);
  const methods = () => data.methods.filter((method) => tables[choice.track][choice.budget][method]);
  const families = () => ["all conditions", ...Object.keys(tables[choice.track][choice.budget][choice.method] || {})];
  const effects = () => {
    const found = [];
    const conditions = tables[choice.track][choice.budget][choice.method] || {};
    const purchases = bought[choice.track][choice.budget][choice.method] || {};
    for (const [condition, predicted] of Object.entries(conditions)) {
      if (choice.condition !== "all conditions" && choice.condition !== condition) continue;
      const real = truth[condition];
      if (!real) {  // a large surface: a sample of its effects
        const wide = dimensions[condition];
        for (const [option, rank, is, says, known] of predicted) {
          const letter = "ABCDEFGHIJKLMNOPQRST"[option];
          found.push({ is, says, known, label: `${condition}, ${letter} at ${bits(rank, wide)}`, row: [choice.track, choice.budget, choice.method, condition, letter, bits(rank, wide), is.toFixed(6), says.toFixed(6)] });
        }
        continue;
      }
      const d = Math.log2(real.length);
      const measured = new Set([0, real.length - 1, ...purchases[condition]]);
      for (let option = 0; option < d; option += 1) {
        const bit = 1 << (d - 1 - option);
        for (let rank = 0; rank < real.length; rank += 1) {
          if (rank & bit) continue;
          const [is, says] = [real[rank | bit] - real[rank], predicted[rank | bit] - predicted[rank]];
          const known = measured.has(rank) && measured.has(rank | bit);
          found.push({
            is, says, known,
            label: `${condition}, ${"ABCDEFGHIJKLMNOPQRST"[option]} at ${bits(rank, d)}`,
            row: [choice.track, choice.budget, choice.method, condition, "ABCDEFGHIJKLMNOPQRST"[option], bits(rank, d), is.toFixed(6), says.toFixed(6)],
          });
        }
      }
    }
    return found;
  };
  const node = (name, attributes, text) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const draw = () => {
    const points = effects();
    // Text of a drawing scales with it, so it is made as wide as its place.
    const size = Math.max(260, Math.min(560, host.clientWidth - 24)), left = 54, top = 14, end = size - 12, bottom = size - 46;
    const extent = Math.max(0.01, ...points.map((one) => Math.max(Math.abs(one.is), Math.abs(one.says)))) * 1.04;
    const x = (value) => left + (value + extent) / (2 * extent) * (end - left);
    const y = (value) => bottom - (value + extent) / (2 * extent) * (bottom - top);
    const error = points.reduce((sum, one) => sum + Math.abs(one.says - one.is), 0) / Math.max(1, points.length);
    const mean = points.reduce((sum, one) => sum + Math.abs(one.is), 0) / Math.max(1, points.length);
    const name = `Predicted against true effects, ${choice.track} track, B = ${choice.budget}, ${choice.method}, ${choice.condition}`;
    const about = `${points.length} effects, mean absolute error ${error.toFixed(4)}, mean absolute effect ${mean.toFixed(4)}.`;
    const svg = node("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": `${name}. ${about}` });
    svg.append(node("title", {}, name), node("desc", {}, about));
    const step = 10 ** Math.floor(Math.log10(extent));
    const unit = (extent / step > 5 ? step * 2 : extent / step > 2 ? step : step / 2) * (size < 400 ? 2 : 1);
    for (let tick = -Math.floor(extent / unit); tick <= extent / unit; tick += 1) {
      const value = tick * unit;
      svg.append(
        node("line", { x1: left, x2: end, y1: y(value), y2: y(value), class: tick ? "grid" : "axis" }),
        node("line", { y1: top, y2: bottom, x1: x(value), x2: x(value), class: tick ? "grid" : "axis" }),
        node("text", { x: left - 6, y: y(value) + 4, class: "tick end" }, Number(value.toPrecision(3))),
        node("text", { x: x(value), y: bottom + 16, class: "tick middle" }, Number(value.toPrecision(3))));
    }
    svg.append(
      node("line", { x1: x(-extent), y1: y(-extent), x2: x(extent), y2: y(extent), class: "diagonal" }),
      node("text", { x: (left + end) / 2, y: size - 10, class: "label middle" }, "true effect on utility"),
      node("text", { transform: `translate(14 ${(top + bottom) / 2}) rotate(-90)`, class: "label middle" }, "predicted effect"));
    const group = node("g", { class: `series s${data.methods.indexOf(choice.method) % SERIES}` });
    for (const one of points) {
      const dot = node("circle", { cx: x(one.is).toFixed(1), cy: y(one.says).toFixed(1), r: one.known ? 2 : 2.6, class: one.known ? "point known" : "point" });
      dot.append(node("title", {}, `${one.label}: true ${one.is.toFixed(4)}, predicted ${one.says.toFixed(4)}`));
      group.append(dot);
    }
    svg.append(group);
    const caption = document.createElement("figcaption");
    caption.textContent = about;
    const figure = document.createElement("figure");
    figure.append(svg, caption);
    host.replaceChildren(figure);
  };
  let fill = [];
  const refresh = () => { fill.forEach((one) => one()); draw(); };
  if (Object.keys(tables).length) {
    fill = [
      choose("track", "Track", () => Object.keys(tables)),
      choose("budget", "Budget", budgets),
      choose("method", "Method", methods),
      choose("condition", "Condition", families),
    ];
    refresh();
    window.addEventListener("resize", draw);
    if (leftOut.length) {
      const note = document.createElement("p");
      note.className = "note";
      note.textContent = `Predictions under B = ${leftOut.join(", ")} are not in the page, which would be too large with them.`;
      controls.after(note);
    }
  } else {
    host.textContent = "No predictions to show.";
  }
  document.documentElement.dataset.ready = "yes";
})();
