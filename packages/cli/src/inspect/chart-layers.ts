import type { Composition } from "./composition.ts";
import type { CallStory } from "./session-story.ts";

/** One kind of content over the calls that are drawn; `colour` counts from 0 in the order of their totals. */
export interface ChartLayer {
  readonly name: string;
  readonly colour: number;
  /** Estimated tokens at each sample. */
  readonly tokens: readonly number[];
}

/** What a chart of the context is drawn from: at most so many calls, peaks kept. */
export interface ChartData {
  /** Numbers of the calls that are drawn, from 0. */
  readonly calls: readonly number[];
  /** As the provider reported; `null` where it did not. */
  readonly reportedTokens: readonly (number | null)[];
  readonly layers: readonly ChartLayer[];
}

/** Points that a chart of some 1,200 pixels can show; chosen. */
const MOST_SAMPLES = 400;
/** Kinds beyond so many are drawn as one: more cannot be told apart. */
const MOST_KINDS = 8;
const REST = "all else";

/** Samples the calls: of those that share a place the largest. */
export function chartData(calls: readonly CallStory[]): ChartData {
  const drawn = sampled(calls);
  const totals = new Map<string, number>();
  for (const { call } of drawn)
    for (const [kind, tokens] of call.composition) totals.set(kind, (totals.get(kind) ?? 0) + tokens);
  const ranked = [...totals].sort((a, b) => b[1] - a[1]).map(([kind]) => kind);
  const named = ranked.slice(0, MOST_KINDS);
  const rest = ranked.slice(MOST_KINDS);
  const at = (kinds: readonly string[]) => drawn.map(({ call }) => sumOf(call.composition, kinds));
  return {
    calls: drawn.map(({ index }) => index),
    reportedTokens: drawn.map(({ call }) => call.promptTokens),
    layers: [
      ...named.map((name, index) => ({ name, colour: index + 1, tokens: at([name]) })),
      ...(rest.length === 0 ? [] : [{ name: REST, colour: 0, tokens: at(rest) }]),
    ],
  };
}

function sumOf(composition: Composition, kinds: readonly string[]): number {
  return kinds.reduce((sum, kind) => sum + (composition.get(kind) ?? 0), 0);
}

interface Sample {
  readonly index: number;
  readonly call: CallStory;
}

function sampled(calls: readonly CallStory[]): readonly Sample[] {
  const perSample = Math.max(1, Math.ceil(calls.length / MOST_SAMPLES));
  const samples: Sample[] = [];
  for (const [index, call] of calls.entries()) {
    const place = Math.floor(index / perSample);
    const before = samples[place];
    if (before === undefined || (call.promptTokens ?? 0) > (before.call.promptTokens ?? 0)) samples[place] = { index, call };
  }
  return samples;
}
