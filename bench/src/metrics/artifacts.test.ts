import type { AssistantMessage, Message, PathAccess } from "@plimsoll/core";
import { assistant, human, logOf, reply, summaryMessage } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { prepareReferences } from "../needs/recorded-references.ts";
import { createRetentionProbe } from "./retention-probe.ts";

function touching(id: string, paths: readonly PathAccess[]): AssistantMessage {
  const argumentsJson = JSON.stringify(paths.map(({ path }) => path));
  return assistant(id, [{ type: "tool-call", callId: id, toolName: "tool", argumentsJson, paths }]);
}

const READ = touching("a1", [{ path: "docs/a b.md", access: "read" }]);
const MODIFIED = touching("a2", [{ path: "docs/a b.md", access: "modify" }]);
const LAST = reply("a9", "done");

test.each([
  ["a file that a message names", [READ, LAST], [READ], { read: { files: 1, named: 1 }, modified: { files: 0, named: 0 } }],
  [
    "a file that a summary names",
    [READ, LAST],
    [summaryMessage("s", "- read docs/a b.md")],
    { read: { files: 1, named: 1 }, modified: { files: 0, named: 0 } },
  ],
  [
    "a file that nothing names",
    [READ, LAST],
    [human("u", "hi")],
    { read: { files: 1, named: 0 }, modified: { files: 0, named: 0 } },
  ],
  [
    "a file that was read and then modified",
    [READ, MODIFIED, LAST],
    [READ],
    { read: { files: 0, named: 0 }, modified: { files: 1, named: 1 } },
  ],
  [
    "a file that was modified and then read",
    [MODIFIED, READ, LAST],
    [],
    { read: { files: 0, named: 0 }, modified: { files: 1, named: 0 } },
  ],
  ["a file touched by the reply itself", [READ], [], { read: { files: 0, named: 0 }, modified: { files: 0, named: 0 } }],
] as const)("counts %s", (_rule, history: readonly Message[], context: readonly Message[], expected) => {
  const probe = createRetentionProbe(prepareReferences(logOf(history)));
  probe.atCall(0, history.at(-1) ?? LAST, { removed: [], added: context });
  expect(probe.result().artifacts).toEqual(expected);
});

test("a lost call names no file", () => {
  const probe = createRetentionProbe(prepareReferences(logOf([READ, LAST])));
  probe.lost(LAST);
  expect(probe.result().artifacts.read).toEqual({ files: 1, named: 0 });
});
