import { ARRAY_COMPACTOR_CONTRACT, type ArraySubject, type ContractTurn } from "@plimsoll/providers/testing";
import { createMemorySessionStore } from "@plimsoll/stores";
import { test } from "vitest";
import { type Answer, createMyCompactor, type Item } from "./own-array.ts";

const SUBJECT: ArraySubject<Item, Answer> = {
  create: createMyCompactor,
  items: (turns) => turns.flatMap(itemsOf),
  answer: (id, promptTokens) => ({ id, model: "simulated", promptTokens, item: { from: "model", text: "seen", calls: [] } }),
};

test.each(ARRAY_COMPACTOR_CONTRACT)("$rule", ({ run }) => run(SUBJECT, createMemorySessionStore));

function itemsOf(turn: ContractTurn): readonly Item[] {
  if (turn.kind === "human") {
    const before: readonly Item[] = turn.before === null ? [] : [{ from: "model", text: turn.before, calls: [] }];
    return [...before, { from: "person", text: turn.text }];
  }
  const { callId, path, said, result } = turn;
  const call = { id: callId, tool: "read_file", input: JSON.stringify({ path }) };
  return [
    { from: "model", text: said, calls: [call] },
    { from: "tool", callId, text: result },
  ];
}
