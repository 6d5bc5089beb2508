import type { RequestLimits } from "@plimsoll/core";

/** One phrase of a provider's errors. It is looked for in lower-case text with single spaces, and all of its pieces are needed. */
export type Phrase = readonly string[];

/**
 * Phrases by their sender, with the thread where one was seen that is not in the vendor's reference. A bar is between phrases, an ellipsis between the pieces
 * of one.
 */
function phrases(rows: readonly (readonly [source: string, phrases: string])[]): readonly Phrase[] {
  return rows.flatMap(([, listed]) => listed.split("|").map((phrase) => phrase.split(" … ")));
}

/** A budget of tokens for a time, as opposed to a context window. */
export const PER_MINUTE_PHRASES: readonly Phrase[] = phrases([["OpenAI, Groq", "tokens per min|(tpm)"]]);

/** Money or a plan is used up: neither waiting nor shrinking helps. */
export const QUOTA_PHRASES: readonly Phrase[] = phrases([
  ["OpenAI", "insufficient_quota|exceeded your current quota|billing_hard_limit"],
  ["Anthropic", "credit balance is too low"],
  ["OpenRouter", "insufficient credits"],
  ["DeepSeek, Moonshot", "insufficient balance"],
  ["HTTP 402", "payment required"],
]);

/** A quota that comes back by itself: Google words its limits per minute as a quota, and says when to retry. */
export const RETRY_PHRASES: readonly Phrase[] = phrases([["Google", "please retry in|retrydelay"]]);

/** Too much in too short a time: never an overflow, in spite of other words. */
export const RATE_LIMIT_PHRASES: readonly Phrase[] = [
  ...PER_MINUTE_PHRASES,
  ...phrases([
    ["OpenAI, Anthropic", "rate limit|rate_limit"],
    ["HTTP 429", "too many requests"],
    ["Bedrock", "throttl|too many tokens, please wait"],
    ["Google", "resource_exhausted|resource has been exhausted"],
  ]),
];

/** The key, or its rights. */
export const AUTH_PHRASES: readonly Phrase[] = phrases([
  ["Anthropic", "authentication_error|permission_error"],
  ["OpenAI", "invalid_api_key|incorrect api key"],
  ["several", "invalid api key"],
  ["Google", "api key not valid"],
]);

/** One parameter is wrong: shrinking the context does not help, although words like limit, tokens and maximum are there. */
export const PARAMETER_PHRASES: readonly Phrase[] = phrases([
  ["Anthropic", "maximum allowed number of output tokens|max_tokens must be"],
  ["OpenAI", "max_tokens is too large|max_completion_tokens is too large"],
  ["DashScope", "range of max_tokens should be"],
  ["Bedrock (charmbracelet/crush#946)", "maximum tokens you requested exceeds the model limit"],
  ["several", "output token limit|parameter missing"],
  ["OpenAI (getsentry/sentry-mcp#106)", "invalid 'tools[ … string too long"],
  ["OpenAI (agno-agi/agno#5382)", ".id': string too long"],
]);

/** The prompt holds more tokens than the context window, by itself or with the requested reply. */
export const OVERFLOW_PHRASES: readonly Phrase[] = phrases([
  ["GitHub Models", "tokens_limit_reached"],
  ["Anthropic, Fireworks (fw-ai/cookbook#134)", "prompt is too long"],
  ["Anthropic (continuedev/continue#6080)", "exceed context limit"],
  ["Anthropic, z.ai, Google", "context_window_exceeded"],
  ["Google (google-gemini/gemini-cli#6678)", "input token count … exceeds the maximum"],
  ["Google", "your input context is too long"],
  ["Bedrock", "input is too long|too many input tokens"],
  ["OpenAI", "exceeds the context window|context_length_exceeded"],
  ["OpenAI, DeepSeek, OpenRouter, Mistral, vLLM (vllm-project/vllm#20409)", "maximum context length"],
  ["Mistral", "context length exceeded"],
  ["OpenAI (bytedance/deer-flow#721)", "input tokens exceed the configured limit"],
  ["OpenAI, Groq, Cerebras (cline/cline#5140), vLLM", "reduce the length of the"],
  ["OpenAI, completions (fierceX/Document_QA#3)", "please reduce your prompt"],
  ["xAI", "maximum prompt length is"],
  ["GitHub Copilot", "prompt … exceeds the limit of|model_max_prompt_tokens_exceeded"],
  ["llama.cpp", "exceed_context_size_error|exceeds the available context size|request ( … exceeds context ("],
  ["llama-cpp-python (abetlen/llama-cpp-python#120)", "exceed context window of"],
  ["LM Studio", "greater than the context length|trying to keep the first … tokens|context size has been exceeded"],
  ["Ollama", "prompt too long|input length exceeds the context length"],
  ["DS4", "configured context size is"],
  ["MiniMax", "context window exceeds limit"],
  ["Moonshot", "exceeded model token limit|input token length too long"],
  ["Salesforce (forcedotcom/Einstein-GPT-for-Developers#228)", "exceed model token limit"],
  ["DashScope (QwenLM/qwen-code#98)", "range of input length should be"],
  ["SGLang (sgl-project/sglang#4048)", "input length … exceeds the maximum allowed length"],
  ["SGLang behind OpenRouter (CherryHQ/cherry-studio#5538)", "longer than the model's context length"],
  ["vLLM (xorbitsai/inference#3785)", "longer than the maximum model length"],
  ["Together, TGI (BerriAI/litellm#4934)", "tokens + `max_new_tokens` must be"],
  ["Together, TGI (stanford-crfm/helm#1820)", "`inputs` must have less than"],
  ["Cohere (cohere-ai/sandbox-topically#4)", "total number of tokens … cannot exceed"],
  ["watsonx", "number of input tokens … cannot exceed"],
  ["GLM", "prompt exceeds max length"],
  ["LiteLLM", "contextwindowexceedederror"],
  ["TensorRT-LLM behind DeepInfra", "sum of prompt length … should not exceed"],
  ["Volcengine", "total tokens of … exceed max message tokens"],
  ["several", "too many tokens|token limit exceeded"],
]);

/** The request itself is too large in bytes, characters or items. Nothing is said about tokens. */
export const TOO_LARGE_PHRASES: readonly Phrase[] = phrases([
  ["Anthropic", "request_too_large|request exceeds the maximum size|too many total text bytes"],
  ["HTTP 413", "payload too large|request entity too large|content_too_large"],
  ["Google", "request payload size exceeds the limit"],
  ["OpenAI", "invalid 'messages[ … .content … string too long|invalid 'input[ … string too long"],
]);

/** Long context that the account has no right to: a prompt within the usual window passes. */
export const ENTITLEMENT_PHRASES: readonly Phrase[] = phrases([
  ["Anthropic", "long context … extra usage is required|long context … not yet available"],
  ["several", "long context … not included|plan … tokens of context"],
  ["OpenRouter, with 402", "prompt tokens limit exceeded"],
]);

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
export const TRANSIENT_PHRASES: readonly Phrase[] = phrases([
  ["Anthropic", "overloaded"],
  ["OpenAI, also inside a stream", "server_error"],
  ["OpenAI", "the server had an error"],
  ["several", "internal server error|service unavailable|bad gateway|timed out|timeout|connection error"],
  ["Node", "econnreset|econnrefused|socket hang up|fetch failed"],
]);

/** Words of a server that has too much to do, which count only with a status of the moment. */
export const OVERLOAD_PHRASES: readonly Phrase[] = phrases([
  ["several", "try again|later|temporarily|unavailable|busy|overload|high demand|high load|slow down|maintenance|time-out"],
  ["Envoy, nginx, HAProxy", "no healthy upstream|upstream connect error|no server is available|at capacity|over capacity"],
  ["Ollama, llama.cpp, Hugging Face", "pending requests|loading model|no slot|currently loading"],
  ["Bedrock, OpenRouter", "unable to process your request|no available model provider"],
  ["One API, DeepSeek", "no available channel|无可用|繁忙|稍后|负载"],
]);

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
