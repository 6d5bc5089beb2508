import type { Policy } from "@plimsoll/core";
import { createContextManager, PI_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { foldEntries, foldEntry } from "@plimsoll/core/internal";
import type { Comparison } from "./comparison.ts";
import { cutOf } from "./cut.ts";
import { longSession } from "./long-session.ts";
import { planningTask } from "./planning.ts";
import { quietSession } from "./quiet-gate.ts";

const SHORT = 100;
const LONG = 10_000;

/** Gates, plans and folds at 10,000 messages: against 100 messages, and against doing everything anew, as a loop without a log does. */
export async function engineComparisons(): Promise<readonly Comparison[]> {
  return [...[PLIMSOLL_POLICY, SVEN_POLICY, PI_POLICY].flatMap(gateAndPlan), cutOf(PLIMSOLL_POLICY, LONG), ...folds()];
}

function gateAndPlan(policy: Policy): readonly Comparison[] {
  const { signal } = new AbortController();
  const short = quietSession(policy, { messageCount: SHORT });
  const long = quietSession(policy, { messageCount: LONG });
  const planning = planningTask(policy, LONG);
  const gate = () => long.manager.fit(long.input, signal);
  return [
    {
      slow: `${policy.name}: a quiet gate at ${LONG} messages`,
      fast: `at ${SHORT}`,
      runSlow: gate,
      runFast: () => short.manager.fit(short.input, signal),
      unlike: null,
    },
    {
      slow: `${policy.name}: recounting ${LONG} messages`,
      fast: "a quiet gate",
      runSlow: planning.recount,
      runFast: gate,
      unlike: null,
    },
    {
      slow: `${policy.name}: recounting ${LONG} messages`,
      fast: "a plan over them",
      runSlow: planning.recount,
      runFast: planning.plan,
      unlike: null,
    },
  ];
}

function folds(): readonly Comparison[] {
  const entries = longSession(LONG);
  const half = longSession(LONG / 2);
  const view = foldEntries(entries);
  const [next] = longSession(1).slice(1);
  if (next === undefined) throw new Error("the session is empty");
  const summarizer = () => Promise.reject(new Error("nothing is summarised"));
  return [
    {
      slow: `folding ${LONG} messages`,
      fast: "half of them",
      runSlow: () => foldEntries(entries),
      runFast: () => foldEntries(half),
      unlike: null,
    },
    {
      slow: `folding ${LONG} messages anew for one more`,
      fast: "folding that one",
      runSlow: () => foldEntries(entries),
      runFast: () => foldEntry(view, next),
      unlike: "the one message is folded onto the same view each time, which copies its list; in a session it is not",
    },
    {
      slow: `opening a session of ${LONG} messages`,
      fast: "JSON.stringify of its log",
      runSlow: () => createContextManager({ policy: PLIMSOLL_POLICY, summarizer, entries }),
      runFast: () => JSON.stringify(entries),
      unlike: "opening makes view, ledger, facts and index, and prices every message",
    },
  ];
}
