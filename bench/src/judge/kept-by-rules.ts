import type { BenchReport, ReplayRow } from "../results.ts";

const CHOICE = /^keep (.+): (?:(\d+) of (\d+) kept|chose nothing)(?:.* (\d+) beyond)?/;

/** Choices of one keep rule of a person's own over all compactions. */
export interface KeptByRule {
  readonly rule: string;
  readonly kept: number;
  readonly of: number;
  readonly beyond: number;
  /** Compactions, and those in which it chose something. */
  readonly times: number;
  readonly chose: number;
}

/** Adds up, by rule, the choices of a person's own keep rules. */
export function keptBy(rows: readonly Pick<ReplayRow, "compactions">[]): readonly KeptByRule[] {
  const rules = new Map<string, KeptByRule>();
  for (const step of rows.flatMap(({ compactions }) => compactions.flatMap(({ steps }) => steps))) {
    const [, rule, ...counts] = CHOICE.exec(step) ?? [];
    if (rule === undefined) continue;
    const [kept = 0, of = 0, beyond = 0] = counts.map((count) => Number(count ?? 0));
    const sum = rules.get(rule) ?? { kept: 0, of: 0, beyond: 0, times: 0, chose: 0 };
    const now = { kept: sum.kept + kept, of: sum.of + of, beyond: sum.beyond + beyond };
    rules.set(rule, { rule, ...now, times: sum.times + 1, chose: sum.chose + (of > 0 ? 1 : 0) });
  }
  return [...rules.values()];
}

/** Policies whose keep rule of one's own chose more than there was room for: the room, not the choice, decides what stays. */
export function fillingOwnRules({ rows }: Pick<BenchReport, "rows">): ReadonlySet<string> {
  const policies = new Set(rows.map(({ policy }) => policy));
  const fills = (name: string) => keptBy(rows.filter(({ policy }) => policy === name)).some(({ kept, of }) => kept < of);
  return new Set([...policies].filter(fills));
}
