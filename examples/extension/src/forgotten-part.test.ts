import { type BenchExtension, type Importer, type Metric, type Peer, partsWith } from "@plimsoll/bench";
import {
  amountSchema,
  defineKeepRule,
  defineMeasure,
  defineStrategy,
  type Prompt,
  type Truncation,
} from "@plimsoll/core/extend";
import { expect, test } from "vitest";
import { z } from "zod";
import type { PlainSpec } from "./parts/estimator.ts";
import { MINUTES } from "./parts/importer.ts";
import type { OpeningSpec } from "./parts/keep-rule.ts";
import { SPOKEN } from "./parts/metric.ts";
import { HASTY } from "./parts/peer.ts";
import { ONE_SENTENCE } from "./parts/prompt.ts";
import type { ForgetSpec } from "./parts/strategy.ts";

const MEASURE = { name: "none", messageTokens: () => 0, textTokens: () => 0, toolsTokens: () => 0 };

// Each line below would not compile without the directive above it: a part that is forgotten is a type error.

const { recognises: _recognises, ...unrecognised } = MINUTES;
// @ts-expect-error: an importer has to recognise its files
const importer: Importer = unrecognised;

const { pool: _pool, ...unpooled } = SPOKEN;
// @ts-expect-error: a metric says how sessions are put together
const metric: Metric = unpooled;

const { caveat: _caveat, ...uncautious } = SPOKEN.figures.replies;
// @ts-expect-error: a figure has to name its limits
const figure: Metric = { ...SPOKEN, figures: { replies: uncautious } };

const { notExpressed: _notExpressed, ...complete } = HASTY;
// @ts-expect-error: a peer has to name its policy's limits
const peer: Peer = complete;

// @ts-expect-error: an extension has importers, metrics and peers
const extension: BenchExtension = { importer: [MINUTES] };

defineStrategy<ForgetSpec>({
  kind: "forget",
  schema: z.strictObject({ kind: z.literal("forget"), keepMessages: z.int() }),
  needsModel: () => false,
  // @ts-expect-error: a strategy answers with edits, or says why it has none
  plan: () => undefined,
});

defineKeepRule<OpeningSpec>({
  kind: "opening",
  schema: z.strictObject({ kind: z.literal("opening"), atMost: amountSchema }),
  // @ts-expect-error: a rule that keeps messages has an amount
  rule: () => ({ keeps: "messages", choose: () => [] }),
});

// @ts-expect-error: a measure has a schema of its settings
defineMeasure<PlainSpec>({ kind: "plain", measure: () => MEASURE });

const { version: _version, ...unversioned } = ONE_SENTENCE;
// @ts-expect-error: a prompt has a version
const prompt: Prompt = unversioned;

// @ts-expect-error: a truncation says how it cuts
const truncation: Truncation = { category: "poem" };

test("parts that are whole are taken", () => {
  expect([importer, metric, figure, peer, extension, prompt, truncation]).toHaveLength(7);
  expect(partsWith([{ importers: [MINUTES], metrics: [SPOKEN], peers: [HASTY] }]).metrics).toContain(SPOKEN);
});
