import { AREA, clusteredEstimate, createRandom, type Estimate, markdownTable, meanOver } from "@plimsoll/bench/extend";
import { z } from "zod";

/** A judged case, as it is kept: bits by context, and what is known of the case. */
export interface JudgedRow {
  readonly key: string;
  /** Hash of the protocol. */
  readonly protocol: string;
  readonly model: string;
  readonly kind: "facts" | "actions" | "summaries";
  readonly bits: Readonly<Record<string, number>>;
  readonly promptTokens: Readonly<Record<string, number>>;
  readonly scoredTokens: number;
  /** Processor time of the model. */
  readonly cpuMs: number;
  readonly session?: string | undefined;
  readonly truth?: FactTruth | undefined;
}

/** The knowledge of a fact in one context. */
export interface FactTruth {
  readonly fact: string;
  readonly level: string;
  readonly answered: boolean;
  readonly inContext: boolean;
  readonly inPassages: boolean;
  readonly stands: boolean;
  readonly heldOut: boolean;
}

/** Schema of {@link JudgedRow}. */
export const rowSchema: z.ZodType<JudgedRow> = z.object({
  key: z.string(),
  protocol: z.string(),
  model: z.string(),
  kind: z.enum(["facts", "actions", "summaries"]),
  bits: z.record(z.string(), z.number()),
  promptTokens: z.record(z.string(), z.number()),
  scoredTokens: z.number(),
  cpuMs: z.number(),
  session: z.string().optional(),
  truth: z
    .object({
      fact: z.string(),
      level: z.string(),
      answered: z.boolean(),
      inContext: z.boolean(),
      inPassages: z.boolean(),
      stands: z.boolean(),
      heldOut: z.boolean(),
    })
    .optional(),
});

/** The scores that the model's bits may give a context; the first sample's variants. */
const VARIANTS: readonly Measure[] = [
  { name: "saved bits", scoreOf: ({ bits }) => of(bits, "none") - of(bits, "passages") },
  {
    name: "saved bits a token",
    scoreOf: ({ bits, scoredTokens }) => (of(bits, "none") - of(bits, "passages")) / scoredTokens,
  },
  { name: "bits given the passages, negative", scoreOf: ({ bits }) => -of(bits, "passages") },
];

/** The judgement without a model. */
const CONTROLS: readonly Measure[] = [
  { name: "keywords in the context", scoreOf: ({ truth }) => Number(truth?.inContext ?? false) },
  { name: "keywords in the read passages", scoreOf: ({ truth }) => Number(truth?.inPassages ?? false) },
  { name: "own messages not compacted", scoreOf: ({ truth }) => Number(truth?.stands ?? false) },
];

interface Measure {
  readonly name: string;
  readonly scoreOf: (row: FactRow) => number;
}

type FactRow = JudgedRow & { readonly truth: FactTruth };

function of(bits: JudgedRow["bits"], context: string): number {
  return bits[context] ?? Number.NaN;
}

/** The figures of judged cases as Markdown, by model; every table says by which protocol, of how many cases, and in how much processor time. */
export function judgeReport(rows: readonly JudgedRow[]): string {
  const models = [...new Set(rows.map(({ model }) => model))];
  return models
    .flatMap((model) => {
      const own = rows.filter((row) => row.model === model);
      return [factTables, actionTable, summaryTable].flatMap((table) => table(own, model));
    })
    .join("\n");
}

function heading(title: string, rows: readonly JudgedRow[]): string {
  const protocols = [...new Set(rows.map(({ protocol }) => protocol))].join(", ");
  const seconds = Math.round(rows.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000);
  const tokens = rows.reduce((sum, row) => sum + Object.values(row.promptTokens).reduce((all, each) => all + each, 0), 0);
  return `### ${title}\n\nProtocol \`${protocols}\`; ${rows.length} cases, ${tokens} prompt tokens, ${seconds} s of one processor.\n`;
}

function factTables(all: readonly JudgedRow[], model: string): readonly string[] {
  const rows = all.flatMap((row): readonly FactRow[] =>
    row.kind === "facts" && row.truth !== undefined ? [{ ...row, truth: row.truth }] : [],
  );
  if (rows.length === 0) return [];
  const chosen = chosenVariant(rows);
  const held = rows.filter(({ truth }) => truth.heldOut);
  const areas = [...VARIANTS, ...CONTROLS].map((measure) => [
    measure === chosen ? `${measure.name} (chosen)` : measure.name,
    ...[rows.filter(({ truth }) => !truth.heldOut), held, rows].map((some) => estimateText(areaOf(some, measure), 2)),
  ]);
  const over = CONTROLS.map((control) => [
    `${chosen.name} − ${control.name}`,
    "",
    ...[held, rows].map((some) => estimateText(areaDifference(some, chosen, control), 2)),
  ]);
  const factsOf = (some: readonly FactRow[]) => new Set(some.map(({ truth }) => truth.fact)).size;
  const levels = [...new Set(rows.map(({ truth }) => truth.level))].map((level) => {
    const own = rows.filter(({ truth }) => truth.level === level);
    const mean = (numberOf: (row: FactRow) => number) => own.reduce((sum, row) => sum + numberOf(row), 0) / own.length;
    const share = (numberOf: (row: FactRow) => number) => `${Math.round(100 * mean(numberOf))} %`;
    const measures = CONTROLS.map(({ scoreOf }) => share(scoreOf));
    return [level, `${own.length}`, share(({ truth }) => Number(truth.answered)), mean(chosen.scoreOf).toFixed(2), ...measures];
  });
  return [
    heading(`Facts, ${model}`, rows),
    `Area under the curve with which each tells whether a large model still answered; ${factsOf(rows)} facts, ${factsOf(held)} held out.\n`,
    markdownTable({ head: ["", "choosing", "held out", "all"], rows: [...areas, ...over] }),
    `\nPower on the held-out facts for a true area of 0.80 against 0.60: ${Math.round(100 * powerOf(held))} %.\n`,
    markdownTable({ head: ["level", "cases", "answered", chosen.name, ...CONTROLS.map(({ name }) => name)], rows: levels }),
    "",
  ];
}

/** The variant with the largest area on the facts that choose. */
function chosenVariant(rows: readonly FactRow[]): Measure {
  const choosing = rows.filter(({ truth }) => !truth.heldOut);
  const areaAt = (measure: Measure) => areaOf(choosing, measure).value ?? 0;
  return VARIANTS.reduce((best, each) => (areaAt(each) > areaAt(best) ? each : best));
}

/** A row with its place among the scores of all rows, from 0 to 1. */
interface Placed {
  readonly session: string;
  readonly score: number;
  readonly happened: boolean;
}

function placed(rows: readonly FactRow[], { scoreOf }: Measure): readonly Placed[] {
  const scores = rows.map(scoreOf);
  const sorted = [...new Set(scores)].toSorted((a, b) => a - b);
  const places = new Map(sorted.map((score, place) => [score, place / Math.max(1, sorted.length - 1)]));
  return rows.map((row, at) => ({
    session: row.truth.fact,
    score: places.get(scores[at] ?? 0) ?? 0,
    happened: row.truth.answered,
  }));
}

/** Facts are drawn whole: each is a cluster, and an owner of its own. */
const factAsOrigin = (fact: string) => ({ owner: fact, repository: fact });

function areaOf(rows: readonly FactRow[], measure: Measure): Estimate {
  return clusteredEstimate(placed(rows, measure), AREA, factAsOrigin);
}

function areaDifference(rows: readonly FactRow[], one: Measure, other: Measure): Estimate {
  const [own, others] = [placed(rows, one), placed(rows, other)];
  const pairs = own.map((each, at) => ({ session: each.session, own: each, other: others[at] ?? each }));
  const { width } = AREA;
  const difference = {
    width: 2 * width,
    add: (pair: (typeof pairs)[number], sums: Float64Array) => {
      AREA.add(pair.own, sums.subarray(0, width));
      AREA.add(pair.other, sums.subarray(width));
    },
    figure: (sums: Float64Array) => {
      const [first, second] = [AREA.figure(sums.subarray(0, width)), AREA.figure(sums.subarray(width))];
      return first === null || second === null ? null : first - second;
    },
  };
  return clusteredEstimate(pairs, difference, factAsOrigin);
}

/** Each draws a bootstrap of 10,000: more take minutes and tell no more than a few per cent (chosen). */
const SIMULATIONS = 20;
/** Distances of two normal distributions whose areas are 0.80 and 0.60: √2 times the normal quantile. */
const DISTANCE_OF_80 = 1.19;
const DISTANCE_OF_60 = 0.358;
/** Share of a score's variance that is the fact's own in the simulation (chosen: contexts of one fact share its passage more often than not). */
const FACT_RATIO = 0.5;

/** How often a measure with an area of 0.80 has an interval above one of 0.60, on facts and answers as they are. */
function powerOf(rows: readonly FactRow[]): number {
  const random = createRandom();
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let found = 0;
  for (let simulation = 0; simulation < SIMULATIONS; simulation++) {
    const scoresAt = (distance: number): Measure => {
      const own = new Map(rows.map(({ truth }) => [truth.fact, normal()]));
      const scores = new Map(
        rows.map((row) => {
          const noise = Math.sqrt(FACT_RATIO) * (own.get(row.truth.fact) ?? 0) + Math.sqrt(1 - FACT_RATIO) * normal();
          return [row.key, noise + (row.truth.answered ? distance : 0)];
        }),
      );
      return { name: "simulated", scoreOf: ({ key }) => scores.get(key) ?? 0 };
    };
    const { interval } = areaDifference(rows, scoresAt(DISTANCE_OF_80), scoresAt(DISTANCE_OF_60));
    if (interval !== null && interval.from > 0) found += 1;
  }
  return found / SIMULATIONS;
}

/** Pairs of contexts whose saved bits are compared. */
const ACTION_PAIRS: readonly Pair[] = [
  ["plimsoll", "floor"],
  ["longest", "none"],
  ["plimsoll", "none"],
  ["newest", "none"],
  ["plimsoll", "newest"],
  ["codex", "longest"],
  ["plimsoll", "codex"],
  ["longest", "plimsoll"],
];
const SUMMARY_PAIRS: readonly Pair[] = [
  ["recorded", "none"],
  ["ours", "none"],
  ["newest", "none"],
  ["ours", "newest"],
  ["recorded", "newest"],
  ["recorded", "ours"],
];

type Pair = readonly [string, string];

function actionTable(rows: readonly JudgedRow[], model: string): readonly string[] {
  return pairTable(
    `Next actions after cuts, ${model}`,
    rows.filter(({ kind }) => kind === "actions"),
    ACTION_PAIRS,
  );
}

function summaryTable(rows: readonly JudgedRow[], model: string): readonly string[] {
  const title = `Next actions after recorded compactions, ${model} (the action was made from the recorded summary: biased towards it)`;
  return pairTable(
    title,
    rows.filter(({ kind }) => kind === "summaries"),
    SUMMARY_PAIRS,
  );
}

/** 2.8 standard errors: the difference that 80 % of samples of this size find at 5 %, two-sided. */
const DETECTED_ERRORS = 2.8;

function pairTable(title: string, rows: readonly JudgedRow[], pairs: readonly Pair[]): readonly string[] {
  if (rows.length === 0) return [];
  const lines = pairs.map(([one, other]) => {
    const items = rows.map(({ session = "", bits }) => ({ session, saved: of(bits, other) - of(bits, one) }));
    const deviation = deviationOf(items.map(({ saved }) => saved));
    const tokens = (name: string) => rows.reduce((sum, { promptTokens }) => sum + (promptTokens[name] ?? 0), 0) / rows.length;
    return [
      `${one} − ${other}`,
      ((DETECTED_ERRORS * deviation) / Math.sqrt(rows.length)).toFixed(1),
      estimateText(
        clusteredEstimate(
          items,
          meanOver(({ saved }: { readonly saved: number }) => saved),
        ),
        1,
      ),
      (items.reduce((sum, { saved }) => sum + Math.abs(saved), 0) / items.length).toFixed(1),
      `${Math.round(tokens(one))} / ${Math.round(tokens(other))}`,
    ];
  });
  const head = ["bits saved by the first over the second", "smallest detectable", "mean", "mean size", "tokens"];
  return [heading(title, rows), markdownTable({ head, rows: lines }), ""];
}

function deviationOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1));
}

function estimateText({ value, interval }: Estimate, digits: number): string {
  if (value === null) return "–";
  const range = interval === null ? "too few" : `${interval.from.toFixed(digits)}, ${interval.through.toFixed(digits)}`;
  return `${value.toFixed(digits)} [${range}]`;
}
