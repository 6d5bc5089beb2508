import type { RequestLimits } from "@plimsoll/core";
import { familyLimitsOf } from "./model-limits.ts";
import { modelFamily } from "./model-reference.ts";

/** Limits of requests to a family of models in other units than tokens. */
interface FamilyRequestLimits {
  /** The form of the model's id, a cloud's own or the vendor's. */
  readonly ids: RegExp;
  readonly limits: RequestLimits;
  /** The limits that apply instead for models whose window is under a million tokens. */
  readonly smallerWindow?: RequestLimits;
  /** The vendor's page. The figures are quotations of it by others, found on the day of `readOn`: the page itself was not opened. */
  readonly source: string;
  readonly readOn: string;
}

const MB = 1_000_000;

/** The lesser of what MB may mean, so that a body that is measured a little too small still passes. */
const CLAUDE = { images: 600, pages: 600, imagePx: 8000, manyImagePx: 2000 } as const;
const CLAUDE_SMALLER = { images: 100, pages: 100 } as const;
const VISION = "platform.claude.com/docs/en/build-with-claude/vision, pdf-support and api/overview";

/**
 * Limits of requests, first match first. A cloud that serves Claude takes less than Anthropic does. OpenAI counts the files of documents together and states no
 * pages. Of Gemini the page on images states 20 MB for a request with its media in it, the page on files 100 MB; the lower one is taken.
 */
const REQUEST_LIMITS: readonly FamilyRequestLimits[] = [
  {
    ids: /anthropic\.claude/,
    limits: { ...CLAUDE, bytes: 20 * MB, imageBytes: 5 * MB },
    smallerWindow: CLAUDE_SMALLER,
    source: VISION,
    readOn: "2026-11-26",
  },
  {
    ids: /claude[^/]*@/,
    limits: { ...CLAUDE, bytes: 30 * MB, imageBytes: 5 * MB },
    smallerWindow: CLAUDE_SMALLER,
    source: VISION,
    readOn: "2026-11-26",
  },
  {
    ids: /claude/,
    limits: { ...CLAUDE, bytes: 32 * MB, imageBytes: 10 * MB },
    smallerWindow: CLAUDE_SMALLER,
    source: VISION,
    readOn: "2026-11-26",
  },
  {
    ids: /^(?:.*\/)?(?:gpt-|chatgpt|codex|o[134](?:-|$))/,
    limits: { bytes: 512 * MB, images: 1500, documentBytes: 50 * MB },
    source: "developers.openai.com/api/docs/guides/images-vision and file-inputs",
    readOn: "2026-11-26",
  },
  {
    ids: /gemini/,
    limits: { bytes: 20 * MB, images: 3600 },
    source: "ai.google.dev/gemini-api/docs/image-understanding",
    readOn: "2026-11-26",
  },
];

/** Windows from this on are large ones for Anthropic. */
const LARGE_WINDOW_TOKENS = 1_000_000;

/** Returns a model's limits for a request in other units than tokens; no limits for models that the table does not have. */
export function requestLimitsOf(modelId: string): RequestLimits {
  const id = modelId.toLowerCase();
  // Families by their own ids: an open model of a maker's name, as gpt-oss, runs on servers of anybody.
  const found = modelFamily(id).startsWith("gpt-oss") ? undefined : REQUEST_LIMITS.find(({ ids }) => ids.test(id));
  if (found === undefined) return {};
  const windowTokens = familyLimitsOf(id)?.contextWindowTokens ?? 0;
  return windowTokens >= LARGE_WINDOW_TOKENS ? found.limits : { ...found.limits, ...found.smallerWindow };
}
