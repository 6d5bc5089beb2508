/** How a server that speaks Chat Completions differs from the vendor's own. */
export interface ChatQuirks {
  /** The role of system text. */
  readonly systemRole: "system" | "developer";
  /** The name of the reply's limit. */
  readonly outputLimit: "max_completion_tokens" | "max_tokens";
  /** Whether a stream has to be asked for usage, or asking is an error. */
  readonly streamUsage: "ask" | "never-ask";
  /** What the content of a reply with calls alone is. */
  readonly callContent: "null" | "empty-string";
  /** Where reasoning comes back in a reply. */
  readonly reasoningField: "reasoning_content" | "reasoning" | null;
  /** Whether the reasoning of replies that call tools is to be sent back. */
  readonly reasoningSentBack: "with-calls" | "never";
  /** Whether the level of reasoning is sent as `reasoning_effort`; other servers refuse the name. */
  readonly reasoningEffort: "send" | "leave-out";
  /** Whether roles may come in any order, or user and assistant take turns: the user first, none twice, the assistant after results. */
  readonly roles: "any" | "alternate";
  /** Longest call id; `null` for no limit. */
  readonly maximumCallIdChars: number | null;
  /** Whether images are taken, or a text stands for them. */
  readonly images: "accept" | "describe";
}

/** The vendor's own server. */
export const OPENAI_QUIRKS: ChatQuirks = {
  systemRole: "developer",
  outputLimit: "max_completion_tokens",
  streamUsage: "ask",
  callContent: "null",
  reasoningField: null,
  reasoningSentBack: "never",
  reasoningEffort: "send",
  roles: "any",
  maximumCallIdChars: 40,
  images: "accept",
};

/**
 * What most other servers take: the older names, and turns. Many serve models whose chat templates refuse anything else
 * (vllm-project/vllm#6862, charmbracelet/crush#279).
 */
export const COMPATIBLE_QUIRKS: ChatQuirks = {
  ...OPENAI_QUIRKS,
  systemRole: "system",
  outputLimit: "max_tokens",
  reasoningField: "reasoning_content",
  reasoningEffort: "leave-out",
  roles: "alternate",
};
