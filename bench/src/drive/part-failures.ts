import type { FitOutcome } from "@plimsoll/core";

/** A part of a policy, or the program in its place, that failed in a replay. */
export interface PartFailure {
  readonly part: string;
  /** How often it failed, of how often it was tried; a try that was not applicable is none. */
  readonly failed: number;
  readonly tried: number;
  readonly reason: string;
}

interface FailingRow {
  readonly policy: string;
  readonly failures?: readonly PartFailure[];
  readonly compactions: readonly { readonly steps: readonly string[] }[];
}

/** Begins the detail of a keep rule that worked. */
const CHOSE = /^(?:\d+ of \d+ kept|chose nothing)/;

/** The steps of a compaction that was made, or that came to nothing. */
type Steps = Extract<FitOutcome, { kind: "failed" }>["steps"];

/** Adds tries of a part to those before; the reason of its first failure stays. */
function addUp(parts: Map<string, PartFailure>, { part, failed, tried, reason }: PartFailure): void {
  const before = parts.get(part);
  const first = before !== undefined && before.failed > 0 ? before.reason : reason;
  parts.set(part, { part, failed: failed + (before?.failed ?? 0), tried: tried + (before?.tried ?? 0), reason: first });
}

/** A log without a step; a reason ends with the place of its error, if that is known. */
export function createFailureLog(placeOf: (error: unknown) => string | null = () => null): {
  add(steps: Steps): void;
  result(): readonly PartFailure[];
} {
  const parts = new Map<string, PartFailure>();
  return {
    add: (steps) => {
      for (const { strategy: part, outcome, detail, cause } of steps) {
        const isFailed = outcome === "failed";
        const reason = isFailed ? [detail, placeOf(cause)].filter(Boolean).join(", ") : "";
        if ((outcome !== "not-applicable" && outcome !== "released") || CHOSE.test(detail ?? ""))
          addUp(parts, { part, failed: isFailed ? 1 : 0, tried: 1, reason });
      }
    },
    result: () => [...parts.values()].filter(({ failed }) => failed > 0),
  };
}

/** Lists the failures in the rows of one policy, a part each, the most often first. */
export function failuresOf(rows: readonly FailingRow[]): readonly PartFailure[] {
  const parts = new Map<string, PartFailure>();
  for (const { failures = [] } of rows) for (const each of failures) addUp(parts, each);
  return [...parts.values()]
    .map((each) => ({ ...each, tried: each.tried + workedElsewhere(rows, each.part) }))
    .toSorted((a, b) => b.failed - a.failed);
}

/** Compactions in which a part worked, in sessions in which it never failed. */
function workedElsewhere(rows: readonly FailingRow[], part: string): number {
  const others = rows.filter(({ failures = [] }) => !failures.some((each) => each.part === part));
  const isOf = (step: string) => step.startsWith(`${part}: `) && /^applied|^\d+ of|^chose/.test(step.slice(part.length + 2));
  return others.reduce((sum, { compactions }) => sum + compactions.filter(({ steps }) => steps.some(isOf)).length, 0);
}

/** The policies with a part that failed on every try, or a keep rule that ever did, by a mistake of its module: the measurement shows the rest of the policy, so none of them is recommended. */
export function brokenPolicies(rows: readonly FailingRow[]): ReadonlySet<string> {
  const suspected = new Set(rows.flatMap(({ policy, failures = [] }) => (failures.length > 0 ? [policy] : [])));
  const isBroken = (policy: string) =>
    failuresOf(rows.filter((row) => row.policy === policy)).some(
      ({ part, failed, tried }) => failed === tried || part.startsWith("keep "),
    );
  return new Set([...suspected].filter(isBroken));
}
