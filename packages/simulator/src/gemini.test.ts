import { describe, expect, test } from "vitest";
import { simulatorWith } from "../testing/simulator-with.ts";
import type { Simulator, SimulatorOptions } from "./index.ts";

const KEY = { "x-goog-api-key": "key" };

function ask(simulator: Simulator, method: string, body: unknown, headers: Readonly<Record<string, string>> = KEY) {
  const url = `${simulator.url}/v1beta/models/gemini-2.5-pro:${method}`;
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

const user = (...parts: readonly unknown[]) => ({ role: "user", parts });
const model = (...parts: readonly unknown[]) => ({ role: "model", parts });
const text = { text: "go" };
const call = { functionCall: { name: "f", args: {} } };
const response = { functionResponse: { name: "f", response: { output: "x" } } };
const tools = [{ functionDeclarations: [{ name: "f", parametersJsonSchema: { type: "object" } }] }];

describe("refuses in the vendor's words", () => {
  const unequal =
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  test.each<[string, readonly unknown[], string]>([
    ["no contents", [], "* GenerateContentRequest.contents: contents is not specified\n"],
    ["a content without parts", [user()], "* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.\n"],
    ["another role", [{ role: "tool", parts: [text] }], "Please use a valid role: user, model."],
    ["a call that is not answered", [user(text), model(call), user(text)], unequal],
    ["a call that the model goes on after", [user(text), model(call), model(text), user(text)], unequal],
    ["an answer twice", [user(text), model(call), user(response, response)], unequal],
    [
      "an answer without a call",
      [user(text), user(response)],
      "Please ensure that function response turn comes immediately after a function call turn.",
    ],
    [
      "a call of the user's",
      [user(call)],
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    ],
  ])("%s", async (_, contents, message) => {
    const answer = await ask(await simulatorWith(), "generateContent", { contents });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: { code: 400, message, status: "INVALID_ARGUMENT" } });
  });

  test("no key, a wrong key, a model that is not there and a prompt over the window", async () => {
    const go = { contents: [user(text)] };
    const statusOf = async (options: Partial<SimulatorOptions>, headers = {}) =>
      (await ask(await simulatorWith(options), "generateContent", go, headers)).status;
    expect([
      await statusOf({}),
      await statusOf({ key: "other" }, KEY),
      await statusOf({ models: ["gemini-2.5-flash"] }, KEY),
      await statusOf({ contextWindowTokens: 1 }, KEY),
    ]).toEqual([403, 400, 404, 400]);
  });
});

test("takes calls with as many answers, and text after them", async () => {
  const contents = [user(text), model(text, call, call), user(response, response, text), model(text), user(text)];
  expect((await ask(await simulatorWith(), "generateContent", { contents, tools })).status).toBe(200);
});

const script: SimulatorOptions["replies"] = () => ({
  parts: [
    { type: "reasoning", text: "hm" },
    { type: "text", text: "well" },
    { type: "tool-call", toolName: "f", argumentsJson: '{"a":1}' },
  ],
});

const PARTS = [{ text: "hm", thought: true }, { text: "well" }, { functionCall: { name: "f", args: { a: 1 } } }];
const USAGE = {
  promptTokenCount: 2,
  cachedContentTokenCount: 0,
  candidatesTokenCount: 3,
  thoughtsTokenCount: 1,
  totalTokenCount: 6,
};

test("answers whole, with its usage", async () => {
  const answer = await ask(await simulatorWith({ replies: script }), "generateContent", { contents: [user(text)] });
  expect(await answer.json()).toEqual({
    candidates: [{ content: { role: "model", parts: PARTS }, index: 0, finishReason: "STOP" }],
    usageMetadata: USAGE,
    modelVersion: "gemini-2.5-pro",
    responseId: "simulated-0",
  });
});

test("streams text in pieces and calls whole; the last event tells the reason and the usage", async () => {
  const simulator = await simulatorWith({ replies: script });
  const answer = await ask(simulator, "streamGenerateContent?alt=sse", { contents: [user(text)] });
  const events = (await answer.text()).split("\n\n").slice(0, -1);
  expect(events.map((event) => JSON.parse(event.slice("data: ".length)))).toMatchObject([
    { candidates: [{ content: { parts: [{ text: "h", thought: true }] } }] },
    { candidates: [{ content: { parts: [{ text: "m", thought: true }] } }] },
    { candidates: [{ content: { parts: [{ text: "we" }] } }] },
    { candidates: [{ content: { parts: [{ text: "ll" }] } }] },
    { candidates: [{ content: { parts: [PARTS[2]] }, finishReason: "STOP" }], usageMetadata: USAGE },
  ]);
});

test.each([
  ["contents", { contents: [user(text)] }],
  ["a whole request", { generateContentRequest: { model: "models/gemini-2.5-pro", contents: [user(text)] } }],
])("counts %s", async (_, body) => {
  const simulator = await simulatorWith();
  expect(await (await ask(simulator, "countTokens", body)).json()).toEqual({ totalTokens: 2 });
  expect(simulator.exchanges()).toEqual([]);
});
