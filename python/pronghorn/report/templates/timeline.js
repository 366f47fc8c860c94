"use strict";
// Moves the time of a timeline. What it shows is read from the file that the page offers beneath the drawing.

function lanesOf(link) {
  const text = decodeURIComponent(link.href.slice(link.href.indexOf(",") + 1));
  const lanes = { h2: [], h3: [] };
  let last = "";
  for (const line of text.trim().split("\n").slice(1)) {
    const [protocol, connection, stream, at, arrived, ordered, usable] = line.split(",", 7);
    const key = [protocol, connection, stream].join();
    if (key !== last) lanes[protocol].push([]);
    last = key;
    lanes[protocol].at(-1).push({ at: +at, arrived: +arrived, ordered: +ordered, usable: +usable });
  }
  return lanes;
}

function levelAt(lane, time) {
  let found = { arrived: 0, ordered: 0, usable: 0 };
  for (const level of lane) {
    if (level.at > time) break;
    found = level;
  }
  return { usable: found.usable, others: found.ordered - found.usable, own: found.arrived - found.ordered };
}

const kilobytes = (bytes) => (bytes / 1000).toFixed(1);

function overlay(drawing, steps) {
  const make = (name, attributes) => {
    const made = document.createElementNS(drawing.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    drawing.append(made);
    return made;
  };
  const height = drawing.viewBox.baseVal.height;
  return { veil: make("rect", { class: "veil", y: 0, height, width: steps }), now: make("path", { class: "now" }), height };
}

function panelOf(element, lanes, steps) {
  const told = element.querySelector(".told");
  const heading = element.querySelector("[data-at-a-time]");
  const whole = { heading: heading.textContent, lines: told.textContent };
  const first = whole.lines.split("\n")[0];
  const over = overlay(element.querySelector("svg"), steps);
  return {
    name: element.dataset.arm,
    show(time, step) {
      const ended = step >= steps;
      const levels = lanes.map((lane) => levelAt(lane, time));
      const fields = (level) =>
        kilobytes(level.usable).padStart(8) + kilobytes(level.others).padStart(10) + kilobytes(level.own).padStart(10);
      heading.textContent = ended ? whole.heading : heading.dataset.atATime;
      told.textContent = ended ? whole.lines : [first, ...levels.map(fields), ""].join("\n");
      over.veil.setAttribute("x", step);
      over.now.setAttribute("d", ended ? "" : `M${step} 0v${over.height}`);
      const sum = (name) => kilobytes(levels.reduce((total, level) => total + level[name], 0));
      return `${this.name}: ${sum("usable")} kB usable, ${sum("others")} kB wait for other streams, ${sum("own")} kB for their own`;
    },
  };
}

function setUp(figure) {
  const scrub = figure.querySelector(".scrub");
  const [button, slider, output] = ["button", "input", "output"].map((name) => scrub.querySelector(name));
  const steps = +scrub.dataset.steps;
  const end = +scrub.dataset.end;
  const lanes = lanesOf(figure.querySelector(".data a[download]"));
  const panels = [...figure.querySelectorAll(".lanes")].map((one) => panelOf(one, lanes[one.dataset.protocol], steps));
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const PLAY_MS = 12000;
  const JUMPS = 20;
  let timer = null;

  function show() {
    const step = +slider.value;
    const time = (end * step) / steps;
    const clock = end >= 1 ? `${time.toFixed(3)} s` : `${(1000 * time).toFixed(1)} ms`;
    const said = [clock, ...panels.map((panel) => panel.show(time, step))];
    output.textContent = said.join("\n");
    slider.setAttribute("aria-valuetext", said.join("; "));
  }

  function stop() {
    clearTimeout(timer);
    cancelAnimationFrame(timer);
    timer = null;
    button.textContent = "Play";
  }

  function play() {
    if (+slider.value >= steps) slider.value = 0;
    button.textContent = "Pause";
    const from = +slider.value;
    const begun = performance.now();
    const next = () => (calm.matches ? setTimeout(frame, PLAY_MS / JUMPS) : requestAnimationFrame(frame));
    function frame() {
      const gone = (performance.now() - begun) / PLAY_MS;
      const place = calm.matches ? Math.round(gone * JUMPS) / JUMPS : gone;
      slider.value = from + steps * place;
      show();
      if (+slider.value >= steps) stop();
      else timer = next();
    }
    timer = next();
  }

  function whole() {
    stop();
    slider.value = steps;
    show();
  }

  button.addEventListener("click", () => (timer === null ? play() : stop()));
  slider.addEventListener("input", () => {
    stop();
    show();
  });
  figure.addEventListener("toggle", stop);
  addEventListener("beforeprint", whole);
  scrub.hidden = false;
  whole();
}

document.querySelectorAll("details.timeline").forEach(setUp);
