/**
 * Makes every table of figures sortable by its heads, also with the keyboard, and lets it be saved as CSV. Works for tables that are filled
 * later, too: nothing is remembered of them.
 */
(() => {
  /** Reads the value that a cell is sorted by and saved as. @param {HTMLTableCellElement | undefined} cell */
  const rawOf = (cell) => cell?.dataset.v ?? cell?.textContent?.trim() ?? "";

  /** @param {string} raw */
  const numberOf = (raw) => (/^-?\d+(\.\d+)?(e[-+]?\d+)?$/.test(raw) ? Number(raw) : null);

  /** Numbers by size, texts by their letters, numbers first; unknown values come last either way. @param {number} direction */
  const comparing = (direction) => (/** @type {string} */ a, /** @type {string} */ b) => {
    const [missingA, missingB] = [a === "" || a === "–", b === "" || b === "–"];
    if (missingA || missingB) return Number(missingA) - Number(missingB);
    const [first, second] = [numberOf(a), numberOf(b)];
    if (first !== null && second !== null) return (first - second) * direction;
    if (first === null && second === null) return a.localeCompare(b) * direction;
    return (first === null ? 1 : -1) * direction;
  };

  /** The lowest head over each column, with the group above it. @param {HTMLTableElement} table */
  const headsOf = (table) => {
    /** @type {{ element: HTMLTableCellElement, name: string }[]} */
    const heads = [];
    /** @type {number[]} */
    let free = [];
    for (const [place, row] of [...(table.tHead?.rows ?? [])].entries()) {
      /** @type {number[]} */
      const open = [];
      let next = 0;
      for (const cell of row.cells) {
        for (let span = 0; span < cell.colSpan; span++) {
          const column = place === 0 ? heads.length : (free[next] ?? next);
          const name = (cell.textContent ?? "")
            .replaceAll("\u00ad", "")
            .replace(/\s*[↑↓]\s*$/, "")
            .trim();
          const above = heads[column]?.name ?? "";
          heads[column] = { element: cell, name: above === "" ? name : `${above}: ${name}` };
          if (cell.rowSpan === 1) open.push(column);
          next += 1;
        }
      }
      free = open;
    }
    return heads;
  };

  /** @param {string} text */
  const csvCell = (text) => {
    // A spreadsheet would run a cell that begins like a formula; negative numbers are none.
    const safe = /^[=+@\t\r]/.test(text) || (text.startsWith("-") && numberOf(text) === null) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };

  /** @param {HTMLTableElement} table */
  const csvOf = (table) => {
    const heads = headsOf(table);
    const rows = [...(table.tBodies[0]?.rows ?? [])].map((row) => heads.map((_, column) => rawOf(row.cells[column])));
    return [heads.map(({ name }) => name), ...rows].map((row) => row.map(csvCell).join(",")).join("\n");
  };

  /** @param {HTMLTableElement} table @param {HTMLTableCellElement} head */
  const sortBy = (table, head) => {
    const heads = headsOf(table);
    const column = heads.findIndex(({ element }) => element === head);
    const isAscending = head.getAttribute("aria-sort") !== "ascending";
    for (const { element } of heads) element.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
    const compare = comparing(isAscending ? 1 : -1);
    const body = table.tBodies[0];
    const rows = [...(body?.rows ?? [])].sort((a, b) => compare(rawOf(a.cells[column]), rawOf(b.cells[column])));
    body?.append(...rows);
  };

  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    const table = target.closest(".table")?.querySelector("table");
    const head = target.closest("button.sort")?.closest("th");
    if (table && head) sortBy(table, head);
  });

  for (const table of document.querySelectorAll("table.figures")) {
    if (!(table instanceof HTMLTableElement)) continue;
    const save = document.createElement("a");
    save.textContent = "CSV";
    save.className = "csv";
    save.download = `plimsoll-${table.dataset.name ?? "table"}.csv`;
    save.href = "#";
    save.title = "save this table as CSV";
    // Made on request, so that it holds the rows that are shown.
    save.addEventListener("click", () => {
      save.href = `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(table))}`;
    });
    table.closest(".table")?.append(save);
  }

  // Folded parts would be missing on paper.
  addEventListener("beforeprint", () => {
    for (const legend of document.querySelectorAll("details.legend")) legend.setAttribute("open", "");
  });
})();
