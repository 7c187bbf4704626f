"use strict";
// The player's page. The pools are in WebAssembly; a script of operations is all the state that there is, so a step back
// plays the script again without its last operation, and a link holds the script.

(() => {
  const $ = (id) => document.getElementById(id);
  const NEXT_SHOWN_MAX = 16;
  const LINK_CHARS_MAX = 2000;
  const stillness = matchMedia("(prefers-reduced-motion: reduce)");

  // The module: text goes in, JSON comes out.
  let module;
  const ask = (call, text = "") => {
    const bytes = new TextEncoder().encode(text);
    const room = module.room(bytes.length);
    new Uint8Array(module.memory.buffer).set(bytes, room);
    const answer = module[call]();
    return JSON.parse(new TextDecoder().decode(new Uint8Array(module.memory.buffer, answer, module.result_bytes())));
  };

  let examples = [];
  let state;
  // Which example is followed, and up to which step; none while the user plays freely.
  let example = null;
  let position = 0;
  let world = "orders/8";
  let only = [];
  // The operations of the script, each with how often it is repeated.
  let ops = [];
  let timer = 0;

  const scriptText = () => ops.map(([times, op]) => times === 1 ? op : `${times}x${op}`).join(".");
  const parsed = (text) => text.split(".").filter(Boolean).map((part) => {
    const [, times, op] = /^(?:(\d+)x)?(.*)$/.exec(part);
    return [Number(times ?? 1), op];
  });
  const add = (text) => {
    for (const [times, op] of parsed(text)) {
      const last = ops.at(-1);
      if (last?.[1] === op) last[0] += times;
      else ops.push([times, op]);
    }
  };

  const fail = (text) => {
    $("failure").textContent = text;
    $("failure").hidden = text === "";
  };
  const take = (answer) => {
    fail(answer.error ?? "");
    if (answer.error === undefined) state = answer;
    return answer.error === undefined;
  };

  // A free operation ends the example: what follows is the user's own.
  const run = (script) => {
    if (example) {
      example = null;
      showStory();
    }
    if (take(ask("run", script))) add(script);
    draw();
  };

  const begin = (newWorld, script = "", shown = []) => {
    world = newWorld;
    only = shown;
    ops = [];
    add(script);
    const isGood = take(ask("open", `${world}/${script}`));
    if (!isGood) {
      ops = [];
      world = "orders/8";
      const error = $("failure").textContent;
      take(ask("open", `${world}/`));
      fail(`The link cannot be used: ${error}`);
    }
    draw();
  };

  const follow = (id, step) => {
    stop();
    example = examples.find((one) => one.id === id) ?? null;
    if (!example) return begin("orders/8");
    position = Math.max(0, Math.min(step, example.steps.length));
    begin(example.world, example.steps.slice(0, position).map(({ script }) => script).join("."), example.only);
    showStory();
  };

  const forward = () => {
    if (!example) return run("~");
    if (position === example.steps.length) return stop();
    const { script } = example.steps[position];
    position += 1;
    if (take(ask("run", script))) add(script);
    draw();
    showStory();
    if (position === example.steps.length) stop();
  };

  const back = () => {
    stop();
    if (example) return follow(example.id, position - 1);
    const last = ops.at(-1);
    if (!last) return;
    last[0] -= 1;
    if (last[0] === 0) ops.pop();
    begin(world, scriptText(), only);
  };

  const restart = () => {
    stop();
    if (example) follow(example.id, 0);
    else begin(world, "", only);
  };

  const stop = () => {
    cancelAnimationFrame(timer);
    timer = 0;
    $("play").textContent = "Run";
    $("play").setAttribute("aria-pressed", "false");
    document.body.classList.remove("fast");
    $("says").setAttribute("aria-live", "polite");
    if (state) draw();
  };

  const start = () => {
    if (example && position === example.steps.length) {
      if (example.world.startsWith("orders")) example = null;
      else follow(example.id, 0);
      showStory();
    }
    const rate = Number($("rate").value);
    $("play").textContent = "Pause";
    $("play").setAttribute("aria-pressed", "true");
    // What changes many times a second is neither animated nor read out.
    document.body.classList.toggle("fast", rate > 4 || stillness.matches);
    $("says").setAttribute("aria-live", rate > 1 ? "off" : "polite");
    let due = performance.now();
    const frame = (now) => {
      timer = requestAnimationFrame(frame);
      if (now < due) return;
      // A page that was hidden does not catch up.
      due = Math.max(due + 1000 / rate - 1, now - 1000 / rate);
      forward();
    };
    timer = requestAnimationFrame(frame);
  };

  // The address holds the state, but is not changed more often than browsers allow.
  const here = () => {
    const shown = only.length > 0 && !example ? `&only=${only.join(",")}` : "";
    const place = example ? `example/${example.id}/${position}` : `${world}/${scriptText()}`;
    return `#${place}${shown}`;
  };
  const remember = () => {
    const { colorScheme } = document.documentElement.style;
    const hash = here() + (document.body.classList.contains("embed") ? "&embed" : "") + (colorScheme ? `&theme=${colorScheme}` : "");
    if (hash.length > LINK_CHARS_MAX) return;
    try {
      history.replaceState(null, "", hash);
    } catch {
      // Too often for this browser: the next step has another chance.
    }
  };

  const showStory = () => {
    $("title").textContent = example ? example.title : "Play";
    $("shows").textContent = example ? example.shows : "Insert, remove, look up. Random step does one of them for you; Run goes on doing so.";
    const scrub = $("scrub");
    scrub.hidden = !example;
    scrub.max = String(example?.steps.length ?? 0);
    scrub.value = String(position);
    scrub.style.setProperty("--share", String(position / (example?.steps.length ?? 1)));
    scrub.style.setProperty("--steps", scrub.max);
    scrub.setAttribute("aria-valuetext", `step ${position} of ${scrub.max}`);
    for (const chip of $("examples").children) {
      chip.setAttribute("aria-pressed", String(chip.dataset.id === example?.id));
    }
    $("next").textContent = example ? "Next ▶" : "Random step ▶";
    $("random").hidden = !example;
  };

  // Only what has changed is written, so that 60 steps a second are no work.
  const put = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };
  const dress = (element, name) => {
    if (element.className !== name) element.className = name;
  };

  const element = (tag, className, ...children) => {
    const made = document.createElement(tag);
    made.className = className;
    made.append(...children);
    return made;
  };

  // The parts of a panel, made once.
  const panels = new Map();
  const panelOf = (name, slots) => {
    const key = `${world}/${name}`;
    if (panels.has(key) && panels.get(key).cells.length === slots) return panels.get(key);
    const part = (className) => element("div", className);
    const cells = Array.from({ length: slots }, (_, n) => {
      const cell = element("button", "cell");
      cell.type = "button";
      cell.dataset.slot = String(n);
      const parts = ["index", "generation", "object", "note"].map((className) => element("span", className));
      cell.append(...parts);
      parts[0].textContent = String(n);
      return { cell, generation: parts[1], object: parts[2], note: parts[3] };
    });
    const heading = element("h3", "");
    const rule = element("span", "rule");
    const grid = element("div", "slots", ...cells.map(({ cell }) => cell));
    grid.style.setProperty("--columns", String(Math.min(8, slots)));
    const rows = Object.fromEntries(["next", "roster", "bits"].map((name) => {
      const value = element("span", "value");
      const label = element("span", "label");
      const row = element("div", `row ${name}`, label, value);
      return [name, { row, label, value }];
    }));
    const arcs = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    arcs.setAttribute("class", "arcs");
    arcs.setAttribute("aria-hidden", "true");
    const did = part("did");
    const stats = part("stats soft");
    const card = element("article", "panel", element("header", "", heading, rule), grid, arcs, ...Object.values(rows).map(({ row }) => row), did, stats);
    card.dataset.panel = name;
    const made = { card, heading, rule, grid, cells, rows, did, stats, arcs };
    panels.set(key, made);
    return made;
  };

  const items = (row, values, marks = {}) => {
    const { value } = row;
    while (value.children.length > values.length) value.lastChild.remove();
    while (value.children.length < values.length) value.append(document.createElement("b"));
    for (const [n, text] of values.entries()) {
      const item = value.children[n];
      put(item, String(text));
      dress(item, marks[n] ?? "");
    }
  };

  // The list through the free slots, as arrows from each to the next, if all slots are in one row.
  const drawArcs = (arcs, { links, next, slots }) => {
    arcs.style.display = links && slots.length <= 8 ? "" : "none";
    if (!links || slots.length > 8) return;
    const wide = 100 * slots.length;
    // Each slot has its incoming arrow on the left, its outgoing one on the right.
    const [incoming, outgoing] = [(slot) => 100 * slot + 34, (slot) => 100 * slot + 66];
    const tip = (x) => `<path class="tip" d="m${x - 7} 13 7-12 7 12z"/>`;
    const head = `<path class="head" d="M${incoming(next[0])} 44V10"/>${tip(incoming(next[0]))}`;
    const path = (from, to) => {
      const [a, b] = [outgoing(from), incoming(to)];
      const depth = Math.min(52, 16 + Math.abs(b - a) / 8);
      return `<path d="M${a} 2C${a} ${depth} ${b} ${depth} ${b} 10"/>${tip(b)}`;
    };
    const drawn = next.length > 0 ? head + next.slice(1).map((slot, n) => path(next[n], slot)).join("") : "";
    if (arcs.dataset.drawn === drawn) return;
    arcs.dataset.drawn = drawn;
    arcs.setAttribute("viewBox", `0 0 ${wide} 46`);
    arcs.innerHTML = drawn;
  };

  const drawPanel = (drawn) => {
    const panel = panelOf(drawn.name, drawn.slots.length);
    put(panel.heading, drawn.name);
    put(panel.rule, drawn.rule);
    panel.card.classList.toggle("compact", drawn.slots.length > 16);
    const next = drawn.next[0];
    for (const [n, slot] of drawn.slots.entries()) {
      const { cell, generation, object, note } = panel.cells[n];
      const isHere = n === drawn.at && drawn.how !== "";
      const isLast = slot.state === "dead" || slot.state === "retired";
      const shown = slot.state === "unused" ? "" : `${isLast ? "†" : "v"}${slot.generation}`;
      dress(cell, `cell ${slot.state}${n === next ? " next" : ""}${isHere ? ` ${drawn.how}` : ""}`);
      put(generation, shown);
      // A link through the dead names the slot that comes after this one.
      const place = drawn.links && slot.object === "" ? drawn.next.indexOf(n) : -1;
      put(object, place < 0 ? slot.object : `→ ${drawn.next[place + 1] ?? "∅"}`);
      object.classList.toggle("arrow", place >= 0);
      put(note, slot.note);
      const said = `slot ${n}: ${slot.state}${slot.object ? `, ${slot.object}` : ""}${shown ? `, ${shown}` : ""}${slot.note ? `, ${slot.note}` : ""}`;
      if (cell.ariaLabel !== said && !document.body.classList.contains("fast")) cell.ariaLabel = said;
    }
    drawArcs(panel.arcs, drawn);
    const { rows } = panel;
    rows.next.row.hidden = drawn.next.length === 0 && drawn.bits === "" && drawn.cursor === null;
    put(rows.next.label, drawn.cursor === null ? "next" : `cursor ${drawn.cursor}, next`);
    const shown = drawn.next.slice(0, NEXT_SHOWN_MAX);
    items(rows.next, drawn.next.length > shown.length ? [...shown, `+${drawn.next.length - shown.length}`] : shown, { 0: "first" });
    rows.roster.row.hidden = drawn.roster === null;
    if (drawn.roster) {
      put(rows.roster.label, `roster, partition ${drawn.partition}`);
      const marks = Object.fromEntries(drawn.roster.map((_, n) => [n, n < drawn.partition ? "below" : n === drawn.partition ? "at" : ""]));
      items(rows.roster, drawn.roster, marks);
    }
    rows.bits.row.hidden = drawn.bits === "";
    put(rows.bits.label, "bitmap");
    put(rows.bits.value, drawn.bits.replaceAll(/(.{8})(?=.)/g, "$1 "));
    put(panel.did, drawn.did || " ");
    dress(panel.did, `did ${drawn.how}`);
    put(panel.stats, drawn.stats);
    return panel.card;
  };

  const drawTray = () => {
    const tray = $("tray");
    // Particles have no handles, and go by themselves.
    dress(tray, state.kind === "particles" ? "tray particles" : "tray");
    while (tray.children.length > state.objects.length) tray.lastChild.remove();
    while (tray.children.length < state.objects.length) {
      const get = element("button", "get");
      const remove = element("button", "remove");
      for (const button of [get, remove]) button.type = "button";
      remove.textContent = "✕";
      tray.append(element("span", "handle", get, remove));
    }
    for (const [n, [object, name, isLive]] of state.objects.entries()) {
      const handle = tray.children[n];
      const [get, remove] = handle.children;
      dress(handle, isLive ? "handle" : "handle gone");
      if (handle.dataset.object === String(object)) continue;
      handle.dataset.object = String(object);
      put(get, name);
      get.ariaLabel = `Look up the handle of ${name}`;
      remove.ariaLabel = `Remove ${name}`;
    }
  };

  const draw = () => {
    const shown = state.panels.filter(({ name }) => only.length === 0 || only.includes(name));
    const cards = shown.map(drawPanel);
    const holder = $("panels");
    if (cards.some((card, n) => holder.children[n] !== card) || holder.children.length !== cards.length) {
      holder.replaceChildren(...cards);
    }
    dress(holder, `panels of-${Math.min(cards.length, 6)}`);
    const step = example?.steps[position - 1];
    const isFast = document.body.classList.contains("fast");
    const steps = state.steps === 1 ? "1 step." : `${state.steps.toLocaleString("en")} steps.`;
    put($("says"), example ? (step ? step.says : "Press Next, or Run.") : isFast ? steps : `${state.said} ${steps}`);
    if (!isFast) {
      put($("code"), state.code || " ");
      drawTray();
    }
    $("back").disabled = example ? position === 0 : ops.length === 0;
    $("next").disabled = example !== null && position === example.steps.length;
    $("frame").hidden = state.kind !== "particles";
    $("kind").value = cards.length < state.panels.length ? "example" : state.kind;
    $("slots").value = String(state.slots);
    // A link may ask for another number.
    if ($("slots").value === "") $("slots").add(new Option(String(state.slots), undefined, true, true));
    $("slots").disabled = state.kind === "particles";
    if (timer === 0) {
      remember();
      $("out").href = `play.html${here()}`;
    }
  };

  const openHash = () => {
    let hash = location.hash.slice(1);
    try {
      hash = decodeURIComponent(hash);
    } catch {
      // What is no encoding is no link either, and is told as such.
    }
    const [place, ...options] = hash.split("&");
    if (options.includes("embed")) document.body.classList.add("embed");
    const theme = options.find((option) => option.startsWith("theme="))?.slice(6);
    if (theme) document.documentElement.style.colorScheme = theme;
    only = options.find((option) => option.startsWith("only="))?.slice(5).split(",").filter(Boolean) ?? [];
    const [kind, ...rest] = place.split("/");
    if (kind === "example") return follow(rest[0], Number(rest[1] ?? 0) || 0);
    if (place === "" || place === "main") return follow("stale", 0);
    example = null;
    const [slots, ...script] = rest;
    begin(`${kind}/${slots ?? 8}`, script.join("/"), only);
    showStory();
  };

  const listen = () => {
    $("examples").addEventListener("click", (event) => {
      const chip = event.target.closest("button");
      if (chip) follow(chip.dataset.id, 0);
    });
    $("next").addEventListener("click", () => { stop(); forward(); });
    $("back").addEventListener("click", back);
    $("play").addEventListener("click", () => timer ? stop() : start());
    $("scrub").addEventListener("input", () => follow(example.id, Number($("scrub").value)));
    $("insert").addEventListener("click", () => run("i"));
    $("random").addEventListener("click", () => run("~"));
    $("frame").addEventListener("click", () => run("t"));
    $("restart").addEventListener("click", restart);
    $("rate").addEventListener("change", () => { if (timer) { stop(); start(); } });
    const choose = () => {
      // Read before `stop`, which draws, and so shows the old choice again.
      const [kind, slots] = [$("kind").value, $("slots").value];
      stop();
      example = null;
      const isSame = kind === "example";
      begin(`${isSame ? state.kind : kind}/${slots}`, "", isSame ? only : []);
      showStory();
    };
    $("kind").addEventListener("change", choose);
    $("slots").addEventListener("change", choose);
    $("tray").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      const { object } = button.parentElement.dataset;
      run(button.className === "get" ? `g${object}` : `r${object}`);
    });
    $("panels").addEventListener("click", (event) => {
      const cell = event.target.closest(".cell");
      if (!cell) return;
      const panel = state.panels.find(({ name }) => name === cell.closest("article").dataset.panel);
      const { object } = panel.slots[Number(cell.dataset.slot)];
      // A name is a letter and a lap of the alphabet.
      if (object) run(`r${object.charCodeAt(0) - 65 + 26 * Number(object.slice(1))}`);
      else run("i");
    });
    $("link").addEventListener("click", async () => {
      const hash = here();
      if (hash.length > LINK_CHARS_MAX) {
        $("copied").textContent = "Too many different steps for a link: start over.";
        return;
      }
      const link = location.href.split("#")[0] + hash;
      try {
        await navigator.clipboard.writeText(link);
        $("copied").textContent = "Copied.";
      } catch {
        $("copied").textContent = link;
      }
    });
    const keys = { i: () => run("i"), r: () => run("~"), n: () => $("next").click(), b: back, f: () => state.kind === "particles" && run("t"), 0: restart, " ": () => $("play").click() };
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select")) return;
      if (event.key === " " && event.target.closest("button, a")) return;
      const act = keys[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
    addEventListener("hashchange", openHash);
    document.addEventListener("visibilitychange", () => { if (document.hidden) stop(); });
  };

  const open = async () => {
    try {
      const code = await millpond.unpacked(millpond.bytesOf(await millpond.load("player", "player-wasm.js")));
      module = (await WebAssembly.instantiate(code, {})).instance.exports;
    } catch (error) {
      return fail(`The pools cannot be loaded: ${error.message}`);
    }
    examples = ask("examples");
    $("examples").replaceChildren(...examples.map(({ id, title }) => {
      const chip = element("button", "", title);
      chip.type = "button";
      chip.dataset.id = id;
      return chip;
    }));
    $("rate").value = "0.5";
    listen();
    openHash();
    // A page that embeds this one gives it as much room as it needs, and its theme.
    if (parent !== window) {
      addEventListener("message", ({ source, data }) => {
        if (source === parent && data?.millpondTheme) document.documentElement.style.colorScheme = data.millpondTheme;
      });
      new ResizeObserver(() => parent.postMessage({ millpondHeight: document.documentElement.offsetHeight }, "*")).observe(document.documentElement);
    }
    millpond.player = { state: () => state, link: here };
  };
  void open();
})();
