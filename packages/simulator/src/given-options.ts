import { z } from "zod";
import type { SimulatorOptions } from "./options.ts";

const fn = z.custom<unknown>((value) => typeof value === "function", "expected a function");
const count = z.number().nonnegative();

/** A schema for each option: to forget one does not compile. */
const KEYS: { readonly [Key in keyof Required<SimulatorOptions>]: z.ZodType } = {
  replies: z.union([z.array(z.unknown()), fn]),
  contextWindowTokens: z.number().positive().optional(),
  maximumOutputTokens: z.union([count, fn]).optional(),
  windowHolds: z.enum(["prompt-and-reply", "prompt"]).optional(),
  prefill: z.enum(["accept", "reject"]).optional(),
  roles: z.enum(["any", "alternate"]).optional(),
  rules: z.looseObject({}).optional(),
  reasoning: z.enum(["every-reply", "every-reply-without-text", "every-reply-redacted"]).optional(),
  countTokens: fn.optional(),
  tokenFactorRatio: count.optional(),
  cache: z.strictObject({ minimumTokens: count, timeToLiveMs: count, stepTokens: count }).nullable().optional(),
  nowMs: fn.optional(),
  faults: fn.optional(),
  onRequest: fn.optional(),
  onAnswer: fn.optional(),
  onExchange: fn.optional(),
  models: z.array(z.string()).optional(),
  key: z.string().optional(),
  port: count.optional(),
};

/** Throws a `bad-input` error, in the form of core's, for impossible options. */
export function checkOptions(given: unknown): void {
  const issues = z.strictObject(KEYS).safeParse(given).error?.issues ?? [];
  // A misspelt key is missing under its right name, too.
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  if (issue === undefined) return;
  const [unknown] = issue.code === "unrecognized_keys" ? issue.keys : [];
  const key = [...issue.path, ...(unknown === undefined ? [] : [unknown])].join(".");
  const isMissing = key in KEYS && !(key in Object(given));
  const problem =
    unknown !== undefined
      ? `unknown key "${unknown}": did you mean ${nearest(unknown)}?`
      : isMissing
        ? `missing key "${key}"`
        : `${key}: ${issue.message}`;
  const error = new Error(`the options of a simulator: ${problem}`);
  throw Object.assign(error, { name: "PlimsollError", code: "bad-input", details: { key } });
}

/** The option with the most pairs of letters in common. */
function nearest(name: string): string {
  const pairsOf = (text: string) => Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2).toLowerCase());
  const own = new Set(pairsOf(name));
  const sharedRatio = (key: string) => pairsOf(key).filter((pair) => own.has(pair)).length / key.length;
  return Object.keys(KEYS).reduce((best, key) => (sharedRatio(key) > sharedRatio(best) ? key : best), "replies");
}
