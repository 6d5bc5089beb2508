import { type Fields, recordAt, recordsAt, stringAt } from "./fields.ts";
import type { SimulatedRules } from "./rules.ts";
import { type Drop, hashOf, type PromptBinding } from "./wire.ts";

/**
 * Models that are not shown reasoning over a changed prefix: developers.openai.com/api/docs/guides/keep-prefix-unchanged, read in November 2026. The page names "newer
 * frontier models", and GPT-6.2 as the first whose `instructions` do not count.
 */
const BOUND_MODELS = /gpt-(?:[6-9]|\d\d)(?!\d)/;
const READS_INSTRUCTIONS_LAST = /gpt-(?:6[.-][2-9]|[7-9]|\d\d)(?!\d)/;

/** The mark between the content that is checked and the prefix that it was given under. */
const UNDER = ".";

/** The content of reasoning without the prefix. */
export function contentOf(encrypted: string): string {
  return encrypted.split(UNDER)[0] ?? "";
}

/** The outcome of a check of a request's reasoning. */
export interface ReasoningAnswer {
  readonly drops: readonly Drop[];
  readonly dropped: ReadonlySet<Fields>;
  readonly binding: PromptBinding | null;
}

/** Finds the reasoning that the model is not shown. Compaction by the vendor keeps the items after it. */
export function checkReasoningPrefix(body: unknown, items: readonly Fields[], asked: ReasoningRequest): ReasoningAnswer {
  const { modelId, rules } = asked;
  const isBound = rules.reasoningPrefix === undefined ? BOUND_MODELS.test(modelId) : rules.reasoningPrefix === "every-model";
  const drops: Drop[] = [];
  const dropped = new Set<Fields>();
  if (!isBound) return { drops, dropped, binding: null };
  let hash = openingOf(body, modelId);
  let isCompacted = false;
  for (const [index, item] of items.entries()) {
    isCompacted ||= item.type === "compaction";
    const [, prefix] = (stringAt(item, "encrypted_content") ?? "").split(UNDER);
    if (item.type !== "reasoning") hash = after(hash, item);
    else if (prefix !== undefined && prefix !== hash && !isCompacted) {
      drops.push({ path: `input[${index}]`, id: stringAt(item, "id"), reason: "prefix_mismatch" });
      dropped.add(item);
    }
  }
  const sign = (content: string, before: readonly Fields[]) => [content, before.reduce(after, hash)].join(UNDER);
  return { drops, dropped, binding: { sign, isTold: drops.length > 0 } };
}

/** A request whose reasoning is checked. */
export interface ReasoningRequest {
  readonly modelId: string;
  readonly rules: SimulatedRules;
}

function openingOf(body: unknown, modelId: string): string {
  const instructions = READS_INSTRUCTIONS_LAST.test(modelId) ? null : stringAt(body, "instructions");
  return hashOf([recordsAt(body, "tools"), recordAt(recordAt(body, "text"), "format"), instructions]);
}

/** The prefix after one more item. Fields that an agent may leave out of it (its id, its status) are no change, nor is bare text as a part. */
function after(hash: string, item: Fields): string {
  if (item.type === "reasoning") return hash;
  const { id, status, type = "message", content, ...rest } = item;
  const parts = typeof content === "string" ? [{ text: content }] : recordsAt(item, "content").map(partOf);
  return hashOf([hash, type, parts, Object.entries(rest).sort(([one], [other]) => (one < other ? -1 : 1))]);
}

function partOf({ type, annotations, logprobs, ...rest }: Fields): unknown {
  return "text" in rest ? rest : { type, ...rest };
}
