import { compactionsInARow } from "./experiments/compactions.ts";
import { loopWhileHigh, overflows } from "./experiments/endings.ts";
import { type Lab, statedLimits } from "./experiments/setting.ts";
import { missingThreshold, reportedThreshold } from "./experiments/thresholds.ts";
import type { ActsBetween, ProgramFacts, ThresholdFacts } from "./facts.ts";

/** Makes all experiments with a program; `recorded` is the day, as `2026-11-22`, and `known` what an earlier run found. */
export async function watch(lab: Lab, recorded: string, known: ProgramFacts | null): Promise<ProgramFacts> {
  const { name, packageName, version, licence } = lab.program;
  const thresholds: ThresholdFacts[] = [];
  const isKnown = known?.thresholds.some(({ usage, actsTokens }) => usage === "reported" && actsTokens !== null) === true;
  let actsBetween: ActsBetween | null = isKnown ? known.actsBetween : null;
  for (const limits of statedLimits(lab.program)) {
    const before = known?.thresholds.find((each) => each.usage === "reported" && each.windowTokens === limits.windowTokens);
    const found = await reportedThreshold(lab, limits, { between: actsBetween, actsTokens: before?.actsTokens ?? null });
    actsBetween ??= found.between;
    thresholds.push(found.facts);
  }
  const between = actsBetween ?? "never";
  thresholds.push(await missingThreshold(lab, between));
  const { wire, overhead, compactions } = await compactionsInARow(lab, between);
  const loop = await loopWhileHigh(lab, between);
  return {
    program: name,
    packageName,
    version,
    licence,
    wire,
    recorded,
    // A program that measures its messages itself does nothing about usage that is told; its compactions tell where it acts.
    actsBetween: between === "never" && compactions.length > 0 ? "steps" : between,
    overhead,
    thresholds,
    compactions,
    loop,
    overflows: await overflows(lab),
  };
}
