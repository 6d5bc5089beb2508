import { z } from "zod";
import { applyEdits, type ReplacePartEdit } from "../edit/apply-edits.ts";
import { partHandle } from "../message/handle.ts";
import { type Message, oncePerMessage, type Part } from "../message/message.ts";
import { clearedText, endsOf, isClearedText, omittedText } from "../prompts/notices.ts";
import { commonCap } from "../truncation/span.ts";
import { defineStrategy, type StrategyAnswer, type StrategyInput, type StrategyKind } from "./strategy.ts";

/** Cuts the largest tool results and assistant texts to head and tail until the view fits. Needs no model. */
export interface CutOversizedSpec {
  readonly kind: "cut-oversized";
  /** To one cap at which the view fits, or all of them to their stubs. */
  readonly to: "fit" | "stubs";
}

/**
 * Cuts tool results and assistant texts to one common cap, the largest at which the view fits: small parts stay whole, large
 * ones keep their head and tail. Human messages, calls and reasoning are never cut.
 */
export const CUT_OVERSIZED: StrategyKind = defineStrategy<CutOversizedSpec>({
  kind: "cut-oversized",
  schema: z.strictObject({
    kind: z.literal("cut-oversized"),
    to: z.enum(["fit", "stubs"]).describe("The size of shortened results: just enough to fit, or stubs."),
  }),
  needsModel: () => false,
  plan: cutOversized,
});

function cutOversized({ to }: CutOversizedSpec, input: StrategyInput): StrategyAnswer {
  const parts = input.messages.flatMap((message) => cuttableParts(message, input));
  const usedTokens = input.messages.reduce((sum, message) => sum + input.messageTokens(message), 0);
  const otherTokens = usedTokens - parts.reduce((sum, part) => sum + part.tokens, 0);
  const sizes = parts.map((part) => part.tokens);
  const editsWithin = (roomTokens: number) => {
    const capTokens = to === "stubs" ? 0 : commonCap(sizes, roomTokens - otherTokens);
    return parts.flatMap((part) => (part.tokens > capTokens ? shortened(part, capTokens, { to, ...input }) : []));
  };
  let edits = editsWithin(input.roomTokens);
  // The remaining text may measure as more than its texts do: it is measured as the view will be, and the cap follows.
  for (let tries = 0, roomTokens = input.roomTokens; to === "fit" && tries < CAP_TRIES && edits.length > 0; tries++) {
    const overTokens = usedTokens - savedBy(edits, input) - input.roomTokens;
    if (overTokens <= 0) break;
    roomTokens -= Math.max(overTokens, edits.length) * LOWERED_RATIO * (tries + 1);
    edits = editsWithin(roomTokens);
  }
  const [first, ...rest] = edits;
  return first === undefined
    ? { kind: "not-applicable", reason: "no tool result or assistant text is left to cut" }
    : { kind: "edits", edits: [first, ...rest] };
}

/** How often a cap is tried again, and the share of the excess by which it is lowered, doubled the second time. Chosen. */
const CAP_TRIES = 2;
const LOWERED_RATIO = 1.2;

function savedBy(edits: readonly ReplacePartEdit[], { messages, messageTokens }: StrategyInput): number {
  const cut = new Set(edits.map(({ messageId }) => messageId));
  const whole = messages.filter(({ id }) => cut.has(id));
  const applied = edits.map(({ text, ...edit }) => ({ ...edit, part: { type: "text", text } as const, removedChars: 0 }));
  const tokensOf = (some: readonly Message[]) => some.reduce((sum, message) => sum + messageTokens(message), 0);
  return tokensOf(whole) - tokensOf(applyEdits(whole, applied));
}

interface CuttablePart {
  readonly message: Message;
  readonly part: Part;
  readonly partIndex: number;
  readonly tokens: number;
}

function cuttableParts(message: Message, input: StrategyInput): readonly CuttablePart[] {
  const isCuttable = message.role === "tool-result" || (message.role === "assistant" && message.origin === "model");
  if (!isCuttable) return [];
  const parts = partsAlone(message).map((only) =>
    only === null ? null : input.measure.messageTokens(only) * input.scaleRatio,
  );
  const partTokens = parts.reduce<number>((sum, tokens) => sum + (tokens ?? 0), 0);
  // A result is its parts: a report may have measured it as more, or less, than they come to.
  const ratio = message.role === "tool-result" && partTokens > 0 ? input.messageTokens(message) / partTokens : 1;
  return message.parts.flatMap((part, partIndex) => {
    const tokens = parts[partIndex] ?? null;
    return tokens === null ? [] : [{ message, part, partIndex, tokens: tokens * ratio }];
  });
}

/** Each part as a message of its own, `null` for one that is not cut: the same values for every cut, so that each is priced once. */
const partsAlone = oncePerMessage(({ parts }): readonly (Message | null)[] =>
  parts.map((part) =>
    part.type === "text" || part.type === "image"
      ? { role: "user", id: "part", origin: "injected", parts: [part], atMs: null }
      : null,
  ),
);

/** Head and tail at the cap, or a stub if not even a short head and tail fit; nothing for a stub, or if one is no shorter. To fit, a stub is less than half of its text; chosen. */
function shortened(
  { message, part, partIndex }: CuttablePart,
  capTokens: number,
  input: StrategyInput & Pick<CutOversizedSpec, "to">,
): readonly ReplacePartEdit[] {
  const handle = partHandle(message.id, partIndex);
  if (part.type === "text" && isClearedText(part.text, handle)) return [];
  const chars = part.type === "text" ? part.text.length : 0;
  const quoted = part.type === "text" ? headAndTail(part.text, capTokens, { handle, input }) : null;
  const text = quoted ?? clearedText(part.type === "image" ? "image" : "text", chars, handle);
  if (part.type === "text" && text.length >= (quoted === null && input.to === "fit" ? chars / 2 : chars)) return [];
  return [{ kind: "replace-part", messageId: message.id, partIndex, text, handle }];
}

/** Below this many characters of head and tail together a stub says as much; chosen. */
const MINIMUM_QUOTE_CHARS = 80;

/** Head and tail around a line that counts the rest, within the cap by the measure; `null` if that is too small. Each round shortens by a tenth at least. */
function headAndTail(
  text: string,
  capTokens: number,
  { handle, input }: { handle: string; input: StrategyInput },
): string | null {
  if (capTokens <= 0) return null;
  const textTokens = input.measure.textTokens(text) * input.scaleRatio;
  let quoteChars = Math.floor((text.length * capTokens) / Math.max(1, textTokens)) - omittedText(text.length, handle).length;
  while (quoteChars >= MINIMUM_QUOTE_CHARS) {
    const candidate = endsOf(text, quoteChars, handle);
    if (input.measure.textTokens(candidate) * input.scaleRatio <= capTokens) return candidate;
    quoteChars = Math.floor(quoteChars * 0.9) - 1;
  }
  return null;
}
