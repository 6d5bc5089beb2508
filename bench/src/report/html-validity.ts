import type { BenchReport } from "../results.ts";
import { columnLegend, type FigureColumn, figureTable, numberColumn, textColumn } from "./figure-table.ts";
import { formatPercent, formatTokens, formatUsd } from "./figures.ts";
import { commonFolder } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import { SESSION_MEANINGS, VALIDITY_MEANINGS } from "./session-meanings.ts";
import { type Compared, LISTED_ERROR_PERCENT, type RecordedValidity, recordedValidities, validityLines } from "./validity.ts";

/**
 * What must be known before any figure is believed, and so the first section: how far sizes, cache reads and writes, and cost of the
 * replayed recordings are off what the recordings state.
 */
export function validitySection(report: BenchReport): Markup {
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  const rows = recordedValidities(report);
  const hasRecorded = rows.some(({ promptTokens }) => promptTokens !== null);
  const table = figureTable({
    name: "validity",
    rowTitle: "session",
    nameOf: ({ session }) => session.session.slice(folder.length),
    columns: COLUMNS,
    rows,
  });
  return html`<h2 id="validity">Validity: the replay against the recordings</h2>
<ul>${validityLines(report).map((line) => html`<li>${line}</li>`)}${
    hasRecorded
      ? html``
      : html`<li>requests were not held against the recordings: add the policy <code>recorded</code> to the run</li>`
  }</ul>
${rows.length === 0 ? html`` : html`${table}${columnLegend("validity", COLUMNS)}`}`;
}

type Column = FigureColumn<RecordedValidity>;

interface ComparedColumns {
  readonly group: string;
  readonly of: (row: RecordedValidity) => Compared | null;
  readonly format: (value: number | null) => string;
  readonly meanings: { readonly stated: Column["meaning"]; readonly computed: Column["meaning"] };
}

const TOKENS = { stated: VALIDITY_MEANINGS.reported, computed: VALIDITY_MEANINGS.computed };
const DOLLARS = { stated: VALIDITY_MEANINGS.statedUsd, computed: VALIDITY_MEANINGS.computedUsd };

const comparedColumns = ({ group, of, format, meanings }: ComparedColumns): readonly Column[] => [
  numberColumn({ group, title: "reported", meaning: meanings.stated, value: (row) => of(row)?.stated ?? null, format }),
  numberColumn({ group, title: "computed", meaning: meanings.computed, value: (row) => of(row)?.computed ?? null, format }),
  numberColumn({
    group,
    title: "error, %",
    meaning: VALIDITY_MEANINGS.error,
    value: (row) => of(row)?.errorPercent ?? null,
    format: formatPercent,
    isBad: (row) => Math.abs(of(row)?.errorPercent ?? 0) > LISTED_ERROR_PERCENT,
  }),
];

const COLUMNS: readonly Column[] = [
  numberColumn({
    group: "size model, held out",
    title: "MAPE, %",
    meaning: VALIDITY_MEANINGS.heldOutMape,
    value: ({ session }) => session.sizeModel.mapePercent,
    format: formatPercent,
    isBad: ({ session }) => (session.sizeModel.mapePercent ?? 0) > LISTED_ERROR_PERCENT,
  }),
  numberColumn({
    group: "size model, held out",
    title: "largest, %",
    meaning: VALIDITY_MEANINGS.heldOutMax,
    value: ({ session }) => session.sizeModel.maxPercent,
    format: formatPercent,
  }),
  ...comparedColumns({
    group: "prompt tokens",
    of: ({ promptTokens }) => promptTokens,
    format: formatTokens,
    meanings: TOKENS,
  }),
  ...comparedColumns({
    group: "cache reads, tokens",
    of: ({ cacheReads }) => cacheReads,
    format: formatTokens,
    meanings: TOKENS,
  }),
  ...comparedColumns({
    group: "cache writes, tokens",
    of: ({ cacheWrites }) => cacheWrites,
    format: formatTokens,
    meanings: TOKENS,
  }),
  ...comparedColumns({ group: "US dollars", of: ({ usd }) => usd, format: formatUsd, meanings: DOLLARS }),
  textColumn({ group: "beyond 5 %", title: "cause", meaning: SESSION_MEANINGS.text }, ({ cause }) => cause ?? ""),
];
