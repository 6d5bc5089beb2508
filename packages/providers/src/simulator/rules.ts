import type { WireName } from "./reply.ts";

/** How a simulated provider applies rules that not every model, account or server has. Each that is left out holds as {@link SIMULATED_RULES} says. */
export interface SimulatedRules {
  /** Whether thinking is bound to what stands before it: on every model, or on none. */
  readonly thinkingPrefix?: "every-model" | "off";
  /** The treatment of thinking over a changed prefix if the request does not choose. */
  readonly prefixMismatch?: "error" | "drop_block";
  /** When the account was made: older ones are checked by the newest models alone, and where the request asks for it. */
  readonly account?: "since-2026-08-31" | "before-2026-08-31";
  /** Whether a model is kept from reading thinking of models that it cannot read. */
  readonly thinkingModel?: "off";
  /** Whether the Responses API leaves reasoning out that stands over a changed prefix: of every model, or of none. */
  readonly reasoningPrefix?: "every-model" | "off";
  /**
   * How calls are numbered: by the tool's name and the calls before it in the request, as Kimi does, or from nought with each start of the server, or with each
   * reply. An id may then name two calls. Left out, each is given once.
   */
  readonly callIds?: "by-name" | "each-start" | "each-reply";
  /** Whether the Messages API takes the role `system` in the middle: of every model, or of none. */
  readonly systemMessages?: "every-model" | "refused";
  /** Whether the Responses API compacts when it is asked to. */
  readonly compactEndpoint?: "off";
  /** The treatment of calls of tools that the request does not declare: it is refused if it has such calls, or the reply makes none. Left out, nobody looks. */
  readonly undeclaredTools?: "refused" | "not-called";
  /** The limits of media and bytes: none, or others than those that the vendor documents, as those of a gateway or an older model. */
  readonly media?: "off" | SimulatedMediaLimits;
}

/** Limits of media in one request; whatever is left out is not limited. */
export interface SimulatedMediaLimits {
  /** Of the whole body. */
  readonly bodyBytes?: number;
  /** Images and documents together, as Anthropic counts. */
  readonly images?: number;
  /** Pages of documents and images together, as Anthropic counts. */
  readonly pages?: number;
  /** Characters of one image's base64. */
  readonly imageBytes?: number;
  /** Pixels of a side, and of a side in a request of more than twenty images. */
  readonly sidePx?: number;
  readonly manySidePx?: number;
  /** How many documents. */
  readonly documents?: number;
  /** Of the files of all documents. */
  readonly documentBytes?: number;
  /** Whether refusals name the limit; left out, they do. */
  readonly words?: "named" | "unnamed";
}

/** One rule of a vendor or a server: since when it holds, who says so, and how it is switched. */
export interface SimulatedRule {
  readonly id: string;
  readonly wire: WireName;
  /** The day from which it holds, or on which its page was read where none is named. */
  readonly since: string;
  readonly says: string;
  readonly source: string;
  /** The option, with the values that differ from what is documented. */
  readonly switch: string;
}

const PREFIX_CHECKS = "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks";
const PRESERVED = "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking";
const BEDROCK = "https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding.html";

/** The rules that can be switched, as docs/simulator.md lists them. */
export const SIMULATED_RULES: readonly SimulatedRule[] = [
  {
    id: "thinking-prefix",
    wire: "anthropic",
    since: "2026-08-31",
    says: "Thinking is bound to `system`, the tools that are not deferred and all messages before it; after a change it and all later thinking is refused, with the words of the vendor, also where tokens are counted. Marks for the cache and other parameters are no change.",
    source: PREFIX_CHECKS,
    switch: "`rules.thinkingPrefix`: `every-model`, `off`",
  },
  {
    id: "thinking-run",
    wire: "anthropic",
    since: "2026-08-31",
    says: "Thinking that comes back is one unbroken run; its beginning, its end or all of it may be left out. A gap or a moved block makes the thinking after it invalid; a block put back, the thinking given meanwhile.",
    source: PREFIX_CHECKS,
    switch: "`rules.thinkingPrefix`: `every-model`, `off`",
  },
  {
    id: "thinking-account",
    wire: "anthropic",
    since: "2026-08-31",
    says: "Of accounts made before that day, only Fable 5.2 and Mythos 5.2 check every request; other models check if the request names a behaviour. Mythos 5.1 never checks.",
    source: PRESERVED,
    switch: "`rules.account`: `before-2026-08-31`",
  },
  {
    id: "thinking-outcome",
    wire: "anthropic",
    since: "2026-08-31",
    says: "`thinking.block_binding.prefix_mismatch_behavior` chooses between `error` and `drop_block`, needs the beta `thinking-binding-controls-2026-08-01`, and beats the default. With the beta the answer lists in `input_transformations` what was dropped.",
    source: BEDROCK,
    switch: "`rules.prefixMismatch`: `drop_block`",
  },
  {
    id: "thinking-model",
    wire: "anthropic",
    since: "2026-08-31",
    says: "Thinking that the model cannot read, because another model gave it, is dropped without an error.",
    source: PRESERVED,
    switch: "`rules.thinkingModel`: `off`",
  },
  {
    id: "thinking-redacted",
    wire: "anthropic",
    since: "2025-02-24",
    says: "Thinking may come without its text, as `redacted_thinking` with `data`. It goes back as it came, is bound as other thinking is, and its data is refused if it was not given here.",
    source: "https://platform.claude.com/docs/en/build-with-claude/extended-thinking",
    switch: "a part's `form`: `redacted`, or `reasoning`: `every-reply-redacted`",
  },
  {
    id: "system-messages",
    wire: "anthropic",
    since: "2026-05-28",
    says: "A message with the role `system` stands in the middle from Claude Opus 4.8 on: right behind a message of the user, and last or before one of the assistant. Older models refuse the role in the vendor's words; the words for a wrong place are chosen.",
    source: "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages",
    switch: "`rules.systemMessages`: `every-model`, `refused`",
  },
  {
    id: "reasoning-prefix",
    wire: "openai-responses",
    since: "2026-11-18",
    says: "Reasoning items over a changed prefix (`tools`, `text.format`, earlier items, before GPT-6.2 also `instructions`) are not shown to GPT-6 and later models, and the request is answered; the answer lists them in `input_transformations` with the reason `prefix_mismatch`. The vendor's own compaction item keeps what comes after it.",
    source: "https://developers.openai.com/api/docs/guides/keep-prefix-unchanged",
    switch: "`rules.reasoningPrefix`: `every-model`, `off`",
  },
  {
    id: "reasoning-items",
    wire: "openai-responses",
    since: "2025-07-01",
    says: "An item that goes back under its id is refused without the reasoning that it came with, and reasoning under its id without the item that it came with after it; without ids nobody looks.",
    source: "https://github.com/openai/openai-node/issues/1567",
    switch: "none: leave the ids out",
  },
  {
    id: "compact-endpoint",
    wire: "openai-responses",
    since: "2026-11-26",
    says: "`/responses/compact` answers with the input's messages of the user and one `compaction` item with encrypted content, which is the next input. Such an item is refused if it was changed.",
    source: "https://developers.openai.com/api/docs/guides/compaction.md",
    switch: "`rules.compactEndpoint`: `off` answers 404",
  },
  {
    id: "turns",
    wire: "openai-chat",
    since: "2026-11-26",
    says: "Chat templates of Mistral and Gemma (vLLM, llama.cpp) want user and assistant in turn, and one system message, first; anything else is refused.",
    source: "https://github.com/vllm-project/vllm/issues/6862",
    switch: "`roles`: `alternate`",
  },
  {
    id: "call-ids",
    wire: "openai-chat",
    since: "2026-11-26",
    says: "Kimi numbers calls as `functions.NAME:INDEX`, by the calls in the request; other servers number anew when they start. After a cut or a restart an id names two calls, so that place pairs them.",
    source: "https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/chat_utils.py",
    switch: "`rules.callIds`: `by-name`, `each-start`, `each-reply` (all wires)",
  },
  {
    id: "declared-tools",
    wire: "openai-responses",
    since: "2026-11-26",
    says: "Codex sends no `tools` and no `instructions` with newer models: an item `additional_tools` and developer messages carry them. Tools are taken from both places; without them the model has nothing to call.",
    source: "https://github.com/openai/codex",
    switch: "`rules.undeclaredTools`: `refused`, `not-called` (all wires)",
  },
  {
    id: "media-anthropic",
    wire: "anthropic",
    since: "2026-11-26",
    says: "A request has at most 32 MB; 600 images and documents, and as many pages and images, or 100 where the window is under a million tokens; images of 10 MB as base64 and 8,000 pixels a side, of 2,000 where there are more than 20.",
    source: "https://platform.claude.com/docs/en/build-with-claude/vision",
    switch: "`rules.media`: `off`, or limits of a gateway's (all wires)",
  },
  {
    id: "media-openai",
    wire: "openai-responses",
    since: "2026-11-26",
    says: "A request has at most 512 MB and 1,500 images (Chat Completions, too), and 50 MB of files. The words of the refusals are not the vendor's: no report of one was found.",
    source: "https://developers.openai.com/api/docs/guides/images-vision",
    switch: "`rules.media`: `off`, or limits of a gateway's (all wires)",
  },
  {
    id: "media-gemini",
    wire: "gemini",
    since: "2026-11-26",
    says: "A request has at most 20 MB with the media in it, and 3,600 images; larger ones were seen to pass.",
    source: "https://ai.google.dev/gemini-api/docs/image-understanding",
    switch: "`rules.media`: `off`, or limits of a gateway's (all wires)",
  },
];
