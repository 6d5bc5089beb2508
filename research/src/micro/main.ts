import { parseArgs } from "node:util";
import { PI_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import type { MeasuredComparison } from "./comparison.ts";
import { measureGroup } from "./comparison.ts";
import { GROUPS } from "./groups.ts";
import { memoryPerMessage } from "./memory.ts";
import type { MicroReport } from "./micro-report.ts";
import { microReportText } from "./micro-report.ts";
import { workFigures } from "./work-figures.ts";

const MEMORY_MESSAGES = 10_000;

const names = GROUPS.map(({ name }) => name);

/** Measures the groups named, or everything. */
async function measure(only: readonly string[]): Promise<MicroReport> {
  const all = only.length === 0;
  // Memory first: what the groups leave behind would be in it.
  const memory = all
    ? [PLIMSOLL_POLICY, SVEN_POLICY, PI_POLICY].map((policy) => ({
        policy: policy.name,
        ...memoryPerMessage(policy, MEMORY_MESSAGES),
      }))
    : [];
  const comparisons: MeasuredComparison[] = [];
  for (const group of GROUPS) if (all || only.includes(group.name)) comparisons.push(...(await measureGroup(group)));
  return { node: process.version, work: all ? await workFigures() : null, memory, comparisons };
}

const { values } = parseArgs({
  options: { json: { type: "boolean", default: false }, group: { type: "string", multiple: true, default: [] } },
});
const unknown = values.group.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no group ${unknown.join(", ")}: there are ${names.join(", ")}\n`);
  process.exitCode = 1;
} else {
  const report = await measure(values.group);
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : microReportText(report));
}
