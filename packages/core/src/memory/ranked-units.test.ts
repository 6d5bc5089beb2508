import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UnitFacts, UnitWorth } from "../keep/keep-rule.ts";
import type { Message, ToolCallPart } from "../message/message.ts";
import { assistant, callPart, human, reply, result } from "../testing/builders.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import { inLogOrder, isNext } from "./logged-units.ts";
import { expectedUse } from "./recall.ts";
import { createRecallIndex, type RecallIndex, type RecallView } from "./recall-index.ts";
import type { Unit } from "./units.ts";

/** The messages of a log that may be taken, and the number of characters that fit. */
interface Taking extends UnitWorth {
  readonly passes: (message: Message) => boolean;
  readonly maximumChars: number;
}

const named = (unit: Unit) => `${unit.of.handle} ${unit.index}`;

/** Every unit is asked for its worth, and all of them are sorted. */
function takenOfAll(view: RecallView, { worth, passes, maximumChars }: Taking): readonly string[] {
  const units: { readonly unit: Unit; readonly chars: number; readonly ratio: number }[] = [];
  const facts: UnitFacts[] = [];
  const all = view.ranked({ passes, worth: (each) => facts.push(each) });
  for (const [at, { unit, chars }] of all.toSorted((a, b) => inLogOrder(a.unit, b.unit)).entries())
    for (const each of facts.slice(at, at + 1)) units.push({ unit, chars, ratio: worth(each) / chars });
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
  for (const { unit, chars } of view.ranked(choice)) {
    if (chars > leftChars) continue;
    leftChars -= chars;
    names.push(named(unit));
  }
  return names;
}

/** Lines of few kinds, so that texts state again, quote and mention the lines of others. */
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
    const call: ToolCallPart = callPart(`c${at}`, "tool", {
      argumentsJson: JSON.stringify(each.kind === "read" ? {} : { text: each.text }),
      paths: [{ path: each.path, access: each.kind === "read" ? "read" : "modify" }],
    });
    return [assistant(`a${at}`, [call]), result(`r${at}`, `c${at}`, each.kind === "read" ? each.text : "done")];
  });
}

/** Worth that falls with age, that rises with it, that many units share, and that follows a unit's later history. */
const WORTHS: Readonly<Record<string, UnitWorth["worth"]>> = {
  "expected use": expectedUse,
  "what grows old": ({ ageChars, file }) => ageChars + (file?.reads ?? 0),
  "few levels": ({ ageChars, mentions }) => (ageChars > 200 ? 1 : 2) + mentions,
  "what was stated again": ({ restatedRatio }) => 1 + 9 * restatedRatio,
  "what a call touched": ({ file }) => 1 + 9 * (file?.reads ?? 0),
  // Heads of a person's first words have 48 characters, so that these units rank alike.
  "nothing but length": ({ chars }) => chars + 48,
  "nothing for some": ({ ageChars, quotes }) => (ageChars % 7) + quotes,
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
            const worth = WORTHS[worths[(at / every) % worths.length] ?? ""] ?? expectedUse;
            const staying = new Set(messages.slice(Math.max(0, at + 1 - newestStay), at + 1));
            const taking = { worth, passes: (each: Message) => !staying.has(each), maximumChars };
            for (const view of [index.now(), resting, index.now()])
              expect(taken(view, taking)).toEqual(takenOfAll(view, taking));
            resting = index.now();
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
