import type { ModelRequest, RequestLimits } from "@plimsoll/core";
import { CHAT_HOSTS } from "../openai-chat/hosts.ts";

/** How a model's text is cut into tokens, as far as it is known. */
export type TokenizerFamily = "o200k_base" | "cl100k_base" | "claude" | "gemini" | "unknown";

/** The limits of a family of models; `null` if the vendor states none. */
interface FamilyLimits {
  readonly prefix: string;
  readonly contextWindowTokens: number;
  /** Largest prompt, if it is less than the window. */
  readonly maxInputTokens: number | null;
  readonly maxOutputTokens: number | null;
}

/** The day on which we looked up the limits of {@link familyLimitsOf}. */
export const LIMITS_CHECKED_ON = "2026-11-23";

/**
 * Our own limits, most special prefix first; they come before the price package's windows, which state no maximum of input and output. Sources:
 * platform.claude.com/docs/en/models, developers.openai.com/api/docs/models, ai.google.dev/gemini-api/docs/models, llama.com/models/llama-4; windows are
 * those that a request gets without a beta header.
 */
export const FAMILY_LIMITS: readonly FamilyLimits[] = [
  { prefix: "claude-fable-5", contextWindowTokens: 1_000_000, maxInputTokens: null, maxOutputTokens: 128_000 },
  { prefix: "claude-mythos-5", contextWindowTokens: 1_000_000, maxInputTokens: null, maxOutputTokens: 128_000 },
  { prefix: "claude-opus-5", contextWindowTokens: 1_000_000, maxInputTokens: null, maxOutputTokens: 128_000 },
  { prefix: "claude-sonnet-5", contextWindowTokens: 1_000_000, maxInputTokens: null, maxOutputTokens: 128_000 },
  { prefix: "claude-haiku-5-5", contextWindowTokens: 1_000_000, maxInputTokens: null, maxOutputTokens: 128_000 },
  { prefix: "claude-opus-4-8", contextWindowTokens: 1_000_000, maxInputTokens: null, maxOutputTokens: 128_000 },
  { prefix: "claude-opus-4-7", contextWindowTokens: 1_000_000, maxInputTokens: null, maxOutputTokens: 128_000 },
  { prefix: "claude-opus-4-6", contextWindowTokens: 1_000_000, maxInputTokens: null, maxOutputTokens: 128_000 },
  { prefix: "claude-sonnet-4-6", contextWindowTokens: 1_000_000, maxInputTokens: null, maxOutputTokens: 128_000 },
  { prefix: "claude-opus-4-5", contextWindowTokens: 200_000, maxInputTokens: null, maxOutputTokens: 64_000 },
  { prefix: "claude-opus-4", contextWindowTokens: 200_000, maxInputTokens: null, maxOutputTokens: 32_000 },
  { prefix: "claude-sonnet-4", contextWindowTokens: 200_000, maxInputTokens: null, maxOutputTokens: 64_000 },
  { prefix: "claude-haiku-4", contextWindowTokens: 200_000, maxInputTokens: null, maxOutputTokens: 64_000 },
  { prefix: "claude-3-5", contextWindowTokens: 200_000, maxInputTokens: null, maxOutputTokens: 8_192 },
  { prefix: "claude-3-opus", contextWindowTokens: 200_000, maxInputTokens: null, maxOutputTokens: 4_096 },
  { prefix: "gpt-6", contextWindowTokens: 1_050_000, maxInputTokens: 922_000, maxOutputTokens: 128_000 },
  { prefix: "gpt-5-6", contextWindowTokens: 1_050_000, maxInputTokens: 922_000, maxOutputTokens: 128_000 },
  { prefix: "gpt-5-5", contextWindowTokens: 1_050_000, maxInputTokens: 922_000, maxOutputTokens: 128_000 },
  { prefix: "gpt-5-4-", contextWindowTokens: 400_000, maxInputTokens: 272_000, maxOutputTokens: 128_000 },
  { prefix: "gpt-5-4", contextWindowTokens: 1_050_000, maxInputTokens: 922_000, maxOutputTokens: 128_000 },
  { prefix: "gpt-5", contextWindowTokens: 400_000, maxInputTokens: 272_000, maxOutputTokens: 128_000 },
  { prefix: "gpt-4-1", contextWindowTokens: 1_047_576, maxInputTokens: null, maxOutputTokens: 32_768 },
  { prefix: "gpt-4o", contextWindowTokens: 128_000, maxInputTokens: null, maxOutputTokens: 16_384 },
  { prefix: "o3", contextWindowTokens: 200_000, maxInputTokens: null, maxOutputTokens: 100_000 },
  { prefix: "o4-mini", contextWindowTokens: 200_000, maxInputTokens: null, maxOutputTokens: 100_000 },
  { prefix: "gemini-3", contextWindowTokens: 1_114_112, maxInputTokens: 1_048_576, maxOutputTokens: 65_536 },
  { prefix: "gemini-2-5", contextWindowTokens: 1_114_112, maxInputTokens: 1_048_576, maxOutputTokens: 65_536 },
  { prefix: "llama-4-maverick", contextWindowTokens: 1_048_576, maxInputTokens: null, maxOutputTokens: null },
];

/** The limits of the model's family, with the window that a variant of it names; `null` if the table has none. */
export function familyLimitsOf(modelId: string): FamilyLimits | null {
  const family = modelFamily(modelId);
  const { windowTokens } = withoutVariant(modelId);
  const limits = FAMILY_LIMITS.find(({ prefix }) => family.startsWith(prefix)) ?? null;
  return limits === null || windowTokens === null ? limits : { ...limits, contextWindowTokens: windowTokens };
}

/** Families of the OpenAI wires that take a level of reasoning (platform.openai.com/docs/guides/reasoning, 2026-11). */
const REASONING_FAMILIES = /^(?:o\d|gpt-(?:[5-9]|oss)|codex)/;

/** The level of reasoning to send on an OpenAI wire: a wish only for a family that is known to reason, since others refuse the parameter. */
export function reasoningOf({ reasoning, isReasoningWished, modelId }: ModelRequest): ModelRequest["reasoning"] {
  return isReasoningWished && !REASONING_FAMILIES.test(modelFamily(modelId)) ? undefined : reasoning;
}

/** The request with no more room for reasoning than the model's family can answer with. */
export function withinReply(request: ModelRequest): ModelRequest {
  const { maxOutputTokens, thinkingTokens = 0, modelId } = request;
  const overTokens = Math.min(thinkingTokens, maxOutputTokens - (familyLimitsOf(modelId)?.maxOutputTokens ?? maxOutputTokens));
  if (overTokens <= 0) return request;
  return { ...request, maxOutputTokens: maxOutputTokens - overTokens, thinkingTokens: thinkingTokens - overTokens };
}

const TOKENIZERS: readonly { readonly prefixes: readonly string[]; readonly tokenizer: TokenizerFamily }[] = [
  { prefixes: ["claude"], tokenizer: "claude" },
  { prefixes: ["gemini"], tokenizer: "gemini" },
  { prefixes: ["gpt-4o", "gpt-4-1", "gpt-5", "chatgpt", "codex", "o1", "o3", "o4"], tokenizer: "o200k_base" },
  { prefixes: ["gpt-4", "gpt-3"], tokenizer: "cl100k_base" },
];

/** The tokenizer of the model's family. */
export function tokenizerOf(modelId: string): TokenizerFamily {
  const family = modelFamily(modelId);
  return TOKENIZERS.find(({ prefixes }) => prefixes.some((prefix) => family.startsWith(prefix)))?.tokenizer ?? "unknown";
}

interface FamilyRequestLimits {
  /** The form of the model's id, a cloud's own or the vendor's. */
  readonly ids: RegExp;
  readonly limits: RequestLimits;
  /** The limits that apply instead for models whose window is under a million tokens. */
  readonly smallerWindow?: RequestLimits;
}

const MB = 1_000_000;

/** The lesser meaning of MB, so that a body that is measured a little too small still passes. */
const CLAUDE = { images: 600, pages: 600, imagePx: 8000, manyImagePx: 2000 } as const;
const CLAUDE_SMALLER = { images: 100, pages: 100 } as const;

/**
 * Limits of requests, first match first. A cloud that serves Claude takes less than Anthropic does. OpenAI counts the files of documents together and states no
 * pages. Of Gemini the page on images states 20 MB for a request with its media in it, the page on files 100 MB; the lower one is taken. The figures are quotations of the vendors'
 * pages by others, found on 2026-11-26; the pages themselves were not opened: platform.claude.com/docs/en/build-with-claude/vision, pdf-support and api/overview;
 * developers.openai.com/api/docs/guides/images-vision and file-inputs; ai.google.dev/gemini-api/docs/image-understanding.
 */
const REQUEST_LIMITS: readonly FamilyRequestLimits[] = [
  { ids: /anthropic\.claude/, limits: { ...CLAUDE, bytes: 20 * MB, imageBytes: 5 * MB }, smallerWindow: CLAUDE_SMALLER },
  { ids: /claude[^/]*@/, limits: { ...CLAUDE, bytes: 30 * MB, imageBytes: 5 * MB }, smallerWindow: CLAUDE_SMALLER },
  { ids: /claude/, limits: { ...CLAUDE, bytes: 32 * MB, imageBytes: 10 * MB }, smallerWindow: CLAUDE_SMALLER },
  {
    ids: /^(?:.*\/)?(?:gpt-|chatgpt|codex|o[134](?:-|$))/,
    limits: { bytes: 512 * MB, images: 1500, documentBytes: 50 * MB },
  },
  { ids: /gemini/, limits: { bytes: 20 * MB, images: 3600 } },
];

/** Windows from this on are large ones for Anthropic. */
const LARGE_WINDOW_TOKENS = 1_000_000;

/** Returns a model's limits for a request in other units than tokens; no limits for models that the table does not have. */
export function requestLimitsOf(modelId: string): RequestLimits {
  const id = modelId.toLowerCase();
  // Families by their own ids: an open model of a maker's name, as gpt-oss, runs on any server.
  const found = modelFamily(id).startsWith("gpt-oss") ? undefined : REQUEST_LIMITS.find(({ ids }) => ids.test(id));
  if (found === undefined) return {};
  const windowTokens = familyLimitsOf(id)?.contextWindowTokens ?? 0;
  return windowTokens >= LARGE_WINDOW_TOKENS ? found.limits : { ...found.limits, ...found.smallerWindow };
}

/** A model as a person names it: the host that serves it, if it is named, and the model's id there. */
export interface ModelReference {
  readonly host: string | null;
  readonly modelId: string;
}

/** Names of hosts that may come before a model's id, and their names in the price package; `null` for servers on this machine. */
export const HOSTS: ReadonlyMap<string, string | null> = new Map([
  ...CHAT_HOSTS.map(({ name, priceHost }) => [name, priceHost] as const),
  ["anthropic", "anthropic"],
  ["gemini", "google"],
  ["azure", "azure"],
  ["bedrock", "aws"],
  ["vertex", "google"],
]);

/** Names that people use for a model whose id is another. Kept short: dated ids and versions are read by rule. */
export const ALIASES: Readonly<Record<string, string>> = {
  opus: "claude-opus-5-5",
  sonnet: "claude-sonnet-5-5",
  haiku: "claude-haiku-5-5",
  "openrouter-llama-4-maverick": "meta-llama/llama-4-maverick",
};

/**
 * Reads `model`, `host/model` and `host/maker/model` (a router's id). A first part that is no known host belongs to the id, since routers'
 * ids have slashes of their own.
 */
export function parseModelReference(text: string): ModelReference {
  const [first = "", ...rest] = text.trim().split("/");
  const isHost = rest.length > 0 && HOSTS.has(first);
  const named = isHost ? rest.join("/") : text.trim();
  const { modelId, suffix } = withoutVariant(named);
  const alias = ALIASES[modelId];
  return { host: isHost ? first : null, modelId: alias === undefined ? named : `${alias}${suffix}` };
}

/** True for a server that runs on this machine: only it knows its prices and its window. */
export function isLocalHost(host: string | null): boolean {
  return host !== null && HOSTS.get(host) === null;
}

/**
 * An id without the variant in brackets behind it, and that suffix. A size in it is the variant's window: Claude Code writes `[1m]` for a million
 * tokens (anthropics/claude-code#84310, read in November 2026), Cline and Roo Code `:1m`.
 */
export function withoutVariant(id: string): {
  readonly modelId: string;
  readonly suffix: string;
  readonly windowTokens: number | null;
} {
  const found = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(id.trimEnd()) ?? WINDOW_TAG.exec(id.trimEnd());
  if (found === null) return { modelId: id, suffix: "", windowTokens: null };
  const [, modelId = id, suffix = ""] = found;
  const size = /[[:](\d{1,4})([km])(?:\]|$)/i.exec(suffix);
  const unitTokens = size?.[2]?.toLowerCase() === "m" ? 1_000_000 : 1_000;
  return { modelId, suffix, windowTokens: size === null ? null : Number(size[1]) * unitTokens || null };
}

/** A window behind a colon. From 11m on it is a model's parameters (`smollm2:135m`): no larger window is sold. November 2026. */
const WINDOW_TAG = /^(.+)(:(?:\d{1,4}k|[1-9]m|10m))$/i;

/**
 * The id that a vendor is sent: a window behind it is the programs' own word, which vendors answer with 404 (decolua/9router#2531). Behind a colon it
 * may be a server's own tag, unless the model is one of ours.
 */
export function sentModelId(id: string): string {
  const { modelId, suffix, windowTokens } = withoutVariant(id);
  return windowTokens === null || (suffix.startsWith(":") && familyLimitsOf(modelId) === null) ? id : modelId;
}

/**
 * The id in the form that distinguishes families: without a variant, a router's maker, a cloud's region and version, a date or `latest`, with hyphens
 * for dots. `us.anthropic.claude-sonnet-4-5-20250929-v1:0` and `anthropic/claude-sonnet-4.5` are both `claude-sonnet-4-5`.
 */
export function modelFamily(modelId: string): string {
  const { modelId: plain } = withoutVariant(modelId);
  const name = plain.slice(plain.lastIndexOf("/") + 1).toLowerCase();
  return name
    .replace(/^(?:[a-z-]+\.)+/, "")
    .replace(/-v\d{1,2}(:\d{1,2})?$/, "")
    .replace(/[@-]\d{4}-?\d{2}-?\d{2}$/, "")
    .replace(/-latest$/, "")
    .replaceAll(".", "-");
}
