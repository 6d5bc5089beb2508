import type Anthropic from "@anthropic-ai/sdk";
import { NONE_POLICY, PI_POLICY, PLIMSOLL_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
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

test("an array that fits comes back as its own objects", async () => {
  const messages = session(5);
  const fitted = await compactorWith(PI_POLICY).fit(messages);
  expect(fitted).toEqual(messages);
  expect(fitted.every((message, index) => message === messages[index])).toBe(true);
});

test("with compaction off nothing is changed, whatever the size", async () => {
  const messages = session(100);
  expect(await compactorWith(NONE_POLICY).fit(messages)).toEqual(messages);
});

test("what is kept of an array that was compacted are the caller's own objects", async () => {
  const messages = session(100);
  const fitted = await compactorWith(PI_POLICY).fit(messages);
  expect(fitted.length).toBeLessThan(messages.length);
  const own = fitted.filter((message) => messages.includes(message));
  // The person's last message, which no policy cuts, is one with the summary that it meets.
  expect(own).toEqual(messages.slice(-own.length));
  expect(JSON.stringify(fitted.slice(0, -own.length))).toContain("Read all files.");
  expect(own.length).toBeGreaterThan(10);
});

test("the same array is matched to the log whoever made its objects", async () => {
  const compactor = compactorWith(SVEN_POLICY);
  for (let steps = 10; steps <= 100; steps += 10) await compactor.fit(structuredClone(session(steps)));
  const [log, ...others] = compactor.conversations();
  expect(others).toEqual([]);
  expect(log?.entries.filter(({ type }) => type === "message")).toHaveLength(session(100).length);
  expect(log?.entries.filter(({ type }) => type === "compaction").length).toBeGreaterThan(0);
});

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

test("a provider that says the prompt does not fit is asked again with less", async () => {
  const compactor = compactorWith(PI_POLICY);
  const sizes: number[] = [];
  const answer = await compactor.send(session(40), (messages) => {
    const chars = JSON.stringify(messages).length;
    sizes.push(chars);
    return chars > 60_000 ? Promise.reject(overflow) : Promise.resolve(reply);
  });
  expect(answer).toBe(reply);
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.at(-1)).toBeLessThan(sizes[0] ?? 0);
});

test("another error reaches the caller as it came", async () => {
  const refused = new Error("401 invalid x-api-key");
  await expect(compactorWith(PI_POLICY).send(session(3), () => Promise.reject(refused))).rejects.toBe(refused);
});

const overflow = Object.assign(new Error("400 prompt is too long: 40000 tokens > 16000 maximum"), { status: 400 });

const reply: Anthropic.Message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-simulated",
  content: [{ type: "text", text: "done", citations: null }],
  stop_reason: "end_turn",
  stop_sequence: null,
  stop_details: null,
  container: null,
  diagnostics: null,
  usage: {
    input_tokens: 12_000,
    output_tokens: 10,
    cache_creation: null,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    inference_geo: null,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: null,
    speed: null,
  },
};

test("half a character in a caller's result never leaves, and everything else stays the caller's own", async () => {
  const messages = session(5);
  const half = { type: "tool_result", tool_use_id: "toolu_2", content: "half \ud83d" } as const;
  messages[6] = { role: "user", content: [half] };
  const fitted = await compactorWith(PI_POLICY).fit(messages);
  expect(fitted[6]).toEqual({ role: "user", content: [{ ...half, content: "half \ufffd" }] });
  expect(fitted.filter((message, index) => message !== messages[index])).toHaveLength(1);
});
