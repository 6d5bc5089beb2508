import type Anthropic from "@anthropic-ai/sdk";

/** A request's body on the Messages wire without what only streaming decides. */
export type AnthropicBody = Omit<Anthropic.MessageCreateParamsNonStreaming, "stream">;
