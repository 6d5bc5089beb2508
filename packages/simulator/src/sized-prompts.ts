import { ANTHROPIC_WIRE } from "./anthropic-wire.ts";
import { GEMINI_WIRE } from "./gemini.ts";
import { OPENAI_CHAT_WIRE } from "./openai-chat.ts";
import { OPENAI_RESPONSES_WIRE } from "./openai-responses.ts";
import { countByLength, createSizer, type SizedSegment } from "./prompt-cache.ts";
import type { WireName } from "./reply.ts";

const WIRES = [ANTHROPIC_WIRE, OPENAI_CHAT_WIRE, OPENAI_RESPONSES_WIRE, GEMINI_WIRE];

/**
 * Reads request bodies as the simulator does, without its limits, into the pieces of each prompt that a cache distinguishes, with their sizes. Rejects bodies that every
 * vendor refuses.
 */
export function sizedPrompts(
  wireName: WireName,
  bodies: readonly unknown[],
  tokenFactorRatio = 1,
): readonly (readonly Pick<SizedSegment, "text" | "tokens">[])[] {
  const { sized } = createSizer(countByLength, tokenFactorRatio);
  const limits = {
    maximumOutputTokensOf: () => Number.POSITIVE_INFINITY,
    ...({ models: null, prefill: "reject", roles: "any", rules: {}, headers: {} } as const),
  };
  const wire = WIRES.find(({ name }) => name === wireName) ?? ANTHROPIC_WIRE;
  return bodies.map((body) => sized(wire.read(body, limits).segments));
}
