import type { RequestLimits } from "@plimsoll/core";

/**
 * One phrase of a provider's errors, as data. Phrases are looked for in lower-case text with single spaces; a phrase of several pieces needs all of
 * them. The source names the sender, with the thread where it was seen if it is not in the vendor's reference.
 */
export interface Phrase {
  readonly source: string;
  readonly all: readonly string[];
}

/** A budget of tokens for a time, as opposed to a context window. */
export const PER_MINUTE_PHRASES: readonly Phrase[] = [
  { source: "OpenAI, Groq", all: ["tokens per min"] },
  { source: "OpenAI, Groq", all: ["(tpm)"] },
];

/** Money or a plan is used up: neither waiting nor shrinking helps. */
export const QUOTA_PHRASES: readonly Phrase[] = [
  { source: "OpenAI", all: ["insufficient_quota"] },
  { source: "OpenAI", all: ["exceeded your current quota"] },
  { source: "OpenAI", all: ["billing_hard_limit"] },
  { source: "Anthropic", all: ["credit balance is too low"] },
  { source: "OpenRouter", all: ["insufficient credits"] },
  { source: "DeepSeek, Moonshot", all: ["insufficient balance"] },
  { source: "HTTP 402", all: ["payment required"] },
];

/** A quota that comes back by itself: Google words its limits per minute as a quota, and says when to retry. */
export const RETRY_PHRASES: readonly Phrase[] = [
  { source: "Google", all: ["please retry in"] },
  { source: "Google", all: ["retrydelay"] },
];

/** Too much in too short a time: never an overflow, in spite of other words. */
export const RATE_LIMIT_PHRASES: readonly Phrase[] = [
  ...PER_MINUTE_PHRASES,
  { source: "OpenAI, Anthropic", all: ["rate limit"] },
  { source: "OpenAI, Anthropic", all: ["rate_limit"] },
  { source: "HTTP 429", all: ["too many requests"] },
  { source: "Bedrock", all: ["throttl"] },
  { source: "Bedrock", all: ["too many tokens, please wait"] },
  { source: "Google", all: ["resource_exhausted"] },
  { source: "Google", all: ["resource has been exhausted"] },
];

/** The key, or its rights. */
export const AUTH_PHRASES: readonly Phrase[] = [
  { source: "Anthropic", all: ["authentication_error"] },
  { source: "Anthropic", all: ["permission_error"] },
  { source: "OpenAI", all: ["invalid_api_key"] },
  { source: "OpenAI", all: ["incorrect api key"] },
  { source: "several", all: ["invalid api key"] },
  { source: "Google", all: ["api key not valid"] },
];

/** One parameter is wrong: shrinking the context does not help, although words like limit, tokens and maximum are there. */
export const PARAMETER_PHRASES: readonly Phrase[] = [
  { source: "Anthropic", all: ["maximum allowed number of output tokens"] },
  { source: "Anthropic", all: ["max_tokens must be"] },
  { source: "OpenAI", all: ["max_tokens is too large"] },
  { source: "OpenAI", all: ["max_completion_tokens is too large"] },
  { source: "DashScope", all: ["range of max_tokens should be"] },
  { source: "Bedrock (charmbracelet/crush#946)", all: ["maximum tokens you requested exceeds the model limit"] },
  { source: "several", all: ["output token limit"] },
  { source: "several", all: ["parameter missing"] },
  { source: "OpenAI (getsentry/sentry-mcp#106)", all: ["invalid 'tools[", "string too long"] },
  { source: "OpenAI (agno-agi/agno#5382)", all: [".id': string too long"] },
];

/** The prompt holds more tokens than the context window, by itself or with the requested reply. */
export const OVERFLOW_PHRASES: readonly Phrase[] = [
  { source: "GitHub Models", all: ["tokens_limit_reached"] },
  { source: "Anthropic, Fireworks (fw-ai/cookbook#134)", all: ["prompt is too long"] },
  { source: "Anthropic (continuedev/continue#6080)", all: ["exceed context limit"] },
  { source: "Anthropic, z.ai, Google", all: ["context_window_exceeded"] },
  { source: "Google (google-gemini/gemini-cli#6678)", all: ["input token count", "exceeds the maximum"] },
  { source: "Google", all: ["your input context is too long"] },
  { source: "Bedrock", all: ["input is too long"] },
  { source: "Bedrock", all: ["too many input tokens"] },
  { source: "OpenAI", all: ["exceeds the context window"] },
  { source: "OpenAI, DeepSeek, OpenRouter, Mistral, vLLM (vllm-project/vllm#20409)", all: ["maximum context length"] },
  { source: "OpenAI", all: ["context_length_exceeded"] },
  { source: "Mistral", all: ["context length exceeded"] },
  { source: "OpenAI (bytedance/deer-flow#721)", all: ["input tokens exceed the configured limit"] },
  { source: "OpenAI, Groq, Cerebras (cline/cline#5140), vLLM", all: ["reduce the length of the"] },
  { source: "OpenAI, completions (fierceX/Document_QA#3)", all: ["please reduce your prompt"] },
  { source: "xAI", all: ["maximum prompt length is"] },
  { source: "GitHub Copilot", all: ["prompt", "exceeds the limit of"] },
  { source: "GitHub Copilot", all: ["model_max_prompt_tokens_exceeded"] },
  { source: "llama.cpp", all: ["exceed_context_size_error"] },
  { source: "llama.cpp", all: ["exceeds the available context size"] },
  { source: "llama-cpp-python (abetlen/llama-cpp-python#120)", all: ["exceed context window of"] },
  { source: "LM Studio", all: ["greater than the context length"] },
  { source: "Ollama", all: ["prompt too long"] },
  { source: "DS4", all: ["configured context size is"] },
  { source: "MiniMax", all: ["context window exceeds limit"] },
  { source: "Moonshot", all: ["exceeded model token limit"] },
  { source: "Moonshot", all: ["input token length too long"] },
  { source: "Salesforce (forcedotcom/Einstein-GPT-for-Developers#228)", all: ["exceed model token limit"] },
  { source: "DashScope (QwenLM/qwen-code#98)", all: ["range of input length should be"] },
  { source: "SGLang (sgl-project/sglang#4048)", all: ["input length", "exceeds the maximum allowed length"] },
  { source: "SGLang behind OpenRouter (CherryHQ/cherry-studio#5538)", all: ["longer than the model's context length"] },
  { source: "vLLM (xorbitsai/inference#3785)", all: ["longer than the maximum model length"] },
  { source: "Together, TGI (BerriAI/litellm#4934)", all: ["tokens + `max_new_tokens` must be"] },
  { source: "Together, TGI (stanford-crfm/helm#1820)", all: ["`inputs` must have less than"] },
  { source: "Cohere (cohere-ai/sandbox-topically#4)", all: ["total number of tokens", "cannot exceed"] },
  { source: "watsonx", all: ["number of input tokens", "cannot exceed"] },
  { source: "GLM", all: ["prompt exceeds max length"] },
  { source: "LM Studio", all: ["trying to keep the first", "tokens"] },
  { source: "LM Studio", all: ["context size has been exceeded"] },
  { source: "Ollama", all: ["input length exceeds the context length"] },
  { source: "llama.cpp", all: ["request (", "exceeds context ("] },
  { source: "LiteLLM", all: ["contextwindowexceedederror"] },
  { source: "TensorRT-LLM behind DeepInfra", all: ["sum of prompt length", "should not exceed"] },
  { source: "Volcengine", all: ["total tokens of", "exceed max message tokens"] },
  { source: "several", all: ["too many tokens"] },
  { source: "several", all: ["token limit exceeded"] },
];

/** The request itself is too large in bytes, characters or items. Nothing is said about tokens. */
export const TOO_LARGE_PHRASES: readonly Phrase[] = [
  { source: "Anthropic", all: ["request_too_large"] },
  { source: "Anthropic", all: ["request exceeds the maximum size"] },
  { source: "Anthropic", all: ["too many total text bytes"] },
  { source: "HTTP 413", all: ["payload too large"] },
  { source: "HTTP 413", all: ["request entity too large"] },
  { source: "HTTP 413", all: ["content_too_large"] },
  { source: "Google", all: ["request payload size exceeds the limit"] },
  { source: "OpenAI", all: ["invalid 'messages[", ".content", "string too long"] },
  { source: "OpenAI", all: ["invalid 'input[", "string too long"] },
];

/** Long context that the account has no right to: a prompt within the usual window passes. */
export const ENTITLEMENT_PHRASES: readonly Phrase[] = [
  { source: "Anthropic", all: ["long context", "extra usage is required"] },
  { source: "Anthropic", all: ["long context", "not yet available"] },
  { source: "several", all: ["long context", "not included"] },
  { source: "several", all: ["plan", "tokens of context"] },
  { source: "OpenRouter, with 402", all: ["prompt tokens limit exceeded"] },
];

/** The window that an account without long context has if no limit is named: Anthropic's, as of November 2026. */
export const USUAL_WINDOW_TOKENS = 200_000;

/** More of a thing than is taken, however it is said. */
const TOO_MUCH =
  /\btoo (?:many|much|large|big|long)\b|\bexceed|\bmaximum\b|\bmax\b|\bat most\b|\bup to\b|\blimit(?:s|ed)?\b|\bmore than\b|\blarger than\b/;

/** The longest reply, by the names that parameters and vendors have for it. */
const REPLY =
  /\bmax_?(?:completion_|output_|new_)?tokens\b|\bmaxoutputtokens\b|\b(?:output|completion) tokens\b|maximum tokens you requested/;

/** A reply that is longer than the model gives, however it is said; all patterns are needed. */
export const REPLY_PATTERNS: readonly RegExp[] = [
  REPLY,
  new RegExp(`${TOO_MUCH.source}|> \\d|\\brange of\\b|less than or equal|greater than|<= ?\\d`),
];

/** Where a message says how long a reply may be, in tokens; the first that is found counts. */
export const REPLY_LIMIT_PATTERNS: readonly RegExp[] = [
  /> (\d[\d,_]{0,14})/,
  /at most (\d[\d,_]{0,14})/,
  /\[\d{1,3}, ?(\d[\d,_]{0,14})\]/,
  /(?:<=|less than or equal to|limit of|limit is|maximum (?:is|of|value is)|up to) ?[`'"]?(\d[\d,_]{0,14})/,
];

/**
 * Patterns that name the unit that a request has too much of, the more special first; all patterns of a unit are needed. Without one of them a refusal
 * is not about media.
 */
export const UNIT_PATTERNS: readonly { readonly unit: keyof RequestLimits; readonly all: readonly RegExp[] }[] = [
  { unit: "manyImagePx", all: [/many-image/, /pixel|\bpx\b|dimension/] },
  { unit: "imagePx", all: [/\b(?:image|picture|photo)/, /pixel|\d ?px\b|dimension|resolution/, TOO_MUCH] },
  {
    unit: "imageBytes",
    all: [/\b(?:image|picture|photo)s?\b/, /\b(?:\d+ ?)?[km]i?b\b|\bbytes?\b|\btoo (?:large|big)\b|file size/, TOO_MUCH],
  },
  { unit: "pages", all: [/\bpages?\b/, /\bpdfs?\b|\bdocuments?\b|\bmedia\b|\bfiles?\b/, TOO_MUCH] },
  { unit: "images", all: [/\b(?:image|picture|photo|screenshot|media|attachment|multimodal)(?:s\b|\(s\)|\b)/, TOO_MUCH] },
  {
    unit: "documentBytes",
    all: [/\b(?:document|pdf|file)s?\b/, /\b(?:\d+ ?)?[km]i?b\b|\bbytes?\b|\btoo (?:large|big)\b|file size/, TOO_MUCH],
  },
  { unit: "documents", all: [/\b(?:document|pdf|file)(?:s\b|\(s\)|\b)/, TOO_MUCH] },
];

/** Where a message says how much of another unit than tokens the limit allows; the first that is found counts. */
export const UNIT_LIMIT_PATTERNS: readonly RegExp[] = [
  /> (\d[\d,_]{0,14})/,
  /\b(?:maximum|max|limit(?:ed)?|at most|up to|only)(?: (?:allowed|number|size|request|body|is|of|to)){0,4}:? ?(\d[\d,_]{0,14})/,
  /: (\d[\d,_]{0,14}) (?:pixels|px)/,
  /=(\d[\d,_]{0,14}) \(or/,
];

/** A size in thousands or millions of bytes. */
export const LARGE_SIZE_PATTERN: RegExp = /\b(\d{1,5})(?:\.\d+)? ?([km])i?b\b/;

/** A fault of the moment: the same request may pass when it is sent again. */
export const TRANSIENT_PHRASES: readonly Phrase[] = [
  { source: "Anthropic", all: ["overloaded"] },
  { source: "OpenAI, also inside a stream", all: ["server_error"] },
  { source: "OpenAI", all: ["the server had an error"] },
  { source: "several", all: ["internal server error"] },
  { source: "several", all: ["service unavailable"] },
  { source: "several", all: ["bad gateway"] },
  { source: "several", all: ["timed out"] },
  { source: "several", all: ["timeout"] },
  { source: "Node", all: ["econnreset"] },
  { source: "Node", all: ["econnrefused"] },
  { source: "Node", all: ["socket hang up"] },
  { source: "Node", all: ["fetch failed"] },
  { source: "several", all: ["connection error"] },
];

/** Words of a server that has too much to do, which count only with a status of the moment. */
export const OVERLOAD_PHRASES: readonly Phrase[] = [
  ["several", "try again|later|temporarily|unavailable|busy|overload|high demand|high load|slow down|maintenance|time-out"],
  ["Envoy, nginx, HAProxy", "no healthy upstream|upstream connect error|no server is available|at capacity|over capacity"],
  ["Ollama, llama.cpp, Hugging Face", "pending requests|loading model|no slot|currently loading"],
  ["Bedrock, OpenRouter", "unable to process your request|no available model provider"],
  ["One API, DeepSeek", "no available channel|无可用|繁忙|稍后|负载"],
].flatMap(([source = "", phrases = ""]) => phrases.split("|").map((phrase) => ({ source, all: [phrase] })));

/** Statuses that mean a fault of the moment; 529 is Anthropic's for overload. */
export const TRANSIENT_STATUSES: readonly number[] = [408, 409, 425, 500, 502, 503, 504, 529];

/** Cerebras answers an overflow with 400 or 413 and nothing else; the words are the SDK's. */
export const NO_BODY_PATTERN: RegExp = /^(?:error:? )?4(?:00|13) ?(?:status code)? ?\(no body\)/;

/** An HTTP status at the beginning of a message, as SDKs put it. */
export const LEADING_STATUS_PATTERN: RegExp = /^(?:error:? |error code: )?([45]\d\d)(?!\d)/;

/** Where a message says how many tokens the limit allows; the first that is found counts. Every repetition is bounded. */
export const LIMIT_PATTERNS: readonly RegExp[] = [
  /tokens > (\d[\d,_]{0,14}) maximum/,
  /(?:limit exceeded: \d[\d,_]{0,14} >|max size:) (\d[\d,_]{0,14})/,
  /exceed context limit: \d[\d,_]{0,14} \+ \d[\d,_]{0,14} > (\d[\d,_]{0,14})/,
  /maximum (?:context|prompt|model) length(?: is| of|:) (\d[\d,_]{0,14})/,
  /with (\d[\d,_]{0,14}) maximum context length/,
  /maximum number of tokens allowed \(?(\d[\d,_]{0,14})/,
  /maximum allowed length \((\d[\d,_]{0,14})/,
  /exceeds the limit of (\d[\d,_]{0,14})/,
  /context (?:size|length) (?:is )?(?:only )?\(?(\d[\d,_]{0,14}) tokens/,
  /n_ctx[\\"]{0,4} ?: ?(\d[\d,_]{0,14})/,
  /exceeds context \((\d[\d,_]{0,14})/,
  /context window of (\d[\d,_]{0,14})/,
  /configured limit of (\d[\d,_]{0,14})/,
  /must be <= (\d[\d,_]{0,14})/,
  /must have less than (\d[\d,_]{0,14})/,
  /input length should be \[\d{1,9}, (\d[\d,_]{0,14})/,
  /cannot exceed (\d[\d,_]{0,14})/,
  /while limit is (\d[\d,_]{0,14})/,
  /max input tokens: (\d[\d,_]{0,14})/,
  /limit:? (\d[\d,_]{0,14})/,
];

/** Where a message says how many tokens the request had; several numbers of one pattern are added up. */
export const REQUESTED_PATTERNS: readonly RegExp[] = [
  /limit exceeded: (\d[\d,_]{0,14}) >/,
  /exceed context limit: (\d[\d,_]{0,14}) \+ (\d[\d,_]{0,14}) >/,
  /too long: (\d[\d,_]{0,14})/,
  /total of at least (\d[\d,_]{0,14})/,
  /(\d[\d,_]{0,14}) input tokens and requested (\d[\d,_]{0,14})/,
  /requested (?:about )?(\d[\d,_]{0,14}) tokens/,
  /resulted in (\d[\d,_]{0,14}) tokens/,
  /(?:request|prompt) (?:contains|has) (\d[\d,_]{0,14}) tokens/,
  /token count:? (?:of )?\(?(\d[\d,_]{0,14})/,
  /(?:request|input|input length|requested tokens) \((\d[\d,_]{0,14})/,
  /prompt \(length (\d[\d,_]{0,14})/,
  /n_prompt_tokens[\\"]{0,4} ?: ?(\d[\d,_]{0,14})/,
  /given: (\d[\d,_]{0,14}) `inputs` tokens and (\d[\d,_]{0,14})/,
  /given: (\d[\d,_]{0,14})/,
  /input tokens (\d[\d,_]{0,14}) cannot/,
  /received (\d[\d,_]{0,14})/,
  /current length is (\d[\d,_]{0,14})/,
  /requested:? (\d[\d,_]{0,14})/,
];

/** Where a message says how many tokens the prompt had without the requested reply; the first that is found counts. */
export const PROMPT_PATTERNS: readonly RegExp[] = [
  /exceed context limit: (\d[\d,_]{0,14}) \+/,
  /prompt is too long: (\d[\d,_]{0,14}) tokens/,
  /\((\d[\d,_]{0,14}) in (?:the messages|your prompt)/,
  /messages resulted in (\d[\d,_]{0,14}) tokens/,
  /prompt (?:contains|has) (\d[\d,_]{0,14}) tokens/,
  /(?:input|prompt) token count:? (?:of )?\(?(\d[\d,_]{0,14})/,
  /prompt \(length (\d[\d,_]{0,14})/,
  /n_prompt_tokens[\\"]{0,4} ?: ?(\d[\d,_]{0,14})/,
  /given: (\d[\d,_]{0,14}) `inputs` tokens/,
  /input tokens (\d[\d,_]{0,14}) cannot/,
];
