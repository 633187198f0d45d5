"use strict";

const absent = "–";

function grouped(value, digits) {
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// A table sorts by a click on a title and, where it is long, is filtered and shown in parts.
function prepare(holder) {
  const step = 200;
  const long = 36;
  const table = holder.querySelector("table");
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const kinds = heads.map((head) => head.dataset.kind);
  const digits = heads.map((head) => Number(head.dataset.digits));
  const stored = holder.querySelector("script.rows");
  const parsed = (cell, column) => {
    if (kinds[column] !== "number") return cell.textContent;
    return cell.textContent === absent ? null : Number(cell.textContent.replaceAll(",", ""));
  };
  const rows = stored
    ? JSON.parse(stored.textContent)
    : [...body.rows].map((row) => [...row.cells].map(parsed));
  let shown = body.rows.length;
  let chosen = rows;

  function cell(value, column) {
    const made = element("td", {});
    if (kinds[column] === "number") {
      made.className = "n";
      made.textContent = value === null ? absent : grouped(value, digits[column]);
      return made;
    }
    if (kinds[column] === "unit" && value) {
      const swatch = element("i", { className: "swatch" });
      // Units are called as in the file, or as they are shown.
      swatch.dataset.unit = value.replaceAll(" ", "_");
      made.append(swatch, value.replaceAll("_", " "));
      return made;
    }
    if (value && value.length > long) made.className = "long";
    made.append(value ?? "");
    return made;
  }

  const count = element("span", { className: "note" });
  const more = element("button", { type: "button", textContent: "more rows" });

  function show() {
    body.replaceChildren(...chosen.slice(0, shown).map((row) => element("tr", {}, ...row.map(cell))));
    const visible = Math.min(shown, chosen.length);
    count.textContent = `${grouped(visible, 0)} of ${grouped(chosen.length, 0)} rows`;
    more.hidden = visible === chosen.length;
  }

  function sort(column) {
    const head = heads[column];
    const before = head.getAttribute("aria-sort");
    const first = kinds[column] === "number" ? "descending" : "ascending";
    const order = before === null ? first : before === "ascending" ? "descending" : "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const compare = (a, b) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (kinds[column] === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
    };
    rows.sort((a, b) => compare(a[column], b[column]));
    chosen = chosen === rows ? rows : [...chosen].sort((a, b) => compare(a[column], b[column]));
    show();
  }

  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => sort(column)));
  if (!stored) return;

  const filter = element("input", { type: "search", placeholder: "filter: a number or a word" });
  filter.setAttribute("aria-label", "show only rows with this number in the first column or this word");
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    const fits = (value, column) =>
      kinds[column] === "number"
        ? column === 0 && String(value) === wanted
        : String(value ?? "").toLowerCase().includes(wanted);
    chosen = wanted === "" ? rows : rows.filter((row) => row.some(fits));
    show();
  });
  more.addEventListener("click", () => {
    shown += step;
    show();
  });
  holder.prepend(element("div", { className: "tools" }, filter, count, more));
  show();
}

// The timeline names the draw under the pointer.
function follow(figure) {
  const told = JSON.parse(figure.querySelector("script").textContent);
  const [svg, output] = [figure.querySelector("svg"), figure.querySelector("output")];
  const ends = [];
  told.draws.reduce((sum, draw) => (ends.push(sum + draw[1]), sum + draw[1]), 0);
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * told.width;
    const at = ((x - told.left) / (told.right - told.left)) * ends.at(-1);
    const index = ends.findIndex((end) => end >= at);
    if (at < 0 || index < 0) {
      output.textContent = "";
      return;
    }
    const [draw, cycles, unit] = told.draws[index];
    const limit = unit === null ? "" : `, limited by ${told.units[unit]}`;
    output.textContent = `draw ${draw}: ${grouped(cycles, 0)} cycles${limit}`;
  });
}

// A heat map names the value under the pointer.
function probe(figure) {
  const script = figure.querySelector("script");
  if (!script) return;
  const told = JSON.parse(script.textContent);
  const [image, output] = [figure.querySelector("img"), figure.querySelector("output")];
  const rows = told.values.length / told.columns;
  image.addEventListener("pointermove", (event) => {
    const box = image.getBoundingClientRect();
    const inside = (part, count) => Math.min(count - 1, Math.max(0, Math.floor(part * count)));
    const column = inside((event.clientX - box.left) / box.width, told.columns);
    const row = inside((event.clientY - box.top) / box.height, rows);
    const value = told.values[row * told.columns + column];
    const [x, y] = [column * told.tile, row * told.tile];
    output.textContent = `pixel ${x}, ${y}: ${grouped(value, Number.isInteger(value) ? 0 : 2)} ${told.unit}`;
  });
}

// One frame's heat maps are shown at a time.
function choose(frames) {
  const select = frames.querySelector("select");
  const groups = [...frames.querySelectorAll(".maps")];
  const show = () => groups.forEach((group, place) => (group.hidden = place !== select.selectedIndex));
  select?.addEventListener("change", show);
  // A browser may remember a choice.
  if (select) show();
}

document.querySelectorAll(".table").forEach(prepare);
document.querySelectorAll(".timeline").forEach(follow);
document.querySelectorAll(".heat").forEach(probe);
document.querySelectorAll(".frames").forEach(choose);
