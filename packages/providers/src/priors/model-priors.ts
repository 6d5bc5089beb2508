import type { SessionOptions } from "@plimsoll/core";
import { CHAR_CLASSES } from "@plimsoll/core/extend";
import { tokenizerOf } from "../catalog/model-limits.ts";
import { remembered } from "../fields.ts";
import { loadTokenCounter } from "../tokenizers/token-counter.ts";
import type { FigureName, MeasuredFigures } from "./figures.ts";
import { MEASURED_FIGURES } from "./measured-figures.ts";

type Priors = NonNullable<SessionOptions["modelPriors"]>;
type ImagePrior = ReturnType<Priors>["image"];

/** Finds the family of a model's id, whose models count texts alike; `unknown` for other ids. */
export function familyOf(modelId: string): ModelFamily {
  return MODEL_FAMILIES.find(({ pattern }) => pattern.test(modelId)) ?? UNKNOWN_FAMILY;
}

/** Makes the estimates of models' tokens from measured figures: those of the package, or others, fitted without the sessions to be judged. */
export function priorsFrom({ weights, lines }: MeasuredFigures): Priors {
  const priorOf = ({ name, figures, reasoningAtTurn, toolsRatio, image }: ModelFamily) => {
    const { weights: group, slopeRatio, messageTokens } = lines[figures];
    const { values, pooledRatio } = weights[group];
    return { name, weights: values, pooledRatio, slopeRatio, messageTokens, toolsRatio, reasoningAtTurn, image };
  };
  const known = remembered(priorOf, ({ name }) => name);
  return (modelId) => known(familyOf(modelId));
}

/** Estimates a model's tokens until its provider reports usage, from the figures that come with the package. */
export const modelPriors: Priors = priorsFrom(MEASURED_FIGURES);

/** The tokenizer of OpenAI's models since GPT-4o. */
const ENCODING = "o200k_base";

/**
 * The line over counted tokens, of 38 sessions of three agents (29 November 2026): one token is one, and a message adds ten. Chosen: texts are off by an
 * eighth of what classes of characters are off by; half and twice that change no figure by a hundredth.
 */
const COUNTED: Pick<ReturnType<Priors>, "weights" | "slopeRatio" | "messageTokens" | "errorRatio"> = {
  weights: [...CHAR_CLASSES.map(() => 0), 1],
  slopeRatio: 1,
  messageTokens: 10,
  errorRatio: 1 / 8,
};

type CountTokens = Awaited<ReturnType<typeof loadTokenCounter>>;

let loading: Promise<CountTokens | null> | null = null;

/**
 * Returns the estimates for a session. For a model of OpenAI they count texts by its own tokenizer if `js-tiktoken` is installed, which the first such model loads; for
 * all others they are {@link modelPriors}.
 */
export function priorsFor(modelId: string | undefined): Promise<Priors> | Priors {
  if (tokenizerOf(modelId ?? "") !== ENCODING) return modelPriors;
  loading ??= loadTokenCounter(ENCODING).catch(() => null);
  return loading.then((countTokens) => (countTokens === null ? modelPriors : countedBy(countTokens, modelId ?? "")));
}

/** The estimates by a tokenizer; before the first report a session's model has no name but is the one that it asks. */
function countedBy(countTokens: CountTokens, askedId: string): Priors {
  // Models of one family measure alike: they have one value.
  const counted = remembered(
    (byClasses: ReturnType<Priors>) => ({ ...byClasses, ...COUNTED }),
    ({ name }) => name,
  );
  const priors = (namedId: string) => {
    const modelId = namedId === "" ? askedId : namedId;
    const byClasses = modelPriors(modelId);
    return tokenizerOf(modelId) === ENCODING ? counted(byClasses) : byClasses;
  };
  return Object.assign(priors, { countTokens });
}

/** Models whose texts measure alike. The first family whose pattern the model's id matches is taken. */
export interface ModelFamily {
  readonly name: string;
  readonly pattern: RegExp;
  /** Whose measured figures it has. */
  readonly figures: FigureName;
  readonly reasoningAtTurn: "stays" | "goes";
  readonly toolsRatio: number;
  readonly image: ImagePrior;
}

/**
 * Anthropic, "Vision" and "PDF support" (read November 2026): width × height / 750, up to 1,600; a page 1,500 to 3,000, since it is sent as text and
 * as an image. Published counts of pages of text are 2,098 to 2,115 with Haiku 4.5, 2,324 to 2,347 with the models since (2026-10-18).
 */
const ANTHROPIC_IMAGE: ImagePrior = {
  kind: "area",
  pixelsPerToken: 750,
  maximumTokens: 1600,
  unknownTokens: 1500,
  pageTokens: 2250,
};

/**
 * OpenAI, "Images and vision" and "File inputs" (read November 2026), high detail of the GPT-5 models: 70 and 140 a tile of 512 px. A page is sent as
 * its text and as an image: six tiles of an upright page are 910, and 461 tokens were counted for the text of one. Audio: no figure of the chat models was
 * found, so that Gemini's larger one counts. Video is not taken.
 */
const OPENAI_IMAGE: ImagePrior = {
  kind: "tiles",
  baseTokens: 70,
  tileTokens: 140,
  tilePx: 512,
  longestPx: 2048,
  shorterPx: 768,
  singleTilePx: 512,
  unknownTokens: 630,
  pageTokens: 1400,
};

/**
 * Google, "Understand and count tokens" and "Media resolution" (read November 2026): 258 up to 384 px a side, else 258 a tile of 768 px; a page 560 at
 * the resolution that Gemini 3 takes unasked (published counts of 2026-10-18 say 560 and 561). A second of video is 263 and of audio 32
 * (geminibyexample.com/027-calculate-input-tokens, read November 2026).
 */
const GOOGLE_IMAGE: ImagePrior = {
  kind: "tiles",
  baseTokens: 0,
  tileTokens: 258,
  tilePx: 768,
  longestPx: null,
  shorterPx: null,
  singleTilePx: 384,
  unknownTokens: 1032,
  pageTokens: 560,
  audioTokensPerSecond: 32,
  videoTokensPerSecond: 263,
};

/** Schemas cost about their JSON plus names and wrappers; Llama's template prints them with indents of four. Chosen. */
const TOOLS_RATIO = 1.2;
const INDENTED_TOOLS_RATIO = 1.9;

const IMAGES: Readonly<Record<FigureName, ImagePrior>> = {
  claude: ANTHROPIC_IMAGE,
  "claude-from-4.7": ANTHROPIC_IMAGE,
  gemini: GOOGLE_IMAGE,
  llama: OPENAI_IMAGE,
  gpt: OPENAI_IMAGE,
};

type FamilyRow = readonly [name: string, pattern: RegExp, figures: FigureName, reasoningAtTurn: ModelFamily["reasoningAtTurn"]];

/**
 * Claude from 4.7 on measures a third more than before it (seven of eight recorded sessions of Opus 4.6 measure as 4.5 does). Anthropic,
 * "Extended thinking" (read November 2026): the reasoning of earlier turns is taken out of the prompt before Opus 4.5, which keeps it. OpenAI drops it at the next user message (seen in all recorded sessions) before GPT-5.6, which takes that
 * of all turns (20 of 21 recorded turns of November 2026; openrouter.ai, "ReasoningContext": its default is the model's, read November 2026).
 */
const FAMILIES: readonly FamilyRow[] = [
  ["claude-from-4.7", /claude-[a-z]+-(?:4[.-][7-9]|[5-9])/, "claude-from-4.7", "stays"],
  ["claude-from-opus-4.5", /claude-(?:opus-4[.-][56]|sonnet-4[.-]6)/, "claude", "stays"],
  ["claude", /claude/, "claude", "goes"],
  ["gemini", /gemini/, "gemini", "goes"],
  ["llama", /llama/, "llama", "goes"],
  ["gpt-from-5.6", /gpt-(?:5[.-](?:[6-9]|[1-9]\d)|[6-9])/, "gpt", "stays"],
  ["gpt", /(?:^|[/-])(?:gpt-|o[134](?:-|$)|codex)/, "gpt", "goes"],
];

const MODEL_FAMILIES: readonly ModelFamily[] = FAMILIES.map(([name, pattern, figures, reasoningAtTurn]) => {
  const toolsRatio = figures === "llama" ? INDENTED_TOOLS_RATIO : TOOLS_RATIO;
  return { name, pattern, figures, reasoningAtTurn, toolsRatio, image: IMAGES[figures] };
});

/** The family of unknown models: most tokenizers are built as OpenAI's. */
const UNKNOWN_FAMILY: ModelFamily = {
  name: "unknown",
  pattern: /^/,
  figures: "gpt",
  reasoningAtTurn: "stays",
  toolsRatio: TOOLS_RATIO,
  image: ANTHROPIC_IMAGE,
};
