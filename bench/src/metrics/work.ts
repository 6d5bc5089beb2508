import type { RowMetrics } from "../results.ts";
import type { Metric } from "./metric.ts";

/** Work of the compactions, added up from their records. */
export function createWork(): Metric<RowMetrics["work"]> {
  const total = { charactersScanned: 0, messagesVisited: 0, tokenizerCalls: 0 };
  return {
    add: ({ compactions }) => {
      for (const { work } of compactions.map((compaction) => compaction.record)) {
        total.charactersScanned += work.charactersScanned;
        total.messagesVisited += work.messagesVisited;
        total.tokenizerCalls += work.tokenizerCalls;
      }
    },
    result: () => ({ ...total }),
  };
}
