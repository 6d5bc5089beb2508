import { contextTools, createDigest, isPlimsollError, PLIMSOLL_MODEL_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
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

const KEY = "sk-planted-0123456789abcdef";
const LIMITS = { contextWindowTokens: 8_000, maxOutputTokens: 500 };

/** A key in words, calls and results; the ids of calls are as long as keys are. */
const KEYED: readonly ContractTurn[] = Array.from({ length: 30 }, (_, index) =>
  index % 10 === 0
    ? { kind: "human", text: `Read ${index} with ${KEY}.`, before: index === 0 ? null : `Done with ${KEY}.` }
    : {
        kind: "step",
        callId: `call_0123456789abcdefghij_${index}`,
        path: `src/${KEY}/${index}.ts`,
        said: `I take ${KEY}.`,
        result: `KEY=${KEY}\n`.repeat(60),
      },
);

const CALLS = [
  ["pin", { text: `The key is ${KEY}.` }],
  ["recall", { words: `take ${KEY}` }],
  ["recall", { handle: KEY }],
  ["remaining", {}],
  ["compact", { focus: `Go on with ${KEY}.` }],
] as const;

const redacting = (how: string, redact: (text: string) => string): ArrayContractCase => ({
  rule: `a planted key is in no request, no summary's request, no log, no report and no answer of a tool, under a redactor of ${how}`,
  run: async (subject, emptyStore) => {
    const sessions = emptyStore();
    const told: unknown[] = [];
    const asked: unknown[] = [];
    const compactor = subject.create({
      ...{ policy: PLIMSOLL_MODEL_POLICY, limits: LIMITS, sessions, redact, nowMs: () => 0 },
      summarizer: async (request, signal) => {
        asked.push(request);
        return await createDigest()(request, signal);
      },
      onEvent: (event) => told.push(event),
    });
    const { execute } = contextTools(compactor);
    const items = KEYED.map((turn) => subject.items([turn]));
    for (let count = 1; count <= items.length; count++) {
      const sent = await compactor.fit(items.slice(0, count).flat(), { conversation: "one" });
      for (const [name, args] of count % 10 === 0 ? CALLS : []) told.push(await execute(name, args, "one"));
      told.push(sent, compactor.last);
    }
    const [{ sessionId = "" } = {}] = compactor.conversations();
    expect(compactor.conversations()).toHaveLength(1);
    await compactor.close();
    const { entries = [] } = (await sessions.read(sessionId)) ?? {};
    expect(asked.length).toBeGreaterThan(0);
    const all = JSON.stringify([told, asked, entries]);
    expect(all).toContain("[key]");
    expect(all).not.toContain("sk-planted");
    expect(all).toContain("pinned-passages");
    // No call lost its id, and with it its result.
    expect(entries.filter(({ type }) => type === "message").length).toBeGreaterThanOrEqual(KEYED.length);
    expect(JSON.stringify(told.at(-2))).toContain(String(Object(KEYED.at(-1)).callId));
  },
});

const failing: ArrayContractCase = {
  rule: "a redactor that throws, or changes what it redacted, stops the request with a typed error",
  run: async (subject) => {
    const throwing = () => {
      throw new Error("no");
    };
    for (const redact of [throwing, (text: string) => `${text}!`]) {
      const compactor = subject.create({ policy: PLIMSOLL_POLICY, limits: LIMITS, redact });
      const error = await compactor.fit(subject.items(TURNS)).catch((thrown: unknown) => thrown);
      expect(isPlimsollError(error, "bad-input")).toBe(true);
      expect(compactor.conversations()).toEqual([]);
    }
  },
};

const misused: ArrayContractCase = {
  rule: "anything but an array, or a missing function, is a typed error that says what is expected",
  run: async (subject) => {
    const compactor = subject.create({ policy: PLIMSOLL_POLICY, limits: LIMITS });
    for (const none of ["hi", undefined, null, { messages: [] }]) {
      const made: unknown = Reflect.apply(compactor.fit, compactor, [none]);
      await expect(made).rejects.toMatchObject({
        code: "bad-input",
        message: expect.stringContaining("array of a whole history"),
      });
    }
    const sent: unknown = Reflect.apply(compactor.send, compactor, [subject.items(TURNS)]);
    await expect(sent).rejects.toMatchObject({ code: "bad-input", message: expect.stringContaining("a function") });
  },
};

const own: readonly ArrayContractCase[] = [
  closing,
  misused,
  failing,
  redacting("that value", (text) => text.split(KEY).join("[key]")),
  redacting("all that follows its beginning", (text) => text.replace(/sk-\S+/g, "[key]")),
  redacting("long words", (text) => text.replace(/[\w-]{20,}/g, "[key]")),
];

const rows = ARRAY_ROWS.flatMap(({ name, run }) =>
  [...ARRAY_COMPACTOR_CONTRACT, ...own].map((contractCase) => [name, contractCase.rule, () => run(contractCase)] as const),
);

test.each(rows)("%s: %s", async (_, __, run) => {
  await expect(run()).resolves.toBeUndefined();
});
