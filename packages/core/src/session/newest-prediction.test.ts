import { expect, test } from "vitest";
import { BUILT_IN_KINDS } from "../policy/kinds.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { createDigest } from "../summarizer/digest.ts";
import { human, logOf, usageEntry } from "../testing/builders.ts";
import { createContextManager } from "./context-manager.ts";

const MODEL = { contextWindowTokens: 100_000, maxOutputTokens: 1000 };

/** A session whose predictions are counted. */
function counted() {
  let predictions = 0;
  const estimators = BUILT_IN_KINDS.estimators.map((kind) => ({
    ...kind,
    create: (...given: Parameters<typeof kind.create>) => {
      const estimator = kind.create(...given);
      const predict: typeof estimator.predict = (ledger, overhead) => {
        predictions += 1;
        return estimator.predict(ledger, overhead);
      };
      return { ...estimator, predict };
    },
  }));
  const kinds = { ...BUILT_IN_KINDS, estimators };
  const manager = createContextManager({
    policy: PLIMSOLL_POLICY,
    summarizer: createDigest(),
    entries: logOf([human("a", "words")]),
    kinds,
  });
  const gate = (dynamicContext: string | null = null) =>
    manager.fit({ gate: "before-step", pending: [], model: MODEL, nowMs: null, dynamicContext }, new AbortController().signal);
  return { manager, gate, predictions: () => predictions };
}

test("the gates of a call and whoever asks behind them share one prediction", async () => {
  const { manager, gate, predictions } = counted();
  await gate();
  await gate();
  manager.predict();
  expect(predictions()).toBe(1);
});

test.each<[string, (session: ReturnType<typeof counted>) => unknown]>([
  ["a message came", ({ manager }) => manager.append({ type: "message", message: human("b", "more words") })],
  ["a report came", ({ manager }) => manager.append(usageEntry("r", "a", 50))],
  [
    "the system text is another one",
    ({ manager }) => manager.append({ type: "setup-change", id: "s", system: "brief", tools: [], atMs: null }),
  ],
  ["there is a dynamic context", ({ gate }) => gate("branch main")],
])("a prediction is made anew if %s", async (_, change) => {
  const session = counted();
  await session.gate();
  const before = session.predictions();
  await change(session);
  const asked = session.manager.predict();
  expect(session.predictions()).toBeGreaterThan(before);
  const { manager } = session;
  const again = createContextManager({ policy: PLIMSOLL_POLICY, summarizer: createDigest(), entries: manager.entries() });
  expect(asked).toEqual(again.predict());
});

test("what a caller does with its prediction is not seen by the next gate", () => {
  const { manager } = counted();
  const first = manager.predict();
  expect(manager.predict()).not.toBe(first);
  expect(manager.predict()).toEqual(first);
});
