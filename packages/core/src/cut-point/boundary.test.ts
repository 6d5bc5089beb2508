import { describe, expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { calling, human, reply, result, summaryMessage } from "../testing/builders.ts";
import { type Boundary, cutAtBoundary } from "./boundary.ts";

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

describe("cutAtBoundary", () => {
  test.each<[string, string, Boundary, number, number]>([
    ["any safe place: where it was wanted", "UAUAU", "any-safe", 3, 3],
    ["any safe place: back to before the call", "UACRA", "any-safe", 3, 2],
    ["any safe place: right behind a result", "UACRA", "any-safe", 4, 4],
    ["any safe place: back over a whole batch", "UABRRA", "any-safe", 4, 2],
    ["any safe place: between two batches", "UCRCR", "any-safe", 3, 3],
    ["any safe place: everything", "UACRA", "any-safe", 5, 5],
    ["any safe place: before the open step", "UACR", "any-safe", 4, 2],
    ["the nearer safe place: back to before a near call", "UAUAUACRA", "nearer-safe", 7, 6],
    ["the nearer safe place: forward over a batch that began in the first half", "UBRRA", "nearer-safe", 3, 4],
    ["the nearer safe place: back, if there is none before the open step", "UAUBRR", "nearer-safe", 5, 3],
    ["the nearer safe place: back to the open step, however far", "UBRR", "nearer-safe", 3, 1],
    ["K-k1: never on a result", "UCR", "any-safe", 2, 1],
    ["G-7: from a call back to the human message", "UAUCR", "not-in-tool-batch", 3, 2],
    ["G-11: back over batch after batch", "UAUCRCRCRCRCRCRCRCR", "not-in-tool-batch", 13, 2],
    ["G-12: back to the beginning", "UCRCRCRCRCRCRCRCR", "not-in-tool-batch", 11, 0],
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
  ])("%s", (_, letters, boundary, wanted, cut) => {
    expect(cutAtBoundary(history(letters), wanted, boundary)).toBe(cut);
  });
});
