import { type Agent, type AgentEvent, startAgent } from "@plimsoll/agent";
import { createDigest, PLIMSOLL_POLICY, textOf } from "@plimsoll/core";
import type { AgentTool } from "@plimsoll/core/extend";
import { type ScriptedReply, scriptedModel } from "@plimsoll/core/testing";
import { createFileArtifactStore, createMemorySessionStore } from "@plimsoll/stores";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type TemporaryFolder, temporaryFolder } from "../testing/temporary-folder.ts";
import { type BuiltinTools, createBuiltinTools } from "./builtin.ts";
import { defineTool, output } from "./define-tool.ts";

let folder: TemporaryFolder;
let builtin: BuiltinTools;
beforeEach(async () => {
  folder = temporaryFolder();
  builtin = await createBuiltinTools({ workspaceFolder: folder.path, env: { PATH: process.env.PATH } });
});
afterEach(() => {
  builtin.close();
  folder.remove();
});

type ModelRequest = Parameters<Parameters<typeof scriptedModel>[0]>[0];

const sessions = createMemorySessionStore();
const calling = (...calls: readonly (readonly [string, unknown])[]): ScriptedReply => ({
  calls: calls.map(([toolName, args], index) => ({
    callId: `call-${index}`,
    toolName,
    argumentsJson: typeof args === "string" ? args : JSON.stringify(args),
  })),
});
const newestOf = ({ context }: ModelRequest) => textOf(context.messages.at(-1) ?? expect.fail("no messages"));

/** An agent with all tools, over the real loop, and a model that plays a script. */
async function agentWith(answer: (request: ModelRequest) => ScriptedReply, more: readonly AgentTool[] = []) {
  const events: AgentEvent[] = [];
  const agent = await startAgent({
    session: { kind: "new", sessionId: `session-${folder.path}`, system: "" },
    sessions,
    artifacts: createFileArtifactStore(`${folder.path}/artifacts`),
    model: {
      client: scriptedModel(answer).client,
      modelId: "test/model",
      limits: { contextWindowTokens: 100_000, maxOutputTokens: 1_000 },
    },
    policy: { ...PLIMSOLL_POLICY, keep: PLIMSOLL_POLICY.keep.slice(0, 1) },
    summarizer: createDigest(),
    tools: [...builtin.tools, ...more],
    nowMs: () => 1,
    stateOf: (sessionId) => [builtin.stateOf(sessionId)],
    onEvent: (event) => events.push(event),
  });
  return { agent, events };
}

const results = (agent: Agent) => agent.context().messages.filter((message) => message.role === "tool-result");

/** The first handle that a notice names. */
const handleIn = (text: string) => /artifact:[0-9a-f]{64}/.exec(text)?.[0] ?? expect.fail(`no handle in ${text.slice(-400)}`);

const LAST_PIECE = /^characters \d+ to (\d+) of \1$/;

/** A model that runs a command, then reads all that the handle of its notice names, piece by piece. */
function readsWhole(command: string) {
  let handle: string | null = null;
  let read = "";
  const answer = (request: ModelRequest): ScriptedReply => {
    if (request.context.messages.length === 1) return calling(["run_terminal_command", { command }]);
    const [head = "", ...body] = newestOf(request).split("\n");
    if (handle === null) handle = handleIn(newestOf(request));
    // Between the tags of the fence.
    else read += body.slice(1, -1).join("\n");
    return LAST_PIECE.test(head) ? { text: "read it all" } : calling(["recall", { handle, start: read.length }]);
  };
  return { answer, read: () => read };
}

/** A model that asks a sub-agent to count, and is that sub-agent too. */
function delegates(request: ModelRequest): ScriptedReply {
  const { messages } = request.context;
  const isSubAgent = messages[0] !== undefined && textOf(messages[0]) === "count the letters of plimsoll";
  if (messages.length > 1) return { text: isSubAgent ? `They are ${newestOf(request)}.` : newestOf(request) };
  if (isSubAgent) return calling(["shell", { command: ["sh", "-c", "printf plimsoll | wc -c"] }]);
  return calling(["task", { prompt: "count the letters of plimsoll" }]);
}

describe("the tools in a session", { timeout: 60_000 }, () => {
  test.each([
    ["cut before it entered history", 60_000],
    ["too large for memory", 200_000],
  ])("the model reads the whole of an output that was %s by the handle in its notice", async (_what, lines) => {
    const whole = Array.from({ length: lines }, (_, index) => index + 1).join("\n");
    const reading = readsWhole(`seq 1 ${lines}`);
    const { agent } = await agentWith(reading.answer);
    const { text, reason } = await agent.submit("read the output");
    expect({ text, reason }).toEqual({ text: "read it all", reason: "done" });
    expect(textOf(results(agent)[0] ?? expect.fail()).length).toBeLessThan(whole.length / 2);
    expect(reading.read().trimEnd() === whole).toBe(true);
    await agent.close();
  });

  test("a task is done by a sub-agent in a log of its own, with the same tools", async () => {
    const { agent, events } = await agentWith(delegates);
    expect((await agent.submit("how many letters?")).text).toBe("They are 8.");
    const childId = events.find(({ sessionId }) => sessionId !== agent.sessionId)?.sessionId ?? expect.fail("no sub-agent");
    const child = await sessions.read(childId);
    expect(child?.entries[0]).toMatchObject({ type: "session", parent: { sessionId: agent.sessionId } });
    expect(child?.entries.some((entry) => entry.type === "message" && entry.message.role === "tool-result")).toBe(true);
    await agent.close();
  });

  test("a todo list outlives the messages that made it", async () => {
    const items = [
      { text: "mend the hull", status: "doing" },
      { text: "paint the line", status: "open" },
    ];
    const { agent } = await agentWith(({ context }) =>
      context.messages.length === 1 ? calling(["todo", { items }]) : { text: "noted" },
    );
    await agent.submit(`plan the work: ${"there is much to do. ".repeat(500)}`);
    await agent.submit("go on");
    expect(await agent.compact({ keep: { messages: 1 } })).toMatchObject({ kind: "compacted" });
    const [summary] = agent.context().messages;
    expect(textOf(summary ?? expect.fail())).toContain("[~] mend the hull\n[ ] paint the line");
    const entries = await agent.entries();
    await agent.close();
    const later = await createBuiltinTools({ workspaceFolder: folder.path, env: {} });
    for (const entry of entries) later.resume(agent.sessionId, entry);
    expect(later.stateOf(agent.sessionId)()).toEqual({ title: "To do", text: "[~] mend the hull\n[ ] paint the line" });
    later.close();
  });

  test("a tool from outside is run, cut by its category with its hint, and its paths are in the log", async () => {
    const logs = defineTool({
      name: "harbour_log",
      description: "Reads the log of a harbour.",
      category: "match-list",
      isRerunnable: true,
      hint: "ask for a shorter time",
      input: z.strictObject({ harbour: z.string() }),
      effect: { kind: "read" },
      paths: ({ harbour }) => [{ path: `logs/${harbour}`, access: "read" }],
      run: async ({ harbour }) => output(`ship passed ${harbour}\n`.repeat(10_000)),
    });
    const { agent } = await agentWith(
      ({ context }) => (context.messages.length === 1 ? calling(["harbour_log", { harbour: "Leith" }]) : { text: "done" }),
      [logs],
    );
    await agent.submit("read it");
    const [, call, result] = agent.context().messages;
    expect(call?.parts).toMatchObject([{ type: "tool-call", paths: [{ path: "logs/Leith", access: "read" }] }]);
    expect(result).toMatchObject({ role: "tool-result", category: "match-list", toolName: "harbour_log" });
    const text = textOf(result ?? expect.fail());
    expect(text).toContain("ask for a shorter time");
    expect(text.startsWith("ship passed Leith\n")).toBe(true);
    await agent.close();
  });

  test.each([
    ["a tool that there is not", "no_such_tool", "{}", 'There is no tool "no_such_tool"'],
    ["arguments that are no JSON", "read_file", '{"path": "a', "not valid JSON"],
    ["arguments that do not fit", "read_file", '{"file": "a"}', "do not fit read_file"],
    ["a file that vanished", "read_file", '{"path": "gone.txt"}', "gone.txt does not exist"],
    ["a path outside", "write_file", '{"path": "../x", "content": ""}', "../x is outside the workspace"],
    ["a command that never ends", "shell", '{"command": ["sleep", "600"], "timeout_ms": 100}', "ended after 0.1 s"],
    ["a program that there is not", "shell", '{"command": ["no-such-program"]}', "not found"],
  ])("%s is an error result, and the session goes on", async (_what, toolName, argumentsJson, said) => {
    const { agent } = await agentWith(({ context }) =>
      context.messages.length === 1 ? calling([toolName, argumentsJson]) : { text: "I see" },
    );
    expect(await agent.submit("try it")).toMatchObject({ reason: "done", text: "I see" });
    const [result] = results(agent);
    expect(result).toMatchObject({ isError: true, parts: [{ text: expect.stringContaining(said) }] });
    expect(textOf(result ?? expect.fail())).not.toContain("    at ");
    await agent.close();
  });
});
