import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Edit } from "../edit/edit.ts";
import { PlimsollError } from "../error.ts";
import { QUOTES_NOTHING } from "../keep/kept-passages.ts";
import type { Message } from "../message/message.ts";
import { isHuman, toolCallsOf } from "../message/message.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import type { Summarizer } from "../ports.ts";
import { arbitraryMessageSoup, arbitraryValidMessages } from "../testing/arbitrary-transcript.ts";
import { assistant, human, reply, result } from "../testing/builders.ts";
import type { Executed } from "./execute.ts";
import { execute } from "./execute.ts";

const call = (callId: string) =>
  ({ type: "tool-call", callId, toolName: "tool", argumentsJson: '{"path":"a.ts"}', paths: [] }) as const;
const before = [human("u1", "first"), reply("a1", "answer"), human("u2", "second"), reply("a2", "looking")] as const;
const step = assistant("a3", [
  { type: "reasoning", text: "hm", opaque: "signed" },
  { type: "text", text: "calling" },
  call("c"),
  call("d"),
]);
const waiting = [...before, step];
const half = [...waiting, result("r", "c", "long")];
const open = [...half, result("s", "d", "longer")];
const answered = [...open, reply("a4", "done")];

const summarize = (...spans: readonly (readonly [string, string])[]): Edit => ({
  kind: "replace-spans",
  by: "summary",
  spans: spans.map(([from, through]) => ({ from, through, promptId: "structured" })),
});
const drop = (from: string, through: string, by: "notice" | "nothing" = "notice"): Edit => ({
  kind: "replace-spans",
  by,
  spans: [{ from, through, promptId: null }],
});
const replace = (messageId: string, partIndex = 0): Edit => ({
  kind: "replace-part",
  messageId,
  partIndex,
  text: "cut",
  handle: "h",
});

const writes: Summarizer = () => Promise.resolve({ text: "what happened", usage: null, stopReason: "end" });

function run(messages: readonly Message[], edits: readonly Edit[], summarizer = writes): Promise<Executed> {
  const circumstances = { summary: SVEN_POLICY.summary, opening: { system: "", tools: [] }, focus: null, prompts: [] };
  const writers = { summarizer, digest: summarizer, facts: null, excerpts: QUOTES_NOTHING, kept: new Set<Message>() };
  const input = { messages, edits, pending: [], nowMs: null, ...circumstances, ...writers };
  return execute(input, new AbortController().signal);
}

describe("the last human message stays literal: no plan", () => {
  test.each<[string, readonly Edit[]]>([
    ["drops it", [drop("u2", "u2")]],
    ["drops a span that holds it", [drop("u1", "a2")]],
    ["drops all that is before the open step", [drop("u1", "u2"), drop("a2", "a2")]],
    ["summarises it with what is before it", [summarize(["u1", "u2"])]],
    ["summarises it as one of several spans", [summarize(["u1", "a1"], ["u2", "u2"])]],
    ["replaces a part of it", [replace("u2")]],
    ["breaks it in the second edit", [drop("u1", "a1"), drop("u2", "a2")]],
  ])("%s", async (_, edits) => {
    await expect(run(open, edits)).rejects.toMatchObject({
      code: "bad-edit",
      details: { promise: "last-human-message", messageId: "u2" },
    });
  });
});

describe("the open step's pairs stay: no plan", () => {
  test.each<[string, readonly Message[], readonly Edit[]]>([
    ["summarises the call", open, [summarize(["a3", "a3"])]],
    ["summarises the whole step", open, [summarize(["a3", "s"])]],
    ["summarises the step with what is before it", open, [summarize(["u1", "a1"], ["a2", "s"])]],
    ["drops the whole step", open, [drop("a3", "s")]],
    ["drops a call that waits for its results", waiting, [drop("a3", "a3")]],
    ["drops a step that waits for a result", half, [drop("a3", "r")]],
    ["drops a result", open, [drop("s", "s")]],
    ["summarises the results", open, [summarize(["r", "s"])]],
    ["replaces a call's arguments", open, [replace("a3", 2)]],
    ["replaces the arguments of a call that waits for its result", half, [replace("a3", 3)]],
    ["replaces the arguments of a call if none has its result", waiting, [replace("a3", 2)]],
    ["replaces the reasoning that led to a call", open, [replace("a3", 0)]],
  ])("%s", async (_, messages, edits) => {
    await expect(run(messages, edits)).rejects.toMatchObject({
      code: "bad-edit",
      details: { promise: "open-step" },
    });
  });

  test("that breaks a promise asks for a summary before it is refused", async () => {
    const summarizer: Summarizer = () => Promise.reject(new Error("asked"));
    await expect(run(open, [summarize(["u1", "s"])], summarizer)).rejects.toMatchObject({ code: "bad-edit" });
    await expect(run(open, [summarize(["u1", "a1"]), drop("a3", "s")], summarizer)).rejects.toMatchObject({ code: "bad-edit" });
  });
});

describe("a plan may", () => {
  test.each<[string, readonly Message[], readonly Edit[], readonly string[]]>([
    ["stub the open step's results", open, [replace("r"), replace("s")], ["u1", "a1", "u2", "a2", "a3", "r", "s"]],
    ["shorten the open step's text", open, [replace("a3", 1)], ["u1", "a1", "u2", "a2", "a3", "r", "s"]],
    ["take what is between the two", open, [drop("a2", "a2", "nothing")], ["u1", "a1", "u2", "a3", "r", "s"]],
    ["take a step that the model has answered to", answered, [drop("a3", "s", "nothing")], ["u1", "a1", "u2", "a2", "a4"]],
    ["shorten an earlier human message", open, [replace("u1")], ["u1", "a1", "u2", "a2", "a3", "r", "s"]],
  ])("%s", async (_, messages, edits, ids) => {
    const { messages: after } = await run(messages, edits);
    expect(after.map((message) => message.id)).toEqual(ids);
  });

  test("take everything from a view without a human message and without an open step", async () => {
    const { messages } = await run([reply("a1", "one"), reply("a2", "two")], [summarize(["a1", "a2"])]);
    expect(messages).toMatchObject([{ origin: "summary" }]);
  });
});

type PlannedFor = (idAt: (place: number) => string) => Edit;

const place = fc.nat({ max: 60 });
const few = fc.nat({ max: 4 });

/** Edits as nobody should plan them: of any places of a view. */
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

/** What of the promises is missing: looked for by identity, without the code that keeps them. */
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
