import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { ModelRequest } from "@plimsoll/core";
import { human } from "@plimsoll/core/testing";
import { beforeAll, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { cassetteKey, openCassette, type RecordedAnswer } from "./cassette.ts";

const REQUEST: ModelRequest = {
  context: { system: "You write.", tools: [], messages: [human("u", "the history")], dynamicContext: null },
  modelId: "small",
  maxOutputTokens: 1000,
};
const ANSWER: RecordedAnswer = {
  outcome: "reply",
  text: "what happened",
  stopReason: "end",
  callsTool: false,
  usage: { inputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: null, outputTokens: 10 },
};

describe("cassetteKey", () => {
  const key = cassetteKey("host", REQUEST);

  test.each<[string, ModelRequest, string]>([
    ["the host", REQUEST, "other"],
    ["the model", { ...REQUEST, modelId: "large" }, "host"],
    ["the size asked for", { ...REQUEST, maxOutputTokens: 999 }, "host"],
    ["the level of reasoning", { ...REQUEST, reasoning: "low" }, "host"],
    ["the system text", { ...REQUEST, context: { ...REQUEST.context, system: "You do not." } }, "host"],
    ["the messages", { ...REQUEST, context: { ...REQUEST.context, messages: [human("u", "a history")] } }, "host"],
  ])("differs by %s", (_, request, host) => {
    expect(cassetteKey(host, request)).not.toBe(key);
  });

  test("is the same for messages with other ids and times, which are not sent", () => {
    const messages = [{ ...human("other", "the history"), atMs: 5 }];
    expect(cassetteKey("host", { ...REQUEST, context: { ...REQUEST.context, messages } })).toBe(key);
  });
});

describe("a cassette", () => {
  const folder = freshFolder(beforeAll);

  test("gives back what it keeps, in a file of that name and no other", async () => {
    const cassette = openCassette(folder("new/place"));
    expect(await cassette.read("a")).toBeNull();
    expect(await cassette.keep("a", ANSWER)).toEqual(ANSWER);
    expect(await cassette.read("a")).toEqual(ANSWER);
    expect(readdirSync(folder("new/place"))).toEqual(["a.json"]);
    expect(JSON.parse(readFileSync(folder("new/place/a.json"), "utf8"))).toEqual(ANSWER);
  });

  test("keeps the first of two answers, for both who asked", async () => {
    const cassette = openCassette(folder());
    await cassette.keep("b", ANSWER);
    expect(await cassette.keep("b", { ...ANSWER, text: "something else" })).toEqual(ANSWER);
  });

  test.each([
    ["no JSON", "half of an ans"],
    ["no answer", '{"text":"what happened"}'],
  ])("names a file that holds %s", async (_, text) => {
    writeFileSync(folder("c.json"), text);
    await expect(openCassette(folder()).read("c")).rejects.toThrow(/c\.json: no recorded answer; remove the file/);
  });

  test("names a file that cannot be written", async () => {
    writeFileSync(folder("file"), "");
    await expect(openCassette(folder("file")).keep("d", ANSWER)).rejects.toThrow(/d\.json: cannot be (written|read)/);
  });
});
