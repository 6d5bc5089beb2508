import { describe, expect, test } from "vitest";
import { shapeOf } from "../../testing/lettered.ts";
import { drop, replace, run, summarize } from "../../testing/planned-edits.ts";
import type { Edit } from "../edit/apply-edits.ts";
import { isDeclared, type Message } from "../message/message.ts";
import type { Summarizer } from "../ports.ts";
import { assistant, declared, human, reply, result } from "../testing/builders.ts";

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
    await expect(run(messages, edits)).rejects.toMatchObject({ code: "bad-edit", details: { promise: "open-step" } });
  });

  test("that breaks a promise asks for a summary before it is refused", async () => {
    const summarizer: Summarizer = () => Promise.reject(new Error("asked"));
    await expect(run(open, [summarize(["u1", "s"])], { summarizer })).rejects.toMatchObject({ code: "bad-edit" });
    await expect(run(open, [summarize(["u1", "a1"]), drop("a3", "s")], { summarizer })).rejects.toMatchObject({
      code: "bad-edit",
    });
  });
});

describe("what the agent declared stays word for word, in its order, and no summary is asked for it: a plan that", () => {
  const told = [
    human("u1", "first"),
    declared("d1", "Be brief."),
    reply("a1", "answer"),
    declared("d2", "Never push."),
    ...before.slice(2),
    step,
    declared("d3", "One more tool."),
    result("r", "c", "long"),
    declared("d4", "Hurry."),
  ] as const;
  const stays = ["d1", "d2", "u2", "a3", "d3", "r", "d4"];
  test.each<[string, readonly Edit[], readonly string[]]>([
    [
      "summarises all before the last human one",
      [summarize(["u1", "d2"])],
      ["s", "d1", "d2", "u2", "a2", "a3", "d3", "r", "d4"],
    ],
    ["summarises both sides of that message", [summarize(["d1", "d2"], ["a2", "a2"])], ["u1", ...stays.toSpliced(1, 0, "s")]],
    ["drops with a notice", [drop("u1", "d1"), drop("a1", "d2", "nothing")], ["n", "d1", "d2", "u2", "a2", ...stays.slice(3)]],
    ["drops it alone", [drop("d1", "d1")], told.map(({ id }) => id)],
    ["replaces its words", [replace("d2")], told.map(({ id }) => id)],
  ])("%s", async (_, edits, ids) => {
    const asked: string[] = [];
    const summarizer: Summarizer = ({ parts }) => {
      asked.push(...parts.flatMap(({ messages }) => messages.map(({ id }) => id)));
      return Promise.resolve({ text: "what happened", usage: null, stopReason: "end" });
    };
    const { messages } = await run(told, edits, { summarizer });
    expect(shapeOf(messages)).toBe(ids.join(" "));
    expect(messages.filter(isDeclared)).toEqual(told.filter(isDeclared));
    expect(asked.filter((id) => id.startsWith("d"))).toEqual([]);
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

  test("take a step that had been answered before earlier edits took what came after it", async () => {
    const { messages } = await run(open, [drop("a3", "s", "nothing")], { lastStep: "answered" });
    expect(messages.map(({ id }) => id)).toEqual(["u1", "a1", "u2", "a2"]);
  });

  test("take everything from a view without a human message and without an open step", async () => {
    const { messages } = await run([reply("a1", "one"), reply("a2", "two")], [summarize(["a1", "a2"])]);
    expect(messages).toMatchObject([{ origin: "summary" }]);
  });
});
