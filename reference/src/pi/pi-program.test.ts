import { join } from "node:path";
import { importFile, programPolicy } from "@plimsoll/bench";
import { cellOf, drive, prepareSession, type ReplayedCall } from "@plimsoll/bench/internal";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { canRun, installedEntry } from "../install.ts";
import { REFERENCE_PROGRAMS } from "../programs.ts";
import { ROOT } from "../sessions.ts";
import { piMessage } from "./pi-messages.ts";

test.each([
  ["an object", '{"path":"a"}', { path: "a" }],
  ["a list", "[1]", { input: [1] }],
  ["no JSON", "{", { input: "{" }],
])("a call whose arguments are %s is kept as an object", (_, argumentsJson, expected) => {
  const call = { type: "tool-call", callId: "c", toolName: "read", argumentsJson, paths: [] } as const;
  const reply = {
    role: "assistant",
    id: "a",
    origin: "model",
    parts: [call],
    modelId: null,
    requestId: null,
    stopReason: null,
    atMs: null,
  } as const;
  expect(piMessage(reply, 1)).toMatchObject({
    content: [{ type: "toolCall", name: "read", arguments: expected }],
    stopReason: "toolUse",
  });
});

// These need what `pnpm reference` installs, and some of them Node 22: what is not there is skipped and counted.
for (const reference of REFERENCE_PROGRAMS) {
  const address = canRun(reference.package) ? installedEntry(reference.package) : null;
  test.skipIf(address === null)(`${reference.name} compacts a session by its own code and sends nothing invalid`, async () => {
    const program = reference.at(address ?? "");
    const [transcript] = await importFile(join(ROOT, "fixtures/sessions/bug-hunt.jsonl"));
    if (transcript === undefined) throw new Error("no session");
    const session = prepareSession(transcript);
    const calls: ReplayedCall[] = [];
    const window = { kind: "working-room", tokens: 32_000 } as const;
    const cell = cellOf(session, { policy: programPolicy(program), window, catalog: MODEL_CATALOG, program });
    await drive(session, cell, (call) => calls.push(call));
    expect(calls.flatMap(({ compactions }) => compactions).length).toBeGreaterThan(0);
    expect(calls.every(({ violations }) => violations.length === 0)).toBe(true);
  });
}
