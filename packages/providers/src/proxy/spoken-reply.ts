import { ANTHROPIC_WIRE } from "../simulator/anthropic-wire.ts";
import { GEMINI_WIRE } from "../simulator/gemini.ts";
import { OPENAI_CHAT_WIRE } from "../simulator/openai-chat.ts";
import { OPENAI_RESPONSES_WIRE } from "../simulator/openai-responses.ts";
import { type Answer, type SimulatedWire, written } from "../simulator/wire.ts";
import type { ProxyWire } from "./wires.ts";

/** An answer that no vendor gave. */
export interface SpokenReply {
  readonly contentType: string;
  readonly bodyText: string;
}

/** The request that is answered. */
export interface SpokenTo {
  readonly modelId: string | null;
  readonly form: "streamed" | "whole";
  /** Tells its ids from those of other answers. */
  readonly serial: number;
  readonly nowMs: number;
}

const WIRES: { readonly [name in ProxyWire["name"]]: SimulatedWire } = {
  anthropic: ANTHROPIC_WIRE,
  "openai-chat": OPENAI_CHAT_WIRE,
  "openai-responses": OPENAI_RESPONSES_WIRE,
  gemini: GEMINI_WIRE,
};

const NO_TOKENS = {
  promptTokens: 0,
  readTokens: 0,
  writeTokens: 0,
  writeOneHourTokens: 0,
  uncachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
} as const;

/** A text as the answer of a wire, which measured nothing and costs nothing. */
export function spokenReply(name: ProxyWire["name"], text: string, { modelId, form, serial, nowMs }: SpokenTo): SpokenReply {
  const wire = WIRES[name];
  const answer: Answer = {
    serial,
    modelId: modelId ?? "",
    reply: { parts: [{ type: "text", text }] },
    counts: NO_TOKENS,
    createdSeconds: Math.floor(nowMs / 1_000),
    drops: [],
    binding: null,
    callId: (_, ownId) => ownId,
  };
  if (form === "whole") return { contentType: "application/json", bodyText: JSON.stringify(wire.whole(answer)) };
  return { contentType: "text/event-stream", bodyText: wire.events(answer, { wantsUsage: true }).map(written).join("") };
}
