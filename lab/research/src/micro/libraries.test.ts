import { trimMessages } from "@langchain/core/messages";
import { textOf } from "@plimsoll/core";
import { checkMessages, STRICT_WIRE_RULES } from "@plimsoll/core/internal";
import { pruneMessages } from "ai";
import { expect, test } from "vitest";
import { aiSdkMessages, langChainMessages, messagesOf } from "./library-messages.ts";
import { approximateTokens, clearedByPlimsoll, KEPT_RESULTS, trimmedByLangChain, trimmedByPlimsoll } from "./library-tasks.ts";
import { longSession } from "./long-session.ts";
import { trimWork } from "./work-figures.ts";

const COUNT = 100;
const messages = messagesOf(COUNT);
const theirs = langChainMessages(messages);
const half = approximateTokens(theirs) / 2;

test("both sides are given the same texts", () => {
  expect(theirs.map(({ id, content }) => [id, content])).toEqual(messages.map((message) => [message.id, textOf(message)]));
  expect(aiSdkMessages(messages).map(({ role }) => role)).toEqual(
    messages.map(({ role }) => (role === "tool-result" ? "tool" : role)),
  );
});

test("both trims end within the target, and ours keeps at least as much of the newest history", async () => {
  const langChain = await trimmedByLangChain(theirs, half);
  const plimsoll = await trimmedByPlimsoll(longSession(COUNT), half);
  const kept = langChainMessages(plimsoll.messages);
  expect(approximateTokens(langChain.messages)).toBeLessThanOrEqual(half);
  expect(approximateTokens(kept)).toBeLessThanOrEqual(half * 1.02); // names of roles, which we do not count as text
  expect(kept.length).toBeGreaterThanOrEqual(langChain.messages.length);
  expect(checkMessages(plimsoll.messages, STRICT_WIRE_RULES)).toEqual([]);
});

test("trimMessages begins inside a tool call if it is not told to begin on a human message", async () => {
  const fromResult = theirs.slice(theirs.findLastIndex((message) => message.getType() === "tool") - 2);
  const maxTokens = approximateTokens(fromResult);
  const [first] = await trimMessages([...theirs], { maxTokens, tokenCounter: approximateTokens, strategy: "last" });
  expect(fromResult[0]?.getType()).toBe("tool");
  expect(first?.getType()).toBe("tool");
});

test("trimMessages counts every character anew for each message that it leaves out; we count each once", async () => {
  const [short, long] = [await trimWork(COUNT), await trimWork(2 * COUNT)];
  expect(short.langChainCharacters).toBeGreaterThan(20 * short.sessionCharacters);
  expect(long.langChainCharacters / short.langChainCharacters).toBeGreaterThan(3);
  expect(short.plimsollCharacters).toBeLessThan(1.2 * short.sessionCharacters);
  expect(long.plimsollCharacters / short.plimsollCharacters).toBeLessThan(2.2);
});

test("pruneMessages takes calls and results away; clearing leaves both with a handle", async () => {
  const pruned = pruneMessages({ messages: aiSdkMessages(messages), toolCalls: `before-last-${2 * KEPT_RESULTS}-messages` });
  const cleared = await clearedByPlimsoll(longSession(COUNT));
  expect(pruned.filter(({ role }) => role === "tool").length).toBeLessThanOrEqual(KEPT_RESULTS + 1);
  expect(cleared.length).toBe(messages.length);
  expect(cleared.filter((message) => message.role === "tool-result" && textOf(message).length > 1000).length).toBe(
    KEPT_RESULTS + 1, // that of the newest step, which is never cleared
  );
});
