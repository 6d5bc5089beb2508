import { PLIMSOLL_POLICY, type Policy } from "@plimsoll/core";
import { expect, test } from "vitest";
import { createMessagesCompactor } from "./anthropic.ts";
import { createItemsCompactor } from "./openai-responses.ts";

const limits = { contextWindowTokens: 200_000, maxOutputTokens: 2_000 };
const POLICY: Policy = { ...PLIMSOLL_POLICY, truncation: { capTokens: 8_000 } };
/** 40,000 tokens: five times the policy's cap. */
const LONG = Array.from({ length: 8_000 }, (_, line) => `line ${line} of the output`).join("\n");

test("the same array is not cut anew: what was sent stays as it was", async () => {
  const compactor = createMessagesCompactor({ policy: POLICY, limits });
  const own = [
    { role: "user" as const, content: "go" },
    { role: "assistant" as const, content: [{ type: "tool_use" as const, id: "a", name: "run", input: {} }] },
    { role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: "a", content: LONG }] },
  ];
  const first = await compactor.fit(own);
  const second = await compactor.fit(structuredClone(own));
  expect(second).toEqual(first);
  const entries = compactor.conversations().flatMap((log) => log.entries);
  expect(entries.filter(({ type }) => type === "message")).toHaveLength(3);
});

test("how a tool's output is cut follows what it looks like", async () => {
  const sentWith = async (category: "file-content" | "match-list") => {
    const compactor = createItemsCompactor({ policy: POLICY, limits, categoryOf: () => category });
    return await compactor.fit([
      { role: "user", content: "go" },
      { type: "function_call", call_id: "a", name: "run", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: LONG },
    ]);
  };
  expect(await sentWith("file-content")).not.toEqual(await sentWith("match-list"));
});

test.each([180, 190, 195, 200, 205, 210, 400])(
  "sixty results of %i pairs of words share the room: none goes unread",
  async (pairs) => {
    const ids = Array.from({ length: 60 }, (_, at) => `c${at}`);
    const output = (id: string) => `BEGIN ${id} ${"some word ".repeat(pairs)} END ${id}.`;
    const room = { contextWindowTokens: 24_000, maxOutputTokens: 1_000 };
    const compactor = createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits: room });
    const sent = await compactor.fit([
      { role: "user", content: "Read all." },
      { role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "read", input: {} }) as const) },
      { role: "user", content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: output(id) }) as const) },
    ]);
    const said = JSON.stringify(sent);
    expect(ids.filter((id) => !said.includes(`BEGIN ${id} some`) || !said.includes(`END ${id}.`))).toEqual([]);
  },
);
