import type { Message, SessionEntry } from "@plimsoll/core";
import { assistant, callPart, human, result, sessionStart, summaryMessage, usageEntry } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import type { Program } from "../drive/program.ts";
import { programPolicy } from "../drive/program-run.ts";
import { type PreparedSession, prepareSession } from "../open/prepared-session.ts";
import { replay } from "../replay/replay.ts";

const SHOWN = Array.from({ length: 20 }, (_, at) => `line_${at + 1}_x of a file with words`).join("\n");

function calling(id: string, said: string, args: object): Message {
  const call = callPart(`c${id}`, "look", { argumentsJson: JSON.stringify(args) });
  return assistant(`a${id}`, [{ type: "text", text: said }, call]);
}

/** A session in which a call shows a file, and two later replies name a line of it. */
function madeSession(): PreparedSession {
  const replies: readonly (readonly [Message, string])[] = [
    [calling("1", "on", { path: "src/long-name.ts" }), SHOWN],
    [calling("2", "on", { n: 2 }), "two"],
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

test("of uses that a context lacks each source is counted once", async () => {
  const program = putting("It is gone.");
  const window = { kind: "working-room", tokens: 20_000 } as const;
  const { metrics } = await replay(madeSession(), { policy: programPolicy(program), window, program });
  expect(metrics?.passages.all).toEqual({ uses: 2, held: 0 });
  expect(metrics?.firstMisses.passages).toEqual({ uses: 2, missed: 2, first: 1 });
});
