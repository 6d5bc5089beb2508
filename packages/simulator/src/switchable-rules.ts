/** A rule that not every model, account or server has. */
interface SwitchableRule {
  readonly rule: string;
  readonly wire: string;
  /** The day from which it holds, or when its page was read. */
  readonly since: string;
  readonly meaning: string;
  /** The option of `startSimulator` that changes it. */
  readonly option: string;
  /** The address of its page. */
  readonly source: string;
}

const CLAUDE = "https://platform.claude.com/docs/en/build-with-claude/";
const OPENAI = "https://developers.openai.com/api/docs/guides/";

/** Lists the switchable rules, as `plimsoll simulate --rules` prints them. */
export const SWITCHABLE_RULES: readonly SwitchableRule[] = [
  {
    rule: "thinking-prefix",
    wire: "anthropic",
    since: "2026-08-31",
    meaning:
      "Thinking is bound to system, undeferred tools and all earlier messages. After a change, this and later thinking is refused in the vendor's words, also by token counting. Cache marks and other parameters don't count as changes.",
    option: "rules.thinkingPrefix: every-model, off",
    source: `${CLAUDE}preserved-thinking/prefix-checks`,
  },
  {
    rule: "thinking-run",
    wire: "anthropic",
    since: "2026-08-31",
    meaning:
      "Returned thinking must be one unbroken run; its beginning, end or all may be missing. A gap or a moved block invalidates later thinking; a restored block invalidates the thinking written in between.",
    option: "rules.thinkingPrefix: every-model, off",
    source: `${CLAUDE}preserved-thinking/prefix-checks`,
  },
  {
    rule: "thinking-account",
    wire: "anthropic",
    since: "2026-08-31",
    meaning:
      "Older accounts: Fable 5.2 and Mythos 5.2 check every request, Mythos 5.1 none, other models those that name a behaviour.",
    option: "rules.account: before-2026-08-31",
    source: `${CLAUDE}preserved-thinking`,
  },
  {
    rule: "thinking-outcome",
    wire: "anthropic",
    since: "2026-08-31",
    meaning:
      "thinking.block_binding.prefix_mismatch_behavior chooses error or drop_block, needs the beta thinking-binding-controls-2026-08-01, and beats the default. With the beta, the answer lists dropped blocks in input_transformations.",
    option: "rules.prefixMismatch: drop_block",
    source: "https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding.html",
  },
  {
    rule: "thinking-model",
    wire: "anthropic",
    since: "2026-08-31",
    meaning: "Thinking from another model that this model can't read is dropped without an error.",
    option: "rules.thinkingModel: off",
    source: `${CLAUDE}preserved-thinking`,
  },
  {
    rule: "thinking-redacted",
    wire: "anthropic",
    since: "2025-02-24",
    meaning:
      "Thinking may arrive as redacted_thinking with data. It goes back unchanged, is bound like other thinking, and unknown data is refused.",
    option: "a part's form: redacted, or reasoning: every-reply-redacted",
    source: `${CLAUDE}extended-thinking`,
  },
  {
    rule: "system-messages",
    wire: "anthropic",
    since: "2026-05-28",
    meaning:
      "Claude Opus 4.8 and later accept the role system in the middle: right after a user message, and last or before an assistant message. Older models refuse it in the vendor's words; the words for a wrong place are ours.",
    option: "rules.systemMessages: every-model, refused",
    source: `${CLAUDE}mid-conversation-system-messages`,
  },
  {
    rule: "reasoning-prefix",
    wire: "openai-responses",
    since: "2026-11-18",
    meaning:
      "GPT-6 and later models don't see reasoning items over a changed prefix (tools, text.format, earlier items, before GPT-6.2 also instructions); the answer lists them in input_transformations as prefix_mismatch. The vendor's own compaction item keeps later reasoning.",
    option: "rules.reasoningPrefix: every-model, off",
    source: `${OPENAI}keep-prefix-unchanged`,
  },
  {
    rule: "reasoning-items",
    wire: "openai-responses",
    since: "2025-07-01",
    meaning:
      "An item sent back under its id needs its reasoning, and reasoning under its id needs the item that followed it. Items without ids are not checked.",
    option: "none: leave the ids out",
    source: "https://github.com/openai/openai-node/issues/1567",
  },
  {
    rule: "compaction-on-demand",
    wire: "anthropic",
    since: "2026-09-04",
    meaning:
      "With the beta compact-2026-09-04 a request with compaction.type summarize answers one signed block, or no content. The block goes first, once, unchanged and under the beta, in every later request. Thinking after it stays valid under the same system and tools.",
    option: "rules.compactEndpoint: off; rules.summaries: refused",
    source: `${CLAUDE}compaction-on-demand`,
  },
  {
    rule: "compact-endpoint",
    wire: "openai-responses",
    since: "2026-11-26",
    meaning:
      "/responses/compact answers with the user's messages and one compaction item with encrypted content, the next input. A changed item is refused.",
    option: "rules.compactEndpoint: off answers 404; rules.summaries: refused",
    source: `${OPENAI}compaction.md`,
  },
  {
    rule: "turns",
    wire: "openai-chat",
    since: "2026-11-26",
    meaning:
      "Chat templates of Mistral and Gemma (vLLM, llama.cpp) require alternating user and assistant, and one system message, first.",
    option: "roles: alternate",
    source: "https://github.com/vllm-project/vllm/issues/6862",
  },
  {
    rule: "call-ids",
    wire: "openai-chat",
    since: "2026-11-26",
    meaning:
      "Kimi numbers calls as functions.NAME:INDEX within the request; other servers restart the count. After a cut or a restart one id names two calls, so calls pair by place.",
    option: "rules.callIds: by-name, each-start, each-reply (all wires)",
    source: "https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/chat_utils.py",
  },
  {
    rule: "declared-tools",
    wire: "openai-responses",
    since: "2026-11-26",
    meaning:
      "With newer models Codex sends no tools and no instructions: an item additional_tools and developer messages carry them. Tools are read from both places; without them the model can call nothing.",
    option: "rules.undeclaredTools: refused, not-called (all wires)",
    source: "https://github.com/openai/codex",
  },
  {
    rule: "media-anthropic",
    wire: "anthropic",
    since: "2026-11-26",
    meaning:
      "At most 32 MB a request; 600 images and documents, and as many pages and images (100 in windows under a million tokens); 10 MB of base64 and 8,000 pixels a side per image, 2,000 pixels in requests of more than 20.",
    option: "rules.media: off, or limits of a gateway's (all wires)",
    source: `${CLAUDE}vision`,
  },
  {
    rule: "media-openai",
    wire: "openai-responses",
    since: "2026-11-26",
    meaning:
      "At most 512 MB and 1,500 images a request (Chat Completions too), and 50 MB of files. The refusals' words are ours: no report of one was found.",
    option: "rules.media: off, or limits of a gateway's (all wires)",
    source: `${OPENAI}images-vision`,
  },
  {
    rule: "media-gemini",
    wire: "gemini",
    since: "2026-11-26",
    meaning: "At most 20 MB a request, media included, and 3,600 images; larger ones have passed.",
    option: "rules.media: off, or limits of a gateway's (all wires)",
    source: "https://ai.google.dev/gemini-api/docs/image-understanding",
  },
];
