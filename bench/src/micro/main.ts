import type { Policy } from "@plimsoll/core";
import { PI_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { memoryPerMessage } from "./memory.ts";
import { planningTask, sessionChars } from "./planning.ts";
import { quietSession, workAtEnd } from "./quiet-gate.ts";
import type { Spread } from "./spread.ts";
import { timeRatio } from "./spread.ts";

const SHORT = 100;
const LONG = 10_000;

const ratio = ({ median, least, most }: Spread) => `${median.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
const bytes = ({ median, least, most }: Spread) => `${median.toFixed(0)} (${least.toFixed(0)} to ${most.toFixed(0)})`;

/** Prints what does not depend on the machine, then ratios of times, each from this one run with its smallest and largest round. */
async function measure(policy: Policy): Promise<void> {
  const { signal } = new AbortController();
  const short = quietSession(policy, { messageCount: SHORT });
  const long = quietSession(policy, { messageCount: LONG });
  const planning = planningTask(policy, LONG);
  const work = [await workAtEnd(policy, { messageCount: SHORT }), await workAtEnd(policy, { messageCount: LONG })];
  const planWork = planning.planWork();
  const memory = memoryPerMessage(policy, LONG);
  const gateTime = await timeRatio(
    () => long.manager.fit(long.input, signal),
    () => short.manager.fit(short.input, signal),
  );
  const planTime = await timeRatio(planning.recount, planning.plan);
  console.log(`${policy.name}
  a gate that fires nothing, work at ${SHORT} and ${LONG} messages: ${work.map(({ gate }) => JSON.stringify(gate)).join(" ")}
  the same, time at ${LONG} over time at ${SHORT}: ${ratio(gateTime)}
  a step more, work at ${SHORT} and ${LONG} messages: ${work.map(({ step }) => JSON.stringify(step)).join(" ")}
  a plan over ${LONG} messages scans ${planWork.charactersScanned} of ${sessionChars(LONG)} characters
  recounting everything takes so many times as long as a plan: ${ratio(planTime)}
  bytes a message: log ${bytes(memory.entriesBytes)}, context manager ${bytes(memory.managerBytes)}`);
}

for (const policy of [PLIMSOLL_POLICY, SVEN_POLICY, PI_POLICY]) await measure(policy);
