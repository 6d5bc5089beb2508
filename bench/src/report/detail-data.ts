import type { BenchReport, CompactionDetail, Composition } from "../results.ts";
import { windowLabels } from "./policy-summary.ts";
import { windowLabel } from "./window-label.ts";

/** What the page shows for one session, window and policy (by index): what filled the context, and each compaction. */
export interface DetailCell {
  readonly session: number;
  readonly window: number;
  readonly policy: number;
  readonly composition: Composition;
  readonly compactions: readonly CompactionDetail[];
  /** Compactions that are in the JSON report and not here, for want of room. */
  readonly left: number;
}

/** Compactions of one row that the page can hold; the JSON report holds all (chosen, so that 50 sessions stay below 3 MB). */
const MOST_COMPACTIONS = 30;
/** Compactions of the whole page. Chosen: about 600 bytes each. */
const MOST_ON_PAGE = 1500;
/** Compositions of the whole page. Chosen: about 1,500 bytes each. */
const MOST_COMPOSITIONS = 400;

/** Makes the details' data. Where there are too many rows, each holds fewer compactions, and the last ones no composition. */
export function detailDataOf(report: BenchReport): readonly DetailCell[] {
  const labels = windowLabels(report);
  const sessions = new Map(report.sessions.map(({ session }, index) => [session, index]));
  const policies = new Map(report.policies.map(({ name }, index) => [name, index]));
  const rows = report.rows.filter(({ metrics }) => metrics !== null);
  const acting = rows.filter(({ compactions }) => compactions.length > 0).length;
  const most = Math.max(1, Math.min(MOST_COMPACTIONS, Math.floor(MOST_ON_PAGE / Math.max(1, acting))));
  return rows.map((row, index) => ({
    session: sessions.get(row.session) ?? 0,
    window: labels.indexOf(windowLabel(row.window)),
    policy: policies.get(row.policy) ?? 0,
    composition: index < MOST_COMPOSITIONS ? row.composition : { kinds: [], samples: [] },
    compactions: row.compactions.slice(0, most),
    left: Math.max(0, row.compactions.length - most),
  }));
}
