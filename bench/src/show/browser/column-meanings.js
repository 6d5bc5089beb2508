/** Shows a column's meaning while its head is pointed at or has the focus; the text is that of the legend below the table. */
(() => {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);

  /** The head that is explained now. @type {Element | null} */
  let explained = null;

  const hide = () => {
    explained = null;
    tip.hidden = true;
  };

  /** Above the head, or below where there is no room. @param {Element} head */
  const place = (head) => {
    const box = head.getBoundingClientRect();
    const above = box.top - tip.offsetHeight - 6;
    tip.style.left = `${Math.max(8, Math.min(box.left, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${above > 8 ? above : box.bottom + 6}px`;
  };

  /** @param {Element} head */
  const show = (head) => {
    const row = document.getElementById(head.getAttribute("data-meaning") ?? "");
    if (!(row instanceof HTMLTableRowElement)) return;
    const [name = "", unit = "", better = "", method = "", caveat = ""] = [...row.cells].map((cell) => cell.textContent ?? "");
    const title = document.createElement("b");
    title.textContent = `${name} (${unit}${better === "–" ? "" : `; ${better} is better`})`;
    const [how, but] = [document.createElement("div"), document.createElement("div")];
    how.textContent = method;
    but.textContent = caveat;
    but.className = "soft";
    tip.replaceChildren(title, how, but);
    tip.hidden = false;
    head.setAttribute("aria-describedby", "tip");
    explained = head;
    place(head);
  };

  for (const kind of ["pointerover", "focusin"]) {
    document.addEventListener(kind, ({ target }) => {
      const head = target instanceof Element ? target.closest("[data-meaning]") : null;
      if (head === null) hide();
      else show(head);
    });
  }
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") hide();
  });
  const follow = () => {
    if (explained !== null) place(explained);
  };
  addEventListener("scroll", follow, { passive: true, capture: true });
})();
