import type { ModelEvent } from "@plimsoll/core";
import { human, reply, result } from "@plimsoll/core/testing";
import { startSimulator } from "@plimsoll/simulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { validateChatRequest, validateMessagesRequest, validateResponsesRequest } from "../../testing/vendor-rules.ts";
import { CLIENTS } from "../../testing/wire-clients.ts";
import { createToolNames, wireToolName } from "./tools.ts";

const LONG = "read_".repeat(30);

describe("a name as a wire takes it", () => {
  test.each([
    ["read_file", "read_file"],
    ["Read-File-2", "Read-File-2"],
    ["files.read", expect.stringMatching(/^files_read_[0-9a-z]{12}$/)],
    ["lesen für alle", expect.stringMatching(/^lesen_f_r_alle_[0-9a-z]{12}$/)],
    ["", expect.stringMatching(/^_[0-9a-z]{12}$/)],
    ["half \ud83d", expect.stringMatching(/^half___[0-9a-z]{12}$/)],
    [LONG, expect.stringMatching(/^[a-z0-9_]{64}$/)],
  ])("%j", (name, expected) => {
    expect(wireToolName(name, 64)).toEqual(expected);
    expect(wireToolName(wireToolName(name, 64), 64)).toBe(wireToolName(name, 64));
  });

  test("names that differ in characters that a wire refuses stay apart", () => {
    const names = ["a.b", "a:b", "a/b", "a b", "a_b", "a\ud83d", "a\ud83e", `${LONG}1`, `${LONG}2`];
    expect(new Set(names.map((name) => wireToolName(name, 64))).size).toBe(names.length);
  });
});

const WIRES: readonly (readonly [wire: keyof typeof CLIENTS, judge: (body: unknown) => readonly unknown[]])[] = [
  ["anthropic", validateMessagesRequest],
  ["openai-chat", (body) => validateChatRequest(body)],
  ["openai-responses", (body) => validateResponsesRequest(body)],
];

const call = (callId: string, toolName: string) =>
  ({ type: "tool-call", callId, toolName, argumentsJson: "{}", paths: [] }) as const;

/** A log with a call of a tool that has dots in its name, and one of a tool that the model made up. */
const request = {
  context: {
    system: "",
    tools: [
      { name: "files.read", description: "Reads.", parametersJson: "{}" },
      { name: LONG, description: "Reads, too.", parametersJson: "{}" },
    ],
    messages: [
      human("1", "look"),
      { ...reply("2", ""), parts: [call("c1", "files.read"), call("c2", "functions.made_up")] },
      result("3", "c1", "found"),
      result("4", "c2", "found"),
    ],
    dynamicContext: null,
  },
  modelId: "a-model",
  maxOutputTokens: 1_000,
};

describe.each(WIRES)("%s: names that the wire refuses", (wire, judge) => {
  async function served() {
    const broken: unknown[] = [];
    const simulator = await startSimulator({
      // Calls both tools by their names in the request.
      replies: ({ toolNames }) => ({
        parts: toolNames.map((toolName) => ({ type: "tool-call", toolName, argumentsJson: "{}" })),
      }),
      onRequest: (_, body) => broken.push(...judge(body)),
    });
    onTestFinished(() => simulator.close());
    return { client: CLIENTS[wire](simulator), broken };
  }
  const signal = new AbortController().signal;
  const called = [{ toolName: "files.read" }, { toolName: LONG }];

  test("are sent as it takes them and come back as the tools' own, in a whole reply", async () => {
    const { client, broken } = await served();
    expect(await client.complete(request, signal)).toMatchObject({ draft: { parts: called } });
    expect(broken).toEqual([]);
  });

  test("come back in a stream's events, too", async () => {
    const { client, broken } = await served();
    const events: ModelEvent[] = [];
    for await (const event of client.stream(request, signal)) events.push(event);
    expect(events.filter(({ type }) => type === "tool-call-start")).toMatchObject(called);
    expect(events.at(-1)).toMatchObject({ type: "reply", reply: { draft: { parts: called } } });
    expect(broken).toEqual([]);
  });
});

test("a request whose names are usable is sent as it is, a message that was renamed is the same at each request", () => {
  const names = createToolNames(64);
  const usable = { ...request, context: { ...request.context, tools: [], messages: [human("1", "look")] } };
  expect(names(usable).request).toBe(usable);
  const [first, second] = [names(request), names(request)].map(({ request: { context } }) => context.messages);
  expect(first?.map((message, index) => message === second?.[index])).toEqual([true, true, true, true]);
  expect(first?.[0]).toBe(request.context.messages[0]);
});
