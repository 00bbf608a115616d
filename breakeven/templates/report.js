"use strict";
(() => {
  // ---- Tables, as the page carries them --------------------------------------------------------

  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const about = read("about");

  /** One embedded table: columns by name, and a value by column and row (null where missing). */
  class Table {
    constructor(name) {
      const content = read(`table-${name}`);
      this.rows = content.rows;
      this.columns = content.columns;
      this.byName = new Map(content.columns.map((column) => [column.name, column]));
      this.indexes = new Map();
    }

    value(name, row) {
      const column = this.byName.get(name);
      if (column.type !== "text") return column.values[row];
      const place = column.places[row];
      return place === null ? null : column.texts[place];
    }

    /** The rows whose columns have these values, in the table's order. */
    where(names, values) {
      const key = names.join();
      if (!this.indexes.has(key)) {
        const index = new Map();
        for (let row = 0; row < this.rows; row += 1) {
          const found = JSON.stringify(names.map((name) => this.value(name, row)));
          if (!index.has(found)) index.set(found, []);
          index.get(found).push(row);
        }
        this.indexes.set(key, index);
      }
      return this.indexes.get(key).get(JSON.stringify(values)) ?? [];
    }

    record(row) {
      return Object.fromEntries(this.columns.map(({ name }) => [name, this.value(name, row)]));
    }
  }

  const opened = new Map();
  /** Open a table when it is first asked for: the runs are many, and not always wanted. */
  const table = (name) => {
    if (!opened.has(name)) opened.set(name, new Table(name));
    return opened.get(name);
  };
  const PLACE = ["round", "submitter", "system", "benchmark"];
  const systemOf = (values) => {
    const rows = table("systems").where(PLACE, values);
    return rows.length ? table("systems").record(rows[0]) : {};
  };

  // ---- Numbers and text ------------------------------------------------------------------------

  /** A number with four digits, for reading. */
  const brief = (value) =>
    value === null || value === undefined
      ? ""
      : Number(value.toPrecision(4)).toLocaleString("en", { maximumSignificantDigits: 4 });
  const count = (value) => (value === null ? "" : value.toLocaleString("en"));
  const percent = (value) => `${brief(100 * value)} %`;

  /** A number with all its digits, written as in the CSV files. */
  const exact = (value, type) => {
    if (type === "whole") return String(value);
    if (Number.isInteger(value) && Math.abs(value) < 1e16) return `${value}.0`;
    const size = Math.abs(value);
    if (size >= 1e-4 && size < 1e16) return String(value);
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  };

  const FORMULA_STARTS = ["=", "+", "-", "@", "\t", "\r"];
  const cell = (value, type) => {
    if (value === null) return "";
    if (type === "truth") return value ? "True" : "False";
    if (type !== "text") return exact(value, type);
    const harmless = FORMULA_STARTS.includes(value.charAt(0)) ? `'${value}` : value;
    return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  };

  /** Rows of a table as CSV: every column, the table's order, values to their last digit. */
  const csv = (source, rows) => {
    const lines = [source.columns.map(({ name }) => name).join()];
    for (const row of rows) {
      lines.push(source.columns.map(({ name, type }) => cell(source.value(name, row), type)).join());
    }
    return `${lines.join("\n")}\n`;
  };

  const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  const escaped = (text) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]);

  /** An element with its text and children; text never becomes markup. */
  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const distinct = (values) => [...new Set(values)];
  const byName = (values) =>
    values.toSorted((a, b) => a.localeCompare(b, "en", { sensitivity: "base", numeric: true }));

  // ---- What can be chosen ----------------------------------------------------------------------

  const ALL = "all";
  const ROUNDS = Object.keys(about.rounds);
  const VIEWS = {
    paper: {
      title: "Paper",
      note: "Paper: all closed systems of a benchmark against the one with the fewest accelerators " +
        "and the longest time. A hollow point is of another accelerator than the reference: it " +
        "compares chips, not scaling.",
      table: "scaling", series: "accelerator_model", file: "scaling",
    },
    series: {
      title: "Series",
      note: "Series: one submitter's systems of one accelerator and kind of node, at two or more " +
        "sizes, against the smallest.",
      table: "scaling", series: "series_name", file: "scaling",
    },
    pooled: {
      title: "Pooled",
      note: "Pooled: the fastest of all submitters at each size of one accelerator. It mixes systems " +
        "that differ in more than size, and has no break-even point.",
      table: "scaling", series: "series_name", file: "scaling",
    },
    history: {
      title: "History",
      note: "History: the best result of each accelerator family in every round; the dotted line " +
        "marks the chosen round. A line ends where results stop being comparable. Closed division, " +
        "available systems, minutes alone.",
      table: "history", series: "accelerator_family", file: "history",
    },
    runs: {
      title: "Runs",
      note: "Runs: every run of the benchmark in this round, before scaling. Filled: one of those " +
        "whose mean is the score. Minutes alone.",
      table: "runs", series: "accelerator_model", file: "runs",
    },
  };
  const QUANTITIES = {
    minutes: { title: "Minutes", ideal: null },
    speedup: { title: "Speedup (reference time / time)", ideal: (ratio) => ratio },
    efficiency: { title: "Efficiency (speedup × N0 / N)", ideal: () => 1 },
  };
  const onlyMinutes = (view) => VIEWS[view].table !== "scaling";

  const quantityOf = (state) => (onlyMinutes(state.view) ? "minutes" : state.quantity);

  const controls = document.getElementById("controls");
  const KEYS = [
    "round", "benchmark", "view", "quantity", "scale", "family", "submitter", "division",
  ];
  const FILTERS = ["family", "submitter", "division"];
  const DEFAULTS = {
    round: ROUNDS.at(-1), benchmark: "", view: "series", quantity: "speedup", scale: "log",
    family: ALL, submitter: ALL, division: ALL,
  };

  const benchmarksOf = (round) => {
    const systems = table("systems");
    const found = new Map();
    for (const row of systems.where(["round"], [round])) {
      found.set(systems.value("benchmark", row), systems.value("model", row));
    }
    return [...found].toSorted((a, b) => a[1].localeCompare(b[1], "en"));
  };

  /** The benchmark people most likely want first: the one with the most rows of series. */
  const firstBenchmark = (round, names) =>
    names.toSorted(
      (a, b) => seriesRows(round, b).length - seriesRows(round, a).length || (a < b ? -1 : 1),
    )[0];
  const seriesRows = (round, benchmark) =>
    table("scaling").where(["round", "benchmark", "view"], [round, benchmark, "series"]);

  /** Every row of the view, before the filters. */
  const rowsOfView = (state) => {
    if (state.view === "history") {
      const systems = table("systems");
      const [row] = systems.where(["round", "benchmark"], [state.round, state.benchmark]);
      return table("history").where(["workload"], [systems.value("workload", row)]);
    }
    if (state.view === "runs") {
      return table("runs").where(["round", "benchmark"], [state.round, state.benchmark]);
    }
    return table("scaling").where(
      ["round", "benchmark", "view"], [state.round, state.benchmark, state.view],
    );
  };

  /** What a row of any view says of its system. */
  const factsOf = (view, row) => {
    const source = table(VIEWS[view].table);
    const record = source.record(row);
    if (view === "history" || view === "runs") {
      const system = systemOf(PLACE.map((name) => record[name]));
      return { ...system, ...record, division: system.division ?? "closed" };
    }
    return record;
  };
  const filterValue = (facts, filter) =>
    (filter === "family" ? facts.accelerator_family : facts[filter]) ?? "not known";

  /** Complete and correct a state, so that every choice is one that is offered. */
  const settled = (wanted) => {
    const state = { ...DEFAULTS, ...wanted };
    if (!ROUNDS.includes(state.round)) state.round = DEFAULTS.round;
    const names = benchmarksOf(state.round).map(([name]) => name);
    if (!names.includes(state.benchmark)) state.benchmark = firstBenchmark(state.round, names);
    if (!Object.hasOwn(VIEWS, state.view)) state.view = DEFAULTS.view;
    if (!Object.hasOwn(QUANTITIES, state.quantity)) state.quantity = DEFAULTS.quantity;
    if (state.scale !== "linear") state.scale = "log";
    const facts = rowsOfView(state).map((row) => ({ row, facts: factsOf(state.view, row) }));
    const offered = {};
    for (const filter of FILTERS) {
      offered[filter] = byName(distinct(facts.map((one) => filterValue(one.facts, filter))));
      if (!offered[filter].includes(state[filter])) state[filter] = ALL;
    }
    const kept = facts.filter((one) =>
      FILTERS.every(
        (filter) => state[filter] === ALL || filterValue(one.facts, filter) === state[filter],
      ),
    );
    return { state, offered, everything: facts, kept };
  };

  const fillSelect = (name, choices, chosen) => {
    const select = controls.elements[name];
    select.replaceChildren(
      ...choices.map(([value, text]) => {
        const option = element("option", {}, text);
        option.value = value;
        option.selected = value === chosen;
        return option;
      }),
    );
  };

  const showControls = ({ state, offered }) => {
    fillSelect("round", ROUNDS.map((name) => [name, name]), state.round);
    fillSelect("benchmark", benchmarksOf(state.round), state.benchmark);
    fillSelect("view", Object.entries(VIEWS).map(([name, view]) => [name, view.title]), state.view);
    const fixed = onlyMinutes(state.view);
    fillSelect("quantity", [["minutes", "Minutes"], ["speedup", "Speedup"],
      ["efficiency", "Efficiency"]], fixed ? "minutes" : state.quantity);
    controls.elements.quantity.disabled = fixed;
    fillSelect("scale", [["log", "Logarithmic"], ["linear", "Linear"]], state.scale);
    for (const filter of FILTERS) {
      fillSelect(filter, [[ALL, "All"], ...offered[filter].map((v) => [v, v])], state[filter]);
    }
    document.getElementById("view-note").textContent = VIEWS[state.view].note;
  };

  // ---- The state in the address ----------------------------------------------------------------

  const toHash = (state) => `#${new URLSearchParams(KEYS.map((key) => [key, state[key]]))}`;
  const fromHash = () => {
    const given = new URLSearchParams(location.hash.slice(1));
    return Object.fromEntries(KEYS.filter((key) => given.has(key)).map((k) => [k, given.get(k)]));
  };

  // ---- The chart -------------------------------------------------------------------------------

  const darkness = matchMedia("(prefers-color-scheme: dark)");
  // Colours that colour-blind readers can tell apart, after Okabe and Ito; lighter ones on black.
  const COLOURS = {
    light: ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00", "#7F7F7F"],
    dark: ["#56B4E9", "#FF8C42", "#2CC295", "#E59AC6", "#F5F5F5", "#8FA8FF", "#F0C040", "#A0A0A0"],
  };
  const SHAPES = [
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
  ];
  const theme = () =>
    darkness.matches
      ? { colours: COLOURS.dark, ink: "#ececef", quiet: "#a9abb3", grid: "#303238", back: "#16171a" }
      : { colours: COLOURS.light, ink: "#1d1d1f", quiet: "#5a5a60", grid: "#ebebee", back: "#ffffff" };

  const HOVER = [
    ["submitter", "Submitter"], ["system", "System"], ["accelerator", "Accelerator"],
    ["n", "Accelerators (N)"], ["minutes", "Minutes"], ["speedup", "Speedup"],
    ["efficiency", "Efficiency"], ["interval", "Interval"], ["runs", "Runs"],
    ["category", "Category"], ["division", "Division"], ["reference", "Reference"],
    ["round", "Round"], ["status", "Run"],
  ];

  const described = (facts) => {
    const said = {
      submitter: facts.submitter, system: facts.system, accelerator: facts.accelerator,
      category: facts.category, division: facts.division, round: facts.round,
      n: count(facts.accelerators ?? null),
      minutes: facts.minutes === null ? null : `${brief(facts.minutes)}`,
    };
    if (facts.runs !== undefined) {
      said.runs = `${facts.runs} (${facts.runs_failed} failed, ${facts.runs_absent} absent)`;
    }
    if (facts.reference_system !== undefined) {
      said.speedup = brief(facts.speedup);
      said.efficiency = percent(facts.efficiency);
      said.reference = `${facts.reference_submitter} ${facts.reference_system}, ` +
        `${count(facts.reference_accelerators)} × ${facts.reference_accelerator}, ` +
        `${brief(facts.reference_minutes)} minutes`;
    }
    return said;
  };

  /** The point of a row: what the chart draws, and what hovering over it says. */
  const pointOf = (view, quantity, { row, facts }) => {
    const said = described(facts);
    const point = {
      row, x: facts.accelerators ?? null, y: facts[quantity] ?? null, round: facts.round,
      low: facts[`${quantity}_low`] ?? null, high: facts[`${quantity}_high`] ?? null,
      label: facts[VIEWS[view].series] ?? "not known", series: facts.series ?? "", hollow: false,
    };
    if (view === "paper" || view === "runs") {
      const odd = facts.category && facts.category !== "available" ? ` (${facts.category})` : "";
      point.label += odd;
    }
    if (view === "paper") point.hollow = !facts.same_accelerator;
    if (view === "runs") {
      point.hollow = !facts.averaged;
      said.status = facts.averaged ? "averaged" : facts.counted ? "counted" : facts.reason;
    }
    if (view === "history") {
      point.series = `${facts.accelerator_family} ${facts.span}`;
      point.basis = facts.basis;
    }
    if (point.low !== null && point.high !== null) {
      const show = quantity === "efficiency" ? percent : brief;
      said.interval = `${show(point.low)} to ${show(point.high)}`;
    }
    for (const [key] of HOVER) if (said[key]) point[`say_${key}`] = said[key];
    point.said = [said.submitter, said.system, `${said.n} accelerators`,
      `${quantity} ${quantity === "efficiency" ? percent(point.y ?? 0) : brief(point.y)}`].join(", ");
    return point;
  };

  const hover = (points) =>
    HOVER.filter(([key]) => points.some((point) => point[`say_${key}`] !== undefined)).map(
      ([key, title]) => ({ field: `say_${key}`, type: "nominal", title }),
    );

  /** Ticks of a logarithmic axis: 1, 2 and 5 of each power of ten, or more where few fit. */
  const magnitudes = (low, high) => {
    let inside = [];
    for (const steps of [[1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9], [...Array(90)].map((_, i) => 1 + i / 10)]) {
      inside = [];
      for (let power = -4; power < 7; power += 1) {
        for (const step of steps) {
          const tick = Number(`${step}e${power}`);
          if (tick > low && tick < high) inside.push(tick);
        }
      }
      if (inside.length > 2) break;
    }
    return inside;
  };

  const extent = (values) => [Math.min(...values), Math.max(...values)];

  const countAxis = (points, scale) => {
    const [low, high] = extent(points.map((point) => point.x));
    const axis = { format: ",d", grid: false, labelOverlap: "greedy" };
    if (scale === "linear") {
      axis.tickCount = 6;
      const domain = { domain: [0, high * 1.05], nice: false };
      return { field: "x", type: "quantitative", title: "Accelerators (N)", scale: domain, axis };
    }
    axis.values = [...Array(24).keys()].map((i) => 2 ** i).filter((n) => n > low / 2 && n < high * 2);
    const domain = { type: "log", base: 2, domain: [low / 1.25, high * 1.25], nice: false };
    return { field: "x", type: "quantitative", title: "Accelerators (N)", scale: domain, axis };
  };

  const valueAxis = (points, quantity, scale) => {
    const values = points.flatMap((p) => [p.y, p.low, p.high]).filter((value) => value !== null);
    if (QUANTITIES[quantity].ideal) values.push(1);
    const [low, high] = extent(values);
    const title = QUANTITIES[quantity].title;
    const format = quantity === "efficiency" ? "~%" : "~g";
    if (scale === "linear") {
      const domain = { domain: [0, high * 1.08], nice: false };
      return { field: "y", type: "quantitative", title, scale: domain, axis: { format } };
    }
    const ends = [low / 1.3, high * 1.35];
    return {
      field: "y", type: "quantitative", title,
      scale: { type: "log", domain: ends, nice: false },
      axis: { values: magnitudes(...ends), format },
    };
  };

  /** Perfect scaling, from each reference to the largest count measured against it. */
  const idealLine = (kept, quantity) => {
    const { ideal } = QUANTITIES[quantity];
    const ends = new Map();
    for (const { facts } of kept) {
      const start = facts.reference_accelerators;
      ends.set(start, Math.max(ends.get(start) ?? 0, facts.accelerators));
    }
    return [...ends].flatMap(([start, end]) =>
      // Straight on both scales for efficiency; speedup bends on neither where both axes are alike.
      [start, end].map((n) => ({ x: n, y: ideal(n / start), start })),
    );
  };

  /** The points that the view's method found, each with its words. */
  const found = (state, points) => {
    const method = { paper: "paper", series: "knee" }[state.view];
    if (!method) return [];
    const answers = table("breakeven");
    const rows = answers.where(
      ["round", "benchmark", "view", "method", "status"],
      [state.round, state.benchmark, state.view, method, "found"],
    );
    return rows.flatMap((row) => {
      const n = answers.value("accelerators", row);
      const series = answers.value("series", row);
      const here = points.filter((point) => point.series === series && point.x === n);
      if (!here.length) return [];
      const best = here.reduce((a, b) =>
        table("scaling").value("minutes", a.row) <= table("scaling").value("minutes", b.row) ? a : b);
      const word = method === "knee" ? "knee" : "largest S × E";
      return [{ x: best.x, y: best.y, knee: `${word}: ${count(n)}` }];
    });
  };

  /** Colour and shape by label: the same label looks the same whatever the filters leave. */
  const look = (labels, width) => {
    const { colours } = theme();
    const range = labels.map((_, i) => colours[i % colours.length]);
    const shapes = labels.map((_, i) => SHAPES[i % SHAPES.length]);
    const columns = Math.max(1, Math.floor(width / 230));
    const legend = { orient: "bottom", columns, labelLimit: Math.min(260, width - 60), title: null,
      symbolOpacity: 1 };
    return {
      colour: { field: "label", type: "nominal", scale: { domain: labels, range }, legend },
      shape: { field: "label", type: "nominal", scale: { domain: labels, range: shapes }, legend },
    };
  };

  const configuration = () => {
    const { ink, quiet, grid, back } = theme();
    return {
      background: back, font: 'system-ui, "Liberation Sans", Arial, sans-serif',
      view: { stroke: null },
      axis: { labelColor: ink, titleColor: ink, gridColor: grid, domainColor: quiet,
        tickColor: quiet, labelFontSize: 12, titleFontSize: 13, titleFontWeight: "normal" },
      legend: { labelColor: ink, titleColor: quiet, labelFontSize: 12 },
      title: { color: ink, anchor: "start", fontSize: 13, fontWeight: "normal" },
    };
  };

  /** The points, filled or hollow: two layers, since a mark is one or the other. */
  const dots = (points, looks, name) =>
    [false, true]
      .map((hollow) => [hollow, points.filter((point) => point.hollow === hollow)])
      .filter(([, values]) => values.length)
      .map(([hollow, values]) => ({
        data: { values }, name: `${name}_${hollow ? "hollow" : "filled"}`,
        mark: { type: "point", size: 80, strokeWidth: 1.7, opacity: 0.95, filled: !hollow,
          // What has no fill takes no click inside its outline.
          ...(hollow ? { fill: "transparent" } : {}), cursor: "pointer" },
        encoding: {
          color: looks.colour,
          shape: looks.shape,
          tooltip: hover(points),
          description: { field: "said", type: "nominal" },
        },
      }));

  /** The words beside marked points: where no curve goes, inside the frame, none on another. */
  const labels = (state, points, marked, dy) => {
    const [low, high] = extent(points.map((point) => point.x));
    const place = ({ x }) => state.scale === "log"
      ? Math.log(x / low) / Math.log(high / low || 2) : x / high;
    let lane = 0;
    let last = -1;
    return marked.toSorted((a, b) => a.x - b.x).map((point) => {
      const here = place(point);
      lane = last >= 0 && here - last < 0.2 ? lane + 1 : 0;
      last = here;
      const side = here > 0.7 ? { align: "right", dx: -10 } : { align: "left", dx: 10 };
      return {
        data: { values: [point] },
        mark: { type: "text", ...side, dy: dy + Math.sign(dy) * 15 * lane, fontSize: 12,
          fontWeight: "bold", color: theme().ink, tooltip: null, aria: false },
        encoding: { text: { field: "knee", type: "nominal" } },
      };
    });
  };

  const scalingSpec = (state, everything, kept, points, width) => {
    const { ink, quiet } = theme();
    const quantity = quantityOf(state);
    const looks = look(
      byName(distinct(everything.map((one) => pointOf(state.view, quantity, one).label))), width);
    const x = countAxis(points, state.scale);
    const y = valueAxis(points, quantity, state.scale);
    const lines = state.view === "series" || state.view === "pooled";
    const layers = [];
    if (QUANTITIES[quantity].ideal) {
      layers.push({
        data: { values: idealLine(kept, quantity) }, name: "ideal",
        mark: { type: "line", color: quiet, strokeDash: [5, 4], strokeWidth: 1.3, clip: true,
          tooltip: null, aria: false },
        encoding: { detail: { field: "start", type: "nominal" } },
      });
    }
    const interval = { y: { ...y, field: "low" }, y2: { field: "high" } };
    const banded = points.filter((point) => point.low !== null && point.high !== null);
    if (lines && banded.length) {
      // Not filtered: a band ends where a point has no interval.
      layers.push({
        data: { values: points }, name: "band",
        mark: { type: "area", opacity: 0.18, tooltip: null, aria: false },
        encoding: { ...interval, color: looks.colour,
          detail: { field: "series", type: "nominal" } },
      });
    }
    if (banded.length) {
      layers.push({
        data: { values: banded }, name: "interval",
        mark: { type: "rule", strokeWidth: 1.3, opacity: 0.7, tooltip: null, aria: false },
        encoding: { ...interval, color: looks.colour },
      });
    }
    if (lines) {
      layers.push({
        data: { values: points }, name: "lines",
        mark: { type: "line", strokeWidth: 2, tooltip: null, aria: false },
        encoding: { color: looks.colour,
          detail: { field: "series", type: "nominal" } },
      });
    }
    const marked = found(state, points);
    if (marked.length) {
      layers.push({
        data: { values: marked }, name: "knee",
        mark: { type: "point", shape: "circle", size: 340, stroke: ink, strokeWidth: 1.7,
          fill: null, tooltip: null },
        encoding: { description: { field: "knee", type: "nominal" } },
      });
    }
    layers.push(...dots(points, looks, "points"));
    layers.push(...labels(state, points, marked, quantity === "speedup" ? 20 : -18));
    return {
      width: Math.max(200, width), height: 440, autosize: { type: "fit", contains: "padding" },
      encoding: { x, y }, layer: layers,
    };
  };

  /** The number of accelerators at which most families and rounds have a result. */
  const usualCount = (points) => {
    const counts = new Map();
    for (const { x } of points) counts.set(x, (counts.get(x) ?? 0) + 1);
    const most = Math.max(...counts.values());
    return Math.min(...[...counts].filter(([, many]) => many === most).map(([n]) => n));
  };

  const historySpec = (state, everything, kept, points, width) => {
    const { quiet } = theme();
    const labels = byName(distinct(everything.map(({ facts }) => facts.accelerator_family)));
    const looks = look(labels, width);
    const rounds = ROUNDS.filter((name) => everything.some(({ facts }) => facts.round === name));
    const equal = points.filter((point) => point.basis === "equal");
    const usual = equal.length ? usualCount(equal) : null;
    const panels = [
      ["The fastest at any number of accelerators (written beside each point)",
        points.filter((point) => point.basis === "overall"), true],
      [`The fastest at ${count(usual)} accelerators`, equal.filter(({ x }) => x === usual), false],
    ];
    const drawn = panels.filter(([, inside]) => inside.length).map(([title, inside, numbers], i, all) => {
      const last = i === all.length - 1;
      const layers = [];
      if (rounds.includes(state.round)) {
        layers.push({
          data: { values: [{ round: state.round }] }, name: `chosen_${i}`,
          mark: { type: "rule", color: quiet, strokeDash: [1, 4], strokeWidth: 2, aria: false },
          encoding: { y: null },
        });
      }
      layers.push({
        data: { values: inside }, name: `lines_${i}`,
        mark: { type: "line", strokeWidth: 1.8, tooltip: null, aria: false },
        encoding: { color: looks.colour,
          detail: { field: "series", type: "nominal" } },
      });
      layers.push(...dots(inside, looks, `points_${i}`));
      if (numbers) {
        layers.push({
          data: { values: inside },
          mark: { type: "text", dy: -12, fontSize: 10, color: quiet, tooltip: null, aria: false },
          encoding: { text: { field: "say_n", type: "nominal" } },
        });
      }
      return {
        title, width: Math.max(200, width - 70), height: 260,
        encoding: {
          x: { field: "round", type: "ordinal", title: last ? "Round" : null,
            scale: { domain: rounds }, axis: { labelAngle: 0 } },
          y: { ...valueAxis(inside, "minutes", state.scale), title: "Minutes" },
        },
        layer: layers,
      };
    });
    return { vconcat: drawn, spacing: 25 };
  };

  const chartBox = document.getElementById("chart");
  let shown = null;
  let drawing = 0;

  const nothing = (state, everything) => {
    if (everything.length) return "no row fits all of these choices, or none has this quantity";
    const answers = table("breakeven");
    const rows = answers.where(
      ["round", "benchmark", "view"], [state.round, state.benchmark, state.view]);
    return rows.length ? answers.value("reason", rows[0]) : "this view has no row of this benchmark";
  };

  /** The rows that can be drawn: with the quantity, and above zero where the scale asks for it. */
  const drawable = ({ state, kept }) => {
    const least = state.scale === "log" ? Number.MIN_VALUE : 0;
    return kept.filter(({ facts }) =>
      (facts[quantityOf(state)] ?? -1) >= least && (facts.accelerators ?? -1) >= least);
  };

  const draw = async (choice, sentence) => {
    const { state, everything } = choice;
    const kept = drawable(choice);
    // The style of DataTables asks for a class, not for the reader's preference.
    document.documentElement.classList.toggle("dark", darkness.matches);
    drawing += 1;
    const mine = drawing;
    const points = kept.map((one) => pointOf(state.view, quantityOf(state), one));
    if (shown) shown.finalize();
    shown = null;
    chartBox.classList.toggle("empty", !points.length);
    if (!points.length) {
      chartBox.replaceChildren(
        element("p", {}, `Nothing to draw: ${nothing(state, everything)}.`));
      return;
    }
    const width = Math.floor(chartBox.clientWidth);
    const build = state.view === "history" ? historySpec : scalingSpec;
    const spec = { ...build(state, everything, kept, points, width), description: sentence,
      config: configuration() };
    const box = element("div", {});
    chartBox.replaceChildren(box);
    // The interpreter keeps the page's policy: no text becomes code.
    const made = await vegaEmbed(box, spec, {
      mode: "vega-lite", renderer: "svg", ast: true,
      actions: { export: true, source: false, compiled: false, editor: false },
      downloadFileName: fileName(state), tooltip: { theme: darkness.matches ? "dark" : "light" },
    });
    if (mine !== drawing) {
      made.finalize();
      return;
    }
    shown = made;
    made.view.addEventListener("click", (_event, item) => {
      const row = item?.datum?.row;
      if (row === undefined) return;
      const [first] = showLinks(state.view, row);
      // A browser may refuse this window; the panel has the same links.
      if (first) window.open(first, "_blank", "noopener");
    });
    chartBox.dataset.drawn = toHash(state);
  };

  // ---- Words about the chart -------------------------------------------------------------------

  const sentenceOf = (choice) => {
    const { state, kept } = choice;
    const quantity = quantityOf(state);
    const model = new Map(benchmarksOf(state.round)).get(state.benchmark);
    const where = state.view === "history" ? "over all rounds" : `in ${about.rounds[state.round].title}`;
    const start = `${VIEWS[state.view].title} view of ${model} ${where}`;
    const valued = drawable(choice);
    if (!valued.length) return `${start}: nothing to draw.`;
    const [low, high] = extent(valued.map(({ facts }) => facts.accelerators));
    const best = valued.reduce((a, b) =>
      (quantity === "minutes" ? a.facts[quantity] <= b.facts[quantity] : a.facts[quantity] >= b.facts[quantity])
        ? a : b).facts;
    const value = quantity === "efficiency" ? percent(best[quantity]) : brief(best[quantity]);
    const word = quantity === "minutes" ? "fewest minutes" : `highest ${quantity}`;
    const many = valued.length === 1 ? "1 row" : `${count(valued.length)} rows`;
    const rest = kept.length - valued.length;
    const absent = rest ? ` Not drawn: ${count(rest)} without ${
      quantity === "minutes" ? "minutes" : `a ${quantity}`}, or with a count of accelerators that is not known or zero.` : "";
    return `${start}: ${many}, ${count(low)} to ${count(high)} accelerators; ${word}: ${value} ` +
      `(${best.submitter}, ${count(best.accelerators)} × ${best.accelerator_model ?? best.accelerator_family}).${absent}`;
  };

  const footnoteOf = ({ state, kept }) => {
    const divisions = byName(distinct(kept.map(({ facts }) => facts.division))).join(" and ");
    const names = state.view === "history" ? distinct(kept.map(({ facts }) => facts.round)) : [state.round];
    const rounds = ROUNDS.filter((name) => names.includes(name)).map((name) => about.rounds[name]);
    const titles = rounds.map((round) => round.title).join(", ");
    const first = about.unofficial
      .replace("{round}", () => titles).replace("{division}", () => divisions || "closed");
    const sources = rounds.map((round) => about.source
      .replace("{repository}", () => round.repository).replace("{commit}", () => round.commit));
    return [first, ...sources].join(" ");
  };

  // ---- Log lines -------------------------------------------------------------------------------

  const address = (run) => {
    const { repository, commit } = about.rounds[run.round];
    if (!repository.startsWith("https://")) return "";
    const path = run.path.split("/").map(encodeURIComponent).join("/");
    const lines = run.start_line === null ? "" :
      `#L${run.start_line}${run.stop_line === null ? "" : `-L${run.stop_line}`}`;
    return `${repository.replace(/\.git$/, "")}/blob/${commit}/${path}${lines}`;
  };

  /** List the runs behind a row with their log lines; return the addresses. */
  const showLinks = (view, row) => {
    const facts = factsOf(view, row);
    const runs = table("runs");
    let rows = [row];
    if (view !== "runs") {
      const all = runs.where(PLACE, PLACE.map((name) => facts[name]));
      const averaged = all.filter((one) => runs.value("averaged", one));
      rows = averaged.length ? averaged : all;
    }
    const addresses = [];
    const items = rows.map((one) => {
      const run = runs.record(one);
      const lines = run.start_line === null ? "" :
        `, lines ${run.start_line} to ${run.stop_line ?? "the end"}`;
      const text = `${run.path}${lines}`;
      const minutes = run.minutes === null ? run.reason : `${brief(run.minutes)} minutes: `;
      const href = address(run);
      if (!href) return element("li", {}, minutes, text);
      addresses.push(href);
      const link = element("a", { href, target: "_blank", rel: "noopener noreferrer" }, text);
      return element("li", {}, minutes, link);
    });
    const panel = document.getElementById("links");
    document.getElementById("links-about").textContent =
      `${facts.submitter}, ${facts.system}, ${facts.benchmark} in ${facts.round}: ` +
      (view === "runs" ? "the run." : `the runs whose mean is the score (${items.length}), at the pinned commit.`);
    document.getElementById("links-list").replaceChildren(...items);
    panel.hidden = false;
    return addresses;
  };

  // ---- Sentences and methods -------------------------------------------------------------------

  /** The series that the filters leave; null where no filter is set. */
  const seriesLeft = ({ state, everything, kept }) => {
    if (FILTERS.every((filter) => state[filter] === ALL) || state.view !== "series") return null;
    return everything.length ? new Set(kept.map(({ facts }) => facts.series)) : null;
  };

  const answerOf = (row) => {
    const [n, low, high] = [row.accelerators, row.low, row.high].map((v) => (v === null ? null : count(v)));
    if (row.status === "found") {
      return low !== null && high !== null && row.low !== row.high ? `${n} (${low} to ${high})` : n;
    }
    if (row.status === "beyond") return `not reached up to ${low}`;
    if (row.status === "below") return `passed at or before ${high}`;
    if (row.status === "undecided") return `undecided (${low} to ${high})`;
    return { prices: "prices", front: "a front", off: "off", refused: "none" }[row.status] ?? row.status;
  };

  const showSentences = (choice) => {
    const { state } = choice;
    const left = seriesLeft(choice);
    const inside = (series) => left === null || left.has(series);
    const concluded = table("conclusions");
    const sentences = concluded.where(["round", "benchmark"], [state.round, state.benchmark])
      .map((row) => concluded.record(row)).filter((row) => inside(row.series));
    const box = document.getElementById("sentences");
    if (sentences.length) {
      box.replaceChildren(element("ul", {}, ...sentences.map((row) =>
        element("li", {}, `${row.sentence}.`))));
    } else {
      box.replaceChildren(element("p", {}, "No series of this benchmark in this round."));
    }
    const answers = table("breakeven");
    const rows = answers.where(["round", "benchmark"], [state.round, state.benchmark])
      .map((row) => answers.record(row))
      .filter((row) => left === null || left.has(row.series));
    const heads = ["Method", "Accelerators", "Probability", "Reason"];
    const bodies = distinct(rows.map((row) => row.series)).map((series) => {
      const mine = rows.filter((row) => row.series === series);
      const title = element("th", { scope: "rowgroup", colspan: "4", class: "group" },
        mine[0].series_name ?? "no series");
      return element("tbody", {}, element("tr", {}, title), ...mine.map((row) => element("tr", {},
        element("th", { scope: "row" }, row.method.replaceAll("_", " ")),
        element("td", {}, answerOf(row)),
        element("td", { class: "number" },
          row.probability === null ? "" : `${Math.round(100 * row.probability)} %`),
        element("td", { class: "reason" }, row.reason))));
    });
    document.getElementById("methods").replaceChildren(element("table", { class: "plain" },
      element("thead", {}, element("tr", {},
        ...heads.map((head) => element("th", { scope: "col" }, head)))),
      ...bodies));
  };

  // ---- The table of rows -----------------------------------------------------------------------

  const SHORT = {
    scaling: [
      "series_name", "submitter", "system", "accelerator_model", "category", "division",
      "accelerators", "minutes", "speedup", "efficiency", "exponent", "marginal_efficiency",
      "price_of_hour", "runs", "runs_failed",
    ],
    history: [
      "round", "basis", "accelerator_family", "accelerators", "minutes", "accelerator_hours",
      "submitter", "system", "span", "resubmission_of",
    ],
    runs: [
      "submitter", "system", "minutes", "status", "counted", "averaged", "reason",
      "global_batch_size", "converged_at", "progress_unit", "evaluations", "path", "start_line",
      "stop_line",
    ],
  };
  const LONG = ["reason", "official_reason", "resubmission_of", "alternatives", "convergence_reason"];
  const everyColumn = document.getElementById("all-columns");
  let grid = null;

  const cellText = (value, type, name) => {
    if (value === null) return "";
    if (type === "truth") return value ? "yes" : "no";
    if (type === "real") return name.endsWith("_ms") ? String(value) : brief(value);
    return String(value);
  };

  const columnOf = (source, { name, type }) => ({
    title: escaped(name),
    className: LONG.includes(name) ? "long" : "",
    type: type === "whole" || type === "real" ? "num" : "string",
    data: null,
    render: (_data, purpose, item) => {
      const value = source.value(name, item.row);
      const text = cellText(value, type, name);
      if (purpose === "display") return escaped(text);
      if (purpose === "sort" || purpose === "type") return type === "text" || type === "truth" ? text : value ?? "";
      return text;
    },
  });

  const showRows = ({ state, kept }) => {
    const source = table(VIEWS[state.view].table);
    const names = everyColumn.checked ? source.columns.map(({ name }) => name) : SHORT[VIEWS[state.view].table];
    const columns = names.map((name) => columnOf(source, source.byName.get(name)));
    columns.unshift({
      title: "log", orderable: false, searchable: false, data: null, type: "string",
      render: (_data, purpose, item) => purpose === "display"
        ? `<button type="button" data-row="${Number(item.row)}" aria-label="Log lines of ${escaped(
          source.value("submitter", item.row))}, ${escaped(source.value("system", item.row))}">lines</button>`
        : "",
    });
    const box = document.getElementById("rows");
    if (grid) grid.destroy();
    const made = element("table", { class: "display compact", "aria-labelledby": "rows-heading" });
    box.replaceChildren(made);
    grid = new DataTable(made, {
      data: kept.map(({ row }) => ({ row })), columns, order: [], pageLength: 25, autoWidth: false,
      lengthMenu: [10, 25, 100, 500],
      language: { emptyTable: "No row fits these choices.", search: "Filter rows: " },
    });
    const note = () => {
      const many = grid.rows({ search: "applied" }).count();
      document.getElementById("rows-note").textContent =
        `${count(many)} of ${count(kept.length)} rows of ${VIEWS[state.view].file}; the CSV has every column of them, to the last digit.`;
    };
    grid.on("draw", note);
    note();
  };

  const fileName = (state) =>
    ["breakeven", state.view === "history" ? "all-rounds" : state.round, state.benchmark, state.view]
      .join("-");

  document.getElementById("download").addEventListener("click", () => {
    const rows = grid.rows({ search: "applied", order: "index" }).data().toArray().map(({ row }) => row);
    const content = new Blob([csv(table(VIEWS[current.state.view].table), rows)], { type: "text/csv" });
    const link = element("a", { href: URL.createObjectURL(content), download: `${fileName(current.state)}.csv` });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });

  // ---- All together ----------------------------------------------------------------------------

  let current = null;

  const show = (wanted) => {
    current = settled(wanted);
    const hash = toHash(current.state);
    if (location.hash !== hash) {
      // The first view replaces the bare address; every later choice can be gone back from.
      if (location.hash === "") location.replace(hash);
      else location.hash = hash;
    }
    document.getElementById("links").hidden = true;
    showControls(current);
    const sentence = sentenceOf(current);
    document.getElementById("summary").textContent = sentence;
    document.getElementById("footnote").textContent = footnoteOf(current);
    showSentences(current);
    showRows(current);
    return draw(current, sentence);
  };

  controls.addEventListener("change", (event) => {
    show({ ...current.state, [event.target.name]: event.target.value });
  });
  controls.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", () => {
    if (location.hash !== toHash(current.state)) show(fromHash());
  });
  everyColumn.addEventListener("change", () => showRows(current));
  document.getElementById("rows").addEventListener("click", (event) => {
    const button = event.target.closest("button[data-row]");
    if (!button) return;
    showLinks(current.state.view, Number(button.dataset.row));
    document.getElementById("links-heading").focus();
  });
  // The address holds the state, so that the skip link must not change it.
  document.querySelector("[data-skip]").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("chart-heading").focus();
  });
  darkness.addEventListener("change", () => draw(current, sentenceOf(current)));
  let width = window.innerWidth;
  let waiting = 0;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(() => draw(current, sentenceOf(current)), 150);
  });

  show(fromHash());
})();
