import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionEntry, UsageEntry } from "../../entry.ts";
import type { JsonValue } from "../../json.ts";
import type { AssistantMessage, Message } from "../../message/message.ts";
import { messageChars } from "../../message/size.ts";
import { foldLedger } from "../../session/session-state.ts";
import { EMPTY_VIEW, foldEntry } from "../../session/view.ts";
import {
  absentImage,
  assistant,
  compaction,
  human,
  replacedHistory,
  replacedPart,
  result,
  revertOf,
  sessionStart,
  summarized,
  summaryMessage,
  toolCall,
  usageEntry,
} from "../../testing/builders.ts";
import { rejectedUsage, usageOf } from "../../usage.ts";
import { createEstimator } from "../built-in-estimators.ts";
import { EMPTY_LEDGER, type Overhead } from "../estimator.ts";
import { createWorkCounter, type ModelPriors, POOLED_PRIOR } from "../measure.ts";

const bare: Overhead = { system: "", tools: [], dynamicContext: null, hiddenTokens: 0 };

interface FollowOptions {
  readonly overhead?: Overhead;
  readonly priors?: ModelPriors;
  /** The overhead as it is at each entry, and behind the last one. */
  readonly overheadAt?: (entry: number) => Overhead;
}

/** Folds a log with the ledger, and predicts the next request. `bounds` is the sum of the bounds after each of its entries. */
function follow(
  entries: readonly SessionEntry[],
  { overhead = bare, priors, overheadAt = () => overhead }: FollowOptions = {},
) {
  const work = createWorkCounter();
  const estimator = createEstimator({ kind: "ledger" }, work, priors === undefined ? {} : { priors });
  let [view, ledger, bounds] = [EMPTY_VIEW, EMPTY_LEDGER, 0];
  for (const [index, entry] of entries.entries()) {
    view = foldEntry(view, entry);
    ledger = foldLedger(ledger, entry, { estimator, view, overhead: overheadAt(index) });
    bounds += estimator.predict(ledger, overheadAt(index)).upperTokens;
  }
  const scannedBefore = work.total().charactersScanned;
  const prediction = estimator.predict(ledger, overheadAt(entries.length));
  return {
    prediction,
    ledger,
    bounds,
    prices: view.messages.slice().reduce((sum, each) => sum + estimator.messageTokens(each, ledger), 0),
    scannedBefore,
    scanned: work.total().charactersScanned,
    weigh: (message: Message) => estimator.messageTokens(message, EMPTY_LEDGER),
  };
}

const OTHER = { modelId: "other/model" };
const message = (each: Message): SessionEntry => ({ type: "message", message: each });

/** A report of a prompt and of its reply. */
function report(
  id: string,
  promptTokens: number,
  outputTokens: number,
  more: { reasoningTokens?: number; modelId?: string } = {},
): UsageEntry {
  const { reasoningTokens = null, modelId = "test/model" } = more;
  return {
    ...usageEntry(`request-${id}`, null, promptTokens),
    modelId,
    usage: usageOf({ totalInputTokens: promptTokens, outputTokens, reasoningTokens }),
  };
}

/** A reply that calls a tool; with `opaque` it holds reasoning that the vendor wants back. */
function replyOf(id: string, opaque: string | null = null): AssistantMessage {
  const reasoning = opaque === null ? [] : [{ type: "reasoning", text: "", opaque } as const];
  return assistant(id, [
    ...reasoning,
    { type: "text", text: "Looking at the file now." },
    { type: "tool-call", callId: `c-${id}`, toolName: "read", argumentsJson: "{}", paths: [] },
  ]);
}

const FILE = "const value = compute(first, second);\n";

/** Tokens between two lanes of a server, which counts one more or less from some steps on. */
const LANE_TOKENS = 8400;

/** Steps of a session of a provider whose text costs 1.2 times the pooled weights; each adds a result. */
function steps(
  count: number,
  {
    reasoningTokens = 0,
    returns = true,
    opaque = null as string | null,
    humanEvery = 0,
    goes = false as boolean | readonly boolean[],
    lanes = [] as readonly number[],
  } = {},
): { entries: SessionEntry[]; nextTokens: number } {
  const { weigh } = follow([]);
  const costOf = (each: Message) => Math.round(1.2 * weigh(each));
  const entries: SessionEntry[] = [sessionStart("system")];
  const first = human("h", "Please fix the failing test.");
  entries.push(message(first));
  let promptTokens = 5000;
  let turnTokens = 0;
  const laneTokens = (step: number) => (lanes.filter((each) => each <= step).length % 2) * LANE_TOKENS;
  for (let step = 0; step < count; step++) {
    const reply = replyOf(`a${step}`, opaque);
    const outputTokens = 40 + reasoningTokens;
    entries.push(report(`a${step}`, promptTokens + laneTokens(step), outputTokens, { reasoningTokens }), message(reply));
    const found = result(`r${step}`, `c-a${step}`, FILE.repeat(5 + (step % 7) * 6));
    entries.push(message(found));
    promptTokens += 40 + (returns ? reasoningTokens : 0) + costOf(found);
    turnTokens += returns ? reasoningTokens : 0;
    if (humanEvery > 0 && step % humanEvery === humanEvery - 1) {
      const again = human(`h${step}`, "Now the next one, please.");
      entries.push(message(again));
      const isGone = typeof goes === "boolean" ? goes : goes[(step + 1) / humanEvery - 1];
      promptTokens += costOf(again) - (isGone === true ? turnTokens : 0);
      turnTokens = 0;
    }
  }
  return { entries, nextTokens: promptTokens + laneTokens(count) };
}

const percentOff = (expected: number, actual: number) => (100 * Math.abs(expected - actual)) / actual;

describe("the next prompt", () => {
  test("is the last report with what came after it", () => {
    const { entries, nextTokens } = steps(10);
    const { prediction } = follow(entries);
    expect(percentOff(prediction.expectedTokens, nextTokens)).toBeLessThan(0.5);
    expect(prediction.upperTokens).toBeGreaterThanOrEqual(nextTokens);
    expect(prediction.reportedTokens).toBeGreaterThan(0.8 * nextTokens);
    expect(prediction.expectedTokens).toBe(prediction.reportedTokens + prediction.estimatedTokens);
  });

  test.each([
    ["comes back if the vendor wants it back", { reasoningTokens: 900, opaque: "signature" }],
    ["does not come back if the message does not hold it", { reasoningTokens: 900, returns: false }],
    ["is learned not to come back although it is held", { reasoningTokens: 900, returns: false, opaque: "signature" }],
    ["is learned to come back although the message does not hold it", { reasoningTokens: 900 }],
  ])("reasoning %s", (_, provider) => {
    const { entries, nextTokens } = steps(8, provider);
    expect(percentOff(follow(entries).prediction.expectedTokens, nextTokens)).toBeLessThan(1);
  });

  test.each([true, false])("a turn's reasoning goes at the next human message, as turns before it showed: %j", (goesNow) => {
    const late = Array.from({ length: 11 }, (_turn, turn) => (turn < 8 ? !goesNow : goesNow));
    for (const [count, goes] of [[12, goesNow] as const, [44, late] as const]) {
      const { entries, nextTokens } = steps(count, { reasoningTokens: 700, opaque: "signature", humanEvery: 4, goes });
      expect(percentOff(follow(entries).prediction.expectedTokens, nextTokens)).toBeLessThan(1.5);
    }
  });

  test.each<[string, readonly number[], boolean]>([
    ["before it was seen", [30], false],
    ["that a fall alone showed, as of what was taken out", [0, 10, 30], false],
    ["that was seen to go and come from the higher lane", [0, 10, 14, 18, 30], true],
    ["that did not go", [10, 30], true],
    ["that went and comes again", [10, 14, 30], true],
    ["that comes a third time", [5, 9, 14, 18, 30], true],
  ])("has room for a jump %s", (_, lanes, holds) => {
    const { entries, nextTokens } = steps(30, { lanes });
    expect(follow(entries).prediction.upperTokens >= nextTokens).toBe(holds);
  });
});

describe("a search of the vendor's inside a reply", () => {
  const found = (...names: readonly string[]) => names.map((name) => ({ type: "tool_reference", tool_name: name }));
  const listed = (...names: readonly string[]) => names.map((name) => ({ type: "function", name, parameters: {} }));
  const SEARCHES: Readonly<Record<string, (...names: readonly string[]) => JsonValue>> = {
    Messages: (...names) => ({
      type: "tool_search_tool_result",
      content: { type: "tool_search_tool_search_result", tool_references: found(...names) },
    }),
    Responses: (...names) => ({ type: "tool_search_output", execution: "server", tools: listed(...names) }),
    "AI SDK": (...names) => ({
      type: "tool-result",
      output: { type: "json", value: names.map((toolName) => ({ type: "tool_reference", toolName })) },
    }),
  };
  const TOOL_TOKENS = 1700;
  const searching = (id: string, opaque: JsonValue) =>
    assistant(id, [...replyOf(id).parts, { type: "reasoning", text: "", opaque }]);

  test.each(Object.entries(SEARCHES))(
    "is within the bound, and the next one expected by what the first cost: %s",
    (_, search) => {
      const first = [
        sessionStart("system"),
        message(human("h", "go")),
        report("a", 20_000, 40),
        message(searching("a", search("x", "y"))),
      ];
      const afterFirst = 20_000 + 40 + 2 * TOOL_TOKENS;
      expect(follow(first).prediction.upperTokens).toBeGreaterThan(afterFirst);
      const second = [...first, report("b", afterFirst, 40), message(searching("b", search("z")))];
      const { prediction, ledger } = follow(second);
      expect(percentOff(prediction.expectedTokens, afterFirst + 40 + TOOL_TOKENS)).toBeLessThan(2);
      expect(prediction.upperTokens).toBeGreaterThan(afterFirst + 40 + TOOL_TOKENS);
      const estimator = createEstimator({ kind: "ledger" }, createWorkCounter());
      expect(estimator.messageTokens(searching("a", search("x", "y")), ledger)).toBe(40 + 2 * TOOL_TOKENS);
    },
  );

  test.each<[string, JsonValue]>([
    ["a list of tools that was in the prompt before", { type: "mcp_list_tools", tools: listed("x", "y") }],
    ["a search that found nothing", { type: "tool_search_output", tools: [] }],
    ["a search of the web", { type: "web_search_call", action: { query: "tool" } }],
  ])("%s costs nothing more", (_, opaque) => {
    const by = (parts: JsonValue) =>
      follow([sessionStart("system"), message(human("h", "go")), report("a", 20_000, 40), message(searching("a", parts))]);
    expect(by(opaque).prediction).toEqual(by("signature").prediction);
  });
});

describe("output that the message does not hold", () => {
  const LOST_TOKENS = 3000;

  /** Replies without reasoning, some of which were longer than the part that their client kept. */
  const withLost = (isLost: (step: number) => boolean, comesBack: boolean) => {
    const { weigh } = follow([]);
    const entries: SessionEntry[] = [sessionStart("system"), message(human("h", "go"))];
    let promptTokens = 4000;
    for (let step = 0; step < 12; step++) {
      const found = result(`r${step}`, `c-a${step}`, FILE.repeat(5));
      const lostTokens = isLost(step) ? LOST_TOKENS : 0;
      entries.push(report(`a${step}`, promptTokens, 40 + lostTokens), message(replyOf(`a${step}`)), message(found));
      promptTokens += 40 + (comesBack ? lostTokens : 0) + weigh(found);
    }
    return { prediction: follow(entries).prediction, promptTokens };
  };

  test("was thrown away if the model never had any, and the bound leaves room for it", () => {
    const { prediction, promptTokens } = withLost((step) => step === 11, false);
    expect(percentOff(prediction.expectedTokens, promptTokens)).toBeLessThan(1);
    expect(prediction.upperTokens).toBeGreaterThan(promptTokens + LOST_TOKENS);
  });

  test("is hidden reasoning if the model often has some", () => {
    const { prediction, promptTokens } = withLost((step) => step % 2 === 1, true);
    expect(percentOff(prediction.expectedTokens, promptTokens)).toBeLessThan(1);
  });
});

/** The figures of a session: expected, bound and overhead at its end, the price of its messages, and the sum of the bounds after each of its entries. */
function figuresOf(entries: readonly SessionEntry[], more: FollowOptions = {}): readonly number[] {
  const { prediction, prices, bounds } = follow(entries, { priors: pricesOf, ...more });
  return [prediction.expectedTokens, prediction.upperTokens, prediction.overheadTokens, Math.round(prices), bounds];
}

/** Another model's text costs a third more, and its reasoning is gone after a turn. */
const pricesOf: ModelPriors = (modelId) =>
  modelId === "other/model"
    ? { ...POOLED_PRIOR, slopeRatio: 1.33, reasoningAtTurn: "goes" }
    : { ...POOLED_PRIOR, slopeRatio: 1 };

describe("the figures of a session", () => {
  const cut = (id: string, from: string, through: string) =>
    compaction(id, [summarized(summaryMessage(`s-${id}`, "The test was found and read. ".repeat(10)), [from, through])]);
  const switched: SessionEntry = { type: "model-change", id: "m", modelId: "other/model", limits: null, atMs: null };
  const asked = message(human("h-new", "Now the next one, please."));
  const found = (id: string, chars: string) => message(result(id, "c-none", chars));
  const thinking = { reasoningTokens: 700, opaque: "signature", humanEvery: 4 };
  const thought = (count: number, goes: boolean) => steps(count, { ...thinking, goes }).entries;
  const lost = (output: (step: number) => number, count = 12) =>
    Array.from({ length: count }, (_, step): readonly SessionEntry[] => [
      report(`a${step}`, 4_000 + 300 * step, output(step)),
      message(replyOf(`a${step}`)),
      found(`r${step}`, FILE.repeat(25)),
    ]).flat();
  const after = (count: number, ...more: readonly SessionEntry[]) => [...steps(count).entries, ...more];
  const picture = message({
    ...human("h-picture", ""),
    parts: [{ ...absentImage(), widthPx: 750, heightPx: 1000, source: { kind: "base64", data: "x" } as const }],
  });
  const unnamed = (reply: AssistantMessage) => message({ ...reply, requestId: null });

  const others = compaction("k", [replacedHistory([summaryMessage("s", FILE)])]);
  const firstTurn = ["a", "b"].flatMap((id, index): readonly SessionEntry[] => [
    message(human(`h-${id}`, "go")),
    report(id, 4_000 + 900 * index, 740, { reasoningTokens: 700, modelId: "other/model" }),
    message(replyOf(id, "signature")),
    found(`r-${id}`, FILE),
  ]);

  test.each<[string, string, readonly SessionEntry[]]>([
    ["plain steps", "7867 8022 4977 2890 195435", after(10)],
    ["hidden reasoning", "16867 17992 4977 10053 355825", steps(10, { reasoningTokens: 900 }).entries],
    [
      "reasoning that does not come back",
      "7867 8019 4977 4653 201346",
      steps(10, { reasoningTokens: 900, returns: false, opaque: "signature" }).entries,
    ],
    ["reasoning that goes at a turn", "9831 10014 4977 13254 363525", thought(13, true)],
    ["reasoning that stays", "18232 18493 4978 13254 505262", thought(13, false)],
    ["reasoning that goes, and a cut", "9371 10300 4977 8594 406490", [...thought(14, true), cut("k", "h", "r5")]],
    [
      "reasoning that goes, cut and reported",
      "9040 9415 4606 8594 415905",
      [...thought(14, true), cut("k", "h", "r5"), report("z", 9_000, 40)],
    ],
    ["a lane that came", "16997 18202 4977 3618 301868", steps(12, { lanes: [10] }).entries],
    ["a lane that came and went", "11387 20465 4978 6402 760382", steps(20, { lanes: [10, 14] }).entries],
    [
      "a lane that came, and a fall of something else",
      "9010 9619 4977 2890 231813",
      after(10, report("u", 25_000, 10), report("f", 9_000, 10)),
    ],
    ["a lane that is there again", "20453 21711 4978 7066 892935", steps(22, { lanes: [10, 14, 18] }).entries],
    ["outputs that cannot be", "7600 7760 4000 3600 212818", lost(() => 1)],
    ["outputs that cannot be now and then", "7607 7763 4000 3607 213317", lost((step) => (step % 3 === 0 ? 1 : 40))],
    ["an output beyond its text, once", "7578 10686 4000 3578 221710", lost((step) => (step === 11 ? 3_000 : 40))],
    ["outputs beyond their text", "7615 7774 4000 3615 232456", lost((step) => (step % 2 === 0 ? 3_000 : 40))],
    [
      "a prompt that rises by more than its text",
      "60910 65471 4975 1329 280056",
      after(5, report("u", 60_000, 10), found("n", FILE), report("w", 60_900, 10)),
    ],
    [
      "a prompt that rises by nothing",
      "12110 13017 4975 1299 111052",
      after(5, report("u", 12_000, 10), report("w", 12_100, 10)),
    ],
    ["an image", "16025 17272 4976 2817 147537", after(6, picture, report("u", 16_000, 40), asked)],
    [
      "random letters",
      "15253 16672 4976 2989 136774",
      after(6, report("u", 14_000, 40), found("n", "a1b2c3d4e5f6g7h8".repeat(60))),
    ],
    ["a person's message, then a result", "6805 7032 4976 1829 119020", after(6, asked, found("n", FILE))],
    ["a cut", "5517 6065 4977 540 201500", after(10, cut("k", "h", "r7"))],
    [
      "a cut before its messages are reported",
      "5584 6138 4977 608 265951",
      after(10, report("u", 20_000, 40), message(replyOf("u")), found("n", FILE), cut("k", "h", "r7")),
    ],
    [
      "a cut, more, and a report",
      "9067 9467 8338 689 226610",
      after(10, cut("k", "h", "r7"), found("n", FILE.repeat(9)), report("u", 9_000, 40), found("o", FILE)),
    ],
    [
      "a cut of others",
      "7031 10452 4977 2054 216275",
      after(10, { ...others, record: { ...others.record, reason: "recorded" } }, found("n", FILE)),
    ],
    ["an undone cut", "7866 8646 4977 2890 210146", after(10, cut("k", "h", "r7"), revertOf("k"))],
    [
      "a part that is cleared",
      "7376 8108 4977 2400 203543",
      after(10, compaction("k", [replacedPart("r6", 0, { type: "text", text: "[cleared]" })])),
    ],
    ["a switch", "9844 11149 6620 3418 217709", after(10, switched, found("n", FILE))],
    [
      "a switch and its report",
      "26066 27184 22608 3418 260866",
      after(10, switched, report("u", 26_000, 40, OTHER), found("n", FILE)),
    ],
    ["a switch early on", "9063 9464 8884 140 41799", after(1, switched, report("u", 9_000, 40, OTHER), found("n", FILE))],
    [
      "a switch and a cut",
      "9040 9418 8373 627 224116",
      after(10, switched, cut("k", "h", "r7"), report("u", 9_000, 40, OTHER)),
    ],
    [
      "a switch after a jump",
      "25040 27465 21608 3392 306925",
      after(10, report("u", 30_000, 10), report("f", 21_000, 10), switched, report("w", 25_000, 40, OTHER)),
    ],
    [
      "little reasoning that goes at turns",
      "11489 11644 4978 7711 542268",
      steps(20, { ...thinking, reasoningTokens: 60, goes: true }).entries,
    ],
    ["a cut within a turn, then its end", "9394 10350 4977 8618 416840", [...thought(14, true), cut("k", "h", "r5"), asked]],
    ["a turn's end, then a result", "8688 8869 4977 12111 343350", [...thought(12, true), found("n", FILE)]],
    [
      "a first turn's end, under a prior by which its reasoning goes",
      "4982 6267 3988 1569 43536",
      [sessionStart("system"), ...firstTurn, asked],
    ],
    [
      "a switch after a lane that came and went",
      "30040 32658 22309 7691 817786",
      [...steps(20, { lanes: [10, 14] }).entries, switched, report("u", 30_000, 40, OTHER)],
    ],
    [
      "a switch whose report is mostly messages",
      "5066 5173 6620 3418 216844",
      after(10, switched, report("u", 5_000, 40, OTHER), found("n", FILE)),
    ],
    ["an overhead that a report refutes", "1567 1656 0 2917 198696", after(10, report("u", 1_500, 40), found("n", FILE))],
    [
      "a refused request",
      "26025 27867 4977 2914 251120",
      after(10, { ...report("u", 26_000, 0), usage: rejectedUsage(26_000) }, message(replyOf("u"))),
    ],
    ["a size that cannot be", "7894 8055 4977 2917 211512", after(10, report("u", 2_000_000_000, 10), found("n", FILE))],
    [
      "a reply that names no request",
      "9540 10305 4974 865 79344",
      after(3, report("u", 9_000, 300), unnamed(replyOf("u")), report("w", 9_500, 40)),
    ],
    [
      "no reply that names no request",
      "9357 10206 4974 623 79303",
      after(3, report("u", 9_000, 300), found("n", FILE), unnamed(replyOf("u"))),
    ],
    ["no report", "38 46 0 38 70", [sessionStart("system"), message(human("h", FILE)), message(replyOf("a"))]],
  ])("%s", (_, figures, entries) => {
    expect(figuresOf(entries).join(" ")).toBe(figures);
  });

  test("system text and tools that change", () => {
    const tools = [{ name: "search", description: "Searches the repository. ".repeat(10), parametersJson: "{}" }];
    const overheadAt = (entry: number): Overhead => ({
      ...bare,
      system: "You are an agent. ".repeat(entry < 12 ? 10 : 40),
      tools: entry < 20 ? [] : tools,
      hiddenTokens: entry < 25 ? 0 : 50,
    });
    expect(figuresOf(after(10), { overheadAt })).toEqual([7848, 8056, 5270, 2622, 196555]);
  });
});

describe("work", () => {
  test("a gate scans nothing that was seen before", () => {
    const { scannedBefore, scanned } = follow(steps(30).entries, { overhead: { ...bare, system: "system" } });
    expect(scanned).toBe(scannedBefore);
  });

  test("each model's prior is asked for once", () => {
    const asked: string[] = [];
    const priors: ModelPriors = (modelId) => {
      asked.push(modelId);
      return POOLED_PRIOR;
    };
    follow(steps(20).entries, { priors });
    expect(asked).toEqual([...new Set(asked)]);
    expect(asked).toContain("test/model");
  });

  test("folding a log reads each character once", () => {
    const { entries } = steps(20);
    const chars = entries.reduce((sum, entry) => sum + (entry.type === "message" ? messageChars(entry.message) : 0), 0);
    expect(follow(entries).scannedBefore).toBe(chars);
  });

  test.each([
    ["1 MB of one letter", "a".repeat(1_000_000)],
    ["200 KB of emoji", "😀".repeat(50_000)],
    ["unbroken script", "会話の履歴".repeat(40_000)],
    ["minified code", "function(a,b){return a?b:c};".repeat(20_000)],
    ["special tokens", "<|endoftext|><|im_start|>".repeat(1000)],
    ["base64", "QWxhZGRpbjpvcGVu".repeat(20_000)],
  ])("%s is read once and predicted as a number", (_, text) => {
    const { scanned, prediction } = follow([sessionStart(), message(human("h", text))]);
    expect(scanned).toBe(text.length);
    expect(Number.isSafeInteger(prediction.expectedTokens)).toBe(true);
  });
});

test("whatever is reported, predictions are finite, bounded from above by their bound, and the same when folded again", () => {
  const reported = fc.record({
    prompt: fc.nat(2_000_000),
    output: fc.option(fc.nat(100_000)),
    reasoning: fc.option(fc.nat(50_000)),
    text: fc.string({ maxLength: 60 }),
    isHuman: fc.boolean(),
    cuts: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(reported, { maxLength: 12 }), (steps) => {
      const entries: SessionEntry[] = [sessionStart("system")];
      for (const [index, step] of steps.entries()) {
        const usage = usageOf({ totalInputTokens: step.prompt, outputTokens: step.output, reasoningTokens: step.reasoning });
        entries.push(
          { ...usageEntry(`request-a${index}`, null, 0), usage },
          message(replyOf(`a${index}`, step.isHuman ? "x" : null)),
          message(result(`r${index}`, `c-a${index}`, step.text)),
        );
        if (step.isHuman) entries.push(message(human(`h${index}`, step.text)));
        if (step.cuts)
          entries.push(
            compaction(`k${index}`, [summarized(summaryMessage(`s${index}`, step.text), [`a${index}`, `r${index}`])]),
          );
      }
      const { prediction, ledger } = follow(entries);
      const another = createEstimator({ kind: "ledger" }, createWorkCounter());
      expect([another.predict(ledger, bare), another.scaleRatio(ledger)]).toEqual([prediction, ledger.factor]);
      expect(Number.isSafeInteger(prediction.expectedTokens) && prediction.expectedTokens >= 0).toBe(true);
      expect(prediction.upperTokens).toBeGreaterThanOrEqual(prediction.expectedTokens);
      expect(prediction.overheadTokens).toBeGreaterThanOrEqual(0);
      expect(follow(entries).prediction).toEqual(prediction);
    }),
    { seed: 7, numRuns: 60 },
  );
});

describe("with priors that count tokens", () => {
  const byCount: ModelPriors = Object.assign(
    () => ({ ...POOLED_PRIOR, weights: [...POOLED_PRIOR.weights.map(() => 0), 1], messageTokens: 0, errorRatio: 1 / 8 }),
    { countTokens: (text: string) => text.length },
  );
  const tools = [{ name: "ab", description: "cd", parametersJson: "{}" }];
  const reply = assistant("m", [{ type: "text", text: "12345" }]);

  test.each<[string, readonly SessionEntry[], Partial<Overhead>, number]>([
    ["a message", [message(human("h", "x".repeat(70)))], {}, 70],
    ["a call with its name and arguments", [message(toolCall("m", "c", { name: "read", argumentsJson: "{}" }))], {}, 6],
    ["what came after a report", [report("m", 1000, 10), message(reply), message(human("h", "123"))], {}, 1000 + 10 + 3],
    ["system text, dynamic context and tools", [], { system: "123", dynamicContext: "45", tools }, 3 + 2 + 1.2 * 6],
  ])("%s is as long as it is counted", (_, entries, overhead, tokens) => {
    const { prediction } = follow([sessionStart(""), ...entries], { overhead: { ...bare, ...overhead }, priors: byCount });
    expect(prediction.expectedTokens).toBe(Math.round(tokens));
  });

  test("its bound is nearer, since texts are off by less", () => {
    const entries = [report("m", 1000, 10), message(human("h", "word ".repeat(400)))];
    const room = (priors: ModelPriors) => {
      const { upperTokens, expectedTokens } = follow(entries, { priors }).prediction;
      return (upperTokens - expectedTokens) / expectedTokens;
    };
    expect(room(byCount)).toBeLessThan(0.6 * room(() => POOLED_PRIOR));
  });
});
