import type { Message } from "@plimsoll/core";
import { human, reply, summaryMessage } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { createGeminiMessages } from "./gemini-messages.ts";
import type { GeminiContent, GeminiModule } from "./gemini-module.ts";

/** Contents of one role that follow each other become one, as in the program. */
const coalesceConsecutiveRoles: GeminiModule["coalesceConsecutiveRoles"] = (turns) => {
  const joined: { id: string; content: GeminiContent }[] = [];
  for (const { id, content } of turns) {
    const last = joined.at(-1);
    if (last?.content.role !== content.role) joined.push({ id, content });
    else joined[joined.length - 1] = { id: last.id, content: { ...content, parts: [...last.content.parts, ...content.parts] } };
  }
  return joined;
};

const answered: Message = { ...reply("k", "Got it."), origin: "notice" };

test.each<readonly [string, readonly Message[], readonly string[]]>([
  [
    "our summary, which stands alone, has the answer that the program writes behind its own",
    [summaryMessage("s", "so far"), human("u", "on")],
    ["user", "model", "user"],
  ],
  ["the program's own has one already", [summaryMessage("s", "so far"), answered, human("u", "on")], ["user", "model", "user"]],
  ["words of the person in a row are one content", [human("u", "on"), human("v", "and on")], ["user"]],
])("%s", (_, messages, roles) => {
  const contents = createGeminiMessages({ coalesceConsecutiveRoles }, "/tmp").contentsOf(messages);
  expect(contents.map(({ role }) => role)).toEqual(roles);
});
