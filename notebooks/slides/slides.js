// One section a screen. Without this script, and on paper, all of them stand below one another.
const slides = [...document.querySelectorAll(".slide")];
const place = document.getElementById("place");
let here = 0;

const hidden = () => [...slides[here].querySelectorAll(".later")];

function show(number, whole) {
  here = Math.max(0, Math.min(number, slides.length - 1));
  slides.forEach((slide, i) => slide.classList.toggle("here", i === here));
  for (const part of slides[here].querySelectorAll(".fragment")) part.classList.toggle("later", !whole);
  place.textContent = `Slide ${here + 1} of ${slides.length}`;
  history.replaceState(null, "", `#${here + 1}`);
  scrollTo(0, 0);
  slides[here].focus();
  dispatchEvent(new Event("resize")); // what is drawn to its width has one now
}

function on() {
  const [next] = hidden();
  if (next) {
    next.classList.remove("later");
    next.scrollIntoView({ block: "nearest" });
  } else if (here < slides.length - 1) show(here + 1, false);
}

function back() {
  if (here > 0) show(here - 1, true);
}

const KEYS = {
  ArrowRight: on, PageDown: on, " ": on, ArrowLeft: back, PageUp: back,
  Home: () => show(0, false), End: () => show(slides.length - 1, true),
};

addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea, button, summary, a, [role], .ba-view");
  const step = KEYS[event.key];
  if (!step || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  step();
});
addEventListener("hashchange", () => show(Number(location.hash.slice(1)) - 1, true));
document.getElementById("on").addEventListener("click", on);
document.getElementById("back").addEventListener("click", back);
slides.forEach((slide, i) => slide.setAttribute("aria-label", `Slide ${i + 1} of ${slides.length}`));
document.body.classList.add("live");
show((Number(location.hash.slice(1)) || 1) - 1, false);
