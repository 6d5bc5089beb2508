import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message, ToolCallPart } from "../message/message.ts";
import { assistant, human, reply, result } from "../testing/builders.ts";
import { createWorkCounter } from "../tokens/work.ts";
import type { UnitWorth } from "./best-ranks.ts";
import { expectedUse, mostUseGrowth } from "./expected-use.ts";
import { isNext } from "./ranked-units.ts";
import type { RecallIndex, RecallView } from "./recall-index.ts";
import { createRecallIndex } from "./recall-index.ts";
import type { Unit } from "./units.ts";
import { headCharsOf } from "./units.ts";

/** The messages of a log that may be taken, and the number of characters that fit. */
interface Taking extends UnitWorth {
  readonly passes: (message: Message) => boolean;
  readonly maximumChars: number;
}

const named = (unit: Unit) => `${unit.of.handle} ${unit.index}`;

/** Every unit is asked for what it is worth, and all of them are sorted. */
function takenOfAll(view: RecallView, { worth, passes, maximumChars }: Taking): readonly string[] {
  const units: { readonly unit: Unit; readonly chars: number; readonly ratio: number }[] = [];
  view.forEachUnit(passes, (unit, facts) => {
    const chars = unit.chars + headCharsOf(unit.of);
    units.push({ unit, chars, ratio: worth(facts) / chars });
  });
  const ranks = units.map(({ unit, ratio }, at) => {
    const before = isNext(units[at - 1]?.unit, unit) ? (units[at - 1]?.ratio ?? 0) : ratio;
    const after = isNext(unit, units[at + 1]?.unit) ? (units[at + 1]?.ratio ?? 0) : ratio;
    return (before + ratio + after) / 3;
  });
  const order = [...units.keys()].filter((at) => (ranks[at] ?? 0) > 0);
  let leftChars = maximumChars;
  return order
    .toSorted((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || b - a)
    .flatMap((at) => {
      const { unit, chars } = units[at] ?? {};
      if (unit === undefined || chars === undefined || chars > leftChars) return [];
      leftChars -= chars;
      return [named(unit)];
    });
}

function taken(view: RecallView, { maximumChars, ...choice }: Taking): readonly string[] {
  let leftChars = maximumChars;
  const names: string[] = [];
  for (const { unit, chars } of view.ranked({ ...choice, fits: (chars) => chars <= leftChars })) {
    leftChars -= chars;
    names.push(named(unit));
  }
  return names;
}

/** Lines of few kinds, so that texts state again, quote and mention what others stated. */
const line = fc.tuple(fc.constantFrom("read", "PORT_4711", "a line", "src/one.ts", "x"), fc.nat(30));
const text = fc
  .array(line, { minLength: 1, maxLength: 60, size: "max" })
  .map((lines) => lines.map(([word, at]) => `${word} of part ${at}`).join("\n"));
const path = fc.constantFrom("src/one.ts", "src/two.ts", "src/three.ts");
const step = fc.oneof(
  fc.record({ kind: fc.constant("human" as const), text }),
  fc.record({ kind: fc.constant("reply" as const), text }),
  fc.record({ kind: fc.constant("read" as const), path, text }),
  fc.record({ kind: fc.constant("write" as const), path, text }),
);

function messagesOf(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]): readonly Message[] {
  return steps.flatMap((each, at): readonly Message[] => {
    if (each.kind === "human") return [human(`u${at}`, each.text)];
    if (each.kind === "reply") return [reply(`a${at}`, each.text)];
    const call: ToolCallPart = {
      type: "tool-call",
      callId: `c${at}`,
      toolName: "tool",
      argumentsJson: JSON.stringify(each.kind === "read" ? {} : { text: each.text }),
      paths: [{ path: each.path, access: each.kind === "read" ? "read" : "modify" }],
    };
    return [assistant(`a${at}`, [call]), result(`r${at}`, `c${at}`, each.kind === "read" ? each.text : "done")];
  });
}

/** Worth that falls with age, that rises with it as far as it says, and that nobody says anything of. */
const WORTHS: Readonly<Record<string, UnitWorth>> = {
  "expected use": { worth: expectedUse, growth: mostUseGrowth },
  "what grows old": { worth: ({ ageChars, file }) => ageChars + (file?.reads ?? 0), growth: (chars) => 1 + chars },
  "few levels": { worth: ({ ageChars, mentions }) => (ageChars > 200 ? 1 : 2) + mentions, growth: () => 1 },
  "what was stated again": { worth: ({ restatedRatio }) => 1 + 9 * restatedRatio, growth: () => 1 },
  "what a call touched": { worth: ({ file }) => 1 + 9 * (file?.reads ?? 0), growth: () => 1 },
  // Heads of what a person said first have 48 characters, so that these units rank alike.
  "nothing but length": { worth: ({ chars }) => chars + 48, growth: () => 1 },
  "what says nothing of its growth": { worth: ({ ageChars, quotes }) => (ageChars % 7) + quotes },
};

describe("ranked units", () => {
  const asks = fc.record({
    every: fc.integer({ min: 1, max: 6 }),
    newestStay: fc.nat(8),
    maximumChars: fc.constantFrom(0, 200, 1000, 4000, 1_000_000),
    worths: fc.array(fc.constantFrom(...Object.keys(WORTHS)), { minLength: 1, maxLength: 3 }),
  });

  test("are those that a ranking of all units takes, whatever was said and asked before", () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 40 }),
        asks,
        (steps, { every, newestStay, maximumChars, worths }) => {
          const messages = messagesOf(steps);
          const index: RecallIndex = createRecallIndex(createWorkCounter());
          let resting: RecallView = index.now();
          for (const [at, message] of messages.entries()) {
            index.add(message);
            if (at % every !== 0) continue;
            const worth = WORTHS[worths[(at / every) % worths.length] ?? ""] ?? { worth: expectedUse };
            const staying = new Set(messages.slice(Math.max(0, at + 1 - newestStay), at + 1));
            const taking = { ...worth, passes: (each: Message) => !staying.has(each), maximumChars };
            for (const view of [index, resting, index]) expect(taken(view, taking)).toEqual(takenOfAll(view, taking));
            resting = index.now();
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("of a long log few are asked for what they are worth: what came, what is used, and what can be taken", () => {
    const index = createRecallIndex(createWorkCounter());
    const page = (name: string) => Array.from({ length: 16 }, (_, at) => `line ${at} of ${name}`).join("\n");
    const asked: string[] = [];
    const taking: Taking = {
      worth: (facts) => {
        asked.push(facts.kind);
        return expectedUse(facts);
      },
      growth: mostUseGrowth,
      passes: () => true,
      maximumChars: 1000,
    };
    const askedAfter = (messages: readonly Message[]) => {
      for (const message of messages) index.add(message);
      asked.length = 0;
      taken(index, taking);
      return asked.length;
    };
    expect(askedAfter(Array.from({ length: 500 }, (_, at) => human(`u${at}`, page(`part ${at}`))))).toBe(500);
    expect(askedAfter([human("new", page("what is new"))])).toBeLessThan(10);
    expect(askedAfter([reply("a", page("part 100"))])).toBeLessThan(10);
    // Without a bound on how it grows anything may have become worth more.
    expect(taken(index, { ...taking, growth: undefined })).toEqual(taken(index, taking));
    asked.length = 0;
    taken(index, { ...taking, growth: undefined });
    expect(asked).toHaveLength(501);
  });
});
