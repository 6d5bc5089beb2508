import { PLIMSOLL_POLICY } from "@plimsoll/core";
import type OpenAI from "openai";
import { expect, test } from "vitest";
import { createChatCompactor } from "./openai-chat.ts";

type Item = OpenAI.ChatCompletionMessageParam & { reasoning_content?: string };
const THOUGHT = "First the parser, then its tests, and nothing else is touched. ".repeat(380);
const tokensOf = (text: string) => Math.ceil(text.length / 4);

interface Row {
  /** Whether the caller's reply has its thoughts, and whether the server reads them. */
  readonly sends: boolean;
  readonly reads: boolean;
  /** Whether a tool's result or a person follows a reply. */
  readonly follows: "result" | "person";
  /** Replies that end within their thoughts, and are not kept. */
  readonly isCutOff?: (step: number) => boolean;
}

/** The error of each prediction against the server's count, as a share of that, and how often a view was compacted. */
async function play({ sends, reads, follows, isCutOff = () => false }: Row) {
  const compactor = createChatCompactor({
    policy: PLIMSOLL_POLICY,
    limits: { contextWindowTokens: 64_000, maxOutputTokens: 8000 },
  });
  const counted = (sent: readonly Item[]) =>
    tokensOf(sent.map((item) => JSON.stringify(reads ? item : { ...item, reasoning_content: undefined })).join("")) + 900;
  const items: Item[] = [{ role: "user", content: "Mend the parser. ".repeat(40) }];
  const offs: number[] = [];
  for (let step = 0; step < 12; step += 1) {
    const sent = await compactor.fit(items);
    const promptTokens = counted(sent);
    offs.push((compactor.expectedTokens(sent) ?? 0) / promptTokens - 1);
    const call = { id: `c${step}`, type: "function" as const, function: { name: "read", arguments: "{}" } };
    const said = { content: `Step ${step} is done, so the next file is read.`, tool_calls: follows === "result" ? [call] : [] };
    const usage = { prompt_tokens: promptTokens, completion_tokens: tokensOf(THOUGHT), total_tokens: 0 };
    await compactor.observe(sent, { id: `r${step}`, model: "served", usage } as OpenAI.ChatCompletion);
    if (!isCutOff(step)) items.push({ role: "assistant", ...said, ...(sends ? { reasoning_content: THOUGHT } : {}) } as Item);
    const content = `What file ${step} holds, line by line. `.repeat(20);
    items.push(
      follows === "result" && !isCutOff(step) ? { role: "tool", tool_call_id: call.id, content } : { role: "user", content },
    );
  }
  return offs;
}

test.each<[string, Row, number]>([
  ["thoughts that are not sent, before results", { sends: false, reads: false, follows: "result" }, 1],
  ["thoughts that are not sent, before a person", { sends: false, reads: false, follows: "person" }, 1],
  ["thoughts that are sent and read, before results", { sends: true, reads: true, follows: "result" }, 1],
  ["thoughts that are sent and read, before a person", { sends: true, reads: true, follows: "person" }, 1],
  ["thoughts that are sent and dropped, before results", { sends: true, reads: false, follows: "result" }, 4],
  ["thoughts that are sent and dropped, before a person", { sends: true, reads: false, follows: "person" }, 4],
  ["replies that end in thoughts", { sends: false, reads: false, follows: "person", isCutOff: (step) => step % 3 === 1 }, 1],
])("%s are predicted as they are counted", async (_, row, from) => {
  const offs = await play(row);
  expect(offs.slice(from).filter((off) => Math.abs(off) > 0.25)).toEqual([]);
});
