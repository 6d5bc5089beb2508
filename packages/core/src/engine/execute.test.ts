import { describe, expect, test } from "vitest";
import type { Edit } from "../edit/apply-edits.ts";
import type { AppliedEdit } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { RECALLS_NOTHING, type Recaller } from "../memory/recaller.ts";
import { spanHandle } from "../message/handle.ts";
import { type Message, type StopReason, textOf } from "../message/message.ts";
import { coverageOf } from "../message/size.ts";
import type { SummaryRequestForm } from "../policy/policy.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import type { Summarizer, SummaryRequest } from "../ports.ts";
import { BUILT_IN_PROMPTS } from "../prompts/built-in-prompts.ts";
import { SUMMARY_HEADER } from "../prompts/notices.ts";
import { human, OPEN_STEP, reply, result } from "../testing/builders.ts";
import { type ExecuteInput, execute } from "./execute.ts";

const view = [...OPEN_STEP, reply("a3", "done")];
const replies = [reply("a1", "one"), reply("a2", "two")];
const summaryOf =
  (text: string, stopReason: StopReason = "end"): Summarizer =>
  () =>
    Promise.resolve({ text, usage: null, stopReason });
function noting() {
  const requests: SummaryRequest[] = [];
  const summarizer: Summarizer = (request, signal) => {
    requests.push(request);
    return summaryOf("ok")(request, signal);
  };
  return { requests, summarizer };
}
const summarize = (from: string, through: string, by: "summary" | "digest" = "summary"): Edit => {
  return { kind: "replace-spans", by, spans: [{ from, through, promptId: "structured" }] };
};
const dropBy =
  (by: "notice" | "nothing") =>
  (...spans: readonly (readonly [string, string])[]): Edit => ({
    kind: "replace-spans",
    by,
    spans: spans.map(([from, through]) => ({ from, through, promptId: null })),
  });
const [drop, dropSilently] = [dropBy("notice"), dropBy("nothing")];
const replace = (messageId: string, text: string, partIndex = 0): Edit => {
  return { kind: "replace-part", messageId, partIndex, text, handle: messageId };
};

function run(edits: readonly Edit[], more: Partial<ExecuteInput> = {}, signal = new AbortController().signal) {
  return execute(
    {
      messages: view,
      edits,
      pending: [],
      summary: SVEN_POLICY.summary,
      opening: { system: "rules", tools: [] },
      summarizer: summaryOf("what happened"),
      digest: summaryOf("digest of it"),
      focus: null,
      prompts: BUILT_IN_PROMPTS,
      facts: () => null,
      recaller: RECALLS_NOTHING,
      textTokens: (text) => text.length / 4,
      kept: new Set(),
      nowMs: null,
      ...more,
    },
    signal,
  );
}

const idOfSummary = (edit: AppliedEdit | undefined) => (edit?.kind === "replace-spans" ? edit.message?.id : null);
const idsOf = (messages: readonly Message[]) => messages.map((message) => message.id);

describe("execute", () => {
  test("puts the summary in the place of what it covers, and counts that", async () => {
    const { messages, applied } = await run([summarize("u1", "a1")]);
    expect(messages.slice(1)).toEqual(view.slice(2));
    expect(messages[0]).toMatchObject({ role: "assistant", origin: "summary" });
    expect(messages.slice(0, 1).map(textOf).join()).toContain("what happened");
    expect(applied).toMatchObject([{ kind: "replace-spans", by: "summary", covered: { messages: 2, parts: 2, chars: 11 } }]);
  });

  test.each([
    ["the model", "summary", "what happened"],
    ["the digest", "digest", "digest of it"],
  ] as const)("asks the writer that the edit names: %s", async (_, writer, text) => {
    const { messages } = await run([summarize("u1", "a1", writer)]);
    expect(messages.slice(0, 1).map(textOf).join()).toContain(text);
  });

  const LINES = "The parser was mended and its tests pass.\n".repeat(900);
  const SECTIONED = ["Goal", "Progress", "Next Steps"].map((title) => `## ${title}\n${LINES}`).join("\n");
  const long = [human("u1", "first ".repeat(200_000)), ...view.slice(1)];
  const [goal, written] = [`## Goal\nMend the parser.\n\n`, { usage: null, stopReason: "end" as const }];
  test.each<[string, string, Partial<ExecuteInput>, readonly string[]]>([
    ["sections, of a summariser", SECTIONED, {}, ["## Goal", "## Progress", "## Next Steps"]],
    ["sections, of a hook", SECTIONED, { author: "hook" }, ["## Goal", "## Progress", "## Next Steps"]],
    ["one long section", `${goal}## Progress\n${LINES}\n## Next Steps\n1. test`, {}, [goal, "## Next Steps\n1. test"]],
    ["a summary that repeats itself", SECTIONED.repeat(8), {}, ["## Goal"]],
    ["more sections than there is room to tell", "## Goal\nMend the parser.\n\n".repeat(4000), {}, [goal]],
    [
      "code with marks, closed where it is cut",
      `${goal}## Progress\n~~~py\n${"# it was mended\nx = 1\n".repeat(1500)}~~~\n## Next Steps\n1. test`,
      {},
      [goal, "\n~~~\n[Left out here", "## Next Steps\n1. test"],
    ],
    ["lines", LINES.repeat(3), {}, ["The parser was mended"]],
    ["one line", "The parser was mended. ".repeat(5000), {}, ["The parser was mended."]],
  ])("holds the limit of a summary, with a note: %s", async (_, text, more, kept) => {
    const { messages, applied } = await run([summarize("u1", "a1")], { messages: long, summarizer: summaryOf(text), ...more });
    const shown = messages.slice(0, 1).map(textOf).join();
    expect(shown.length / 4 - SUMMARY_HEADER.text.length / 4).toBeLessThanOrEqual(4097);
    expect(shown.length / 4).toBeGreaterThan(3000);
    expect([...kept, "[Left out here for its length: "].filter((each) => !shown.includes(each))).toEqual([]);
    expect(applied).toMatchObject([{ repairs: ["shortened"] }]);
  });

  test("holds the limit of a summary that was written before", async () => {
    const edit = { ...summarize("u1", "a1"), written: { text: SECTIONED, ...written } };
    const { applied } = await run([edit], { messages: long, summarizer: summaryOf("other") });
    expect(applied).toMatchObject([{ repairs: ["shortened"] }]);
  });

  test("leaves a digest and a summary within its limit as they are, and a split turn has room of its own", async () => {
    const [text, parts] = [
      "The parser was mended. ".repeat(1000),
      [
        ["u1", "a1", "structured"],
        ["u2", "a3", "turn-prefix"],
      ] as const,
    ];
    const spans = parts.map(([from, through, promptId]) => ({ from, through, promptId }));
    const split = await run([{ kind: "replace-spans", by: "summary", spans }], {
      summarizer: summaryOf(text),
      pending: [human("u3", "third")],
      lastHuman: "goes",
    });
    const digest = await run([summarize("u1", "a1", "digest")], { digest: summaryOf(text) });
    expect([split.messages, digest.messages].map(([first]) => first && textOf(first).includes(text.trim()))).toEqual([
      true,
      true,
    ]);
  });

  test("gives the writer what is covered, part by part, and what the person asked for", async () => {
    const { requests, summarizer } = noting();
    await run([summarize("u1", "a1")], { summarizer, focus: "the tests" });
    expect(requests).toEqual([
      {
        parts: [{ promptId: "structured", messages: view.slice(0, 2) }],
        view,
        sections: SVEN_POLICY.summary.sections,
        maxTokens: 4096,
        turnPrefixMaxTokens: SVEN_POLICY.summary.turnPrefixMaxTokens,
        resultCapChars: null,
        labels: SVEN_POLICY.summary.labels,
        focus: "the tests",
        prompts: BUILT_IN_PROMPTS,
      },
    ]);
  });

  test.each<[string, SummaryRequestForm, Partial<SummaryRequest>]>([
    [
      "the conversation through the newest covered message",
      "prefix",
      { conversation: { system: "rules", tools: [], messages: view.slice(0, 2), dynamicContext: null } },
    ],
    ["another model's id", { cheaper: { modelId: "small", contextWindowTokens: 9000 } }, { modelId: "small" }],
  ])("gives the writer %s, if the policy asks so", async (_, request, more) => {
    const { requests, summarizer } = noting();
    await run([summarize("u1", "a1")], { summarizer, summary: { ...SVEN_POLICY.summary, request } });
    expect(requests).toMatchObject([more]);
  });

  test("gives the writer the conversation through the newest of many covered messages", async () => {
    const { requests, summarizer } = noting();
    const messages = [human("u0", "at first"), ...view];
    await run([summarize("u0", "a1")], { messages, summarizer, summary: { ...SVEN_POLICY.summary, request: "prefix" } });
    expect(requests.map(({ conversation }) => idsOf(conversation?.messages ?? []))).toEqual([["u0", "u1", "a1"]]);
  });

  test("puts facts with summaries and notices", async () => {
    const { messages } = await run([drop(["u1", "a1"])], { facts: () => "files: a.ts" });
    expect(messages[0]?.parts.map((part) => ("text" in part ? part.text : ""))).toEqual([
      expect.stringContaining("2 earlier messages"),
      "files: a.ts",
    ]);
  });

  test("one notice counts all spans", async () => {
    const { messages, applied } = await run([drop(["u1", "a1"], ["a2", "r"])]);
    expect(messages.slice(1)).toEqual([view[2], view[5]]);
    expect(messages.slice(0, 1).map(textOf).join()).toContain("4 earlier messages");
    expect(applied).toMatchObject([{ by: "notice", message: { origin: "notice" }, covered: { messages: 4 } }]);
  });

  test("the notice of several spans names the span from the first through the last", async () => {
    const { messages } = await run([drop(["u1", "u1"], ["a1", "a1"], ["a2", "r"])]);
    expect(messages.slice(0, 1).map(textOf).join()).toContain(`handle ${spanHandle({ from: "u1", through: "r" })}.`);
  });

  test("a summary's record says which prompts it was written with and what was put right", async () => {
    const said = { prompts: ["structured@1"], repairs: ["heading-added"] };
    const summarizer: Summarizer = async () => ({ text: "ok", usage: null, stopReason: "end", ...said });
    expect((await run([summarize("u1", "a1")], { summarizer })).applied).toMatchObject([said]);
    const plain = (await run([summarize("u1", "a1")])).applied[0];
    expect(Object.keys(plain ?? {})).not.toEqual(expect.arrayContaining(["prompts"]));
    expect(Object.keys(plain ?? {})).not.toEqual(expect.arrayContaining(["repairs"]));
  });

  test("a recaller is told what stays and what comes, how much goes, and what is said beside it", async () => {
    const asked: unknown[] = [];
    const recall: Recaller["recall"] = (staying, leavingChars, said) => {
      asked.push(idsOf(staying), leavingChars, said);
      return "recalled";
    };
    const { messages } = await run([summarize("u1", "a1")], {
      recaller: { ...RECALLS_NOTHING, recall },
      pending: [human("p", "next")],
    });
    const [summary] = messages;
    const [said, recalled] = summary?.parts.map((part) => (part.type === "text" ? part.text : "")) ?? [];
    expect(recalled).toBe("recalled");
    expect(asked).toEqual([["u2", "a2", "r", "a3", "p"], coverageOf(view.slice(0, 2)).chars, said]);
  });

  test("a message of the engine has an id that follows from all that it covers", async () => {
    const idOf = async (from: string, through = from) => idOfSummary((await run([summarize(from, through)])).applied[0]);
    const ids = [await idOf("u1"), await idOf("a1"), await idOf("u1", "a1")];
    expect(new Set(ids).size).toBe(ids.length);
    expect(await idOf("u1")).toBe(ids[0]);
  });

  test.each<[string, "user" | "assistant", object]>([
    ["the person's side", "user", { role: "user", origin: "summary", atMs: 7 }],
    [
      "the model's side, although no model was asked by this request",
      "assistant",
      { role: "assistant", origin: "summary", modelId: null, requestId: null, stopReason: null, atMs: 7 },
    ],
  ])("a summary stands on %s, if the policy says so", async (_, role, message) => {
    const { messages } = await run([summarize("u1", "a1")], { summary: { ...SVEN_POLICY.summary, role }, nowMs: 7 });
    expect(messages[0]).toMatchObject(message);
  });

  test("a notice by roles says whose messages went", async () => {
    const edit: Edit = {
      kind: "replace-spans",
      by: "notice",
      noticeForm: "roles",
      spans: [{ from: "u1", through: "a1", promptId: null }],
    };
    expect((await run([edit])).messages.slice(0, 1).map(textOf).join()).toContain("2 messages: 1 user, 1 assistant");
  });

  test.each<[string, Edit, string]>([
    ["the prompt that the span names", summarize("u1", "a1"), "structured"],
    [
      "the writer's own, if it names none",
      { ...summarize("u1", "a1"), kind: "replace-spans", by: "digest", spans: [{ from: "u1", through: "a1", promptId: null }] },
      "digest",
    ],
  ])("asks by %s", async (_, edit, promptId) => {
    const { requests, summarizer } = noting();
    await run([edit], { summarizer, digest: summarizer });
    expect(requests.flatMap(({ parts }) => parts.map((part) => part.promptId))).toEqual([promptId]);
  });

  test("what rules keep is left out of the edits; if nothing is left, nothing is done", async () => {
    const { messages, applied } = await run([drop(["u1", "a1"])], { kept: new Set(view.slice(0, 2)) });
    expect([messages === view, applied]).toEqual([true, []]);
  });

  test("a drop without a notice leaves none", async () => {
    const { messages } = await run([dropSilently(["u1", "a1"])]);
    expect(messages).toEqual(view.slice(2));
  });

  test("replaces a part and says by how much it shrank", async () => {
    const { messages, applied } = await run([replace("r", "…")]);
    expect(messages[4]?.parts).toEqual([{ type: "text", text: "…" }]);
    expect(applied).toMatchObject([{ handle: "r", removedChars: 3 }]);
  });
});

describe("execute rejects", () => {
  const rejects: Summarizer = () => Promise.reject(new PlimsollError("summary-failed", "no reply"));

  test.each<[string, readonly Edit[], Partial<ExecuteInput>, string]>([
    ["a drop that leaves a call without its result", [drop(["r", "r"])], {}, "unsendable"],
    ["a drop that leaves a result without its call", [drop(["a2", "a2"])], {}, "unsendable"],
    ["a summary that takes the result alone", [summarize("r", "r")], {}, "unsendable"],
    ["a part that is left blank", [replace("u1", " ")], {}, "unsendable"],
    ["a view with nothing in it", [dropSilently(["a1", "a2"])], { messages: replies }, "unsendable"],
    ["a span of messages that are not there", [summarize("u1", "missing")], {}, "bad-edit"],
    ["a span that runs backwards", [drop(["a1", "u1"])], {}, "bad-edit"],
    ["a part that is not there", [replace("r", "", 3)], {}, "bad-edit"],
    ["a part of a message that is not there", [replace("missing", "…")], {}, "bad-edit"],
    ["a summariser that rejects", [summarize("u1", "a1")], { summarizer: rejects }, "summary-failed"],
    ["an empty summary", [summarize("u1", "a1")], { summarizer: summaryOf("") }, "summary-failed"],
    ["a summary that was cut off", [summarize("u1", "a1")], { summarizer: summaryOf("half of", "length") }, "summary-failed"],
  ])("%s", async (_, edits, more, code) => {
    await expect(run(edits, more)).rejects.toMatchObject({ code });
  });

  test("a summary that comes after the caller has given up", async () => {
    const controller = new AbortController();
    const summarizer: Summarizer = (request, signal) => {
      controller.abort(new Error("given up"));
      return summaryOf("too late")(request, signal);
    };
    await expect(run([summarize("u1", "a1")], { summarizer }, controller.signal)).rejects.toThrow("given up");
  });

  test("what it names: the violation that the edits made", async () => {
    await expect(run([drop(["r", "r"])])).rejects.toMatchObject({
      details: { code: expect.stringMatching(/./), index: expect.any(Number), subject: expect.stringMatching(/./) },
    });
  });

  test("not what was wrong before, but what the edits made wrong", async () => {
    const messages = [human("u1", "first"), reply("a1", "answer"), result("orphan", "x", "done"), human("u2", "second")];
    const { messages: after } = await run([drop(["u1", "a1"])], { messages });
    expect(idsOf(after).slice(1)).toEqual(["orphan", "u2"]);
  });

  test("what the edits made wrong, although the same was wrong elsewhere before", async () => {
    const messages = [...view.slice(0, 2), result("orphan", "x", "done"), ...view.slice(2)];
    await expect(run([drop(["a2", "a2"])], { messages })).rejects.toMatchObject({
      code: "unsendable",
      details: { subject: "c" },
    });
  });

  test("not an emptied view if something will be sent", async () => {
    const { messages } = await run([dropSilently(["a1", "a2"])], { messages: replies, pending: [human("u3", "third")] });
    expect(messages).toEqual([]);
  });
});
