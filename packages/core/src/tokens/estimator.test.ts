import { describe, expect, test } from "vitest";
import { SVEN_LENGTH_ESTIMATE, SVEN_POLICY } from "../policy/presets/sven.ts";
import { human, usageEntry } from "../testing/builders.ts";
import { createEstimator, type EstimatorSpec } from "./built-in-estimators.ts";
import { EMPTY_LEDGER, type Overhead } from "./estimator.ts";
import { createWorkCounter } from "./measure.ts";

const bare: Overhead = { system: "", tools: [], dynamicContext: null, hiddenTokens: 0 };
const sven = () => createEstimator(SVEN_POLICY.estimator, createWorkCounter());

describe("calibrated-ema predicts the effective size", () => {
  test.each([
    ["E-4: rounded down", 3, 0.5, 0, 1],
    ["the factor does not touch the overhead", 2, 1.5, 500, 503],
  ])("%s", (_, estimatedTokens, factor, hiddenTokens, expectedTokens) => {
    const prediction = sven().predict({ ...EMPTY_LEDGER, estimatedTokens, factor }, { ...bare, hiddenTokens });
    expect(prediction).toEqual({
      expectedTokens,
      upperTokens: expectedTokens,
      reportedTokens: 0,
      estimatedTokens: expectedTokens,
      overheadTokens: hiddenTokens,
      basis: "calibrated-ema(chars-per-token(4, utf8-bytes))",
    });
  });

  test("a report is set against messages and overhead together", () => {
    const overhead = { ...bare, hiddenTokens: 80 };
    const ledger = sven().observe({ ...EMPTY_LEDGER, estimatedTokens: 20 }, usageEntry("r", "m", 200), overhead);
    expect(ledger.factor).toBeCloseTo(0.8 + 0.2 * 2, 12);
  });

  test("a call whose size was not reported teaches nothing", () => {
    const ledger = { ...EMPTY_LEDGER, estimatedTokens: 20 };
    const entry = usageEntry("r", "m", 200);
    const unreported = { ...entry, usage: { ...entry.usage, input: { ...entry.usage.input, totalTokens: null } } };
    expect(sven().observe(ledger, unreported, bare)).toBe(ledger);
  });

  test("a message costs its estimate times the factor", () => {
    expect(sven().messageTokens(human("a", "12345678"), { ...EMPTY_LEDGER, factor: 1.5 })).toBe(3);
  });
});

describe("overhead", () => {
  const overhead: Overhead = {
    system: "x".repeat(400),
    tools: [{ name: "read", description: "reads", parametersJson: "{}" }],
    dynamicContext: "y".repeat(40),
    hiddenTokens: 7,
  };

  test.each<[string, EstimatorSpec]>([
    ["chars-per-token", SVEN_LENGTH_ESTIMATE],
    ["calibrated-ema", SVEN_POLICY.estimator],
  ])("%s counts system, tools, dynamic context and what is hidden", (_, spec) => {
    const prediction = createEstimator(spec, createWorkCounter()).predict(EMPTY_LEDGER, overhead);
    expect(prediction.overheadTokens).toBe(100 + 2 + 10 + 7);
  });

  test("system and tools are scanned once, the dynamic context at every request", () => {
    const work = createWorkCounter();
    const estimator = createEstimator(SVEN_LENGTH_ESTIMATE, work);
    estimator.predict(EMPTY_LEDGER, overhead);
    const first = work.total().charactersScanned;
    // The same request is predicted once, for all callers.
    estimator.predict(EMPTY_LEDGER, overhead);
    expect(work.total().charactersScanned).toBe(first);
    estimator.predict({ ...EMPTY_LEDGER }, overhead);
    expect([first, work.total().charactersScanned - first]).toEqual([400 + 11 + 40, 40]);
  });

  test("other tools are priced anew", () => {
    const estimator = createEstimator(SVEN_LENGTH_ESTIMATE, createWorkCounter());
    estimator.predict(EMPTY_LEDGER, overhead);
    expect(estimator.predict(EMPTY_LEDGER, { ...overhead, tools: [] }).overheadTokens).toBe(100 + 10 + 7);
  });
});

test("chars-per-token does not learn", () => {
  const ledger = { ...EMPTY_LEDGER, estimatedTokens: 20 };
  expect(createEstimator(SVEN_LENGTH_ESTIMATE, createWorkCounter()).observe(ledger, usageEntry("r", "m", 200), bare)).toBe(
    ledger,
  );
});
