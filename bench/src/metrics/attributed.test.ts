import type { Message, SessionEntry } from "@plimsoll/core";
import { assistant, human, result, sessionStart, summaryMessage, usageEntry } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { type PreparedSession, prepareSession } from "../replay/prepared-session.ts";
import type { Program } from "../replay/program.ts";
import { programPolicy } from "../replay/program-run.ts";
import { replay } from "../run/replay.ts";
import type { RowMetrics } from "./registry.ts";

const LINES = Array.from({ length: 20 }, (_, at) => `line_${at + 1}_x of a file with words`);
const NUMBERED = LINES.map((line, at) => `${at + 1}\t${line}`).join("\n");

function calling(id: string, said: string, args: object): Message {
  const call = {
    type: "tool-call",
    callId: `c${id}`,
    toolName: "look",
    argumentsJson: JSON.stringify(args),
    paths: [],
  } as const;
  return assistant(`a${id}`, [{ type: "text", text: said }, call]);
}

/** A session in which a call shows a file, and two later replies name a line of it. */
function sessionOf(args: object, shown: string, second = "two"): PreparedSession {
  const replies: readonly (readonly [Message, string])[] = [
    [calling("1", "on", args), shown],
    [calling("2", "on", { n: 2 }), second],
    [calling("3", "as line_8_x says", { n: 3 }), "three"],
    [calling("4", "as line_8_x says", { n: 4 }), "four"],
  ];
  const said = (message: Message): SessionEntry => ({ type: "message", message });
  const steps = replies.flatMap(([reply, text], at) => [
    usageEntry(`q${at}`, null, 1000),
    said(reply),
    said(result(`r${at + 1}`, `c${at + 1}`, text)),
  ]);
  const entries = [sessionStart("A test."), said(human("u", "Look at it.")), ...steps];
  return prepareSession({ name: "s", file: "s", format: "agent", entries, parentName: null, hasUsage: true, notes: [] });
}

/** A program that puts a text in the place of the first call and its result, once the second is answered. */
function putting(text: string): Program {
  const at: Awaited<ReturnType<Program["start"]>>["at"] = async ({ messages }) => {
    const ids = messages.map(({ id }) => id);
    if (!ids.includes("r2") || !ids.includes("r1")) return messages;
    return [...messages.slice(0, 1), summaryMessage("s", text), ...messages.slice(3)];
  };
  return { name: "made", runs: "made@1", likeness: null, maxRecoveries: 0, resultCapChars: null, start: () => ({ at }) };
}

async function metricsOf(session: PreparedSession, text: string): Promise<RowMetrics | null> {
  const program = putting(text);
  const window = { kind: "working-room", tokens: 20_000 } as const;
  return (await replay(session, { policy: programPolicy(program), window, program })).metrics;
}

const FILE = { path: "src/long-name.ts" };
const PASSAGE = LINES.slice(3, 12).join("\n");
const block = (head: string, passage = PASSAGE) => `<recalled>\n${head}\n${passage}\n</recalled>`;

test.each([
  ["its file", FILE, LINES.join("\n"), block("[look src/long-name.ts; handle r1; 0 edits since]"), 2],
  ["its file and lines", FILE, NUMBERED, block("[look src/long-name.ts lines 4 to 12; handle r1]"), 2],
  ["other lines", FILE, NUMBERED, block("[look src/long-name.ts lines 14 to 20; handle r1]"), 0],
  ["another file", FILE, LINES.join("\n"), block("[look src/other.ts; handle r1]"), 0],
  ["no file", FILE, LINES.join("\n"), block("[look; handle r1]"), 0],
  ["its command", { cmd: "cat src/a.ts\npwd" }, LINES.join("\n"), block('[look "cat src/a.ts\\npwd"; handle r1]'), 2],
  [
    "the beginning of its command",
    { cmd: `cat ${"src/a.ts ".repeat(40)}` },
    LINES.join("\n"),
    block(`[look cat ${"src/a.ts ".repeat(15)}…; handle r1]`),
    2,
  ],
  [
    "its file, with a gap between",
    FILE,
    NUMBERED,
    block(`[look src/long-name.ts lines 1 to 2; handle r1]\n${LINES.slice(0, 2).join("\n")}\n[… lines 4 to 12]`),
    2,
  ],
  ["nothing at all", FILE, LINES.join("\n"), PASSAGE, 0],
])("a passage that was brought back under %s", async (_, args, shown, text, named) => {
  const metrics = await metricsOf(sessionOf(args, shown), text);
  expect(metrics?.passages.all).toEqual({ uses: 2, held: 2 });
  expect(metrics?.attributed).toEqual({ all: { held: 2, named }, broughtBack: { held: 2, named } });
});

test("of uses that a context lacks each source is counted once", async () => {
  const metrics = await metricsOf(sessionOf(FILE, LINES.join("\n")), "It is gone.");
  expect(metrics?.passages.all).toEqual({ uses: 2, held: 0 });
  expect(metrics?.attributed.all).toEqual({ held: 0, named: 0 });
  expect(metrics?.firstMisses.passages).toEqual({ uses: 2, missed: 2, first: 1 });
});

test("a result that stays is named by its call", async () => {
  const metrics = await metricsOf(sessionOf(FILE, "one", LINES.join("\n")), "One.");
  expect(metrics?.attributed).toEqual({ all: { held: 2, named: 2 }, broughtBack: { held: 0, named: 0 } });
});
