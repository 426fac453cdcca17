// Upgrades a still picture of attention to a view that answers mouse and keyboard.
// No dependencies. The data stand in the page, packed by packing.py; what can be said or
// measured beforehand comes from Python, so that pictures, tables and views say the same.

const NAMESPACE = "http://www.w3.org/2000/svg";
const SVG_NAMES = new Set(["svg", "g", "line", "path", "text"]);
const [ROW, MIDDLE] = [22, 170]; // pixels: a token's height, and between the columns
const MOST_LINES = 3000;
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 2", "10 4"];
const VIRIDIS = [[68, 1, 84], [65, 68, 135], [42, 120, 142], [34, 168, 132], [122, 209, 81], [253, 231, 37]];

// ---- numbers and data
/** The weight that a code stands for: thousandths up to 0.1, hundredths above. */
export const weightOf = (code) => (code <= 100 ? code / 1000 : (code - 90) / 100);

/** The smallest code of a weight that is at least so large. */
export const codeFrom = (weight) =>
  weight <= 0.1 ? Math.ceil(weight * 1000 - 1e-9) : Math.ceil(weight * 100 - 1e-9) + 90;

/** A weight in two digits: 0.37, 0.042. */
export const inPrint = (code) => (code < 100 ? String(code / 1000) : weightOf(code).toFixed(2));

/** A colour of the viridis scale for a share from 0 to 1. */
export function viridis(share) {
  const at = Math.min(Math.max(share, 0), 1) * (VIRIDIS.length - 1);
  const low = Math.min(Math.floor(at), VIRIDIS.length - 2);
  return VIRIDIS[low].map((from, i) => Math.round(from + (at - low) * (VIRIDIS[low + 1][i] - from)));
}

/** The places of the largest codes, largest first, at most `n` and none below `least`. */
export function strongest(codes, n, least = 1) {
  const places = Array.from({ length: 256 }, () => []); // of each code
  codes.forEach((code, i) => code >= least && places[code].push(i));
  return places.reverse().flat().slice(0, n);
}

/** Packed data of a view: what JSON holds, and the codes of its weights. */
export async function unpack(base64) {
  const packed = Uint8Array.fromBase64?.(base64) ?? Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { data, codes: bytes.subarray(4 + length) };
}

/** One head's codes, row by row, of a level (words or pieces). */
export function codesOf({ data, codes }, level, layer, attnHead) {
  const { n, offset } = data.levels[level];
  const place = data.layers.indexOf(layer) * data.heads.length + data.heads.indexOf(attnHead);
  return codes.subarray(offset + place * n * n, offset + (place + 1) * n * n);
}

/** The tokens of a level: with or without special ones, of one text or (null) of all. */
export const shownTokens = (level, specials, text) =>
  level.labels.map((_, i) => i)
    .filter((i) => (specials || !level.special[i]) && (text === null || level.texts[i] === text));

/** The part of a map between some tokens. */
function between(codes, n, from, to) {
  const flat = new Uint8Array(from.length * to.length);
  from.forEach((i, row) => to.forEach((j, col) => (flat[row * to.length + col] = codes[i * n + j])));
  return flat;
}

/** The strongest arrows of a map between some tokens, as [from, to, code]. */
export function arrows(codes, n, from, to, most, least = 1) {
  const flat = between(codes, n, from, to);
  return strongest(flat, most, least).map((at) => [from[Math.floor(at / to.length)], to[at % to.length], flat[at]]);
}

const quoted = (text) => `“${text.length > 60 ? `${text.slice(0, 60)}…` : text}”`;
const headName = (layer, attnHead) => `${layer + 1}-${attnHead + 1}`;
const colour = (place) => `var(--ba-${place % 7})`;

// ---- elements and controls
function el(name, attributes = {}, ...children) {
  const node = SVG_NAMES.has(name) ? document.createElementNS(NAMESPACE, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== false && value !== undefined) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

/** A menu; `names` are what is offered, `choose` gets the place of what is chosen. */
function menu(label, names, start, choose) {
  const select = el("select", { onchange: () => choose(select.selectedIndex) });
  names.forEach((name, i) => select.append(el("option", { selected: i === start }, String(name))));
  return el("label", {}, `${label} `, select);
}

function check(label, checked, choose) {
  const box = el("input", { type: "checkbox", checked, onchange: () => choose(box.checked) });
  return el("label", {}, box, ` ${label}`);
}

function slider(label, value, choose) {
  const said = el("output", {}, String(value));
  const input = el("input", { type: "range", min: 0, max: 0.9, step: 0.01, value });
  input.addEventListener("input", () => choose(Number((said.textContent = input.value))));
  return el("label", {}, `${label} `, input, " ", said);
}

/** Arrow keys, Home and End move among items in rows of `columns`; Tab stops at one of them. */
function roving(items, columns, start = 0) {
  const reach = (to) => items.forEach((item, i) => item.setAttribute("tabindex", i === to ? 0 : -1));
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
  const ends = { Home: 0, End: items.length - 1 };
  items.forEach((item, i) => {
    item.addEventListener("focus", () => reach(i));
    item.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || !(event.key in { ...steps, ...ends })) return;
      event.preventDefault();
      items[ends[event.key] ?? i + steps[event.key]]?.focus();
    });
  });
  reach(start);
}

/** Click, Enter and Space press an item. */
function pressable(item, press) {
  item.addEventListener("click", () => press());
  item.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") press(event.preventDefault());
  });
}

/** Items of which one is chosen; gives back what chooses one. */
function oneOf(items, columns, start, chosen) {
  const choose = (i) => {
    items.forEach((item, k) => item.setAttribute("aria-pressed", k === i));
    chosen(i);
    return i;
  };
  items.forEach((item, i) => pressable(item, () => choose(i)));
  roving(items, columns, Math.max(start, 0));
  return choose;
}

/** While the pointer or the focus is on an item, `show` has its place, else null. */
function whileOn(items, show) {
  items.forEach((item, i) => {
    for (const event of ["focus", "pointerenter"]) item.addEventListener(event, () => show(i));
    for (const event of ["blur", "pointerleave"]) item.addEventListener(event, () => show(null));
  });
}

const scale = () => el("p", { class: "ba-scale", "aria-hidden": "true" }, "0 ", el("span"), " 1");

/** The parts that all views have: controls, what is said, the drawing. */
function frame(place, { title, notice }) {
  const controls = el("div", { class: "ba-controls", role: "group", "aria-label": `controls: ${title}` });
  const status = el("p", { class: "ba-status", role: "status" });
  const body = el("div", { class: "ba-body" });
  place.append(controls, status, body);
  if (notice) place.append(el("p", { class: "ba-notice" }, notice));
  return { controls, body, say: (text) => (status.textContent = text) };
}

// ---- heads: lines and matrices
const PAIRS = [[null, null], [0, 0], [0, 1], [1, 0], [1, 1]];
const PAIR_NAMES = ["all", "first to first", "first to second", "second to first", "second to second"];

function headView(place, content, changed = () => {}) {
  const { data } = content;
  const state = { ...data.start, pair: 0, pinned: null };
  const { controls, body, say } = frame(place, data);
  const draw = () => {
    buttons.refresh();
    smallest.hidden = state.form === "matrix";
    const level = data.levels[state.level];
    const [from, to] = PAIRS[state.pair].map((text) => shownTokens(level, state.specials, text));
    const maps = state.heads.map((attnHead, i) => ({
      name: headName(state.layer, attnHead),
      codes: codesOf(content, state.level, state.layer, attnHead),
      colour: colour(i),
      dash: DASHES[i % DASHES.length],
    }));
    const drawn = { level, from, to, maps, least: Math.max(1, codeFrom(state.threshold)), say, state };
    body.replaceChildren(state.form === "lines" ? lines(drawn) : matrices(drawn));
    changed(state);
  };
  const set = (key, values) => (chosen) => draw(Object.assign(state, { [key]: values ? values[chosen] : chosen }));
  const forms = ["lines", "matrix"];
  const layers = menu("layer", data.layers.map((layer) => layer + 1), data.layers.indexOf(state.layer), set("layer", data.layers));
  const buttons = headButtons(data.heads, state, draw);
  const smallest = slider("lines from", state.threshold, set("threshold"));
  if (data.levels.length > 1) controls.append(menu("by", data.levels.map(({ name }) => name), state.level, set("level")));
  controls.append(layers, buttons, menu("as", forms, forms.indexOf(state.form), set("form", forms)));
  if (data.levels[0].texts.includes(1)) controls.append(menu("pair", PAIR_NAMES, 0, set("pair")));
  controls.append(check("special tokens", state.specials, set("specials")));
  controls.append(smallest);
  const repaint = () => state.form === "matrix" && draw(); // a canvas does not follow the theme
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  new MutationObserver(repaint).observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  draw();
  return (layer, attnHead) => {
    layers.lastChild.selectedIndex = data.layers.indexOf(layer);
    draw(Object.assign(state, { layer, heads: [attnHead] }));
  };
}

function headButtons(heads, state, draw) {
  let several = state.heads.length > 1;
  const buttons = heads.map((attnHead) =>
    el("button", { type: "button", "aria-label": `head ${attnHead + 1}` }, String(attnHead + 1)));
  const group = el("span", { class: "ba-heads", role: "group", "aria-label": "attention heads" });
  group.refresh = () => buttons.forEach((button, i) => {
    const order = state.heads.indexOf(heads[i]);
    button.setAttribute("aria-pressed", order >= 0);
    button.style.borderColor = order >= 0 ? colour(order) : "";
    button.style.borderStyle = order > 0 ? "dashed" : "";
  });
  buttons.forEach((button, i) => button.addEventListener("click", () => {
    const others = state.heads.filter((other) => other !== heads[i]);
    const wasOn = others.length < state.heads.length;
    state.heads = several && others.length ? (wasOn ? others : [...others, heads[i]]) : [heads[i]];
    draw();
  }));
  roving(buttons, heads.length, heads.indexOf(state.heads[0]));
  group.append("head ", ...buttons, " ", check("several", several, (on) => {
    several = on;
    draw(on || (state.heads = state.heads.slice(-1)));
  }));
  return group;
}

function summary({ level, from, to, maps }) {
  if (!from.length || !to.length) return "No token is left to show: choose others above.";
  return maps.map(({ name, codes }) => {
    const said = arrows(codes, level.n, from, to, 3).map(([i, j, code]) =>
      `${quoted(level.labels[i])} to ${quoted(level.labels[j])} ${inPrint(code)}`);
    return `Head ${name}, strongest: ${said.join(", ") || "nothing"}.`;
  }).join(" ");
}

function lines({ level, from, to, maps, least, say, state }) {
  const svg = el("svg", { width: MIDDLE, height: ROW * Math.max(from.length, to.length), "aria-hidden": "true" });
  const drawn = [];
  const found = maps.map(({ codes }) => arrows(codes, level.n, from, to, MOST_LINES + 1, least));
  maps.forEach((map, k) => found[k].slice(0, MOST_LINES).reverse().forEach(([i, j, code]) => {
    const [y1, y2] = [ROW * (from.indexOf(i) + 0.5), ROW * (to.indexOf(j) + 0.5)];
    const width = 1 + 2.5 * weightOf(code);
    const line = el("line", { x1: 2, x2: MIDDLE - 2, y1, y2, stroke: map.colour, "stroke-width": width, "stroke-dasharray": map.dash });
    drawn.push({ line, from: i, to: j, opacity: 0.15 + 0.85 * weightOf(code) });
    svg.append(line);
  }));
  const sides = { from: column("from", "from: who looks", from, level), to: column("to", "to: who is looked at", to, level) };
  const shown = { from, to };
  const pinned = () => (state.pinned?.level === level && shown[state.pinned.side].includes(state.pinned.at) ? state.pinned : null);
  const show = (on) => {
    const at = on && on.at;
    for (const one of drawn) one.line.style.opacity = !on || one[on.side] === at ? one.opacity : 0.03;
    for (const side of ["from", "to"]) {
      for (const item of sides[side].children) {
        const values = on && on.side !== side ? valuesOf(maps, level.n, on.side, at, Number(item.dataset.token)) : [];
        item.lastChild.textContent = values.some((code) => code >= 5) ? values.map(inPrint).join(" ") : "";
        item.setAttribute("aria-selected", pinned()?.side === side && pinned().at === Number(item.dataset.token));
      }
    }
    say(on ? tokenInWords(level, maps, on.side, at, on.side === "from" ? to : from) : summary({ level, from, to, maps }));
  };
  for (const side of ["from", "to"]) {
    const items = [...sides[side].children];
    roving(items, 1);
    whileOn(items, (i) => show(i === null ? pinned() : { side, at: shown[side][i] }));
    items.forEach((item, i) => pressable(item, () => {
      const on = { side, at: shown[side][i], level };
      state.pinned = pinned()?.side === side && pinned().at === on.at ? null : on;
      show(on);
    }));
  }
  show(pinned());
  const note = found.some((all) => all.length > MOST_LINES) ? el("p", { class: "ba-notice" }, `Only the ${MOST_LINES} strongest lines are drawn.`) : "";
  return el("div", {}, el("div", { class: "ba-columns" }, sides.from, svg, sides.to), note);
}

/** What each map has for a token on a side and another on the other side. */
const valuesOf = (maps, n, side, at, k) => maps.map(({ codes }) => codes[side === "from" ? at * n + k : k * n + at]);

function column(side, name, tokens, level) {
  return el("ul", { class: `ba-${side}`, role: "listbox", "aria-label": name }, ...tokens.map((i) =>
    el("li", { role: "option", "data-token": i, title: level.labels[i].slice(0, 300) },
      el("span", { class: "ba-word", dir: "auto" }, level.labels[i]),
      el("span", { class: "ba-number", "aria-hidden": "true" }))));
}

function tokenInWords(level, maps, side, at, others) {
  const parts = maps.map((map) => {
    const codes = others.map((k) => valuesOf([map], level.n, side, at, k)[0]);
    const best = strongest(codes, 4, 5).map((k) => `${quoted(level.labels[others[k]])} ${inPrint(codes[k])}`);
    return `head ${map.name}: ${best.join(", ") || "nothing over 0.005"}`;
  });
  return `${quoted(level.labels[at])} ${side === "from" ? "looks at" : "is looked at by"}, ${parts.join("; ")}.`;
}

function matrices({ level, from, to, maps, say }) {
  const shown = from.length && to.length ? maps : [];
  say(summary({ level, from, to, maps }));
  return el("div", {}, el("div", { class: "ba-matrices" }, ...shown.map((map) =>
    el("figure", {}, el("figcaption", {}, `head ${map.name}`), matrix(level, from, to, map, say, shown.length > 1 ? 15 : 22)))), scale());
}

function matrix(level, from, to, { name, codes }, say, largest) {
  const cell = Math.min(Math.max(Math.floor(560 / Math.max(from.length, to.length)), 2), largest);
  const margin = cell >= 9 ? 96 : 4; // room for labels where they can be read
  const [width, height] = [margin + 3 + cell * to.length, margin + 3 + cell * from.length];
  const ratio = window.devicePixelRatio || 1;
  const canvas = el("canvas", {
    width: width * ratio, height: height * ratio, style: `width:${width}px;height:${height}px`, tabindex: 0,
    role: "application", "aria-label": `matrix of head ${name}: rows look at columns; arrow keys move`,
  });
  const flat = between(codes, level.n, from, to);
  const image = pixels(flat, to.length);
  let at = [0, 0];
  const draw = (isOn) => {
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(image, margin, margin, cell * to.length, cell * from.length);
    if (margin > 4) axisLabels(pen, getComputedStyle(canvas).color, level.labels, from, to, cell, margin);
    pen.lineWidth = 2;
    for (const [ink, out] of isOn ? [["#fff", 0], ["#d55e00", 2]] : []) {
      pen.strokeStyle = ink;
      pen.strokeRect(margin + at[1] * cell - out, margin + at[0] * cell - out, cell + 2 * out, cell + 2 * out);
    }
  };
  const go = (row, col) => {
    at = [Math.min(Math.max(row, 0), from.length - 1), Math.min(Math.max(col, 0), to.length - 1)];
    draw(true);
    const [looks, looked] = [level.labels[from[at[0]]], level.labels[to[at[1]]]];
    say(`Head ${name}: ${quoted(looks)} to ${quoted(looked)} ${inPrint(flat[at[0] * to.length + at[1]])}.`);
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    go(...[event.clientY - box.top, event.clientX - box.left].map((x) => Math.floor((x - margin) / cell)));
  });
  canvas.addEventListener("focus", () => go(...at));
  for (const event of ["blur", "pointerleave"]) canvas.addEventListener(event, () => draw(false));
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in steps)) return;
    event.preventDefault();
    go(at[0] + steps[event.key][0], at[1] + steps[event.key][1]);
  });
  requestAnimationFrame(() => draw(false)); // in the page it knows its theme
  return canvas;
}

function axisLabels(pen, ink, labels, from, to, cell, margin) {
  const text = (i) => (labels[i].length > 14 ? `${labels[i].slice(0, 13)}…` : labels[i]);
  Object.assign(pen, { fillStyle: ink, font: `${Math.min(cell, 13)}px sans-serif`, textBaseline: "middle", textAlign: "right" });
  from.forEach((i, row) => pen.fillText(text(i), margin - 4, margin + (row + 0.5) * cell, margin - 6));
  pen.textAlign = "left";
  to.forEach((j, col) => {
    pen.save();
    pen.translate(margin + (col + 0.5) * cell, margin - 4);
    pen.rotate(-Math.PI / 2);
    pen.fillText(text(j), 0, 0, margin - 6);
    pen.restore();
  });
}

/** A canvas with a pixel for each cell, coloured by its weight or what `shade` makes of it. */
function pixels(codes, width, shade = (weight) => weight) {
  const canvas = el("canvas", { width, height: codes.length / width, "aria-hidden": "true" });
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(width, codes.length / width);
  const inks = Uint32Array.from({ length: 256 }, (_, code) =>
    viridis(shade(weightOf(code))).reduce((sum, part, k) => sum + part * 256 ** k, 255 * 256 ** 3));
  const cells = new Uint32Array(image.data.buffer); // red in the lowest byte
  codes.forEach((code, at) => (cells[at] = inks[code]));
  pen.putImageData(image, 0, 0);
  return canvas;
}

// ---- all heads of a model
function modelView(place, content) {
  const { data } = content;
  const { level, layer: first, heads: [start] } = data.start;
  const { body, say } = frame(place, { title: data.title });
  say("Choose a head to see it large. Colours show the square root of a weight.");
  const large = el("div", { class: "ba-large" });
  let thumbs = [];
  const all = data.layers.flatMap((layer) => data.heads.map((attnHead) => [layer, attnHead]));
  const mark = ({ layer, heads }) => thumbs.forEach((thumb, i) =>
    thumb.setAttribute("aria-pressed", all[i][0] === layer && heads.includes(all[i][1])));
  const open = headView(large, content, mark);
  thumbs = all.map(([layer, attnHead]) => {
    const name = `head ${headName(layer, attnHead)}`;
    return el("button", { type: "button", class: "ba-thumb", "aria-label": name, title: name },
      pixels(codesOf(content, level, layer, attnHead), data.levels[level].n, Math.sqrt));
  });
  const at = all.findIndex(([layer, attnHead]) => layer === first && attnHead === start);
  oneOf(thumbs, data.heads.length, at, (i) => open(...all[i]))(at);
  body.append(grid(thumbs, data), scale(), large);
}

/** Buttons in a grid of layers down and heads across, counted from 1. */
function grid(buttons, { layers, heads }) {
  const tick = (place) => el("span", { class: "ba-tick" }, String(place + 1));
  const [name, style] = ["layers down, heads across", `grid-template-columns:auto repeat(${heads.length},max-content)`];
  const box = el("div", { class: "ba-grid", role: "group", "aria-label": name, style });
  box.append(el("span", { class: "ba-across", "aria-hidden": "true" }, name), el("span"), ...heads.map(tick));
  layers.forEach((layer, row) =>
    box.append(tick(layer), ...buttons.slice(row * heads.length, (row + 1) * heads.length)));
  return box;
}

// ---- scores of heads, maps of heads, and a head's card
function headMap(place, { data }) {
  const { controls, body, say } = frame(place, data);
  let measure = data.measures[0];
  const cells = data.names.map(() => el("button", { type: "button", class: "ba-cell" }));
  const draw = (chosen) => {
    measure = data.measures[chosen];
    cells.forEach((cell, i) => {
      const [share, said] = [measure.shares[i], measure.said[i]];
      cell.textContent = measure.texts[i];
      cell.setAttribute("aria-label", said);
      cell.style.background = share === null ? "" : `rgb(${viridis(share)})`;
      cell.style.color = share === null ? "" : share > 0.43 ? "#000" : "#fff";
    });
    say(measure.summary);
  };
  if (data.measures.length > 1) controls.append(menu("measure", data.measures.map(({ name }) => name), 0, draw));
  draw(0);
  withCards(data, body, grid(cells, data), cells, data.heads.length, (i) => measure.said[i], say, measure.best);
  say(measure.summary);
}

function clusterView(place, { data }) {
  const { controls, body, say } = frame(place, data);
  const [near, legend] = [el("g", { "aria-hidden": "true" }), el("ul", { class: "ba-legend" })];
  const points = data.points.map(([x, y]) =>
    el("g", { role: "button", class: "ba-point", transform: `translate(${x} ${y})` }, el("path")));
  let way = data.ways[0];
  const shaped = (path, [shape, ink]) => {
    path.setAttribute("d", data.shapes[shape]);
    path.style.fill = colour(ink);
    return path;
  };
  const draw = (chosen) => {
    way = data.ways[chosen];
    points.forEach((point, i) => {
      shaped(point.firstChild, way.marks[way.of[i]]);
      point.setAttribute("aria-label", way.said[i]);
    });
    legend.replaceChildren(...way.kinds.map((kind, i) => {
      const swatch = el("svg", { width: 16, height: 16, viewBox: "-8 -8 16 16", "aria-hidden": "true" }, shaped(el("path"), way.marks[i]));
      return el("li", {}, swatch, ` ${kind}`);
    }));
  };
  controls.append(menu("marks by", data.ways.map(({ name }) => name), 0, draw));
  const svg = el("svg", { width: data.size, height: data.size, role: "group", "aria-label": data.title }, near, ...points);
  draw(0);
  withCards(data, body, el("div", {}, svg, legend), points, 1, (i) => way.said[i], say, 0, (i) => {
    near.replaceChildren(...data.nearest[i].map((k) => {
      const [[x1, y1], [x2, y2]] = [data.points[i], data.points[k]];
      return el("line", { x1, y1, x2, y2, class: "ba-near" });
    }));
  });
}

/** Heads to choose from beside the card of the one chosen. */
function withCards(data, body, left, items, columns, said, say, start, chosen = () => {}) {
  const aside = el("div", { class: "ba-aside" });
  const choose = oneOf(items, columns, start, (i) => {
    chosen(i);
    say(said(i));
    if (data.cards.length) aside.replaceChildren(card(data.cards[i], follow));
  });
  const follow = (name) => items[choose(data.names.indexOf(name))].focus();
  whileOn(items, (i) => i !== null && say(said(i)));
  body.classList.add("ba-beside");
  body.append(left, aside);
  choose(start);
}

function card(data, open) {
  const titled = (title, list, part) => (list.length ? [el("p", { class: "ba-heading" }, title), part] : []);
  const pairs = (rows) => el("dl", {}, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
  const examples = (list) => el("ol", {}, ...list.map(example));
  const near = data.nearest.map(([name, distance]) =>
    el("button", { type: "button", onclick: () => open(name) }, `${name} (${distance})`));
  return el("section", { class: "ba-card", "aria-label": `card of head ${data.name}` },
    el("p", { class: "ba-title" }, `head ${data.name}`),
    ...titled("attention", data.shares, pairs(data.shares)),
    ...titled("relations", data.relations, pairs(data.relations)),
    ...titled(`most: ${data.about}`, data.best, examples(data.best)),
    ...titled(`least: ${data.about}`, data.worst, examples(data.worst)),
    ...titled("nearest heads (nats)", near, el("p", {}, ...near)));
}

function example({ words, from, to, note }) {
  const marked = { [to]: "to", [from]: "from" };
  const parts = words.flatMap((word, i) => [marked[i] ? el("mark", { class: `ba-${marked[i]}-word`, title: marked[i] }, word) : word, " "]);
  return el("li", {}, el("span", { dir: "auto" }, ...parts), el("span", { class: "ba-note" }, note));
}

// ---- trees
function treeView(place, { data }) {
  const { controls, body, say } = frame(place, data);
  const svg = el("svg", { width: data.width, height: data.height, role: "group", "aria-label": data.title });
  const gold = data.arcs.map(arc);
  const draw = (chosen) => {
    const guess = data.guesses[chosen];
    const arcs = [...gold, ...guess.arcs.map(arc)];
    const show = (at) => {
      arcs.forEach((one) => one.classList.toggle("ba-faint", at !== null && Number(one.dataset.word) !== at));
      say(at === null ? guess.summary : guess.said[at]);
    };
    const items = data.words.map(({ text, x }, i) =>
      el("g", { role: "img", class: "ba-item", "aria-label": guess.said[i] },
        el("text", { x, y: data.line, "text-anchor": "middle" }, text)));
    roving(items, items.length);
    whileOn(items, show);
    svg.replaceChildren(...arcs, ...items);
    show(null);
  };
  if (data.guesses.length > 1) controls.append(menu("guess of", data.guesses.map(({ name }) => name), 0, draw));
  body.classList.add("ba-wide");
  body.append(svg);
  draw(0);
}

const arc = ({ word, kind, path, tip, x, y, label }) =>
  el("g", { class: `ba-${kind}`, "data-word": word, "aria-hidden": "true" },
    el("path", { d: path }), el("path", { d: tip, class: "ba-tip" }), el("text", { x, y, "text-anchor": "middle" }, label));

// ---- coreference
function corefView(place, { data }) {
  const { controls, body, say } = frame(place, data);
  const state = { attnHead: data.heads[0], isAll: false, shown: null };
  const svg = el("svg", { class: "ba-overlay", "aria-hidden": "true" });
  const words = data.words.map((word) => el("span", { class: "ba-plain" }, word));
  const buttons = data.items.map(({ word }) => el("button", { type: "button", class: "ba-asked" }, data.words[word]));
  buttons.forEach((button, k) => words[data.items[k].word].replaceChildren(button));
  const bracket = (text, entity) =>
    el("span", { class: "ba-bracket", style: `border-color:${colour(entity)}`, "aria-hidden": "true" }, text);
  const text = el("p", { class: "ba-text", dir: "auto" }, ...words.flatMap((word, i) => [
    ...data.mentions.filter(({ start }) => start === i).map(({ entity }) => bracket("[", entity)),
    word,
    ...data.mentions.filter(({ stop }) => stop === i + 1).reverse().map(({ entity }) => bracket(`]${entity + 1}`, entity)),
    " ",
  ]));
  const middle = (node) => {
    const [box, outer] = [node.getBoundingClientRect(), svg.parentNode.getBoundingClientRect()];
    return [box.left - outer.left + box.width / 2, box.top - outer.top];
  };
  const arrow = (k) => {
    const chosen = state.attnHead.chosen[k];
    const [[x1, y1], [x2, y2]] = [middle(words[data.items[k].word]), middle(words[chosen])];
    const lift = Math.max(0, Math.min(y1, y2) - 14 - Math.abs(x1 - x2) / 12);
    const line = `M${x1} ${y1}C${x1} ${lift} ${x2} ${lift} ${x2} ${y2}`;
    return el("g", { class: data.items[k].right.includes(chosen) ? "ba-right" : "ba-wrong" }, el("path", { d: line }),
      el("path", { d: `M${x2 - 4} ${y2 - 7}L${x2} ${y2}L${x2 + 4} ${y2 - 7}`, class: "ba-tip" }));
  };
  const draw = (change) => {
    const { attnHead, isAll, shown } = Object.assign(state, change);
    svg.replaceChildren(...[...data.items.keys()].filter((k) => isAll || k === shown).map(arrow));
    words.forEach((word, i) => word.classList.toggle("ba-answer", shown !== null && data.items[shown].right.includes(i)));
    buttons.forEach((button, k) => button.setAttribute("aria-label", attnHead.said[k]));
    say(isAll || shown === null ? attnHead.summary : `${attnHead.said[shown]} ${attnHead.summary}`);
  };
  const choose = oneOf(buttons, 1, 0, (shown) => draw({ shown }));
  controls.append(
    menu("attention head", data.heads.map(({ name }) => name), 0, (i) => draw({ attnHead: data.heads[i] })),
    check("all arrows", false, (isAll) => draw({ isAll })));
  body.append(el("div", { class: "ba-document" }, svg, text));
  new ResizeObserver(() => draw()).observe(text);
  if (buttons.length) choose(0);
}

// ---- the page
const VIEWS = { heads: headView, model: modelView, map: headMap, tree: treeView, coref: corefView, clusters: clusterView };

/** Put a living view in the place of a still one, and keep its keys from JupyterLab's command mode. */
export async function upgrade(root) {
  root.dataset.live = "loading";
  const stage = el("div", { class: "ba-live", role: "group" });
  stage.addEventListener("keydown", (event) => event.key === "Escape" || event.ctrlKey || event.metaKey || event.stopPropagation());
  try {
    const content = await unpack(root.querySelector(".ba-data").textContent.trim());
    stage.setAttribute("aria-label", content.data.title);
    root.prepend(stage);
    VIEWS[root.dataset.view](stage, content);
    root.querySelector(".ba-still").hidden = true;
    root.dataset.live = "true";
  } catch (error) {
    stage.remove();
    root.dataset.live = "failed";
    root.append(el("p", { role: "status" }, `This browser cannot show the interactive form: ${error.message}`));
  }
}

if (typeof document !== "undefined") document.querySelectorAll(".bertattn-view:not([data-live])").forEach(upgrade);
