// The site's search: words of all pages, read from a file beside them when a reader first asks.

const script = document.currentScript;
const MOST = 12;
const AROUND = 70;

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** How often words begin so, up to three: more says nothing. */
const count = (words, term) => Math.min(3, words.filter((word) => word.startsWith(term)).length);

/** What a section is worth to a search; 0 if a term is missing, or is only in the page's title. */
function worth(terms, inTitle, inHeading, inText) {
  let [sum, here] = [0, false];
  for (const term of terms) {
    const own = 5 * count(inHeading, term) + count(inText, term);
    const all = 8 * count(inTitle, term) + own;
    if (all === 0) return 0;
    sum += all;
    here ||= own > 0;
  }
  return here ? sum : 0;
}

/** Sections that hold every term, the best first. */
function search(index, terms) {
  const found = [];
  for (const { title, page, sections } of index) {
    for (const [place, heading, text] of sections) {
      const score = worth(terms, wordsOf(title), wordsOf(heading), wordsOf(text));
      if (score > 0) found.push({ title, page, place, heading, text, score });
    }
  }
  return found.sort((a, b) => b.score - a.score).slice(0, MOST);
}

/** A stretch of text around the first term, that term marked; made of text only, never of HTML. */
function snippet(text, terms) {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.search(new RegExp(`(?<![\\p{L}\\p{N}_])${term}`, "u")));
  const at = Math.min(...places.filter((place) => place >= 0), text.length);
  const span = document.createElement("span");
  const from = Math.max(0, (at === text.length ? 0 : at) - AROUND);
  const term = terms.find((one) => lower.startsWith(one, at)) ?? "";
  const mark = document.createElement("mark");
  mark.textContent = text.slice(at, at + term.length);
  const behind = text.slice(at + term.length, at + term.length + AROUND);
  span.append(from > 0 ? "…" : "", text.slice(from, at === text.length ? 2 * AROUND : at), mark, behind);
  return span;
}

function entry(hit, terms) {
  const link = document.createElement("a");
  const name = document.createElement("strong");
  link.href = `${script.dataset.root}${hit.page}#${encodeURIComponent(hit.place)}`;
  name.textContent = hit.heading === hit.title ? hit.title : `${hit.title}: ${hit.heading}`;
  link.append(name, snippet(hit.text, terms));
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** The index, loaded once; a script is the one file that a page without a server may read. */
function load() {
  load.promise ??= new Promise((resolve, reject) => {
    const loaded = document.createElement("script");
    loaded.src = script.dataset.index;
    loaded.addEventListener("load", () => resolve(globalThis.bertattnIndex));
    loaded.addEventListener("error", () => reject(new Error(`${script.dataset.index} is not there`)));
    document.head.append(loaded);
  });
  return load.promise;
}

function live(form) {
  const [input, list, status] = ["input", "ol", "[role=status]"].map((one) => form.querySelector(one));
  const show = (items, said) => {
    list.replaceChildren(...items);
    list.hidden = items.length === 0;
    status.textContent = said;
  };
  const note = (said) => {
    const item = document.createElement("li");
    item.className = "nothing";
    item.textContent = said;
    show([item], said);
  };
  const ask = async () => {
    const asked = input.value;
    const terms = wordsOf(asked);
    if (terms.length === 0) return show([], "");
    try {
      const index = await load();
      if (input.value !== asked) return undefined;
      const hits = search(index, terms);
      if (hits.length === 0) return note("Nothing found.");
      return show(hits.map((hit) => entry(hit, terms)), `${hits.length} found; arrow down to choose`);
    } catch (error) {
      return note(`The search does not work here: ${error.message}.`);
    }
  };
  const step = (event, by) => {
    const stops = [input, ...list.querySelectorAll("a")];
    const next = stops[stops.indexOf(document.activeElement) + by];
    if (next) next.focus();
    event.preventDefault();
  };
  input.addEventListener("input", ask);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") step(event, 1);
    if (event.key === "ArrowUp") step(event, -1);
    if (event.key === "Escape") {
      show([], "");
      input.focus();
    }
  });
  form.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !form.contains(event.relatedTarget)) show([], "");
  });
  document.addEventListener("click", (event) => form.contains(event.target) || show([], ""));
  form.hidden = false;
}

live(document.querySelector("form.search"));
document.querySelector("nav details").open = matchMedia("(min-width: 50em)").matches; // the text comes first
