import fc from "fast-check";
import { expect, test } from "vitest";
import { drop, replace, run, summarize } from "../../testing/planned-edits.ts";
import type { Edit } from "../edit/apply-edits.ts";
import { PlimsollError } from "../error.ts";
import { isHuman, type Message, toolCallsOf } from "../message/message.ts";
import { arbitraryMessageSoup, arbitraryValidMessages } from "../testing/arbitrary-transcript.ts";

type PlannedFor = (idAt: (place: number) => string) => Edit;

const place = fc.nat({ max: 60 });
const few = fc.nat({ max: 4 });

/** Edits that no strategy should plan: of any places of a view. */
const hostileEdits: fc.Arbitrary<readonly PlannedFor[]> = fc.array(
  fc.oneof(
    fc.tuple(place, few).map(
      ([at, more]): PlannedFor =>
        (idAt) =>
          drop(idAt(at), idAt(at + more)),
    ),
    fc.tuple(place, few).map(
      ([at, part]): PlannedFor =>
        (idAt) =>
          replace(idAt(at), part),
    ),
    fc.array(fc.tuple(place, few), { minLength: 1, maxLength: 3 }).map(
      (spans): PlannedFor =>
        (idAt) =>
          summarize(...spans.map(([at, more]) => [idAt(at), idAt(at + more)] as const)),
    ),
  ),
  { minLength: 1, maxLength: 3 },
);

/** Lists the promises that a result breaks: looked for by identity, without the code that keeps them. */
function missing(before: readonly Message[], after: readonly Message[]): readonly unknown[] {
  const humans = before.filter(isHuman).slice(-1);
  const newest = before.findLastIndex((message) => message.role !== "tool-result");
  const calls = before.slice(Math.max(0, newest), newest + 1).flatMap(toolCallsOf);
  const results = before.slice(newest + 1).filter((message) => calls.some((each) => each.callId === callIdOf(message)));
  const keptCalls = after.flatMap(toolCallsOf);
  return [
    ...humans.filter((message) => !after.includes(message)),
    ...calls.filter((each) => !keptCalls.includes(each)),
    ...results.filter(({ id }) => !after.some((message) => message.role === "tool-result" && message.id === id)),
  ];
}

const callIdOf = (message: Message) => (message.role === "tool-result" ? message.callId : null);

test("whatever is planned over whatever view is refused, or keeps the promises", async () => {
  const seen: Record<string, number> = { kept: 0, "bad-edit": 0, unsendable: 0 };
  const views = fc.oneof({ weight: 2, arbitrary: arbitraryValidMessages }, { weight: 1, arbitrary: arbitraryMessageSoup });
  await fc.assert(
    fc.asyncProperty(views, fc.nat(), hostileEdits, async (messages, length, planned) => {
      const view = messages.slice(0, 1 + (length % Math.max(1, messages.length)));
      const edits = planned.map((plannedFor) => plannedFor((at) => view[at % Math.max(1, view.length)]?.id ?? "missing"));
      const { verdict, after } = await run(view, edits).then(
        (executed) => ({ verdict: "kept", after: executed.messages }),
        (error: unknown) => ({ verdict: error instanceof PlimsollError ? error.code : String(error), after: view }),
      );
      expect(Object.keys(seen)).toContain(verdict);
      seen[verdict] = (seen[verdict] ?? 0) + 1;
      expect(missing(view, after)).toEqual([]);
    }),
    { seed: 14, numRuns: 2000 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
});
