import { z } from "zod";

/** A script for any agent that asks the simulator: an answer for each request. It is data, so a file can hold it. */
export interface Scenario {
  readonly name: string;
  /** The model's context window, in tokens; 200,000 by default. */
  readonly windowTokens?: number;
  /** Whether the requested reply must fit as well; it must by default. */
  readonly windowHolds?: "prompt-and-reply" | "prompt";
  /** The factor of every token count, to play another tokenizer; 1 by default. */
  readonly tokenFactorRatio?: number;
  /** The person's messages; facts list those that a request contains word for word. */
  readonly person?: readonly string[];
  /** Texts that facts look for in requests. */
  readonly probes?: readonly Probe[];
  /** How to call the agent's own tools: the first pattern that fits a tool of the request counts. */
  readonly tools?: readonly ToolPattern[];
  /** Rules that separate side requests from main ones: the first rule that fits names the kind, and any other request is `main`. */
  readonly kinds?: readonly KindRule[];
  /** Answers to main requests, in this order; after the last, one line of text. */
  readonly main: readonly MainStep[];
  /** Answers to side requests, by kind; one line of text for other kinds. */
  readonly side?: { readonly [kind: string]: ScenarioText };
  /**
   * The usage that replies report; the counts by default. Replies to side requests report the counts; nothing if usage is missing, no less if it
   * is to stay high.
   */
  readonly usage?: ScenarioUsage;
  /** Requests to refuse as too long, at any size. */
  readonly overflow?: readonly OverflowRule[];
  /** The side requests after which the script ends: main requests then get a last line of text and counted usage. */
  readonly endAfter?: ScenarioEnd;
  /** The script also ends after so many answered main requests, to stop loops. */
  readonly atMostMain?: number;
}

/** The n-th group of requests of a kind, one after the other (the first if `times` is left out), and so many main answers after it (none). */
interface ScenarioEnd {
  readonly kind: string;
  readonly times?: number;
  readonly mains?: number;
}

/** A text that is searched for in each request; facts name it by its `id`. */
interface Probe {
  readonly id: string;
  readonly text: string;
}

/**
 * One way to call a tool. In texts of `arguments`, `{n}` becomes the number of the call, counted from 1, and `{chars}` the size that the step asks
 * for: four characters a token. Arguments that are one text are for a tool whose input is plain text.
 */
export interface ToolPattern {
  /** The use that a step names, if the pattern is only for some steps. */
  readonly use?: string;
  /** The tool's name; a `*` at its end matches anything. */
  readonly name: string;
  readonly arguments: string | { readonly [name: string]: unknown };
}

/** Gives a request its `kind` if all conditions in `if` hold; `same` and `other` compare it with the first main request. */
export interface KindRule {
  readonly kind: string;
  readonly if: {
    readonly tools?: "none" | "some" | "same" | "other";
    readonly system?: "none" | "same" | "other";
    readonly model?: "same" | "other";
    /** Whose the newest item is: the person's (it holds one of `person`), a tool's result, or neither. */
    readonly newest?: "person" | "result" | "other";
    /** Whether the item before the newest one is a tool's result. */
    readonly previous?: "result" | "other";
    /** Whether the request asks for an answer in a given form. */
    readonly form?: "given" | "free";
    /** Whether more than one main request came before it: requests that come at the same time as the first are `first`. */
    readonly place?: "first" | "later";
  };
}

/** A given text, or a filler text of about so many tokens. */
export type ScenarioText = { readonly text: string } | { readonly tokens: number };

/** One answer to a main request, or a group of steps; `repeat` plays it so many times, once by default. */
export type MainStep =
  | { readonly say: ScenarioText; readonly usage?: ScenarioUsage; readonly repeat?: number }
  | { readonly call: ScenarioCall; readonly usage?: ScenarioUsage; readonly repeat?: number }
  | { readonly steps: readonly MainStep[]; readonly repeat?: number };

/** A call of one of the agent's tools. */
export interface ScenarioCall {
  /** About how many tokens its result is to have: passed to the tool by `{chars}`. */
  readonly outputTokens: number;
  /** The model's words before the call. */
  readonly text?: string;
  /** Only patterns with this `use`; those without one by default. */
  readonly use?: string;
}

/**
 * The usage that a reply reports: the counts, nothing, or numbers: `promptTokens` and `growTokens` for each main reply before it, or the counts but no
 * less than `atLeastTokens`.
 */
export type ScenarioUsage =
  | "counted"
  | "missing"
  | { readonly promptTokens: number; readonly growTokens?: number }
  | { readonly atLeastTokens: number };

/** Refuses requests of a kind (of any if left out) as too long: `times` of them (1 if left out) from number `request` on, counted from 1; or all above so many tokens. */
export type OverflowRule =
  | { readonly kind?: string; readonly request: number; readonly times?: number }
  | { readonly kind?: string; readonly aboveTokens: number };

const count = z.int().min(0).max(100_000_000);
const repeat = z.int().min(1).max(10_000);
const text: z.ZodType<ScenarioText> = z.union([z.strictObject({ text: z.string() }), z.strictObject({ tokens: count })]);

const usage: z.ZodType<ScenarioUsage> = z.union([
  z.enum(["counted", "missing"]),
  z.strictObject({ promptTokens: count, growTokens: count.exactOptional() }),
  z.strictObject({ atLeastTokens: count }),
]);

const call: z.ZodType<ScenarioCall> = z.strictObject({
  outputTokens: count,
  text: z.string().exactOptional(),
  use: z.string().exactOptional(),
});

const step: z.ZodType<MainStep> = z.union([
  z.strictObject({ say: text, usage: usage.exactOptional(), repeat: repeat.exactOptional() }),
  z.strictObject({ call, usage: usage.exactOptional(), repeat: repeat.exactOptional() }),
  z.strictObject({
    get steps() {
      return z.array(step);
    },
    repeat: repeat.exactOptional(),
  }),
]);

const kindRule: z.ZodType<KindRule> = z.strictObject({
  kind: z.string().min(1),
  if: z.strictObject({
    tools: z.enum(["none", "some", "same", "other"]).exactOptional(),
    system: z.enum(["none", "same", "other"]).exactOptional(),
    model: z.enum(["same", "other"]).exactOptional(),
    newest: z.enum(["person", "result", "other"]).exactOptional(),
    previous: z.enum(["result", "other"]).exactOptional(),
    form: z.enum(["given", "free"]).exactOptional(),
    place: z.enum(["first", "later"]).exactOptional(),
  }),
});

const overflow: z.ZodType<OverflowRule> = z.union([
  z.strictObject({ kind: z.string().exactOptional(), request: z.int().min(1), times: z.int().min(1).exactOptional() }),
  z.strictObject({ kind: z.string().exactOptional(), aboveTokens: count }),
]);

/** The Zod schema of a {@link Scenario}; it refuses unknown fields. */
export const scenarioSchema: z.ZodType<Scenario> = z.strictObject({
  name: z.string().min(1),
  windowTokens: z.int().min(1).exactOptional(),
  windowHolds: z.enum(["prompt-and-reply", "prompt"]).exactOptional(),
  tokenFactorRatio: z.number().min(0.1).max(100).exactOptional(),
  person: z.array(z.string().min(1)).exactOptional(),
  probes: z.array(z.strictObject({ id: z.string().min(1), text: z.string().min(1) })).exactOptional(),
  tools: z
    .array(
      z.strictObject({
        use: z.string().exactOptional(),
        name: z.string().min(1),
        arguments: z.union([z.string(), z.record(z.string(), z.unknown())]),
      }),
    )
    .exactOptional(),
  kinds: z.array(kindRule).exactOptional(),
  main: z.array(step),
  side: z.record(z.string(), text).exactOptional(),
  usage: usage.exactOptional(),
  overflow: z.array(overflow).exactOptional(),
  endAfter: z
    .strictObject({ kind: z.string(), times: z.int().min(1).exactOptional(), mains: count.exactOptional() })
    .exactOptional(),
  atMostMain: z.int().min(1).exactOptional(),
});
