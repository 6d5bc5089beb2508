import { describe, expect, test } from "vitest";
import { z } from "zod";
import { PRESETS } from "../policy/presets/presets.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { prefixPrompt, summaryPrompt } from "../summarizer/model-summarizer.ts";
import { human, result, summaryMessage, toolCall } from "../testing/builders.ts";
import { BUILT_IN_PROMPTS, promptOf } from "./built-in-prompts.ts";
import { truncateText } from "./notices.ts";
import { PREFIX_FRAME } from "./parts.ts";

const request = { ...SVEN_POLICY.summary, parts: [], focus: "the tests" };
const NAMED = { promptId: z.string(), turnPrefixPromptId: z.string().nullable() };
const messages = [
  human("u", "fix the parser"),
  toolCall("a", "c", { name: "shell", argumentsJson: '{"command":"ls"}' }),
  result("r", "c", "README.md"),
];

describe("prompts", () => {
  test.each(BUILT_IN_PROMPTS.map(({ id }) => [id]))("%s, as it is sent", async (id) => {
    const isTurnPrefix = id === "turn-prefix";
    const covered = id === "update" ? [summaryMessage("s", "what was known"), ...messages] : messages;
    const { system, text, version } = summaryPrompt({ promptId: id, messages: covered }, request, isTurnPrefix);
    await expect(`version ${version}\n\n${system}\n\n${text}\n`).toMatchFileSnapshot(`__goldens__/${id}.txt`);
  });

  test("prefix, as it is sent behind a conversation", async () => {
    const parts = [{ promptId: "structured", messages }];
    const { text } = prefixPrompt({ ...request, parts });
    await expect(`version ${PREFIX_FRAME.version}\n\n${text}\n`).toMatchFileSnapshot("__goldens__/prefix.txt");
  });

  test("every policy names prompts that are there", () => {
    const ids = PRESETS.flatMap(({ strategies }) => strategies.map((spec) => z.object(NAMED).safeParse(spec).data))
      .flatMap((named) => [named?.promptId, named?.turnPrefixPromptId])
      .filter((id) => typeof id === "string" && id !== "digest");
    expect(ids.map((id) => promptOf(id ?? "", BUILT_IN_PROMPTS).id)).toEqual(ids);
    expect(ids.length).toBeGreaterThan(5);
  });

  test("an unknown prompt is named with those that are known", () => {
    expect(() => promptOf("story", BUILT_IN_PROMPTS)).toThrow(/"story".*structured, checkpoint/);
  });

  test("the truncate text counts by role", () => {
    expect(truncateText(messages, "u..r")).toBe("[Compacted 3 messages: 1 user, 1 assistant, 1 tool result; handle u..r]");
  });
});
