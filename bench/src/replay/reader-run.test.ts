import { type Message, PLIMSOLL_POLICY, type Policy, type SessionEntry, SVEN_POLICY, textOf } from "@plimsoll/core";
import { shortHash } from "@plimsoll/core/extend";
import { calling, human, result, sessionStart, usageEntry } from "@plimsoll/core/testing";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { policyThrough, READER_NAMES } from "../through/readers.ts";
import type { Transcript } from "../transcript.ts";
import { cellOf } from "./cell.ts";
import { drive } from "./drive.ts";
import { type PreparedSession, prepareSession } from "./prepared-session.ts";
import type { ReplayedCall } from "./replayed-call.ts";

/** Ids of another length and other letters than a reader gives: which there are takes no room from what is brought back. */
function withSourceIds(transcript: Transcript): Transcript {
  const idOf = (id: string) => `msg_${shortHash(id).toUpperCase().slice(0, 20)}`;
  const entries = transcript.entries.map((entry): SessionEntry => {
    if (entry.type === "message") return { ...entry, message: { ...entry.message, id: idOf(entry.message.id) } };
    return entry.type === "usage" ? { ...entry, throughMessageId: idOf(entry.throughMessageId ?? "") } : entry;
  });
  return { ...transcript, entries };
}

const MADE = { turns: 6, toolCallsPerTurn: 5, resultChars: 4000, overheadTokens: 2000 };
const SESSION = prepareSession(withSourceIds(madeTranscript(MADE)));

async function callsOf(policy: Policy, session: PreparedSession = SESSION): Promise<readonly ReplayedCall[]> {
  const calls: ReplayedCall[] = [];
  const window = { kind: "working-room", tokens: 20_000 } as const;
  await drive(session, cellOf(session, { policy, window, catalog: MODEL_CATALOG }), (call) => calls.push(call));
  return calls;
}

/** A message without what names it: a handle is the id under which a log has a message, and each log has its own. */
function shown(message: Message): string {
  return `${message.role}: ${textOf(message)}`.replaceAll(
    /\b(?:[0-9a-f]{32}|msg_[0-9A-F]{20})\b|(?<=handle )[b-t]{10}\b/g,
    "HANDLE",
  );
}

/** The contexts of all calls. */
const contexts = (calls: readonly ReplayedCall[]) => calls.map(({ context }) => context.slice().map(shown));
const own = await callsOf(PLIMSOLL_POLICY);

test.each(READER_NAMES)("what is sent through %s is what the engine sends", async (reader) => {
  const through = await callsOf(policyThrough(PLIMSOLL_POLICY, reader));
  expect(own.filter(({ compactions }) => compactions.length > 0).length).toBeGreaterThan(1);
  expect(contexts(through)).toEqual(contexts(own));
});

test.each(READER_NAMES)("what no person wrote is none's through %s, as its user's program says", async (reader) => {
  const made = withSourceIds(madeTranscript({ ...MADE, humanChars: 6_000 }));
  const entries = made.entries.map((entry): SessionEntry => {
    const isPutIn = entry.type === "message" && entry.message.role === "user" && !textOf(entry.message).includes("module-2");
    return isPutIn ? { ...entry, message: { ...entry.message, origin: "injected" } } : entry;
  });
  const session = prepareSession({ ...made, entries });
  expect(contexts(await callsOf(policyThrough(PLIMSOLL_POLICY, reader), session))).toEqual(
    contexts(await callsOf(PLIMSOLL_POLICY, session)),
  );
});

test("a policy that asks a model for a summary sends the same through a reader", async () => {
  expect(contexts(await callsOf(policyThrough(SVEN_POLICY, "anthropic")))).toEqual(contexts(await callsOf(SVEN_POLICY)));
});

test.each(READER_NAMES)("of a batch through %s one result is cut when it arrives, and the others stay", async (reader) => {
  const told = (id: string, text: string): SessionEntry => ({ type: "message", message: result(id, id, text) });
  const entries: readonly SessionEntry[] = [
    sessionStart("You are a test."),
    { type: "message", message: human("h", "Look at both.") },
    usageEntry("r1", "h", 1_000),
    { type: "message", message: calling("c", ["a", "b"], "Both.") },
    told("a", "short\nresult"),
    told("b", "a line of a long result\n".repeat(2_000)),
    usageEntry("r2", "b", 5_000),
  ];
  const cutting: Policy = { ...PLIMSOLL_POLICY, truncation: { capTokens: 1_000 } };
  const calls = await callsOf(policyThrough(cutting, reader), prepareSession({ ...madeTranscript(MADE), entries }));
  const texts = calls.at(-1)?.context.slice().map(textOf) ?? [];
  expect(texts.slice(0, 3)).toEqual(["Look at both.", "Both.", "short\nresult"]);
  expect(texts[3]?.length).toBeLessThan(5_000);
});
