import { decodeLog, encodeLog, type ModelClient, type ModelReply, textOf, UNREPORTED_USAGE, usageOf } from "@plimsoll/core";
import type { AgentTool } from "@plimsoll/core/extend";
import { given, scriptedModel, UNUSABLE_ANSWERS } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { agentSetup, agentTool, echoCalls } from "../testing/agent-setup.ts";
import { startAgent } from "./start-agent.ts";

const { any: GARBAGE, texts: TEXTS, promises: PROMISES, late: LATE } = UNUSABLE_ANSWERS;

describe("a clock that tells no time is refused by name, before the log has it", () => {
  test.each([...GARBAGE.slice(0, 1), ...GARBAGE.slice(2, 6), ...TEXTS, ...PROMISES])("%s", async (_, nowMs, said) => {
    const { options } = agentSetup([], given({}, { nowMs }));
    await expect(startAgent(options)).rejects.toMatchObject({
      code: "bad-input",
      details: { port: "nowMs", value: expect.any(String) },
      message: expect.stringContaining(`nowMs ${said}`),
    });
    expect(await options.sessions.list()).toEqual([]);
  });
});

describe("an agent's own functions", () => {
  const run: AgentTool["run"] = async () => ({ text: "ran", isError: false });
  const failedOn = async (client: ModelClient) => {
    const { options } = agentSetup([]);
    const agent = await startAgent({ ...options, model: { ...options.model, client } });
    const { reason, error } = await agent.submit("go");
    await agent.close();
    return [reason, error?.code, error?.message];
  };
  const failedBy = (event: () => unknown) => {
    const { client } = scriptedModel(() => ({ text: "done" }));
    const stream = async function* () {
      yield event();
    };
    return failedOn(given(client, { stream }));
  };
  const ask = async (more: object) => {
    const { start, events } = agentSetup([echoCalls("c1"), { text: "done" }], more);
    const agent = await start();
    const { reason, error } = await agent.submit("go");
    const results = agent.context().messages.filter(({ role }) => role === "tool-result");
    expect(decodeLog(encodeLog(await agent.entries()), "log").cutOff).toBeNull();
    await agent.close();
    return { reason, error, texts: results.map(textOf), events };
  };

  test.each([...GARBAGE, ...TEXTS])(
    "a call about which is decided %s does not run, and the model is told why",
    async (_, answer, said) => {
      const { reason, texts } = await ask({ authorize: async () => answer() });
      expect(reason).toBe("done");
      expect(texts).toEqual([expect.stringContaining(said.startsWith("failed") ? "disk full" : `authorize ${said}`)]);
    },
  );

  test.each([...GARBAGE, ...TEXTS])("a tool that gives %s has failed, and the model is told why", async (_, answer, said) => {
    const { reason, texts } = await ask({ tools: [agentTool("echo", given({ run }, { run: async () => answer() }).run)] });
    expect(reason).toBe("done");
    expect(texts).toEqual([expect.stringContaining(said.startsWith("failed") ? "disk full" : `the tool echo ${said}`)]);
  });

  test.each([...GARBAGE.slice(0, 6), ...TEXTS])(
    "a model client whose event is %s ends the run by name",
    async (_, event, said) => {
      expect(await failedBy(event)).toEqual(["failed", "bad-input", expect.stringContaining(`the model client ${said}`)]);
    },
  );

  test("a model client that ends without a reply ends the run by name", async () => {
    expect(await failedBy(() => ({ type: "later" }))).toEqual([
      "failed",
      "bad-input",
      expect.stringContaining("the model client answered with undefined"),
    ]);
  });

  test.each<[string, (reply: ModelReply) => unknown]>([
    ["no reply at all", () => null],
    ["that is an object with missing fields", () => ({})],
    ["without a draft", (reply) => given(reply, { draft: undefined })],
    [
      "with parts that are none",
      (reply) => given(reply, { draft: given(reply.draft, { parts: [{ type: "text", text: 12 }] }) }),
    ],
    ["without usage", (reply) => given(reply, { usage: undefined })],
    ["without an id", (reply) => given(reply, { requestId: 12 })],
  ])("a model client's reply %s ends the run by name", async (_, garbled) => {
    const { client } = scriptedModel(() => ({ text: "done" }));
    const stream: ModelClient["stream"] = async function* (...asked) {
      for await (const event of client.stream(...asked))
        yield event.type === "reply" ? given(event, { reply: garbled(event.reply) }) : event;
    };
    expect(await failedOn({ ...client, stream })).toEqual([
      "failed",
      "bad-input",
      expect.stringContaining("the model client answered with"),
    ]);
  });

  test.each([...GARBAGE.filter(([name]) => name !== "undefined"), ...LATE.slice(0, 1)])(
    "dynamic context that is %s ends the run by name",
    async (_, dynamicContext, said) => {
      const { reason, error } = await ask({ dynamicContext });
      expect([reason, error?.code, error?.message]).toEqual([
        "failed",
        "bad-input",
        expect.stringContaining(`dynamicContext ${said}`),
      ]);
    },
  );
});

test.each([
  ["a negative prompt", usageOf({ totalInputTokens: -5, outputTokens: 1 })],
  ["a prompt that is no number", { ...UNREPORTED_USAGE, input: { ...UNREPORTED_USAGE.input, totalTokens: Number.NaN } }],
])("%s that a provider reports ends no run", async (_, usage) => {
  const { options, model, events } = agentSetup([{ text: "done" }]);
  const stream: ModelClient["stream"] = async function* (...asked) {
    for await (const event of model.client.stream(...asked))
      yield event.type === "reply" ? { ...event, reply: { ...event.reply, usage } } : event;
  };
  const agent = await startAgent({ ...options, model: { ...options.model, client: { ...model.client, stream } } });
  expect(await agent.submit("go")).toMatchObject({ reason: "done", text: "done" });
  expect(events.filter(({ type }) => type === "usage-refused")).toHaveLength(1);
  expect(agent.state().totals.inputTokens).toBe(0);
});
