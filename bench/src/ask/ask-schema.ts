import { z } from "zod";
import { ASKED_CONTEXTS, type AskReport } from "./ask-report.ts";

const count = z.int().nonnegative();
const interval = z.strictObject({ from: z.number(), through: z.number() }).nullable();
const share = z.strictObject({ agreed: count, of: count });
const difference = z.strictObject({
  calls: count,
  gained: count,
  lost: count,
  ratio: z.number().nullable(),
  interval,
  detectableRatio: z.number().nullable(),
});
const context = z.enum(ASKED_CONTEXTS);
const why = z.enum(["failed", "overflow", "empty", "cut-off", "refused", "not-asked"]);

const agreement = z.strictObject({ tool: z.boolean(), path: z.boolean().nullable(), arguments: z.boolean() });
const answer = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("answered"), toolName: z.string().nullable(), agreement }),
  z.strictObject({ kind: z.literal("missing"), why }),
]);

const policy = z.strictObject({
  policy: z.string(),
  openCalls: count,
  tooLongCalls: count,
  drawnCalls: count,
  drawnSessions: count,
  contexts: z
    .array(
      z.strictObject({
        context,
        meanPromptTokens: z.number().nullable(),
        answered: count,
        missing: z.array(z.strictObject({ why, calls: count })).readonly(),
      }),
    )
    .readonly(),
  comparisons: z
    .array(
      z.strictObject({
        of: context,
        with: z.enum([...context.options, "recorded"]),
        calls: count,
        tool: share,
        path: share,
        arguments: share,
      }),
    )
    .readonly(),
  differences: z
    .array(z.strictObject({ of: context, minus: context, tool: difference, path: difference, arguments: difference }))
    .readonly(),
});

/** Schema of {@link AskReport}. */
export const askReportSchema: z.ZodType<AskReport> = z.strictObject({
  model: z.string(),
  window: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("working-room"), tokens: z.number().positive() }),
    z.strictObject({ kind: z.literal("real") }),
  ]),
  callsAPolicy: count,
  sessions: z
    .array(z.strictObject({ session: z.string(), toolsFrom: z.enum(["log", "calls", "nowhere"]), hasSystem: z.boolean() }))
    .readonly(),
  policies: z.array(policy).readonly(),
  calls: z
    .array(
      z.strictObject({
        session: z.string(),
        policy: z.string(),
        call: count,
        recordedTool: z.string().nullable(),
        answers: z.strictObject({ full: answer, compacted: answer, again: answer, tail: answer }),
      }),
    )
    .readonly(),
});
