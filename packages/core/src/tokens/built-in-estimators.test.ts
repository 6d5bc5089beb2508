import { describe, expect, test } from "vitest";
import { z } from "zod";
import { BUILT_IN_KINDS } from "../policy/kinds.ts";
import { policySchema } from "../policy/policy.ts";
import { PI_LENGTH_ESTIMATE, PI_POLICY } from "../policy/presets/pi.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { human, usageEntry } from "../testing/builders.ts";
import { BUILT_IN_ESTIMATORS, createEstimator, encodingsUsed, type Measures } from "./built-in-estimators.ts";
import { defineEstimator, defineMeasure, EMPTY_LEDGER, type EstimatorKind, type Overhead } from "./estimator.ts";
import { createWorkCounter } from "./measure.ts";

const NOTHING: Overhead = { system: "", tools: [], dynamicContext: null, hiddenTokens: 0 };

interface PartsSpec {
  readonly kind: "parts";
  readonly tokensPerPart: number;
}

/** A measure from outside: so many tokens a part. */
const PARTS: EstimatorKind = defineMeasure<PartsSpec>({
  kind: "parts",
  schema: z.strictObject({ kind: z.literal("parts"), tokensPerPart: z.number() }),
  measure: ({ tokensPerPart }) => ({
    name: "parts",
    messageTokens: ({ parts }) => parts.length * tokensPerPart,
    textTokens: () => tokensPerPart,
    toolsTokens: (tools) => tools.length * tokensPerPart,
  }),
});

/** An estimator from outside that keeps something of its own: the newest report. */
const NEWEST: EstimatorKind = defineEstimator<{ readonly kind: "newest" }>({
  kind: "newest",
  schema: () => z.strictObject({ kind: z.literal("newest") }),
  create: (_, { measureOf, tokenizerOf }) => {
    tokenizerOf("words");
    const measure = measureOf({ kind: "char-class" });
    return {
      name: "newest",
      measure,
      scaleRatio: () => 1,
      messageTokens: (message) => measure.messageTokens(message),
      observe: (ledger, { usage }) => ({ ...ledger, own: usage.input.totalTokens }),
      predict: ({ own }) => {
        const expectedTokens = z.number().catch(0).parse(own);
        return {
          expectedTokens,
          upperTokens: expectedTokens,
          reportedTokens: expectedTokens,
          estimatedTokens: 0,
          overheadTokens: 0,
          basis: "newest",
        };
      },
    };
  },
});

const kinds = [...BUILT_IN_ESTIMATORS, PARTS, NEWEST];
const tokenizers = { words: () => 1 };

describe("an estimator from outside", () => {
  test("a measure prices messages", () => {
    const spec: PartsSpec = { kind: "parts", tokensPerPart: 7 };
    expect(createEstimator(spec, createWorkCounter(), { kinds }).measure.messageTokens(human("a", "text"))).toBe(7);
  });

  test("each message value is priced once, and the measure need not remember", () => {
    const asked: string[] = [];
    const kind = defineMeasure<{ readonly kind: "asked" }>({
      kind: "asked",
      schema: z.strictObject({ kind: z.literal("asked") }),
      measure: () => ({ name: "asked", messageTokens: ({ id }) => asked.push(id), textTokens: () => 0, toolsTokens: () => 0 }),
    });
    const { measure, messageTokens } = createEstimator({ kind: "asked" }, createWorkCounter(), { kinds: [kind] });
    const [a, b] = [human("a", "text"), human("b", "text")];
    expect([a, b, a].map((message) => messageTokens(message, EMPTY_LEDGER))).toEqual([1, 2, 1]);
    expect(measure.messageTokens(b)).toBe(2);
    expect(asked).toEqual(["a", "b"]);
  });

  test("a message is priced once by all estimators that share a measure, and once by each other measure", () => {
    const measures: Measures = new Map();
    const work = createWorkCounter();
    const message = human("a", "x".repeat(100));
    for (const spec of [PI_POLICY.estimator, PI_LENGTH_ESTIMATE, { kind: "char-class" }])
      createEstimator(spec, work, { measures }).messageTokens(message, EMPTY_LEDGER);
    expect(work.total().charactersScanned).toBe(200);
  });

  test("a built-in estimator can be built on a measure from outside", () => {
    const of = { kind: "parts", tokensPerPart: 7 };
    const spec = { kind: "usage-anchored", of, anchor: "prompt" } as const;
    const prediction = createEstimator(spec, createWorkCounter(), { kinds }).predict(EMPTY_LEDGER, NOTHING);
    expect(prediction).toMatchObject({ expectedTokens: 7, basis: "usage-anchored(parts)" });
  });

  test("an estimator keeps what reports taught it in the ledger", () => {
    const estimator = createEstimator({ kind: "newest" }, createWorkCounter(), { kinds, tokenizers });
    const ledger = estimator.observe(EMPTY_LEDGER, usageEntry("r", "m", 300), NOTHING);
    expect(estimator.predict(ledger, NOTHING).expectedTokens).toBe(300);
  });

  test("an estimator tells which encodings it counts by", () => {
    expect(encodingsUsed([{ kind: "newest" }], kinds)).toEqual(["words"]);
  });
});

describe("the schema of an estimator is made from the kinds that are there", () => {
  test.each<[string, unknown, readonly EstimatorKind[], boolean]>([
    ["a built-in kind is read", { kind: "ledger" }, BUILT_IN_ESTIMATORS, true],
    ["a kind from outside is read if it is there", { kind: "parts", tokensPerPart: 7 }, kinds, true],
    ["a kind that is not there is refused", { kind: "parts", tokensPerPart: 7 }, BUILT_IN_ESTIMATORS, false],
    ["settings that a kind refuses are refused", { kind: "parts", tokensPerPart: "7" }, kinds, false],
    [
      "a measure from outside is read below another estimator",
      { kind: "usage-anchored", of: { kind: "parts", tokensPerPart: 7 }, anchor: "prompt" },
      kinds,
      true,
    ],
    [
      "an estimator that is no measure carries no other",
      { kind: "usage-anchored", of: { kind: "ledger" }, anchor: "prompt" },
      kinds,
      false,
    ],
  ])("%s", (_, spec, there, isRead) => {
    const schema = policySchema({ ...BUILT_IN_KINDS, estimators: there });
    expect(schema.safeParse({ ...PLIMSOLL_POLICY, estimator: spec }).success).toBe(isRead);
  });
});

describe("an estimator that cannot be made is an error that says why", () => {
  test.each<[string, Parameters<typeof createEstimator>[0], string]>([
    ["a kind that is not there", { kind: "parts" }, 'unknown estimator kind "parts": known: chars-per-token, char-class'],
    ["a setting that its kind refuses", { kind: "bpe", encoding: "", perMessageTokens: 4 }, "bpe.encoding: "],
    [
      "a kind that is no measure below another",
      { kind: "usage-anchored", of: { kind: "ledger" }, anchor: "prompt" },
      "it is not a measure",
    ],
  ])("%s", (_, spec, why) => {
    expect(() => createEstimator(spec, createWorkCounter())).toThrow(
      expect.objectContaining({ code: "bad-policy", message: expect.stringContaining(why) }),
    );
  });
});
