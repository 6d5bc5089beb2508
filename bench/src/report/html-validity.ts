import type { BenchReport } from "../results.ts";
import { DOLLAR_BAR_PERCENT } from "./dollar-lines.ts";
import { columnLegend, type FigureColumn, fact, figureTable, numberColumn, textColumn } from "./figure-table.ts";
import { formatPercent, formatTokens, formatUsd } from "./figures.ts";
import { html, type Markup } from "./markup.ts";
import type { SessionNames } from "./session-names.ts";
import { type Compared, LISTED_ERROR_PERCENT, type RecordedValidity, recordedValidities, validityLines } from "./validity.ts";

/**
 * Shows the facts that a reader must know before any figure is believed, and so linked from the verdict: how far sizes, cache reads and writes, and
 * cost of the replayed recordings are off those that the recordings state.
 */
export function validitySection(report: BenchReport, shownName: SessionNames): Markup {
  const rows = recordedValidities(report);
  const hasRecorded = rows.some(({ promptTokens }) => promptTokens !== null);
  const table = figureTable({
    name: "validity",
    rowTitle: "session",
    nameOf: ({ session }) => shownName(session.session),
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

const TOKENS = {
  stated: fact("tokens", "Sum over the calls, as the recording reports it."),
  computed: fact("tokens", "The same by the replay of the recorded requests (policy recorded).", "Rounded sums."),
};
const REQUEST_DOLLARS = {
  stated: fact(
    "US dollars",
    "The tokens that the recording reports as read, written and not cached, at the prices of this run; replies left out.",
    "Calls that report no reads, or whose model has no price, are left out.",
  ),
  computed: fact(
    "US dollars",
    "The same requests as they are charged here (policy recorded).",
    "A call that the recording shows as cold or warm is so under every policy.",
  ),
};
const DOLLARS = {
  stated: fact("US dollars", "Sum of the prices that the reports of the calls state.", "Agents on a subscription state none."),
  computed: fact(
    "US dollars",
    "The reported usage by list prices, each call by those of its day.",
    "Differs where the agent had other prices.",
  ),
};

const comparedColumns = ({ group, of, format, meanings }: ComparedColumns): readonly Column[] => [
  numberColumn({ group, title: "reported", meaning: meanings.stated, value: (row) => of(row)?.stated ?? null, format }),
  numberColumn({ group, title: "computed", meaning: meanings.computed, value: (row) => of(row)?.computed ?? null, format }),
  numberColumn({
    group,
    title: "error, %",
    meaning: {
      unit: "% of the reported",
      better: "lower",
      method: "Computed less reported, over the whole session.",
      caveat: "Errors of single calls may cancel out within a session.",
    },
    value: (row) => of(row)?.errorPercent ?? null,
    format: formatPercent,
    isBad: (row) => Math.abs(of(row)?.errorPercent ?? 0) > LISTED_ERROR_PERCENT,
  }),
];

const HELD_OUT = "The size model is fitted on the even calls and scored on the odd ones.";

const COLUMNS: readonly Column[] = [
  ...comparedColumns({
    group: "US dollars of requests",
    of: ({ dollars }) => dollars,
    format: formatUsd,
    meanings: REQUEST_DOLLARS,
  }),
  numberColumn({
    group: "US dollars of requests",
    title: "rules alone, %",
    meaning: {
      unit: "% of the reported",
      better: "lower",
      method: "The same error if the cache followed its provider's rules, without calls that found it cold within its time.",
      caveat: "The error that a recording without reported reads may have.",
    },
    value: ({ ruledErrorPercent }) => ruledErrorPercent,
    format: formatPercent,
    isBad: ({ ruledErrorPercent }) => Math.abs(ruledErrorPercent ?? 0) > DOLLAR_BAR_PERCENT,
  }),
  numberColumn({
    group: "size model, held out",
    title: "MAPE, %",
    meaning: {
      unit: "% of the reported prompt",
      better: "lower",
      method: `Mean error of the size model without its sign. ${HELD_OUT}`,
      caveat: "Sizes of edited prompts rest on the same figures, but nobody has reported those.",
    },
    value: ({ session }) => session.sizeModel.mapePercent,
    format: formatPercent,
    isBad: ({ session }) => (session.sizeModel.mapePercent ?? 0) > LISTED_ERROR_PERCENT,
  }),
  numberColumn({
    group: "size model, held out",
    title: "largest, %",
    meaning: {
      unit: "% of the reported prompt",
      better: "lower",
      method: `Largest error of the size model. ${HELD_OUT}`,
      caveat: "Often the call after something that the log does not show.",
    },
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
  ...comparedColumns({ group: "stated cost, US dollars", of: ({ usd }) => usd, format: formatUsd, meanings: DOLLARS }),
  textColumn("cause", ({ cause }) => cause ?? "", "beyond 5 %"),
];
