import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importFile } from "@plimsoll/bench";
import type { SimulatedReply, SimulatedRequest } from "@plimsoll/simulator";
import { expect, test } from "vitest";
import { z } from "zod";
import { type AgentAnswer, startAgent } from "../../testing/proxy-agent.ts";
import { startSetting } from "../../testing/proxy-setting.ts";
import { NOW_MS, recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

const MODEL = "claude-sonnet-4-5";
const STEPS_PER_TURN = 12;
const TURNS = ["one", "two", "three", "four"];
const STEP_MS = 20_000;
const PAUSE_MS = 900_000;

const fileOf = (step: number) => `/w/part-${Math.floor(step / 4)}.ts`;
const lineOf = (step: number, line: number) => `const value${step}x${line} = compute(${line * 7919}, "as it was");`;
const textOf = (step: number) => Array.from({ length: 120 }, (_, line) => lineOf(step, line)).join("\n");

/** Reads a file, changes a line of it, runs its tests, and names the next task. */
function callAt(step: number): { readonly toolName: string; readonly args: object } {
  const file_path = fileOf(step);
  const old = lineOf(step - 1, 50);
  const todos = [{ content: `Look at part ${step + 1}`, status: "pending" }];
  return (
    [
      { toolName: "Read", args: { file_path } },
      { toolName: "Edit", args: { file_path, old_string: old, new_string: old.replace("was", "is") } },
      { toolName: "Bash", args: { command: `npm test ${file_path}` } },
      { toolName: "TodoWrite", args: { todos } },
    ][step % 4] ?? { toolName: "Bash", args: { command: "ls" } }
  );
}

/** The last reply of a turn calls nothing: a proxy reads later messages with the next request. */
function replyTo({ replyIndex }: SimulatedRequest): SimulatedReply {
  const { toolName, args } = callAt(replyIndex);
  const call = { type: "tool-call", toolName, argumentsJson: JSON.stringify(args) } as const;
  const isLast = (replyIndex + 1) % STEPS_PER_TURN === 0;
  return { parts: [{ type: "text", text: `Step ${replyIndex}.` }, ...(isLast ? [] : [call])] };
}

const answered = z.looseObject({ id: z.string(), content: z.array(z.unknown()) });

test("what the proxy recorded gives the same figures as what the agent wrote", { timeout: 240_000 }, async () => {
  let nowMs = NOW_MS;
  const setting = await startSetting({
    contextWindowTokens: 1_000_000,
    replies: replyTo,
    nowMs: () => nowMs,
    proxy: { window: "1m", policy: "none", record: "sessions" },
  });
  const agent = startAgent({
    ...{ wire: "anthropic", form: "whole", url: setting.url, headers: { session_id: "one" }, model: MODEL },
    resultOf: (step) => {
      nowMs += STEP_MS;
      return textOf(step - 1);
    },
  });
  const answers: AgentAnswer[] = [];
  for (const turn of TURNS) {
    answers.push(...(await agent.say(`Look at every part (${turn}), and never touch the harbour.`, STEPS_PER_TURN)));
    nowMs += PAUSE_MS;
  }
  await setting.restart();
  const { folder } = setting;
  mkdirSync(join(folder, "own"));
  writeFileSync(join(folder, "own", "one.jsonl"), agentLog(agent.history(), answers));
  const [record, own] = [await benchOf("sessions", folder), await benchOf("own", folder)];
  expect(await messagesIn(join(folder, "sessions"), "plimsoll")).toEqual(await messagesIn(join(folder, "own"), "claude-code"));
  const { seen, calls, sumReportedPromptTokens, sizeJudge } = own.session;
  expect(seen).toMatchObject({ edits: 12, files: 24, plans: 8, cacheReads: calls });
  expect(record.session).toMatchObject({ seen, calls, sumReportedPromptTokens });
  expect(Math.abs(record.session.sizeJudge.mapePercent - sizeJudge.mapePercent)).toBeLessThan(1);
  expect(own.words).toContain("Recorded usage: $");
  expect(record.words).toBe(own.words);
  expect(record.figures.filter((figure, place) => Math.abs(figure - (own.figures[place] ?? 0)) > 1)).toEqual([]);
});

const report = z.looseObject({
  sessions: z.tuple([
    z.looseObject({
      seen: z.looseObject({}),
      calls: z.number(),
      sumReportedPromptTokens: z.number(),
      sizeJudge: z.looseObject({ mapePercent: z.number() }),
    }),
  ]),
});

/** The one session of a folder as it is described, and the terminal's output of its replays: its words and its figures. */
async function benchOf(inputs: string, folder: string) {
  const { io, stdout, stderr } = recordedIo(folder);
  const json = join(folder, "report.json");
  const policies = ["none", "pi", "plimsoll"].flatMap((name) => ["-p", name]);
  expect(await main(["bench", inputs, "-w", "16k", "--jobs", "1", "--json", json, ...policies], io), stderr()).toBe(0);
  const [session] = report.parse(JSON.parse(readFileSync(json, "utf8"))).sessions;
  // The agent that wrote a log is the one in use now.
  const lines = stdout()
    .split("\n")
    .filter((line) => !line.includes("What you run now"));
  const text = lines.join("\n");
  const figure = /\d+(?:\.\d+)?/g;
  return { session, words: text.replaceAll(figure, "#"), figures: (text.match(figure) ?? []).map(Number) };
}

/** When each message was there, and how its result is cut. The last reply is left out: a proxy reads it with the request that follows. */
async function messagesIn(folder: string, format: string) {
  const [name = ""] = readdirSync(folder).filter((each) => each.endsWith(".jsonl"));
  const [transcript] = await importFile(join(folder, name), name);
  expect(transcript?.format).toBe(format);
  const messages = transcript?.entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])) ?? [];
  const count = messages.findLastIndex(({ role }) => role !== "assistant") + 1;
  expect(count).toBeGreaterThan(STEPS_PER_TURN * TURNS.length);
  return messages
    .slice(0, count)
    .map((each) => [each.role, each.atMs, ...(each.role === "tool-result" ? [each.category] : [])]);
}

/** The same session as Claude Code keeps it. */
function agentLog(history: readonly { readonly [key: string]: unknown }[], answers: readonly AgentAnswer[]): string {
  const replies = answers.map(({ text }) => answered.parse(JSON.parse(text)));
  let [reply, atMs, parentUuid] = [0, NOW_MS, null as string | null];
  const lines = history.map((item, index) => {
    const own = item.role === "assistant" ? replies[reply++] : undefined;
    const isResult = JSON.stringify(item.content).includes('"tool_result"');
    if (item.role === "user" && index > 0) atMs += isResult ? STEP_MS : PAUSE_MS;
    const uuid = `line-${index}`;
    const line = {
      ...{ uuid, parentUuid, isSidechain: false, sessionId: "one", version: "2.1.200", cwd: "/w" },
      ...{ timestamp: new Date(atMs).toISOString(), type: item.role },
      ...(own === undefined ? { message: item } : { requestId: own.id, message: { ...own, role: "assistant" } }),
    };
    parentUuid = uuid;
    return `${JSON.stringify(line)}\n`;
  });
  return lines.join("");
}
