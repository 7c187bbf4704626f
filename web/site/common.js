"use strict";
// What both pages share: data that is stored in scripts, because a page from a folder may load scripts and nothing else.

const millpond = (() => {
  const data = new Map();

  // A stored script calls this with its data, in base64.
  const payload = (name, base64) => data.set(name, base64);

  // The data of a stored script, which is loaded if it is not there.
  const load = (name, path) => new Promise((resolve, reject) => {
    if (data.has(name)) return resolve(data.get(name));
    const script = document.createElement("script");
    script.src = path;
    script.onload = () => data.has(name) ? resolve(data.get(name)) : reject(new Error(`${path} is damaged: build the site again`));
    script.onerror = () => reject(new Error(`${path} is missing: build the site again`));
    document.head.append(script);
  });

  // Runs in workers too: no reference to anything outside.
  const bytesOf = (base64) => {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
    return bytes;
  };

  // The same of gzip: what it holds.
  const unpacked = async (bytes) => {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };

  return { payload, load, bytesOf, unpacked };
})();
