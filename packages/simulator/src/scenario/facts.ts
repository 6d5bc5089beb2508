import type { Exchange } from "../options.ts";
import { countByLength } from "../prompt-cache.ts";
import type { WireName } from "../reply.ts";
import { type ItemRole, type RequestShape, type ShapedItem, steadyHash } from "./request-shape.ts";

/** Facts about one request and its answer in a scenario: numbers, roles and hashes, without any text of the request. */
export interface ExchangeFacts {
  /** Counted from 0, over all requests. */
  readonly index: number;
  readonly wire: WireName;
  /** `main`, `vendor-summary` for the vendor's own summary, or the kind that a rule of the scenario names. */
  readonly kind: string;
  readonly outcome: Exchange["outcome"];
  readonly status: number;
  readonly modelId: string | null;
  /** Prompt tokens as the simulator counts them; `null` for a request that was refused before they were counted. */
  readonly promptTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** Prompt tokens that the reply reported; `null` if it reported none. */
  readonly toldPromptTokens: number | null;
  readonly cacheReadTokens: number | null;
  /** Pieces of an answered request that the model did not see. */
  readonly dropCount: number;
  readonly systemTokens: number;
  /** Hash of the system text, without its digits and dates. */
  readonly systemHash: string;
  readonly toolCount: number;
  /** Hash of the tools as JSON, without digits and dates. */
  readonly toolsHash: string;
  /** Number of items in the request, leading system messages not counted. */
  readonly itemCount: number;
  readonly roles: RoleCounts;
  /** Comparison with the previous request of the kind `main`; `null` if there is none. */
  readonly sinceMain: SinceMain | null;
  /** Ids of the scenario's probes that are in the request. */
  readonly probes: readonly string[];
  /** The person's messages that are in it word for word, counted from 0. */
  readonly person: readonly number[];
}

/** How many items each role has; roles without items are left out. */
type RoleCounts = { readonly [role in ItemRole]?: number };

/** Likenesses of a request to the main request before it. */
interface SinceMain {
  readonly sameSystem: boolean;
  readonly sameTools: boolean;
  readonly sameModel: boolean;
  /** Items at its beginning that are equal, and how many tokens they have by their texts. */
  readonly sharedItems: number;
  readonly sharedTokens: number;
  /** Items anywhere that are equal, by role. */
  readonly kept: RoleCounts;
  /** Items of the request before. */
  readonly itemCount: number;
}

/** Sources of facts in addition to the exchange. */
export interface FactsSource {
  readonly index: number;
  readonly kind: string;
  readonly shape: RequestShape;
  readonly mainBefore: RequestShape | null;
  readonly toldPromptTokens: number | null;
  readonly probes: readonly { readonly id: string; readonly text: string }[];
  readonly person: readonly string[];
}

/** The facts of one exchange. */
export function factsOf(
  { wire, outcome, status, promptTokens, cacheReadTokens, drops }: Exchange,
  source: FactsSource,
): ExchangeFacts {
  const { shape, mainBefore, probes, person } = source;
  const texts = [shape.systemText, ...shape.items.map(({ text }) => text)];
  return {
    index: source.index,
    wire,
    kind: source.kind,
    outcome,
    status,
    modelId: shape.modelId,
    promptTokens,
    maxOutputTokens: shape.maxOutputTokens,
    toldPromptTokens: source.toldPromptTokens,
    cacheReadTokens,
    dropCount: drops.length,
    systemTokens: countByLength(shape.systemText),
    systemHash: steadyHash(shape.systemText),
    toolCount: shape.tools.length,
    toolsHash: steadyHash(JSON.stringify(shape.tools)),
    itemCount: shape.items.length,
    roles: roleCounts(shape.items),
    sinceMain: mainBefore === null ? null : sinceMain(shape, mainBefore),
    probes: probes.filter(({ text }) => texts.some((each) => each.includes(text))).map(({ id }) => id),
    person: person.flatMap((text, index) => (shape.items.some(({ said }) => said.includes(text)) ? [index] : [])),
  };
}

function roleCounts(items: readonly ShapedItem[]): RoleCounts {
  const counts = new Map<ItemRole, number>();
  for (const role of items.map((item) => item.role).sort()) counts.set(role, (counts.get(role) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function sinceMain(shape: RequestShape, before: RequestShape): SinceMain {
  const firstOther = shape.items.findIndex(({ hash }, index) => before.items[index]?.hash !== hash);
  const shared = shape.items.slice(0, firstOther < 0 ? shape.items.length : firstOther);
  const hashes = new Set(before.items.map(({ hash }) => hash));
  return {
    sameSystem: shape.systemText === before.systemText,
    sameTools: shape.toolsHash === before.toolsHash,
    sameModel: shape.modelId === before.modelId,
    sharedItems: shared.length,
    sharedTokens: shared.reduce((sum, { text }) => sum + countByLength(text), 0),
    kept: roleCounts(shape.items.filter(({ hash }) => hashes.has(hash))),
    itemCount: before.items.length,
  };
}

/** Writes the facts of one exchange as JSON on one line, without a line break at its end. */
export function factsLine(facts: ExchangeFacts): string {
  return JSON.stringify(facts);
}
