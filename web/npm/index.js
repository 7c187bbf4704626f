// The planner of `millpond plan`, compiled to WebAssembly, for Node and for browsers. No file leaves the program.

let compiled;

// The module, compiled once. It lies beside this file.
const planner = () => compiled ??= (async () => {
  const url = new URL("planner.wasm", import.meta.url);
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(url));
  }
  return WebAssembly.compileStreaming(fetch(url));
})();

/** What a plan fails with: the line that `millpond plan` would print. */
export class PlanError extends Error {
  name = "PlanError";
}

/**
 * Plans recordings: how many slots each pool needs. It runs on the thread that calls it, so call it in a worker if that
 * thread draws.
 */
export async function plan(files, options = {}) {
  const utf8 = new TextDecoder();
  let memory;
  const host = {
    read_at(file, offset, to, length) {
      const bytes = files[file].bytes.subarray(offset, offset + length);
      new Uint8Array(memory.buffer).set(bytes, to);
      return bytes.length;
    },
    progress() {},
    now: () => performance.now(),
  };
  const { exports } = await WebAssembly.instantiate(await planner(), { host });
  memory = exports.memory;
  const textAt = (from, length) => utf8.decode(new Uint8Array(memory.buffer, from, length).slice());
  const named = files.map(({ name, bytes }) => ({ name, bytes: bytes.length }));
  const request = new TextEncoder().encode(JSON.stringify({ ...options, files: named }));
  let results;
  try {
    // First the room: the memory may grow, and its buffer is then another.
    const room = exports.room(request.length);
    new Uint8Array(memory.buffer).set(request, room);
    const at = exports.plan();
    results = JSON.parse(textAt(at, exports.result_bytes()));
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    const bytes = exports.result_bytes();
    const why = exports.no_memory() === 1 || bytes === 0 ? "no memory is left" : textAt(exports.result(), bytes);
    throw new PlanError(why, { cause: error });
  }
  if (results.failure !== undefined) throw new PlanError(results.failure);
  return results;
}
