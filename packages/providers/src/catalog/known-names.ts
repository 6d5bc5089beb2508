import { findProvider } from "@pydantic/genai-prices";
import { FAMILY_LIMITS, HOSTS, modelFamily, withoutVariant } from "./model-limits.ts";

/** Makers whose models are known by their own ids; routers and clouds name the same ones in other ways. */
export const MAKERS = [
  "anthropic",
  "openai",
  "google",
  "deepseek",
  "moonshotai",
  "mistral",
  "x-ai",
  "groq",
  "cerebras",
] as const;

/** Words of an id without a region, a maker, a router's tag and a date: `us.anthropic.claude-opus-5-5-20260301-v1:0` has four. */
function wordsOf(modelId: string): readonly string[] {
  return modelFamily(withoutVariant(modelId).modelId.replace(/:[a-z]+$/i, ""))
    .replace(SHORT_DATE, "")
    .split(/[-:@]/);
}

/** A month and a day, a year and a month, or a month and a year. */
const SHORT_DATE = /[-@](?:(?:0[1-9]|1[0-2])-?(?:[0-2]\d|3[01]|20\d{2})|2[3-9](?:0[1-9]|1[0-2]))$/;

/** The keys of all listed ids. */
function listedKeys(): ReadonlySet<string> {
  const sellers = new Set([...MAKERS, ...HOSTS.values()]);
  const models = [...sellers].flatMap((providerId) => findProvider({ providerId: providerId ?? "" })?.models ?? []);
  const texts = JSON.stringify(models.map(({ id, match }) => [id, match])).match(/(?<=")[\w./:@-]+(?=")/g) ?? [];
  return new Set([...FAMILY_LIMITS.map(({ prefix }) => prefix), ...texts].flatMap((id) => keysOf(wordsOf(id))));
}

/** Each word behind the first one, which is the maker's; a number is another one behind other words. */
function keysOf(words: readonly string[]): readonly string[] {
  return words.map((word, at) => [words[0], ...(/^\d/.test(word) ? words.slice(Math.max(1, at - 2), at) : []), word].join(" "));
}

let listed: ReadonlySet<string> | null = null;

/** A family of a whole version, which takes its next minor versions unless one of them has a row of its own. */
const WHOLE_VERSIONS = FAMILY_LIMITS.map(({ prefix }) => prefix).filter(
  (prefix, _, all) => /[a-z]-\d$/.test(prefix) && !all.some((other) => other.startsWith(`${prefix}-`)),
);

/** Answers by family; ids come from outside, so that only so many are remembered. */
const named = new Map<string, boolean>();
const MOST_NAMED = 1_000;

/**
 * True if a listed id or a family's rule really names a model: the catalogue has each word of its id behind the same maker, and each number behind the same words. A rule by the
 * beginning of an id would take a misspelt one for its neighbour.
 */
export function isNamed(modelId: string): boolean {
  const family = wordsOf(modelId).join("-");
  const known = named.get(family) ?? isListed(family);
  if (named.size >= MOST_NAMED) named.clear();
  named.set(family, known);
  return known;
}

function isListed(family: string): boolean {
  if (FAMILY_LIMITS.some(({ prefix }) => prefix === family)) return true;
  const version = WHOLE_VERSIONS.find((prefix) => new RegExp(`^${prefix}-\\d(?:-\\D|$)`).test(family));
  const words = (version === undefined ? family : version + family.slice(version.length + 2)).split("-");
  const keys = listed ?? listedKeys();
  listed = keys;
  return words.every((word) => word !== "") && keysOf(words).every((key) => keys.has(key));
}
