import { html, type Markup } from "./markup.ts";
import { isEmpty, type ReportTable, type TableHead, type TableRow } from "./table.ts";

/** Longer names get a wider column (chosen: names of policies and methods are shorter). */
const LONG_NAME_CHARS = 34;
/** Longer texts, as paths of files, get a wider column (chosen). */
const LONG_TEXT_CHARS = 40;
/** A table of more rows scrolls in a frame of its own (chosen). */
const TALL_ROWS = 15;

/** A part of a page that is closed until a reader wants it; a link to its id opens it (`folded-sections.js`). */
export function foldedSection(id: string, title: string, content: Markup): Markup {
  return html`<details class="part" id="${id}"><summary><h2>${title}</h2></summary>
${content}</details>`;
}

/** A table with its notes and, below it, the meaning of its columns. */
export function tableHtml(table: ReportTable): Markup {
  const { id, title, notes, rowTitle, heads, rows } = table;
  const hasGroups = heads.some(({ group }) => group !== "");
  const titles = heads.map((head, place) =>
    headCell(head, { legend: `legend-${id}-${place}`, first: startsGroup(heads, place) }),
  );
  const rowHead =
    rowTitle === ""
      ? html`<td rowspan="${hasGroups ? 2 : 1}"></td>`
      : html`<th class="name sticky" scope="col" rowspan="${hasGroups ? 2 : 1}"><button class="sort" type="button">${rowTitle}</button></th>`;
  const lines = hasGroups
    ? html`<tr>${rowHead}${groupHeads(heads)}</tr>\n<tr>${titles}</tr>`
    : html`<tr>${rowHead}${titles}</tr>`;
  const isLong = rows.some(({ name }) => name.length > LONG_NAME_CHARS);
  return html`${notes.length === 0 ? html`` : html`<p class="note">${notes.join(" ")}</p>`}
<div class="table">${scrollFrame(title, rows.length > TALL_ROWS)}<table class="${isLong ? "figures long" : "figures"}" data-name="${id}">
<thead>${lines}</thead>
<tbody id="${id}-rows">${rows.map((row) => rowHtml(heads, row))}</tbody>
</table></div></div>${legend(table)}`;
}

function rowHtml(heads: readonly TableHead[], { name, session, cells }: TableRow): Markup {
  const shown =
    session === undefined
      ? html`${name}`
      : html`<button class="link" type="button" data-session="${session}"><bdi>${name}</bdi></button>`;
  const own = cells.map((cell, place) => {
    const kind = heads[place]?.isText !== true ? "" : cell.shown.length > LONG_TEXT_CHARS ? "text wide" : "text";
    const classes = [kind, startsGroup(heads, place) ? "first" : "", cell.isBad ? "bad" : ""].filter((each) => each !== "");
    const isPlain = cell.raw === cell.shown || isEmpty(cell);
    return html`<td${classes.length === 0 ? "" : html` class="${classes.join(" ")}"`}${isPlain ? "" : html` data-v="${cell.raw}"`}>${cell.shown}</td>`;
  });
  return html`<tr><th class="name sticky" scope="row">${shown}</th>${own}</tr>`;
}

/** Opens a `<div>` around a table that scrolls by itself, by keyboard too. The caller closes it. */
export function scrollFrame(label: string, isTall = false): Markup {
  return html`<div class="${isTall ? "scroll tall" : "scroll"}" role="region" aria-label="Table: ${label}" tabindex="0">`;
}

const DIRECTIONS = { lower: "↓", higher: "↑", neither: "" } as const;

function headCell({ title, meaning, isText }: TableHead, place: { readonly legend: string; readonly first: boolean }): Markup {
  const classes = [isText ? "name" : "wrapped", place.first ? "first" : ""].join(" ").trim();
  const arrow = DIRECTIONS[meaning?.better ?? "neither"];
  const about = meaning === null ? html`` : html` data-meaning="${place.legend}"`;
  return html`<th class="${classes}" scope="col"><button class="sort" type="button"${about}>${title}${arrow === "" ? "" : html` <span class="arrow" aria-hidden="true">${arrow}</span>`}</button></th>`;
}

/** Explains the columns: unit, direction, method and caveat. The heads point to their rows. */
function legend({ id, title, heads }: Pick<ReportTable, "id" | "title" | "heads">): Markup {
  const rows = heads.map(({ group, title: own, meaning }, place) => {
    if (meaning === null) return html``;
    const { unit, better, method, caveat } = meaning;
    return html`<tr id="legend-${id}-${place}"><th scope="row">${group === "" ? own : `${group}: ${own}`}</th><td>${unit}</td><td>${better === "neither" ? "–" : better}</td><td>${method}</td><td>${caveat}</td></tr>`;
  });
  if (heads.every(({ meaning }) => meaning === null)) return html``;
  return html`<details class="legend"><summary>Meaning of the columns: unit, direction, method, caveat</summary>
${scrollFrame(`meaning of the columns of ${title}`)}<table class="meanings"><thead><tr>${["column", "unit", "better", "method", "caveat"].map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

function groupHeads(heads: readonly TableHead[]): readonly Markup[] {
  return heads.flatMap(({ group }, place) => {
    if (place > 0 && !startsGroup(heads, place)) return [];
    const classes = place === 0 ? "group" : "group first";
    const rest = heads.slice(place);
    const end = rest.findIndex((head) => head.group !== group);
    const count = end < 0 ? rest.length : end;
    // A head without a name would be read out as one.
    if (group === "") return [html`<td class="${classes}" colspan="${count}"></td>`];
    return [html`<th class="${classes}" scope="colgroup" colspan="${count}">${group}</th>`];
  });
}

function startsGroup(heads: readonly TableHead[], place: number): boolean {
  return place > 0 && heads[place]?.group !== heads[place - 1]?.group;
}
