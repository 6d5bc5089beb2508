import { findProvider } from "@pydantic/genai-prices";
import { distance } from "fastest-levenshtein";
import { FAMILY_LIMITS } from "./model-limits.ts";
import { modelFamily } from "./model-reference.ts";

/** Makers whose models are known by their own ids; routers and clouds name the same ones in other ways. */
const MAKERS = ["anthropic", "openai", "google", "deepseek", "moonshotai", "mistral", "x-ai", "groq", "cerebras"] as const;

/** Largest part of an id that may be wrong for another one to be what was meant; chosen. */
const MAXIMUM_WRONG_RATIO = 0.34;

/** How many names are offered; chosen. */
const MAXIMUM_OFFERED = 3;

/** Names of known models that are nearest to an id that nobody knows, the nearest first; none where nothing is near. */
export function nearestModels(modelId: string): readonly string[] {
  const family = modelFamily(modelId);
  const limit = Math.max(2, Math.floor(family.length * MAXIMUM_WRONG_RATIO));
  return [...knownModels()]
    .map((name) => ({ name, wrong: distance(family, modelFamily(name)) }))
    .filter(({ wrong }) => wrong <= limit)
    .sort((a, b) => a.wrong - b.wrong || a.name.localeCompare(b.name, "en"))
    .slice(0, MAXIMUM_OFFERED)
    .map(({ name }) => name);
}

function knownModels(): ReadonlySet<string> {
  const priced = MAKERS.flatMap((providerId) => findProvider({ providerId })?.models ?? []);
  return new Set([...FAMILY_LIMITS.map(({ prefix }) => prefix), ...priced.map(({ id }) => id)]);
}
