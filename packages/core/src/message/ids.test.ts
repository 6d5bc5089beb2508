import { describe, expect, test } from "vitest";
import { assistant, human, reply, result } from "../testing/builders.ts";
import { chainId, extendViewHash, type MessageDraft, overheadHash, withId, withIds } from "./message.ts";

const question: MessageDraft = human("ignored", "What is a Plimsoll line?");

describe("chainId", () => {
  test("is the same at each import", () => {
    expect(chainId("before", question)).toBe(chainId("before", structuredClone(question)));
  });

  test("has the form of a hash of 128 bits", () => {
    expect(chainId(null, question)).toMatch(/^[0-9a-f]{32}$/);
  });

  test.each<[string, string | null, MessageDraft]>([
    ["place", "elsewhere", question],
    ["role", "before", reply("ignored", "What is a Plimsoll line?")],
    ["text", "before", human("ignored", "What is a Plimsoll line!")],
    ["origin", "before", { ...human("ignored", "What is a Plimsoll line?"), origin: "injected" }],
    ["beginning of a session", null, question],
  ])("differs by %s", (_, previousId, draft) => {
    expect(chainId(previousId, draft)).not.toBe(chainId("before", question));
  });

  test.each<[string, MessageDraft, MessageDraft]>([
    ["time", question, { ...question, atMs: 1_700_000_000_000 }],
    [
      "model and request",
      reply("a", "yes"),
      { ...reply("b", "yes"), modelId: "other", requestId: "other", stopReason: "length" },
    ],
    [
      "paths, which are worked out and not sent",
      assistant("a", [{ type: "tool-call", callId: "c", toolName: "t", argumentsJson: "{}", paths: [] }]),
      assistant("a", [
        { type: "tool-call", callId: "c", toolName: "t", argumentsJson: "{}", paths: [{ path: "x", access: "read" }] },
      ]),
    ],
  ])("does not depend on %s", (_, left, right) => {
    expect(chainId(null, left)).toBe(chainId(null, right));
  });

  test.each([
    ["the call", result("a", "call-2", "done")],
    ["failure", { ...result("a", "call-1", "done"), isError: true }],
  ])("of a result depends on %s", (_, other) => {
    expect(chainId(null, other)).not.toBe(chainId(null, result("a", "call-1", "done")));
  });
});

test.each([
  ["the source's id if it has one", "source-7", "source-7"],
  ["the chain id if it has none", undefined, chainId("before", question)],
])("withId gives %s", (_, sourceId, id) => {
  expect(withId(question, "before", sourceId).id).toBe(id);
});

test("withIds chains each draft to the one before it", () => {
  const first = withId(question, "before");
  expect(withIds([question, question], "before")).toEqual([first, withId(question, first.id)]);
});

test("overheadHash depends on the system text and on the tools", () => {
  const hashes = [overheadHash("", []), overheadHash("be brief", []), overheadHash("", [{ name: "read" }])];
  expect(new Set(hashes).size).toBe(3);
  expect(overheadHash("be brief", [{ name: "read" }])).toBe(overheadHash("be brief", [{ name: "read" }]));
});

test("extendViewHash depends on the order of messages", () => {
  expect(extendViewHash(extendViewHash("", "a"), "b")).not.toBe(extendViewHash(extendViewHash("", "b"), "a"));
});
