import { PI_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { chosenOf, optionsOf } from "../options.ts";
import { sayStep } from "../say-step.ts";
import type { MeasuredComparison } from "./comparison.ts";
import { measureGroup } from "./comparison.ts";
import { GROUPS } from "./groups.ts";
import { memoryPerMessage } from "./memory.ts";
import type { MicroReport } from "./micro-report.ts";
import { microReportText } from "./micro-report.ts";
import type { Effort } from "./spread.ts";
import { QUICK_EFFORT, WHOLE_EFFORT } from "./spread.ts";
import { workFigures } from "./work-figures.ts";

const MEMORY_MESSAGES = 10_000;

const names = GROUPS.map(({ name }) => name);

/** Measures the rows with a text in the groups named, or everything. What is not a ratio is of a whole run alone. */
async function measure(only: readonly string[], row: string, effort: Effort): Promise<MicroReport> {
  const isWhole = only.length === 0 && row === "" && effort === WHOLE_EFFORT;
  if (isWhole) sayStep("memory");
  // Memory first: what the groups leave behind would be in it.
  const memory = isWhole
    ? [PLIMSOLL_POLICY, SVEN_POLICY, PI_POLICY].map((policy) => ({
        policy: policy.name,
        ...memoryPerMessage(policy, MEMORY_MESSAGES),
      }))
    : [];
  const comparisons: MeasuredComparison[] = [];
  for (const group of GROUPS)
    if (only.length === 0 || only.includes(group.name))
      comparisons.push(...(await measureGroup(group, { effort, row, onProgress: sayStep })));
  if (isWhole) sayStep("work");
  return { node: process.version, rounds: effort.rounds, work: isWhole ? await workFigures() : null, memory, comparisons };
}

const USAGE = `pnpm bench:micro: how long stages take, as ratios in one run

  --quick        few rounds: a first look within a minute
  --group NAME   ${names.join(", ")}; again for several, all if none is named
  --row TEXT     rows that have the text in their name
  --json         the report as JSON`;

const values = optionsOf(USAGE, {
  json: { type: "boolean", default: false },
  quick: { type: "boolean", default: false },
  row: { type: "string", default: "" },
  group: { type: "string", multiple: true, default: [] },
});
chosenOf("group", values.group, names);
const report = await measure(values.group, values.row, values.quick ? QUICK_EFFORT : WHOLE_EFFORT);
process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : microReportText(report));
