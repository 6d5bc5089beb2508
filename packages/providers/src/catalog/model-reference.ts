import { CHAT_HOSTS } from "../openai-chat/hosts.ts";

/** A model as a person names it: the host that serves it, if it is named, and the model's id there. */
export interface ModelReference {
  readonly host: string | null;
  readonly modelId: string;
}

/** Names of hosts that may stand before a model's id, and what the price package calls them; `null` for servers on this machine. */
const HOSTS: ReadonlyMap<string, string | null> = new Map([
  ...CHAT_HOSTS.map(({ name, priceHost }) => [name, priceHost] as const),
  ["anthropic", "anthropic"],
  ["gemini", "google"],
  ["azure", "azure"],
  ["bedrock", "aws"],
  ["vertex", "google"],
]);

/** Names that people use for a model whose id is another. Kept short: dated ids and versions are read by rule. */
const ALIASES: Readonly<Record<string, string>> = {
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

/** True for a server that runs on this machine: what it charges and how large its window is, is for nobody else to say. */
export function isLocalHost(host: string | null): boolean {
  return host !== null && HOSTS.get(host) === null;
}

/** Returns the price package's name for a host; `null` if it has none. */
export function priceHostOf(host: string | null): string | null {
  return host === null ? null : (HOSTS.get(host) ?? null);
}

/**
 * An id without the variant that stands behind it in brackets, and that suffix. A size in it is the variant's window: Claude Code writes
 * `[1m]` for a million tokens (anthropics/claude-code#84310, read in November 2026).
 */
export function withoutVariant(id: string): {
  readonly modelId: string;
  readonly suffix: string;
  readonly windowTokens: number | null;
} {
  const found = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(id.trimEnd());
  if (found === null) return { modelId: id, suffix: "", windowTokens: null };
  const [, modelId = id, suffix = ""] = found;
  const size = /\[(\d{1,4})([km])\]/i.exec(suffix);
  const unitTokens = size?.[2]?.toLowerCase() === "m" ? 1_000_000 : 1_000;
  return { modelId, suffix, windowTokens: size === null ? null : Number(size[1]) * unitTokens || null };
}

/** The id that a vendor is sent: a window behind it is the programs' own word, which vendors answer with 404 (decolua/9router#2531). */
export function sentModelId(id: string): string {
  const { modelId, windowTokens } = withoutVariant(id);
  return windowTokens === null ? id : modelId;
}

/**
 * The id in the form in which families are told apart: without a variant, a router's maker, a cloud's region and version, a date or `latest`, with
 * hyphens for dots. `us.anthropic.claude-sonnet-4-5-20250929-v1:0` and `anthropic/claude-sonnet-4.5` are both `claude-sonnet-4-5`.
 */
export function modelFamily(modelId: string): string {
  const { modelId: plain } = withoutVariant(modelId);
  const name = plain.slice(plain.lastIndexOf("/") + 1).toLowerCase();
  const maker = name.indexOf("anthropic.");
  const bare = maker < 0 ? name : name.slice(maker + "anthropic.".length);
  return bare
    .replace(/-v\d{1,2}(:\d{1,2})?$/, "")
    .replace(/[@-]\d{4}-?\d{2}-?\d{2}$/, "")
    .replace(/-latest$/, "")
    .replaceAll(".", "-");
}
