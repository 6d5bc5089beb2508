import { PlimsollError } from "./error.ts";
import { isRecord, type JsonValue } from "./json.ts";
import type { StopReason } from "./message/message.ts";
import { suggestion } from "./schema-problems.ts";

/**
 * A provider's report of one request. `null` means not reported; zero means zero.
 *
 * `input` and `output` count the model's context at its last sampling, from which later sizes are predicted; `billed` is the paid usage. They differ
 * when one request samples several times (server-side tools or compaction).
 */
export interface Usage {
  readonly input: InputUsage;
  readonly output: { readonly totalTokens: number | null; readonly reasoningTokens: number | null };
  readonly billed: BilledUsage;
  /** The vendor's own object, unchanged. */
  readonly raw: JsonValue;
}

/** The prompt of a request. `totalTokens = uncachedTokens + cacheReadTokens + cacheWriteTokens` if all are reported. */
interface InputUsage {
  readonly totalTokens: number | null;
  readonly uncachedTokens: number | null;
  readonly cacheReadTokens: number | null;
  /** All cache writes, of any time to live. */
  readonly cacheWriteTokens: number | null;
  /** The part of `cacheWriteTokens` written with a time to live of one hour, if the vendor reports it separately. */
  readonly cacheWriteOneHourTokens: number | null;
}

/** Tokens paid for, over all samplings of the request. */
interface BilledUsage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** Parts of {@link usageOf}: a vendor's report, in either way of counting. */
export interface UsageParts extends Partial<Omit<InputUsage, "totalTokens">> {
  /** For vendors that report the prompt inclusive of its cached part. */
  readonly totalInputTokens?: number | null;
  readonly outputTokens?: number | null;
  readonly reasoningTokens?: number | null;
  readonly billed?: BilledUsage;
  readonly raw?: JsonValue;
}

const COUNTS = [
  ...["uncachedTokens", "cacheReadTokens", "cacheWriteTokens", "cacheWriteOneHourTokens"],
  ...["totalInputTokens", "outputTokens", "reasoningTokens"],
];

/**
 * A {@link Usage} from a vendor's report. Disjoint counts (`uncachedTokens` plus cache) are added up; the cached part of an inclusive count (`totalInputTokens`) is
 * subtracted from it, unless that part is larger and so was not in it. A missing figure stays `null`.
 */
export function usageOf(parts: UsageParts): Usage {
  // Refuses unknown keys and counts that are no numbers; a vendor's negative count is refused where it is logged.
  const refused = (key: string, why: string) => new PlimsollError("bad-input", `a usage: ${why}`, { key });
  const given: unknown = parts;
  if (!isRecord(given)) throw refused("", `expected an object, received ${String(given)}`);
  for (const [key, value] of Object.entries(given)) {
    if (key === "billed" || key === "raw") continue;
    if (!COUNTS.includes(key)) throw refused(key, `unknown key "${key}": ${suggestion(key, COUNTS)}`);
    if (value !== undefined && value !== null && !Number.isFinite(value))
      throw refused(key, `${key}: expected a number or null, received ${String(value)}`);
  }
  const cacheReadTokens = parts.cacheReadTokens ?? null;
  const cacheWriteTokens = parts.cacheWriteTokens ?? null;
  const cachedTokens = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  const total = parts.totalInputTokens ?? null;
  const isBeside = total !== null && total < cachedTokens;
  const inclusive = isBeside ? total + cachedTokens : total;
  const exclusive = isBeside ? total : (parts.uncachedTokens ?? null);
  const totalTokens = inclusive ?? (exclusive === null ? null : exclusive + cachedTokens);
  const uncachedTokens = exclusive ?? (inclusive === null ? null : inclusive - cachedTokens);
  const outputTokens = parts.outputTokens ?? null;
  return {
    input: {
      totalTokens,
      uncachedTokens,
      cacheReadTokens,
      cacheWriteTokens,
      cacheWriteOneHourTokens: parts.cacheWriteOneHourTokens ?? null,
    },
    output: { totalTokens: outputTokens, reasoningTokens: parts.reasoningTokens ?? null },
    billed: parts.billed ?? { inputTokens: totalTokens, outputTokens },
    raw: parts.raw ?? null,
  };
}

/** A usage in which nothing was reported: the call happened, its size is not known. */
export const UNREPORTED_USAGE: Usage = usageOf({});

/** The first count that is no whole number from zero on, by its name; `null` if all can be. */
export function impossibleCount({ input, output, billed }: Usage): { readonly name: string; readonly value: number } | null {
  for (const [group, counts] of Object.entries({ input, output, billed }))
    for (const [name, value] of Object.entries(counts) as [string, number | null][])
      if (value !== null && !(Number.isSafeInteger(value) && value >= 0)) return { name: `${group}.${name}`, value };
  return null;
}

/** Refuses counts that are none: no session can go on from them. */
export function refuseImpossible(usage: Usage): void {
  const count = impossibleCount(usage);
  if (count === null) return;
  const message = `${count.name} of a usage is ${count.value}: a count of tokens is a whole number from 0 on, or null`;
  throw new PlimsollError("bad-input", message, { reason: "impossible-usage", name: count.name, value: String(count.value) });
}

/** Makes the usage of a rejected request: the prompt's tokens as the provider's error names them, and 0 billed. */
export function rejectedUsage(promptTokens: number, limitTokens: number | null = null): Usage {
  const billed = { inputTokens: 0, outputTokens: 0 };
  return usageOf({ totalInputTokens: promptTokens, billed, ...(limitTokens === null ? {} : { raw: { limitTokens } }) });
}

/** The limit that the rejection of a prompt named, if nothing was cut for it; `null` for none. */
export function rejectedLimit({ raw }: Usage): number | null {
  return isRecord(raw) && typeof raw.limitTokens === "number" ? raw.limitTokens : null;
}

/** True for the usage of a request that was rejected: a prompt was measured, and nothing billed. */
export function isRejectedUsage({ input, billed }: Usage): boolean {
  return input.totalTokens !== null && input.totalTokens > 0 && billed.inputTokens === 0;
}

/** Adds the usage of two requests; `null` if one of them reported nothing at all, and in each figure that one of them left out. */
export function addedUsage(first: Usage | null, second: Usage | null): Usage | null {
  if (first === null || second === null) return null;
  const sum = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);
  return usageOf({
    totalInputTokens: sum(first.input.totalTokens, second.input.totalTokens),
    uncachedTokens: sum(first.input.uncachedTokens, second.input.uncachedTokens),
    cacheReadTokens: sum(first.input.cacheReadTokens, second.input.cacheReadTokens),
    cacheWriteTokens: sum(first.input.cacheWriteTokens, second.input.cacheWriteTokens),
    outputTokens: sum(first.output.totalTokens, second.output.totalTokens),
    reasoningTokens: sum(first.output.reasoningTokens, second.output.reasoningTokens),
    raw: [first.raw, second.raw],
  });
}

/**
 * Returns the usage to log for a call by its end: an aborted or failed call did not measure the context, in spite of its report, so the last good report stays in force.
 */
export function measuredUsage(usage: Usage, stopReason: StopReason | null): Usage {
  return stopReason === "aborted" || stopReason === "error" ? UNREPORTED_USAGE : usage;
}
