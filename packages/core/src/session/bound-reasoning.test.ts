import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import { createDigest } from "../memory/digest.ts";
import type { AssistantMessage, Message, ReasoningPart } from "../message/message.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import {
  assistant,
  calling,
  compaction,
  human,
  logOf,
  replacedPart,
  result,
  revertOf,
  summarized,
  summaryMessage,
} from "../testing/builders.ts";
import { decodeLog, encodeLog } from "./codec.ts";
import { createSession } from "./open-session.ts";
import type { Session } from "./session.ts";
import { EMPTY_VIEW, foldEntry, undoPointOf } from "./view.ts";

const thought = (text: string): ReasoningPart => ({ type: "reasoning", text, opaque: { signature: text } });
const thinking = (message: AssistantMessage): AssistantMessage => ({
  ...message,
  parts: [thought(`why ${message.id}`), ...message.parts],
});
const said = (message: Message): SessionEntry => ({ type: "message", message });

/** A turn of two steps, each beginning with thoughts; and a second turn. */
const before: readonly Message[] = [
  human("u1", "go"),
  thinking(calling("a1", ["c1"])),
  result("r1", "c1", "x".repeat(500)),
  thinking(calling("a2", ["c2"])),
  result("r2", "c2", "y".repeat(500)),
  human("u2", "and now?"),
  thinking(assistant("a3", [{ type: "text", text: "so" }])),
];
const cut = compaction("cut", [summarized(summaryMessage("s1", "summary"), ["u1", "r1"])]);
const clearing = compaction("clearing", [replacedPart("r2", 0, { type: "text", text: "cleared" })]);
const other: SessionEntry = { type: "setup-change", id: "setup", system: "other", tools: [], atMs: null };
const drops: SessionEntry = { ...other, id: "drops", system: "", boundReasoning: "vendor-drops" };
const leaves: SessionEntry = { ...drops, id: "leaves", boundReasoning: "leaves" };
const toModel = (modelId: string): SessionEntry => {
  return { type: "model-change", id: `to-${modelId}`, modelId, limits: null, atMs: null };
};
const later = said(thinking(assistant("a4", [{ type: "text", text: "more" }])));
const newest = said(thinking(assistant("a5", [{ type: "text", text: "most" }])));

/** Models whose id begins so bind their thoughts. */
const isBoundReasoning = (part: ReasoningPart | null, modelId: string | null) =>
  modelId?.startsWith("binding") === true && part?.opaque !== null;

const SETTING = { policy: PLIMSOLL_POLICY, summarizer: createDigest(), repairs: "none", isBoundReasoning } as const;

function managerAfter(entries: readonly SessionEntry[], setting: object = SETTING): Session {
  const manager = createSession({ ...SETTING, ...setting, entries: logOf([]) });
  for (const entry of [toModel("binding-1"), ...before.map(said), ...entries]) manager.append(entry);
  return manager;
}

const thoughts = (messages: readonly Message[]) =>
  messages.filter(({ parts }) => parts.some(({ type }) => type === "reasoning")).map(({ id }) => id);
const thinks = (manager: Session) => thoughts(manager.context().messages);

describe("reasoning that is bound stays behind what it was made behind", () => {
  test.each<[string, readonly SessionEntry[], readonly string[]]>([
    ["nothing changed", [later], ["a1", "a2", "a3", "a4"]],
    ["a summary comes first: all that was kept loses it", [cut], []],
    ["what is made after a cut stays", [cut, later], ["a4"]],
    ["a result is cleared: what stands before it stays", [clearing], ["a1", "a2"]],
    ["a run before the edit and one after it", [clearing, later], ["a1", "a2", "a4"]],
    ["a second cut takes what came since", [clearing, later, cut], []],
    ["another system text", [other], []],
    ["another model", [toModel("binding-2")], []],
    ["a model that binds nothing", [toModel("free")], []],
    ["from one that binds nothing", [toModel("free"), later, toModel("binding-1")], []],
    ["an undo brings none back", [cut, revertOf("cut")], []],
    ["an undo of an edit keeps what both begin with", [clearing, revertOf("clearing")], ["a1", "a2"]],
    ["an undo takes what was made since", [cut, later, revertOf("cut")], []],
    ["what is made after an undo stays", [cut, later, revertOf("cut"), newest], ["a5"]],
    ["an undo after another system text", [clearing, other, later, revertOf("clearing"), newest], ["a5"]],
    ["the second of two undos", [clearing, later, cut, revertOf("cut"), newest, revertOf("clearing")], []],
    ["the vendor drops: a cut leaves it", [drops, cut, later], ["a2", "a3", "a4"]],
    ["the vendor drops: so do another system text and model", [drops, other, toModel("binding-2")], ["a1", "a2", "a3"]],
    ["the vendor drops: an undo brings it back", [drops, cut, later, revertOf("cut")], ["a1", "a2", "a3", "a4"]],
    ["the vendor drops no more: all of it leaves", [drops, cut, later, leaves, newest], ["a5"]],
    ["the vendor drops no more: an undo takes what the cut covered", [drops, cut, later, leaves, revertOf("cut")], []],
  ])("%s", (_, entries, staying) => {
    const manager = managerAfter(entries);
    expect(thinks(manager)).toEqual(staying);
    const { entries: read } = decodeLog(encodeLog(manager.entries()), "log");
    const again = createSession({ ...SETTING, entries: read });
    expect(again.context()).toEqual(manager.context());
    expect(again.view().viewHash).toBe(manager.view().viewHash);
    expect(again.predict()).toEqual(manager.predict());
    // A log's content does not depend on its reader.
    expect(read.reduce(foldEntry, EMPTY_VIEW).messages.slice()).toEqual(manager.context().messages);
  });

  test.each<[string, readonly SessionEntry[]]>([
    ["a cut", [cut, later]],
    ["another system text", [cut, later, other]],
    ["an undo", [cut, later, revertOf("cut")]],
  ])("no model binds: %s changes no reasoning, and the log says nothing of it", (_, entries) => {
    const free = managerAfter([toModel("free"), ...entries], { isBoundReasoning: () => false });
    const asBefore = managerAfter([toModel("free"), ...entries], { isBoundReasoning: undefined });
    expect(free.entries()).toEqual(asBefore.entries());
    expect(JSON.stringify(free.entries())).not.toContain("removedReasoning");
    expect(thinks(free).length).toBeGreaterThan(0);
  });

  test("a message that has nothing else leaves with it, and pairs stay whole", () => {
    const only = said(assistant("only", [thought("and on")]));
    const manager = managerAfter([only, said(human("u3", "go on")), other]);
    expect(manager.context().messages.map(({ id }) => id)).not.toContain("only");
    expect(manager.context().messages.map(({ id }) => id)).toContain("r2");
  });

  test("reasoning that is not bound stays in its place", () => {
    const open: ReasoningPart = { type: "reasoning", text: "aloud", opaque: null };
    const manager = managerAfter([said(assistant("open", [open, thought("hidden"), { type: "text", text: "so" }])), other]);
    expect(manager.context().messages.at(-1)?.parts).toEqual([open, { type: "text", text: "so" }]);
  });

  test.each<[string, readonly SessionEntry[]]>([
    ["another system text before the cut", [other, later, clearing]],
    ["another system text after it", [clearing, later, other]],
    ["an undo before it", [cut, later, revertOf("cut"), newest, clearing]],
  ])("the undo point that is read off the log is the one that was kept: %s", async (_, entries) => {
    const manager = managerAfter(entries);
    const { undo: read } = await undoPointOf("clearing", async (onEntry) => manager.entries().forEach(onEntry));
    const kept = manager.view().undo;
    const of = (undo: typeof kept) =>
      undo === null || undo === "archived" ? undo : { messages: undo.messages.slice(), since: undo.since.slice() };
    expect(of(read)).toEqual(of(kept));
  });
});

test.each<[string, (session: Session) => void, boolean]>([
  ["is back if nothing else was appended", () => undefined, true],
  ["stays away behind an answer", (session) => session.append(later), false],
])("reasoning that left for a try, and did not help, %s", async (_, meanwhile, isBack) => {
  const manager = managerAfter([]);
  const [{ viewHash }, { length }] = [manager.view(), manager.entries()];
  const left = [
    await manager.leaveReasoning("unnamed"),
    thinks(manager),
    await manager.leaveReasoning("unnamed"),
    thinks(manager),
  ];
  expect(left).toEqual([true, ["a1", "a2"], true, []]);
  meanwhile(manager);
  expect(await manager.leaveReasoning("unnamed")).toBe(!isBack);
  expect([manager.view().viewHash === viewHash, manager.entries().length === length]).toEqual([isBack, isBack]);
});
