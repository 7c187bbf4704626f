"use strict";
// The planner's page. Each job has a worker of its own: to cancel it is to end the worker, and the memory of a job goes
// with it.

(() => {
  // Larger recordings take minutes; the command takes any size.
  const BYTES_MAX = 2 ** 30;
  // The memory that a plan may take.
  const MEMORY_BYTES_MAX = 2 ** 31;
  // What is shown of a long text; all of it can be saved.
  const SHOWN_CHARS_MAX = 400_000;

  const $ = (id) => document.getElementById(id);
  const form = $("form");

  // The worker: its text becomes a script of its own, since a page from a folder may not load one. It reads the files
  // piece by piece, and holds no more of them than that.
  const worker = (bytesOf, unpacked) => {
    const PIECE_BYTES = 1 << 22;
    const SHOWN_EVERY_MS = 50;
    const reader = new FileReaderSync();
    const utf8 = new TextDecoder();
    let files = [];
    let memory;
    let piece = { file: -1, from: 0, bytes: new Uint8Array(0) };
    let shown = 0;

    const textAt = (from, length) => utf8.decode(new Uint8Array(memory.buffer, from, length).slice());

    const host = {
      read_at(file, offset, to, length) {
        const stored = files[file];
        if (offset >= stored.size) return 0;
        let at = offset - piece.from;
        if (piece.file !== file || at < 0 || at >= piece.bytes.length) {
          try {
            const blob = stored.slice(offset, offset + PIECE_BYTES);
            piece = { file, from: offset, bytes: new Uint8Array(reader.readAsArrayBuffer(blob)) };
          } catch {
            return -1;
          }
          at = 0;
        }
        const bytes = piece.bytes.subarray(at, at + length);
        new Uint8Array(memory.buffer).set(bytes, to);
        return bytes.length;
      },
      progress(label, length, read, all, events) {
        const now = performance.now();
        if (now - shown < SHOWN_EVERY_MS && read > 0) return;
        shown = now;
        postMessage({ progress: { label: textAt(label, length), read, all, events, memory: memory.buffer.byteLength } });
      },
      now: () => performance.now(),
    };

    onmessage = async ({ data }) => {
      const { code, request } = data;
      const begun = performance.now();
      let module;
      try {
        files = data.files.map((file) => typeof file === "string" ? new Blob([bytesOf(file)]) : file);
        const named = request.files.map(({ name }, n) => ({ name, bytes: files[n].size }));
        const { instance } = await WebAssembly.instantiate(await unpacked(bytesOf(code)), { host });
        module = instance.exports;
        memory = module.memory;
        const json = new TextEncoder().encode(JSON.stringify({ ...request, files: named }));
        // First the room: the memory may grow, and its buffer is then another.
        const room = module.room(json.length);
        new Uint8Array(memory.buffer).set(json, room);
        const result = module.plan();
        const results = JSON.parse(textAt(result, module.result_bytes()));
        // A pool for which there is no memory is a failure of the plan, not the end of the module.
        if (results.failure !== undefined && module.no_memory() === 1) return postMessage({ no_memory: true });
        postMessage({ results, ms: performance.now() - begun, memory: memory.buffer.byteLength });
      } catch (error) {
        // A trap says no more than that; the module has noted why.
        if (module?.no_memory() === 1) {
          postMessage({ no_memory: true });
        } else {
          const bytes = module && error instanceof WebAssembly.RuntimeError ? module.result_bytes() : 0;
          const broken = bytes > 0 ? textAt(module.result(), bytes) : String(error);
          // More than an address can name, of which there are fewer here than in a program.
          postMessage(broken.includes("capacity overflow") ? { no_memory: true } : { broken });
        }
      }
    };
  };
  const source = `"use strict"; (${worker})(${millpond.bytesOf}, ${millpond.unpacked});`;

  let job = null;

  const show = (element, text) => {
    element.textContent = text;
    element.hidden = text === "";
  };
  const count = (number) => Math.round(number).toLocaleString("en");
  const size = (bytes) => bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

  // What the form asks for, by the names of the request; empty fields are left to the command's defaults.
  const asked = () => {
    const options = {};
    for (const field of form.elements) {
      if (field.name === "") continue;
      if (field.type === "checkbox") {
        if (field.checked) options[field.name] = true;
        continue;
      }
      const text = field.value.trim();
      if (text === "") continue;
      if (field.name === "class" || field.name === "prices") options[field.name] = text;
      else if (field.name === "skip_caller") options.skip_caller = text.split(/\s+/);
      else {
        const number = Number(text);
        if (Number.isNaN(number)) throw new Error(`--${field.name.replaceAll("_", "-")}: expected a number, found \`${text}\``);
        options[field.name] = number;
      }
    }
    // They mean nothing without a limit for waits, as on the command line.
    if (options.wait_p99_ms === undefined) {
      delete options.open_ms;
      delete options.closed;
    }
    return options;
  };

  // The command that makes the same plan: with the same prices, because it would measure its own.
  const quoted = (text) => /^[\w.,:=+/%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
  const commandOf = (options, names) => {
    const words = ["millpond", "plan"];
    if (options.prices === undefined && options.wait_p99_ms === undefined) words.push("--prices", "reference");
    for (const [name, value] of Object.entries(options)) {
      const field = form.elements[name];
      const option = `--${name.replaceAll("_", "-")}`;
      if (value === true) words.push(option);
      else if (name === "skip_caller") words.push(...value.flatMap((pattern) => [option, quoted(pattern)]));
      else if (name === "size_classes" || name === "closed") words.push(`${option}=${value}`);
      else if (field.defaultValue !== String(value)) words.push(option, quoted(String(value)));
    }
    return [...words, ...names.map((name) => quoted(name.startsWith("-") ? `./${name}` : name))].join(" ");
  };
  const showCommand = () => {
    try {
      $("command").textContent = `The same on a command line: ${commandOf(asked(), ["FILE"])}`;
    } catch (error) {
      $("command").textContent = error.message;
    }
  };

  const end = () => {
    job?.worker.terminate();
    if (job) URL.revokeObjectURL(job.url);
    job = null;
    $("job").hidden = true;
    document.title = document.title.replace(/^\d+ % · /, "");
  };

  const fail = (text) => {
    end();
    show($("failure"), text);
  };

  const plan = async (names, files) => {
    end();
    show($("failure"), "");
    $("results").hidden = true;
    let options;
    try {
      options = asked();
    } catch (error) {
      return fail(`millpond: ${error.message}`);
    }
    const command = commandOf(options, names);
    const large = files.findIndex((file) => file.size > BYTES_MAX);
    if (large >= 0) {
      return fail(`${names[large]} has ${size(files[large].size)}, and a page plans at most ${size(BYTES_MAX)}. `
        + `The command plans any size: ${command}`);
    }
    $("doing").textContent = `starting ${names.join(", ")}`;
    // The progress changes too often to be read out.
    $("announced").textContent = `Planning ${names.join(", ")}.`;
    $("progress").value = 0;
    $("job").hidden = false;
    $("job").scrollIntoView({ block: "nearest" });
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const mine = { url };
    try {
      mine.worker = new Worker(url);
    } catch (error) {
      return fail(`This browser starts no worker: ${error.message}. The command: ${command}`);
    }
    job = mine;
    const isMine = () => job === mine;
    mine.worker.onerror = (event) => {
      event.preventDefault();
      if (isMine()) fail(`The worker has failed: ${event.message}. The command: ${command}`);
    };
    mine.worker.onmessageerror = () => isMine() && fail(`The worker has failed. The command: ${command}`);
    mine.worker.onmessage = ({ data }) => {
      if (!isMine()) return;
      if (data.progress) return showProgress(data.progress);
      if (data.no_memory) {
        return fail(`The plan needs more memory than a page may take. The command has all of the machine's: ${command}`);
      }
      if (data.broken !== undefined) return fail(`This should not happen, please report it: ${data.broken}`);
      if (data.results.failure !== undefined) {
        fail(`millpond: ${data.results.failure}`);
        // The option that the command asks for.
        const field = Object.values(form.elements).find(({ name }) => name && data.results.failure.includes(`--${name.replaceAll("_", "-")}`));
        if (field) {
          $("options").open = true;
          field.focus();
        }
        return;
      }
      end();
      showResults(data.results, `${command} · ${(data.ms / 1000).toFixed(1)} s, ${size(data.memory)} of memory`);
    };
    try {
      const request = { ...options, memory_bytes_max: millpond.memoryBytesMax ?? MEMORY_BYTES_MAX, files: names.map((name) => ({ name, bytes: 0 })) };
      const stored = await Promise.all(files.map((file) => file.stored ?? file));
      const code = await millpond.load("planner", "planner-wasm.js");
      if (isMine()) mine.worker.postMessage({ code, request, files: stored });
    } catch (error) {
      if (isMine()) fail(error.message);
    }
  };

  const showProgress = ({ label, read, all, events }) => {
    const share = all > 0 ? Math.min(1, read / all) : 0;
    $("progress").value = share;
    $("doing").textContent = `${label}: ${count(share * 100)} %` + (events > 0 ? `, ${count(events)} events` : "");
    document.title = `${count(share * 100)} % · ${document.title.replace(/^\d+ % · /, "")}`;
  };

  // The colours that the command has in a terminal.
  const CLASSES = { 1: "strong", 2: "faint", 32: "good", "1;31": "bad" };
  const painted = (text) => {
    const fragment = document.createDocumentFragment();
    let kind = "";
    for (const [position, part] of text.split(/\x1b\[([\d;]*)m/).entries()) {
      if (position % 2 === 1) {
        kind = CLASSES[part] ?? "";
      } else if (part !== "") {
        const span = kind ? document.createElement("span") : null;
        if (span) span.className = kind;
        fragment.append(span ?? part);
        if (span) span.textContent = part;
      }
    }
    return fragment;
  };
  const plain = (text) => text.replaceAll(/\x1b\[[\d;]*m/g, "");

  const preformatted = (content) => {
    const pre = document.createElement("pre");
    pre.append(content);
    return pre;
  };
  const framed = (html) => {
    const frame = document.createElement("iframe");
    frame.title = "report.html";
    // It may run its own script, and reach nothing else. What is added says how high it is, so that only the page scrolls.
    frame.sandbox = "allow-scripts";
    frame.srcdoc = `${html}<script>new ResizeObserver(() => parent.postMessage(document.documentElement.offsetHeight, "*"))`
      + ".observe(document.documentElement)</script>";
    return frame;
  };
  addEventListener("message", ({ source: from, data }) => {
    const frame = document.querySelector("#panel iframe");
    if (frame && from === frame.contentWindow && typeof data === "number") frame.style.height = `${data + 4}px`;
  });

  const showResults = (results, took) => {
    const text = plain(results.text);
    const views = [
      ["Report", "report.html", "text/html", results.report, () => framed(results.report)],
      ["Text", "plan.txt", "text/plain", text, () => preformatted(painted(results.text))],
      ["JSON", "plan.json", "application/json", results.json],
      ["CSV", "plan.csv", "text/csv", results.csv],
      ["Budget", "budget.toml", "text/plain", results.budget.Ok, () => preformatted(results.budget.Ok ?? results.budget.Err)],
    ];
    if (results.summary !== null) views.push(["Summary", "summary.csv", "text/csv", results.summary]);
    const select = (selected) => {
      for (const [n, tab] of [...$("tabs").children].entries()) {
        tab.setAttribute("aria-selected", String(n === selected));
        tab.tabIndex = n === selected ? 0 : -1;
      }
      const [name, file, type, content, view] = views[selected];
      $("panel").setAttribute("aria-labelledby", `tab-${selected}`);
      const save = $("save");
      save.textContent = `Save ${file}`;
      save.hidden = content === undefined;
      save.onclick = () => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([content], { type }));
        link.download = file;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      };
      const cut = content !== undefined && content.length > SHOWN_CHARS_MAX;
      const shown = view ? view() : preformatted(cut ? `${content.slice(0, SHOWN_CHARS_MAX)}\n… (all of it: Save)` : content);
      $("panel").replaceChildren(shown);
      $("panel").dataset.shown = name;
    };
    $("tabs").replaceChildren(...views.map(([name], n) => {
      const tab = document.createElement("button");
      tab.type = "button";
      tab.role = "tab";
      tab.id = `tab-${n}`;
      tab.textContent = name;
      tab.setAttribute("aria-controls", "panel");
      tab.addEventListener("click", () => select(n));
      return tab;
    }));
    $("tabs").onkeydown = (event) => {
      const tabs = [...$("tabs").children];
      const now = tabs.indexOf(document.activeElement);
      const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (now < 0 || to === undefined) return;
      event.preventDefault();
      const next = (to + tabs.length) % tabs.length;
      select(next);
      tabs[next].focus();
    };
    millpond.results = { ...results, text };
    $("took").textContent = took;
    $("announced").textContent = "The plan is ready.";
    $("results").hidden = false;
    select(0);
    $("results").focus({ preventScroll: true });
    $("results").scrollIntoView({ block: "start" });
  };

  $("files").addEventListener("change", () => {
    const files = [...$("files").files];
    if (files.length > 0) void plan(files.map((file) => file.name), files);
    // The same file may be chosen again.
    $("files").value = "";
  });
  $("cancel").addEventListener("click", () => fail("Cancelled."));
  $("examples").addEventListener("click", (event) => {
    const example = event.target.closest("button");
    if (!example) return;
    const { name, tickRate } = example.dataset;
    form.elements.tick_rate.value = tickRate ?? "";
    form.elements.wait_p99_ms.value = "";
    showCommand();
    void plan([name], [{ size: 0, stored: millpond.load(name, `recordings/${name}.js`) }]);
  });
  form.addEventListener("input", showCommand);
  form.addEventListener("submit", (event) => event.preventDefault());

  // The whole window takes files, so that none replaces the page.
  const drop = $("drop");
  let over = 0;
  addEventListener("dragenter", (event) => { event.preventDefault(); over += 1; drop.classList.add("over"); });
  addEventListener("dragleave", () => { over = Math.max(0, over - 1); drop.classList.toggle("over", over > 0); });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    over = 0;
    drop.classList.remove("over");
    const items = [...(event.dataTransfer?.items ?? [])].filter((item) => item.kind === "file");
    const folder = items.map((item) => item.webkitGetAsEntry?.()).find((entry) => entry?.isDirectory);
    if (folder) return fail(`millpond: ${folder.name}: is a directory, expected a trace file`);
    const files = items.map((item) => item.getAsFile()).filter(Boolean);
    if (files.length > 0) void plan(files.map((file) => file.name), files);
  });
  showCommand();
})();
