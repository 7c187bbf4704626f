"use strict";
// Where a page has a place for a player, and the site is beside the book, the player takes the place. A book without the
// site says how to get it instead.
(() => {
  const places = [...document.querySelectorAll("[data-player]")];
  if (places.length === 0) return;
  const site = new URL("site/", document.currentScript.src);
  // Of the book's themes, these are dark.
  const theme = () => ["coal", "navy", "ayu"].some((name) => document.documentElement.classList.contains(name)) ? "dark" : "light";
  // A page that is opened from a folder can find out only by a script whether a file is there.
  const probe = document.createElement("script");
  probe.src = new URL("here.js", site);
  probe.onload = () => {
    const frames = new Map();
    for (const place of places) {
      const frame = document.createElement("iframe");
      frame.src = new URL(`play.html#example/${place.dataset.player}/0&embed&theme=${theme()}`, site);
      frame.title = place.dataset.title ?? "A pool to play with";
      frame.loading = "lazy";
      frame.style.cssText = "display: block; width: 100%; height: 560px; border: 0;";
      frame.style.colorScheme = theme();
      place.replaceChildren(frame);
      frames.set(frame.contentWindow, frame);
    }
    addEventListener("message", ({ source, data }) => {
      const height = data?.millpondHeight;
      if (frames.has(source) && typeof height === "number") frames.get(source).style.height = `${height}px`;
    });
    new MutationObserver(() => {
      for (const [page, frame] of frames) {
        frame.style.colorScheme = theme();
        page.postMessage({ millpondTheme: theme() }, "*");
      }
    }).observe(document.documentElement, { attributeFilter: ["class"] });
  };
  document.head.append(probe);
})();
