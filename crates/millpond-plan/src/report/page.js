"use strict";
// Everything here is a comfort: the page says the same without it.
(() => {
  const tip = document.getElementById("tip");
  const number = (value) => Math.round(value).toLocaleString("en");
  const counted = (value, unit) => unit === "ms" ? number(value) + " ms" : unit + " " + number(value);

  const said = {
    live(svg, x) {
      const values = svg.dataset.values.split(" ");
      const at = Math.min(values.length - 1, Math.floor(x * values.length));
      const { start, end, unit } = svg.dataset;
      const time = +start + (+end - +start) * at / values.length;
      return counted(time, unit) + ": " + values[at].replace("-", " to ") + " live";
    },
    map(svg, x, y) {
      const { start, end, unit, slots } = svg.dataset;
      const slot = Math.min(+slots - 1, Math.floor(y * +slots));
      return counted(+start + (+end - +start) * x, unit) + ", slot " + number(slot);
    },
    bars(svg, x) {
      const at = x * svg.viewBox.baseVal.width;
      const bar = [...svg.querySelectorAll("rect")].find((rect) => Math.floor(rect.x.baseVal.value) === Math.floor(at));
      return bar ? bar.dataset.said : "";
    },
  };

  // A title of its own would pop up over the values under the pointer.
  for (const title of document.querySelectorAll("rect > title")) {
    title.parentNode.dataset.said = title.textContent;
    title.remove();
  }

  const hide = () => { tip.hidden = true; };
  for (const svg of document.querySelectorAll("svg[data-plot]")) {
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const share = (offset, length) => Math.min(1, Math.max(0, offset / length));
      const text = said[svg.dataset.plot](svg, share(event.clientX - box.left, box.width), share(event.clientY - box.top, box.height));
      tip.textContent = text;
      tip.hidden = text === "";
      tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
      tip.style.top = Math.max(4, event.clientY - tip.offsetHeight - 12) + "px";
    });
    svg.addEventListener("pointerleave", hide);
  }
  addEventListener("scroll", hide, { passive: true });

  for (const head of document.querySelectorAll(".cards-head")) {
    const cards = [...head.nextElementSibling.children];
    const tools = head.querySelector(".tools");
    tools.hidden = false;
    tools.addEventListener("click", (event) => {
      const what = event.target.dataset.do;
      if (what) for (const card of cards) card.open = what === "open";
    });
    tools.querySelector("input").addEventListener("input", (event) => {
      // Sizes are shown with separators and typed without.
      const plain = (text) => text.toLowerCase().replaceAll(",", "");
      const wanted = plain(event.target.value);
      for (const card of cards) card.hidden = !plain(card.querySelector(".name").textContent).includes(wanted);
    });
  }

  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : +cell.dataset.v;
  };
  const sort = (table, column, descending) => {
    const body = table.tBodies[0];
    const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
    const rows = [...body.rows].sort((a, b) => compare(value(a, column), value(b, column)));
    body.append(...(descending ? rows.reverse() : rows));
  };
  for (const table of document.querySelectorAll(".classes")) {
    const heads = [...table.tHead.rows[0].cells];
    for (const [column, head] of heads.entries()) {
      if (!head.matches(".num, .key")) continue;
      const button = document.createElement("button");
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const descending = head.getAttribute("aria-sort") !== "descending" && (head.matches(".num") || head.getAttribute("aria-sort") === "ascending");
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sort(table, column, descending);
      });
    }
  }
})();
