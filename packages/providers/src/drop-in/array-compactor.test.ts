import type Anthropic from "@anthropic-ai/sdk";
import { type ContextEvent, createDigest, PI_POLICY, PLIMSOLL_POLICY, type Policy } from "@plimsoll/core";
import { expect, test } from "vitest";
import { anthropicAnswer } from "../../testing/array-drop-ins.ts";
import { createMessagesCompactor } from "./anthropic.ts";

const limits = { contextWindowTokens: 32_000, maxOutputTokens: 2_000 };

/** A session of so many steps: a call and its result each, 400 characters of arguments and 2,000 of output. */
function session(steps: number): Anthropic.MessageParam[] {
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Read all files." }];
  for (let step = 0; step < steps; step++) {
    const id = `toolu_${step}`;
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input: { path: "p".repeat(400) } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `${step}: ${"text ".repeat(400)}` }] },
    );
  }
  return messages;
}

const compactorWith = (policy: Policy) => createMessagesCompactor({ policy, limits });

test.each([
  ["is kept as a person's if nobody says whose it is", undefined, true],
  ["is summarised if the program says that it put it in", (text: string) => text.startsWith("Skills:"), false],
  ["stays if it is another's that the program put in", (text: string) => text.startsWith("Files:"), true],
])("a message in the user's role %s", async (_, isInjected, stays) => {
  const listed: Anthropic.MessageParam = { role: "user", content: `Skills: ${"one of many skills, ".repeat(50)}` };
  const compactor = createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits, ...(isInjected && { isInjected }) });
  const fitted = await compactor.fit([listed, ...session(100)]);
  expect(fitted.includes(listed)).toBe(stays);
  expect(JSON.stringify(fitted)).toContain("Read all files.");
});

test("an array that was rewound goes its own way from what both share", async () => {
  const compactor = compactorWith(PI_POLICY);
  await compactor.fit(session(100));
  const rewound = [...session(3), { role: "user" as const, content: "Something else." }];
  expect(await compactor.fit(rewound)).toEqual(rewound);
  const logged = compactor.conversations().map(({ entries }) => entries.filter(({ type }) => type === "message").length);
  expect(logged).toEqual([session(100).length, rewound.length]);
});

test("half a character in a caller's result never leaves, and everything else stays the caller's own", async () => {
  const messages = session(5);
  const half = { type: "tool_result", tool_use_id: "toolu_2", content: "half \ud83d" } as const;
  messages[6] = { role: "user", content: [half] };
  const fitted = await compactorWith(PI_POLICY).fit(messages);
  expect(fitted[6]).toEqual({ role: "user", content: [{ ...half, content: "half \ufffd" }] });
  expect(fitted.filter((message, index) => message !== messages[index])).toHaveLength(1);
});

test.each([
  ["a prompt that is too long", "prompt is too long: 40000 tokens > 30000 maximum", "compaction"],
  ["its reasoning", "Invalid `signature` in `thinking` block", "setup-change"],
])("two requests of a conversation that are refused at once for %s are mended once", async (_, message, type) => {
  const [first, ...rest] = session(30);
  const thought: Anthropic.ThinkingBlockParam = { type: "thinking", thinking: "hm", signature: "x".repeat(40) };
  const reply: Anthropic.MessageParam = { role: "assistant", content: [thought, { type: "text", text: "I see." }] };
  const messages: Anthropic.MessageParam[] = [
    ...(first === undefined ? [] : [first]),
    reply,
    { role: "user", content: "Go on." },
    ...rest,
  ];
  const compactor = createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits: { ...limits, contextWindowTokens: 200_000 } });
  const sent = [await compactor.fit(messages), await compactor.fit(messages)];
  const thrown = Object.assign(new Error("400"), { status: 400, error: { message } });
  const mended: unknown[] = [];
  for (const each of sent) mended.push(await compactor.recover(each, thrown, 0));
  expect(mended).toEqual([expect.any(Array), mended[0]]);
  expect(compactor.conversations().flatMap(({ entries }) => entries.filter((entry) => entry.type === type))).toHaveLength(1);
});

test.each([
  ["has the id of the one request that was answered", ["r1"], "r1"],
  ["has no id if two were", ["r1", "r2"], null],
])("a reply %s", async (_, answered, expected) => {
  const compactor = compactorWith(PI_POLICY);
  const messages = session(1);
  const sent = await compactor.fit(messages);
  for (const id of answered) await compactor.observe(sent, anthropicAnswer(id, 100));
  await compactor.fit([...messages, { role: "assistant", content: "Done." }, { role: "user", content: "Go on." }]);
  const [{ entries } = { entries: [] }] = compactor.conversations();
  const said = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  expect(said.findLast(({ role }) => role === "assistant")).toMatchObject({ requestId: expected });
});

test.each([
  [
    "has no summarizer, is said once",
    PI_POLICY,
    {},
    ["no summarizer is given, so quotations from the log stand in for its summaries"],
  ],
  ["has one, is not", PI_POLICY, { summarizer: createDigest() }, []],
  ["asks none, is not", PLIMSOLL_POLICY, {}, []],
])("that a policy of model summaries %s", async (_, policy, more, whys) => {
  const told: string[] = [];
  const onEvent = (event: ContextEvent) => void (event.type === "breaker-open" && told.push(event.why));
  const compactor = createMessagesCompactor({
    policy,
    limits: { contextWindowTokens: 16_000, maxOutputTokens: 1_000 },
    onEvent,
    ...more,
  });
  for (const content of ["one", "two"]) await compactor.fit([{ role: "user", content }]);
  expect(told).toEqual(whys);
});
