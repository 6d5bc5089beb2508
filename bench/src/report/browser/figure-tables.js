/** Makes every table of figures sortable by a click on a column's head, and lets it be saved as CSV. */
(() => {
  /** @param {HTMLTableRowElement} row @param {number} column */
  const textOf = (row, column) => row.cells[column]?.textContent?.trim() ?? "";

  /** The number that a cell shows; its unit counts. @param {string} text */
  const numberOf = (text) => {
    const [, digits = "", unit = ""] = /^(-?[\d,]*\.?\d+)\s*([kMG]?)/.exec(text) ?? [];
    if (digits === "") return null;
    return Number(digits.replaceAll(",", "")) * ({ k: 1e3, M: 1e6, G: 1e9 }[unit] ?? 1);
  };

  /** @param {string} a @param {string} b */
  const compare = (a, b) => {
    const [first, second] = [numberOf(a), numberOf(b)];
    if (first !== null && second !== null) return first - second;
    if (first === null && second === null) return a < b ? -1 : a > b ? 1 : 0;
    return first === null ? 1 : -1;
  };

  /** @param {string} text */
  const csvCell = (text) => {
    // A spreadsheet would run a cell that begins like a formula.
    const safe = /^[=+@]/.test(text) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };

  /** The lowest head over each column, with the group above it. @param {HTMLTableElement} table */
  const headsOf = (table) => {
    /** @type {{ element: HTMLTableCellElement, name: string }[]} */
    const heads = [];
    for (const row of table.tHead?.rows ?? []) {
      /** @type {number[]} */
      const free = row.rowIndex === 0 ? [] : [...heads.keys()].filter((column) => heads[column]?.element.rowSpan === 1);
      let column = 0;
      for (const cell of row.cells) {
        for (let span = 0; span < cell.colSpan; span++) {
          const place = row.rowIndex === 0 ? column : (free[column] ?? column);
          const above = heads[place];
          const name = (cell.textContent ?? "").trim();
          heads[place] = { element: cell, name: above === undefined ? name : `${above.name}: ${name}` };
          column += 1;
        }
      }
    }
    return heads;
  };

  /** @param {HTMLTableElement} table @param {readonly { name: string }[]} heads */
  const csvOf = (table, heads) => {
    const rows = [...(table.tBodies[0]?.rows ?? [])].map((row) => heads.map((_, column) => textOf(row, column)));
    return [heads.map(({ name }) => name), ...rows].map((row) => row.map(csvCell).join(",")).join("\n");
  };

  for (const table of document.querySelectorAll("table")) {
    const heads = headsOf(table);
    for (const [column, { element }] of heads.entries()) {
      if (element.colSpan > 1) continue;
      element.classList.add("sortable");
      element.tabIndex = 0;
      const sort = () => {
        const isAscending = element.getAttribute("aria-sort") !== "ascending";
        for (const other of heads) other.element.removeAttribute("aria-sort");
        element.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
        const body = table.tBodies[0];
        const rows = [...(body?.rows ?? [])].sort(
          (a, b) => compare(textOf(a, column), textOf(b, column)) * (isAscending ? 1 : -1),
        );
        body?.append(...rows);
      };
      element.addEventListener("click", sort);
      element.addEventListener("keydown", (event) => {
        if (event.key === "Enter") sort();
      });
    }
    const save = document.createElement("a");
    save.textContent = "CSV";
    save.className = "csv";
    save.download = "plimsoll.csv";
    save.href = "#";
    // Made when it is asked for, so that it holds what is shown.
    save.addEventListener("click", () => {
      save.href = `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(table, headsOf(table)))}`;
    });
    table.parentElement?.after(save);
  }
})();
