import { expect, test } from "vitest";
import { createMemory, type MemoryRoom, type Remembered } from "./memory.ts";
import { human, result, toolCall } from "./testing/builders.ts";
import { createWorkCounter } from "./tokens/measure.ts";

const ROOM: MemoryRoom = {
  budget: { windowTokens: 10_000, inputBudgetTokens: 10_000 },
  roomTokens: 10_000,
  recordTokens: 1_000,
  held: [],
  tokensOf: (text) => Math.ceil(text.length / 4),
};
const failing = (name: string) => [
  toolCall(`a-${name}`, name, { name: "bash", argumentsJson: `{"command":"${name}"}` }),
  { ...result(`r-${name}`, name, `${name}: no rule`), isError: true },
];
const recordOf = (memory: Remembered) => memory.record(ROOM)([]);

test("a message is read when somebody asks, and once", () => {
  const work = createWorkCounter();
  const memory = createMemory({ recalls: true, work });
  const scanned = (text: string, asks: number) => {
    memory.add(human(text, text));
    for (let ask = 0; ask < asks; ask++) memory.now();
    return work.total().charactersScanned;
  };
  expect([scanned("The port is 4711.", 0), scanned("The host is otter.", 1), scanned("Go.", 2)]).toEqual([0, 35, 38]);
});

test("what is added later is not in what was asked for before", () => {
  const memory = createMemory({ recalls: true, work: createWorkCounter() });
  for (const message of failing("make")) memory.add(message);
  const before = memory.now();
  for (const message of failing("lint")) memory.add(message);
  expect(recordOf(memory.now())).toMatch(/make: no rule.*lint: no rule/s);
  expect(recordOf(before)).toContain("make: no rule");
  expect(recordOf(before)).not.toContain("lint");
});

test("what the caller says is of one moment alone", () => {
  const memory = createMemory({ recalls: false, work: createWorkCounter() });
  const told = memory.now({ pinned: ["Never push."], state: [], tracked: [{ path: "a.ts", access: "read", state: "v3" }] });
  expect([recordOf(told), recordOf(memory.now())]).toEqual([
    "<pinned-instructions>\nNever push.\n</pinned-instructions>\n\n<read-files>\na.ts v3\n</read-files>",
    null,
  ]);
});
