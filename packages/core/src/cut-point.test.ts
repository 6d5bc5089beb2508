import { describe, expect, test } from "vitest";
import {
  type Boundary,
  cutAtBoundary,
  cutKeeping,
  openStepStart,
  safeCutAtOrAfter,
  safeCutAtOrBefore,
  safeCuts,
  spansBetween,
} from "./cut-point.ts";
import { type Message, textOf } from "./message/message.ts";
import { calling, declared, human, reply, result, summaryMessage } from "./testing/builders.ts";

/** A history from one letter a message: U human, S summary, A text, C call, R its result, B a batch of two calls and R R their results. */
function history(letters: string): readonly Message[] {
  const open: string[] = [];
  return [...letters].map((letter, index): Message => {
    const id = `${letter}${index}`;
    switch (letter) {
      case "C":
      case "B": {
        const callIds = letter === "C" ? [`call-${index}`] : [`call-${index}a`, `call-${index}b`];
        open.push(...callIds);
        return calling(id, callIds);
      }
      case "R":
        return result(id, open.shift() ?? "none", "done");
      case "A":
        return reply(id, "answer");
      case "S":
        return summaryMessage(id, "summary");
      default:
        return human(id, "question");
    }
  });
}

describe("safeCuts", () => {
  test.each<[string, readonly Message[], readonly number[]]>([
    ["an empty list", [], [0]],
    ["text only: everywhere", history("UAU"), [0, 1, 2, 3]],
    ["one call: not before its result", history("UCRA"), [0, 1, 3, 4]],
    ["a parallel batch: not inside it", history("UBRRA"), [0, 1, 4, 5]],
    [
      "results in another order than their calls",
      [calling("a", ["c", "d"]), result("s", "d", "done"), result("r", "c", "done"), reply("b", "answer")],
      [0, 3, 4],
    ],
    ["batch after batch: between them, not behind the one that the model has not answered to", history("CRCR"), [0, 2]],
    ["an open batch at the end: before it", history("UC"), [0, 1]],
    ["K-k3: a call binds what comes before its late result", history("UCURU"), [0, 1, 4, 5]],
    ["results still missing from the newest batch may come: not inside it", history("UBR"), [0, 1]],
    [
      "one id in every step: between them",
      ["1", "2", "3"].flatMap((step) => [calling(`a${step}`, ["c"]), result(`r${step}`, "c", "done")]),
      [0, 2, 4],
    ],
    [
      "ids of a batch used again by the next, out of order, one twice",
      [
        calling("a", ["c", "d", "c"]),
        ...["d", "c", "c"].map((callId, index) => result(`r${index}`, callId, "x")),
        ...[calling("b", ["c"]), result("v", "c", "x"), reply("e", "answer")],
      ],
      [0, 4, 6, 7],
    ],
    ["a result before its call binds nothing", [result("r", "c", "done"), calling("a", ["c"]), human("v", "so")], [0, 1, 2, 3]],
    ["a result without a call binds nothing", history("URU"), [0, 1, 2, 3]],
    ["a call that was never answered binds nothing", history("UCUA"), [0, 1, 2, 3, 4]],
    ["nor does one at the beginning", history("CUA"), [0, 1, 2, 3]],
  ])("%s", (_, messages, indexes) => {
    expect([...safeCuts(messages).entries()].filter(([, safe]) => safe).map(([index]) => index)).toEqual(indexes);
  });
});

const safe = [true, true, false, false, true, false];

test.each([
  ["at it", 1, 1],
  ["before it", 3, 1],
  ["the beginning is always safe", 0, 0],
  ["past the end", 99, 4],
  ["before the beginning", -1, 0],
])("safeCutAtOrBefore: %s", (_, index, cut) => {
  expect(safeCutAtOrBefore(safe, index)).toBe(cut);
});

test.each([
  ["at it", 1, 1],
  ["after it", 2, 4],
  ["none there is", 5, null],
  ["before the beginning", -1, 0],
])("safeCutAtOrAfter: %s", (_, index, cut) => {
  expect(safeCutAtOrAfter(safe, index)).toBe(cut);
});

describe("cutAtBoundary", () => {
  test.each<[string, string, Boundary, number, number]>([
    ["any safe place: where it was wanted", "UAUAU", "any-safe", 3, 3],
    ["any safe place: back to before the call", "UACRA", "any-safe", 3, 2],
    ["any safe place: right behind a result", "UACRA", "any-safe", 4, 4],
    ["any safe place: back over a whole batch", "UABRRA", "any-safe", 4, 2],
    ["any safe place: between two batches", "UCRCR", "any-safe", 3, 3],
    ["any safe place: everything", "UACRA", "any-safe", 5, 5],
    ["any safe place: before the open step", "UACR", "any-safe", 4, 2],
    ["K-k1: never on a result", "UCR", "any-safe", 2, 1],
    ["outside a batch: a text between batches will do", "UCRACR", "not-in-tool-batch", 4, 3],
    ["outside a batch: where it was wanted", "UAUA", "not-in-tool-batch", 2, 2],
    ["outside a batch: not on a result without a call", "UARA", "not-in-tool-batch", 2, 1],
    ["outside a batch: everything", "UACRA", "not-in-tool-batch", 5, 5],
    ["outside a batch: back from the open step", "UACR", "not-in-tool-batch", 4, 1],
    ["at a human message: the next one", "UAUAUA", "human", 1, 2],
    ["at a human message: where it was wanted", "UAUAUA", "human", 2, 2],
    ["at a human message: behind the last turn, which has ended", "UAUCRA", "human", 4, 6],
    ["at a human message: the one before, in a turn that goes on", "UAUCRCR", "human", 4, 2],
    ["at a human message: not on one that is sent with a result", "UACRUA", "human", 3, 6],
    ["at a human message: nowhere within one turn", "UCRCRCR", "human", 4, 0],
    ["at a human message: the beginning, if it is wanted", "UAUA", "human", 0, 0],
    ["at a human message: not on a summary", "SAUA", "human", 0, 2],
    ["at a human message: the one before, if the last call has no result yet", "UAUC", "human", 3, 2],
    ["at a human message: nothing of nothing", "", "human", 0, 0],
    ["at a human message: nowhere without one", "CRCR", "human", 2, 0],
    ["the next safe place: before the open step", "UACR", "next-safe", 4, 2],
    ["turn: before the open step", "UACR", "turn", 4, 2],
    ["any safe place: wanted before the beginning", "UA", "any-safe", -1, 0],
    ["the next safe place: where it was wanted", "UAUA", "next-safe", 2, 2],
    ["the next safe place: forward over a result", "UACRA", "next-safe", 3, 4],
    ["the next safe place: not between a call and its late result", "UCURA", "next-safe", 2, 4],
    ["the next safe place: back, if nothing would be left", "UAACR", "next-safe", 4, 3],
    ["the next safe place: everything, if that is wanted", "UAUA", "next-safe", 4, 4],
    ["the next safe place: never on a result without a call", "UARRA", "next-safe", 2, 4],
    ["the next safe place: back to a result, if nothing else is left", "UARR", "next-safe", 2, 2],
    ["the next safe place: right behind a result without a call", "UARA", "next-safe", 2, 3],
    ["outside a batch: the beginning, if a batch is there as well", "CRCR", "not-in-tool-batch", 2, 0],
    ["outside a batch: not on a call whose results are there", "UACRCRA", "not-in-tool-batch", 4, 1],
    ["turn: forward to the next human message", "UACRUA", "turn", 1, 4],
    ["turn: where it was wanted", "UAUA", "turn", 2, 2],
    ["turn: there, although another follows", "UAUAU", "turn", 2, 2],
    ["turn: a summary starts none", "UASA", "turn", 1, 1],
    ["turn: without one, inside the turn", "UACRACR", "turn", 4, 4],
    ["turn: without one, back to a safe place", "UACRACR", "turn", 6, 5],
    ["turn: not on one between a call and its late result", "UACURAUA", "turn", 2, 6],
    ["turn: back to a safe place, if the only one is between a call and its result", "UACURA", "turn", 3, 2],
    ["at a human message: not on one between a call and its late result", "UACURAUA", "human", 3, 6],
    ["at a human message: behind the last turn, if the only one is between a call and its result", "UACURA", "human", 3, 6],
    ["at a human message: the one before, if the only one is between a call and its result", "UACURACR", "human", 3, 0],
  ])("%s", (_, letters, boundary, wanted, cut) => {
    expect(cutAtBoundary(history(letters), wanted, boundary)).toBe(cut);
  });
});

const call = calling("a", ["c", "d"]);
const [first, second] = [result("r", "c", "done"), result("s", "d", "done")];

test.each<[string, readonly Message[], number]>([
  ["nothing: no loop is open", [], 0],
  ["a call without results yet", [human("u", "go"), call], 1],
  ["a call with some of its results", [human("u", "go"), call, first], 1],
  ["a call with all its results, which the model has not seen", [human("u", "go"), call, first, second], 1],
  ["the model has answered to them", [human("u", "go"), call, first, second, reply("b", "done")], 5],
  ["a person has spoken since", [call, first, second, human("u", "stop")], 4],
  ["the agent has declared something since", [human("u", "go"), call, first, second, declared("d", "Be brief.")], 1],
  ["only the newest of two steps", [calling("a", ["x"]), result("q", "x", "done"), call, first, second], 2],
  ["results without a call", [human("u", "go"), first], 2],
])("openStepStart: %s", (_, messages, index) => {
  expect(openStepStart(messages)).toBe(index);
});

const messages = [100, 50, 30, 20, 10].map((tokens, index) => human(`u${index}`, "x".repeat(tokens)));
const tokensOf = (message: Message) => textOf(message).length;

test.each([
  ["keep nothing", 0, 5],
  ["keep the newest two", 2, 3],
  ["keep all", 5, 0],
  ["keep more than there are", 9, 0],
])("cutKeeping messages: %s", (_, count, cut) => {
  expect(cutKeeping(messages, { messages: count }, tokensOf)).toBe(cut);
});

describe("cutKeeping tokens", () => {
  test.each([
    ["keep nothing", 0, 5],
    ["a single token", 1, 4],
    ["less than the newest", 5, 4],
    ["exactly the newest", 10, 4],
    ["one token more takes one message more", 11, 3],
    ["the message that reaches it is kept", 55, 2],
    ["exactly all", 210, 0],
    ["P-7: all together do not reach it", 1000, 0],
  ])("%s", (_, keepTokens, cut) => {
    expect(cutKeeping(messages, { tokens: keepTokens }, tokensOf)).toBe(cut);
  });

  test("prices only what is kept", () => {
    const priced: string[] = [];
    cutKeeping(messages, { tokens: 25 }, (message) => {
      priced.push(message.id);
      return 10;
    });
    expect(priced).toEqual(["u4", "u3", "u2"]);
  });
});

test.each([
  ["the newest message exceeds nothing", 0, 4],
  ["just the newest does not exceed itself: one more", 10, 3],
  ["less than the newest", 9, 4],
  ["29 of 10 + 20", 29, 3],
  ["30 of 10 + 20 takes one more", 30, 2],
  ["all together do not exceed it", 210, 0],
])("cutKeeping what exceeds tokens: %s", (_, keepTokens, cut) => {
  expect(cutKeeping(messages, { overTokens: keepTokens }, tokensOf)).toBe(cut);
});

const turn = [human("u", "do"), reply("a", "one"), reply("b", "two")];
const turns = [human("t", "first"), reply("z", "done"), ...turn];
const replies = [reply("a", "one"), reply("b", "two")];

test.each<[string, readonly Message[], number, readonly string[]]>([
  ["nothing before the first message", turns, 0, []],
  ["all of it before the last human message", turns, 2, ["t..z"]],
  ["an earlier human message with the rest", turns, 1, ["t..t"]],
  ["not the last human message itself", turns, 3, ["t..z"]],
  ["both sides of the last human message", turns, 5, ["t..z", "a..b"]],
  ["what follows it, if it is the first message", turn, 2, ["a..a"]],
  ["nothing, if it is alone before the cut", turn, 1, []],
  ["all of it without a human message", replies, 2, ["a..b"]],
])("spansBetween, from the first: %s", (_, messages, cut, spans) => {
  expect(spansBetween(messages, { start: 0, cut }).map(({ from, through }) => `${from}..${through}`)).toEqual(spans);
});

test.each<[string, number, number, readonly string[]]>([
  ["the last human message with the rest", 0, 5, ["t..b"]],
  ["from where it is asked for", 2, 4, ["u..a"]],
  ["nothing before the start", 2, 2, []],
])("where nothing is promised a span takes %s", (_, start, cut, spans) => {
  const taken = spansBetween(turns, { start, cut, lastHuman: "goes" });
  expect(taken.map(({ from, through }) => `${from}..${through}`)).toEqual(spans);
});
