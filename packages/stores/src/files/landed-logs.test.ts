import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type ArtifactStore, createDigest, createSession, PLIMSOLL_POLICY, type Session } from "@plimsoll/core";
import {
  canonicalJson,
  EMPTY_VIEW,
  foldEntry,
  LOG_VERSION,
  MAXIMUM_RECALL_CHARS,
  openSession,
  recallArtifact,
  sessionEntrySchema,
} from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createFileArtifactStore } from "./file-artifact-store.ts";
import { createFileSessionStore } from "./file-session-store.ts";

/** Logs as each version wrote them, and their folded states; their READMEs describe their making. */
const LANDED = join(import.meta.dirname, "../../../../fixtures/landed");
const VERSIONS = readdirSync(LANDED);
const logs = VERSIONS.flatMap((version) =>
  readdirSync(join(LANDED, version, "sessions")).map((file) => [version, basename(file, ".jsonl")] as const),
);

const copy = mkdtempSync(join(tmpdir(), "plimsoll-landed-"));
cpSync(LANDED, copy, { recursive: true });

const landedBytes = (version: string, name: string) => readFileSync(join(LANDED, version, "sessions", `${name}.jsonl`), "utf8");

/** Characters of a text's SHA-256 that represent it in the expected folds. */
const HASH_CHARS = 16;
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARS);

/** The whole text that a handle names, piece by piece, as a hash; `null` for a handle that finds nothing. */
async function recalledHash(
  piece: (range: Parameters<typeof recallArtifact>[1]) => ReturnType<typeof recallArtifact>,
): Promise<string | null> {
  let text = "";
  for (let totalChars = 1; text.length < totalChars; ) {
    const recalled = await piece({ startChar: text.length, maximumChars: MAXIMUM_RECALL_CHARS });
    if (recalled === null || recalled.totalChars === 0) return recalled === null ? null : hashOf("");
    text += recalled.text;
    totalChars = recalled.totalChars;
  }
  return hashOf(text);
}

async function recallAll(
  manager: Pick<Session, "recall">,
  handles: readonly string[],
  artifacts: ArtifactStore,
): Promise<Record<string, string | null>> {
  const recalled: Record<string, string | null> = {};
  for (const handle of handles) {
    recalled[handle] = await recalledHash(
      async (range) => (await manager.recall(handle, range)) ?? (await recallArtifact(handle, range, artifacts)),
    );
  }
  return recalled;
}

const SETTING = { policy: PLIMSOLL_POLICY, summarizer: createDigest() };

/** A cut of everything, for which the whole log is remembered. */
const CUT: Parameters<Session["fit"]>[0] = {
  gate: "before-step",
  pending: [],
  model: { contextWindowTokens: 64_000, maxOutputTokens: 1_000 },
  now: { reason: "manual", keep: { messages: 1 } },
};

const foldSchema = z.looseObject({ recalled: z.record(z.string(), z.string()) });

describe.each(logs)("a log of version %s: %s", (version, name) => {
  const folder = join(copy, version);
  const sessions = createFileSessionStore({ folder: join(folder, "sessions") });
  const artifacts = createFileArtifactStore(join(folder, "artifacts"));
  const bytesNow = () => readFileSync(join(folder, "sessions", `${name}.jsonl`), "utf8");
  const foldText = readFileSync(join(LANDED, version, "folds", `${name}.json`), "utf8").trimEnd();

  test("folds to the same bytes, and every handle finds the same text", async () => {
    const { entries, cutOff } = (await sessions.read(name)) ?? expect.fail(name);
    const expected = foldSchema.parse(JSON.parse(foldText));
    const { system, tools, viewHash, modelId, activeCompactions, messages } = entries.reduce(foldEntry, EMPTY_VIEW);
    const folded = {
      cutOff,
      entries: entries.length,
      viewHash,
      modelId,
      activeCompactions: activeCompactions.map(({ id }) => id),
      recalled: await recallAll(createSession({ ...SETTING, entries }), Object.keys(expected.recalled), artifacts),
      context: { system, tools, messages: messages.slice() },
    };
    expect(folded).toEqual(expected);
    expect(canonicalJson(folded)).toBe(foldText);
  });

  test("finds the same text by every handle if only what the context needs is in memory", async () => {
    const expected = foldSchema.parse(JSON.parse(foldText));
    const { session: conversation } = await openSession({ ...SETTING, nowMs: () => null }, sessions, { sessionId: name });
    expect(await recallAll(conversation, Object.keys(expected.recalled), artifacts)).toEqual(expected.recalled);
    await conversation.close();
    cpSync(join(LANDED, version, "sessions"), join(folder, "sessions"), { recursive: true });
  });

  test("is cut in the same way if all of it is in memory, and if only what the context needs is", async () => {
    const { entries } = (await sessions.read(name)) ?? expect.fail(name);
    const whole = createSession({ ...SETTING, entries });
    const { session: part } = await openSession({ ...SETTING, nowMs: () => null }, sessions, { sessionId: name });
    const { signal } = new AbortController();
    expect(await part.fit(CUT, signal)).toEqual(await whole.fit(CUT, signal));
    await part.close();
    cpSync(join(LANDED, version, "sessions"), join(folder, "sessions"), { recursive: true });
  });

  test("is not touched by reading it", async () => {
    await sessions.read(name);
    await sessions.list();
    expect(bytesNow()).toBe(landedBytes(version, name));
  });

  test("opens with every whole line as it was", async () => {
    const { writer, entries } = await sessions.open(name);
    await writer.close();
    const lines = landedBytes(version, name).split("\n").slice(0, entries.length);
    expect(bytesNow()).toBe(lines.map((line) => `${line}\n`).join(""));
  });
});

const OLD_EDITS = ["drop", "replace-history", "replace-part", "summarize"];

test.each([
  ["1", ["compaction", "message", "model-change", "revert", "session", "setup-change", "usage"], OLD_EDITS],
  ["2", ["attempt", "compaction", "message", "model-change", "revert", "session", "usage"], OLD_EDITS],
  ["3", ["attempt", "compaction", "message", "model-change", "revert", "session", "setup-change", "usage"], ["replace-spans"]],
  [
    "4",
    ["compaction", "message", "model-change", "revert", "session", "setup-change", "usage"],
    ["replace-part", "replace-spans"],
  ],
  ["5", ["compaction", "message", "model-change", "revert", "session", "setup-change"], ["replace-spans"]],
  ["6", ["compaction", "context-call", "message", "model-change", "session"], ["replace-spans"]],
])("among those of version %s are these kinds of entries and edits", (version, entryKinds, editKinds) => {
  const bytes = logs
    .filter(([of]) => of === version)
    .map(([of, name]) => landedBytes(of, name))
    .join("");
  const kinds = [...new Set([...bytes.matchAll(/^\{"type":"([a-z-]+)"/gm)].map(([, kind]) => kind))];
  expect(kinds.sort()).toEqual(entryKinds);
  const edits = [...new Set([...bytes.matchAll(/"kind":"(summarize|drop|replace-[a-z]+)"/g)].map(([, kind]) => kind))];
  expect(edits.sort()).toEqual(editKinds);
});

test("each version up to the newest has its logs", () => {
  expect(VERSIONS).toEqual(Array.from({ length: LOG_VERSION }, (_, index) => String(index + 1)));
});

/** The form of each version's entries, as a hash of their JSON Schema. A line is added with a version, and none is changed. */
const FORMS: Readonly<Record<number, string>> = {
  3: "16df9e582283b1de",
  4: "42bb40f6825e9fa1",
  5: "926a8f7843fc61d8",
  6: "29e1ca6ae21effff",
};

test("the form of the newest version is what it was: another one, an optional key as well, is a version of its own, with logs of it", () => {
  expect(hashOf(canonicalJson(z.toJSONSchema(sessionEntrySchema, { unrepresentable: "any", io: "input" })))).toBe(
    FORMS[LOG_VERSION],
  );
});
