import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { createMemorySessionStore } from "@plimsoll/stores";
import { closeContract } from "@plimsoll/stores/testing";
import { expect, test } from "vitest";
import { ARRAY_ROWS } from "../../testing/array-subjects.ts";
import { ARRAY_COMPACTOR_CONTRACT, type ArrayContractCase, type ContractTurn } from "../testing/index.ts";

const TURNS: readonly ContractTurn[] = [
  { kind: "human", text: "Read all files.", before: null },
  { kind: "step", callId: "call_0", path: "a.ts", said: "Looking.", result: "text of a.ts" },
  { kind: "human", text: "And now?", before: "Done." },
];

const closing: ArrayContractCase = {
  rule: "what was taken is in the store once it is closed, however often the store fails",
  run: async (subject) => {
    const cases = closeContract("it", async (sessions) => {
      const limits = { contextWindowTokens: 8_000, maxOutputTokens: 500 };
      const { fit, close } = subject.create({ policy: PLIMSOLL_POLICY, limits, sessions });
      const hold = async (fail: () => void) => {
        await fit(subject.items(TURNS.slice(0, 1)), { conversation: "one" });
        fail();
        await fit(subject.items(TURNS), { conversation: "one" }).catch(() => undefined);
      };
      return { hold, close, held: ["Read all files.", "text of a.ts", "Done."] };
    });
    for (const { run } of cases) await run(async () => createMemorySessionStore());
  },
};

const rows = ARRAY_ROWS.flatMap(({ name, run }) =>
  [...ARRAY_COMPACTOR_CONTRACT, closing].map((contractCase) => [name, contractCase.rule, () => run(contractCase)] as const),
);

test.each(rows)("%s: %s", async (_, __, run) => {
  await expect(run()).resolves.toBeUndefined();
});
