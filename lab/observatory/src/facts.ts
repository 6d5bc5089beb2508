import { z } from "zod";

/** The behaviour of a published program when its context is full. Numbers, roles, counts and hashes: no text of the program is in it. */
export interface ProgramFacts {
  readonly program: string;
  readonly packageName: string;
  readonly version: string;
  readonly licence: string;
  readonly wire: string;
  /** The day of the run, as it was given. */
  readonly recorded: string;
  /** Where it acts: between the steps of a turn, between turns, or never in the experiments. */
  readonly actsBetween: ActsBetween;
  /** Tools and system text of its main requests. */
  readonly overhead: {
    readonly toolCount: number;
    readonly toolsHash: string;
    readonly systemTokens: number;
    readonly systemHash: string;
  };
  readonly thresholds: readonly ThresholdFacts[];
  /** Compactions in a row of one session. */
  readonly compactions: readonly CompactionFacts[];
}

const ACTS_BETWEEN = ["steps", "turns", "never"] as const;
export type ActsBetween = (typeof ACTS_BETWEEN)[number];

/** A size at which it does nothing, and one at which it acts; `null` if it never did. */
export interface ThresholdFacts {
  readonly windowTokens: number;
  readonly outputTokens: number | null;
  /** Whether replies reported usage. If not, sizes are as the simulator counts them: four characters a token. */
  readonly usage: "reported" | "missing";
  readonly silentTokens: number | null;
  readonly actsTokens: number | null;
}

/** One compaction: the request before it, the requests for it, and the request after it. Tokens are rounded to hundreds. */
export interface CompactionFacts {
  readonly before: { readonly tokens: number; readonly items: number };
  /** Requests of the kind `summary` between the two main requests; none if it cut by itself. */
  readonly summaries: readonly SummaryFacts[];
  readonly after: AfterFacts;
}

/** A request for a summary, against the main request before it. */
export interface SummaryFacts {
  readonly tokens: number;
  readonly tools: "kept" | "dropped" | "changed";
  readonly system: "kept" | "changed";
  readonly model: "same" | "other";
  /** Its items, and how many of them are byte for byte those of the request before. */
  readonly items: number;
  readonly equalItems: number;
  readonly cacheReadTokens: number;
}

/** The first main request after it. */
export interface AfterFacts {
  readonly tokens: number;
  readonly items: number;
  /** The person's messages that are in it word for word, of all so far. */
  readonly person: readonly number[];
  readonly personCount: number;
  /** Results of tools that stayed as they were. */
  readonly resultsKept: number;
  /** Files that were read long before and whose text is in it. */
  readonly filesPutBack: number;
  readonly cacheReadTokens: number;
  /** The constraints that are in it, by the message that stated them. */
  readonly constraints: readonly string[];
}

const word = z.string().regex(/^[a-z0-9@/. -]{1,40}$/i);
const count = z.int().min(0).max(100_000_000);

/** Checks a file of facts: there is no field that could hold a text. */
export const programFactsSchema: z.ZodType<ProgramFacts> = z.strictObject({
  program: word,
  packageName: word,
  version: word,
  licence: word,
  wire: word,
  recorded: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  actsBetween: z.enum(ACTS_BETWEEN),
  overhead: z.strictObject({
    toolCount: count,
    toolsHash: z.string().regex(/^[0-9a-f]{12}$/),
    systemTokens: count,
    systemHash: z.string().regex(/^[0-9a-f]{12}$/),
  }),
  thresholds: z.array(
    z.strictObject({
      windowTokens: count,
      outputTokens: count.nullable(),
      usage: z.enum(["reported", "missing"]),
      silentTokens: count.nullable(),
      actsTokens: count.nullable(),
    }),
  ),
  compactions: z.array(
    z.strictObject({
      before: z.strictObject({ tokens: count, items: count }),
      summaries: z.array(
        z.strictObject({
          tokens: count,
          tools: z.enum(["kept", "dropped", "changed"]),
          system: z.enum(["kept", "changed"]),
          model: z.enum(["same", "other"]),
          items: count,
          equalItems: count,
          cacheReadTokens: count,
        }),
      ),
      after: z.strictObject({
        tokens: count,
        items: count,
        person: z.array(count),
        personCount: count,
        resultsKept: count,
        filesPutBack: count,
        cacheReadTokens: count,
        constraints: z.array(word),
      }),
    }),
  ),
});
