import { textOf } from "@plimsoll/core";
import type { ToolEffect } from "@plimsoll/core/extend";
import type { ScriptedReply } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { agentSetup, agentTool, echoCalls } from "../testing/agent-setup.ts";
import type { Agent, Authorize } from "./agent.ts";

const EFFECT: ToolEffect = { kind: "execute", command: "make", folder: "." };

/** A tool that says which of its calls ran. */
function recordingTool(more: Parameters<typeof agentTool>[2] = {}) {
  const ran: string[] = [];
  const tool = agentTool(
    "echo",
    async (_, { callId }) => {
      ran.push(callId);
      return { text: `ran ${callId}`, isError: false };
    },
    { effectOf: () => EFFECT, ...more },
  );
  return { tool, ran };
}

const results = (agent: Agent) =>
  agent.context().messages.flatMap((message) => (message.role === "tool-result" ? [[textOf(message), message.isError]] : []));

test("each call is decided about in the order of the calls, with its effect, before any of them runs", async () => {
  const { tool, ran } = recordingTool();
  const asked: unknown[] = [];
  const authorize: Authorize = async (call) => {
    asked.push({ ...call, ranBefore: [...ran] });
    return call.callId === "c2" ? { kind: "deny", why: "not that one" } : { kind: "allow" };
  };
  const agent = await agentSetup([echoCalls("c1", "c2", "c3"), { text: "done" }], { tools: [tool], authorize }).start();
  await agent.submit("go");
  expect(asked).toEqual(
    ["c1", "c2", "c3"].map((callId) => ({
      sessionId: "main",
      callId,
      toolName: "echo",
      argumentsJson: `{"id":"${callId}"}`,
      effect: EFFECT,
      ranBefore: [],
    })),
  );
  expect(results(agent)).toEqual([
    ["ran c1", false],
    ["Not run: not that one", true],
    ["ran c3", false],
  ]);
  expect(ran).toEqual(["c1", "c3"]);
});

const REPLY: ScriptedReply = { calls: [{ callId: "c1", toolName: "echo", argumentsJson: "{}" }] };

test.each([
  ["the effect cannot be told", { effectOf: () => Promise.reject(new Error("a.txt is gone")) }, "a.txt is gone"],
  ["the effect throws", { effectOf: () => expect.fail("no effect") }, "no effect"],
])("a call is not run if %s, and nobody is asked", async (_what, more, said) => {
  const { tool, ran } = recordingTool(more);
  const asked: string[] = [];
  const authorize: Authorize = async ({ callId }) => {
    asked.push(callId);
    return { kind: "allow" };
  };
  const agent = await agentSetup([REPLY, { text: "done" }], { tools: [tool], authorize }).start();
  expect(await agent.submit("go")).toMatchObject({ reason: "done" });
  expect([asked, ran, results(agent)]).toEqual([[], [], [[said, true]]]);
});

test("a call is not run if deciding fails", async () => {
  const { tool, ran } = recordingTool();
  const authorize: Authorize = () => Promise.reject(new Error("the editor is gone"));
  const agent = await agentSetup([REPLY, { text: "done" }], { tools: [tool], authorize }).start();
  await agent.submit("go");
  expect([ran, results(agent)]).toEqual([[], [["the editor is gone", true]]]);
});

test.each([
  ["an unknown tool", { toolName: "none", argumentsJson: "{}" }],
  ["arguments that are no JSON", { toolName: "echo", argumentsJson: "{" }],
])("nobody is asked about %s", async (_what, call) => {
  const asked: string[] = [];
  const authorize: Authorize = async ({ callId }) => {
    asked.push(callId);
    return { kind: "allow" };
  };
  const replies = [{ calls: [{ callId: "c1", ...call }] }, { text: "done" }];
  const agent = await agentSetup(replies, { tools: [recordingTool().tool], authorize }).start();
  await agent.submit("go");
  expect(asked).toEqual([]);
});

test("a cancelled run waits for no decision, runs nothing, not even what was allowed before, and a late answer changes nothing", async () => {
  const { tool, ran } = recordingTool();
  const answers: (() => void)[] = [];
  const authorize: Authorize = ({ callId }, signal) => {
    if (callId === "c1") return Promise.resolve({ kind: "allow" });
    return new Promise((resolve) => {
      answers.push(() => resolve({ kind: "allow" }));
      signal.addEventListener("abort", () => answers.push(() => undefined));
      agent.cancel();
    });
  };
  const agent = await agentSetup([echoCalls("c1", "c2", "c3"), { text: "done" }], { tools: [tool], authorize }).start();
  expect(await agent.submit("go")).toMatchObject({ reason: "cancelled" });
  expect(answers).toHaveLength(2);
  for (const answer of answers) answer();
  expect(results(agent)).toEqual(Array(3).fill(["Cancelled before it was done.", true]));
  expect(ran).toEqual([]);
});

test("the calls of a sub-agent are decided about by the same function, under the sub-agent's id", async () => {
  const { tool, ran } = recordingTool();
  const delegate = agentTool("task", async (_, { runSubAgent }) => await runSubAgent({ prompt: "do it" }));
  const asked: (readonly [string, boolean])[] = [];
  const authorize: Authorize = async ({ sessionId, toolName }) => {
    asked.push([toolName, sessionId === "main"]);
    return { kind: "allow" };
  };
  const replies: readonly ScriptedReply[] = [
    { calls: [{ callId: "t1", toolName: "task", argumentsJson: "{}" }] },
    echoCalls("c1"),
    { text: "sub done" },
    { text: "done" },
  ];
  const agent = await agentSetup(replies, { tools: [tool, delegate], authorize }).start();
  await agent.submit("go");
  expect(asked).toEqual([
    ["task", true],
    ["echo", false],
  ]);
  expect(ran).toEqual(["c1"]);
});
