import type { BenchReport, ReplayRow } from "../results.ts";

const CHOICE = /^keep (.+): (?:(\d+) of (\d+) kept|chose nothing)/;

/** Choices of one keep rule of a person's own over all compactions. */
export interface KeptByRule {
  readonly rule: string;
  readonly kept: number;
  readonly of: number;
  readonly times: number;
}

/** Adds up, by rule, the choices of a person's own keep rules. */
export function keptBy(rows: readonly Pick<ReplayRow, "compactions">[]): readonly KeptByRule[] {
  const rules = new Map<string, KeptByRule>();
  for (const step of rows.flatMap(({ compactions }) => compactions.flatMap(({ steps }) => steps))) {
    const [, rule, kept = 0, of = 0] = CHOICE.exec(step) ?? [];
    if (rule === undefined) continue;
    const sum = rules.get(rule) ?? { kept: 0, of: 0, times: 0 };
    rules.set(rule, { rule, kept: sum.kept + Number(kept), of: sum.of + Number(of), times: sum.times + 1 });
  }
  return [...rules.values()];
}

/** Policies whose keep rule of one's own chose more than there was room for: the room, not the choice, decides what stays. */
export function fillingOwnRules({ rows }: Pick<BenchReport, "rows">): ReadonlySet<string> {
  const policies = new Set(rows.map(({ policy }) => policy));
  const fills = (name: string) => keptBy(rows.filter(({ policy }) => policy === name)).some(({ kept, of }) => kept < of);
  return new Set([...policies].filter(fills));
}
