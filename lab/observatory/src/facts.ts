import { z } from "zod";

const word = z.string().regex(/^[a-z0-9@/. -]{1,40}$/i);
const count = z.int().min(0).max(100_000_000);
const hash = z.string().regex(/^[0-9a-f]{12}$/);

const actsBetween = z.enum(["steps", "turns", "never"]);
export type ActsBetween = z.infer<typeof actsBetween>;

const threshold = z.strictObject({
  windowTokens: count,
  outputTokens: count.nullable(),
  /** Whether replies reported usage. If not, sizes are as the simulator counts them: four characters a token. */
  usage: z.enum(["reported", "missing"]),
  silentTokens: count.nullable(),
  actsTokens: count.nullable(),
});

/** A size at which it does nothing, and one at which it acts; `null` if it never did. */
export type ThresholdFacts = z.infer<typeof threshold>;

const summary = z.strictObject({
  tokens: count,
  tools: z.enum(["kept", "dropped", "changed"]),
  system: z.enum(["kept", "changed"]),
  model: z.enum(["same", "other"]),
  /** Its items, and how many of them are byte for byte those of the request before. */
  items: count,
  equalItems: count,
  cacheReadTokens: count,
});

/** A request for a summary, against the main request before it. */
export type SummaryFacts = z.infer<typeof summary>;

const after = z.strictObject({
  tokens: count,
  items: count,
  /** The person's messages that are in it word for word, of all so far. */
  person: z.array(count).readonly(),
  personCount: count,
  /** Results of tools that stayed as they were. */
  resultsKept: count,
  /** Files that were read long before and whose text is in it. */
  filesPutBack: count,
  cacheReadTokens: count,
  /** The constraints that are in it, by the message that stated them. */
  constraints: z.array(word).readonly(),
});

/** The first main request after it. */
export type AfterFacts = z.infer<typeof after>;

const compaction = z.strictObject({
  before: z.strictObject({ tokens: count, items: count }),
  /** Requests of the kind `summary` between the two main requests; none if it cut by itself. */
  summaries: z.array(summary).readonly(),
  after,
});

/** One compaction: the request before it, the requests for it, and the request after it. Tokens are rounded to hundreds. */
export type CompactionFacts = z.infer<typeof compaction>;

/** Checks a file of facts: there is no field that could hold a text. */
export const programFactsSchema = z.strictObject({
  program: word,
  packageName: word,
  version: word,
  licence: word,
  wire: word,
  /** The day of the run, as it was given. */
  recorded: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  /** Where it acts: between the steps of a turn, between turns, or never in the experiments. */
  actsBetween,
  /** Tools and system text of its main requests. */
  overhead: z.strictObject({ toolCount: count, toolsHash: hash, systemTokens: count, systemHash: hash }),
  thresholds: z.array(threshold).readonly(),
  /** Compactions in a row of one session. */
  compactions: z.array(compaction).readonly(),
});

/** The behaviour of a published program when its context is full. Numbers, roles, counts and hashes: no text of the program is in it. */
export type ProgramFacts = z.infer<typeof programFactsSchema>;
