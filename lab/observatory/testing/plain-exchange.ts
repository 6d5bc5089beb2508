import type { ExchangeFacts } from "@plimsoll/simulator";

/** A main request that was answered, without any cached part. */
export const PLAIN_EXCHANGE: ExchangeFacts = {
  index: 0,
  wire: "openai-chat",
  kind: "main",
  outcome: "answered",
  status: 200,
  modelId: "m",
  promptTokens: 1_000,
  maxOutputTokens: null,
  toldPromptTokens: 1_000,
  cacheReadTokens: 0,
  dropCount: 0,
  systemTokens: 100,
  systemHash: "000000000000",
  toolCount: 2,
  toolsHash: "000000000000",
  itemCount: 10,
  roles: { user: 10 },
  sinceMain: null,
  probes: [],
  person: [0],
};
