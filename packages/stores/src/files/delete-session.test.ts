import { readdirSync, writeFileSync } from "node:fs";
import { human, sessionStart } from "@plimsoll/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { createFileArtifactStore } from "./file-artifact-store.ts";
import { createFileSessionStore, deleteSession } from "./file-session-store.ts";

const folder = freshFolder(beforeEach);

function places() {
  const sessions = createFileSessionStore({ folder: folder("sessions") });
  const artifacts = createFileArtifactStore(folder("artifacts"));
  return { sessions, artifacts };
}

/** A session that names these texts' artifacts; answers with its writer. */
async function session(id: string, texts: readonly string[], parentId: string | null = null) {
  const { sessions, artifacts } = places();
  const parent = parentId === null ? null : { sessionId: parentId, callId: null };
  const writer = await sessions.create({ ...sessionStart(), id, parent });
  const handles = await Promise.all(texts.map((text) => artifacts.put(text)));
  await writer.append([{ type: "message", message: human(`of-${id}`, `cut: ${handles.join(", ")}.`) }]);
  return writer;
}
const closed = async (...args: Parameters<typeof session>) => (await session(...args)).close();
const left = async () => (await places().sessions.list()).map(({ sessionId }) => sessionId).sort();
const artifactsLeft = async (texts: readonly string[]) => {
  const { artifacts } = places();
  const found = await Promise.all(texts.map(async (text) => artifacts.get(await handleOf(text))));
  return found.filter((text) => text !== null);
};
const handleOf = async (text: string) => await createFileArtifactStore(folder("handles")).put(text);

describe("deleting a session", () => {
  test("takes its sub-agents' logs and the artifacts that nobody else names, and nothing more", async () => {
    await closed("one", ["own", "lone \ud800", "common"]);
    await closed("child", ["the child's"], "one");
    await closed("grandchild", ["the grandchild's"], "child");
    await closed("other", ["common", "the other's"]);
    await deleteSession(places(), "one");
    expect(await left()).toEqual(["other"]);
    expect(await artifactsLeft(["own", "lone \ud800", "common", "the child's", "the grandchild's", "the other's"])).toEqual([
      "common",
      "the other's",
    ]);
    expect(readdirSync(folder("artifacts")).length).toBe(2);
  });

  test("that is in use is a conflict, and nothing of it is gone", async () => {
    const writer = await session("one", ["own"]);
    await expect(deleteSession(places(), "one")).rejects.toMatchObject({ code: "session-conflict" });
    expect(await left()).toEqual(["one"]);
    expect(await artifactsLeft(["own"])).toEqual(["own"]);
    await writer.close();
  });

  test("next to a damaged log keeps the artifacts, which that one may name", async () => {
    await closed("one", ["own"]);
    writeFileSync(folder("sessions", "damaged.jsonl"), "{}\n");
    await expect(deleteSession(places(), "one")).rejects.toMatchObject({ code: "bad-session" });
    expect(await left()).toEqual(["damaged"]);
    expect(await artifactsLeft(["own"])).toEqual(["own"]);
  });

  test("that is not there is fine", async () => {
    await closed("other", ["the other's"]);
    await deleteSession(places(), "one");
    expect(await left()).toEqual(["other"]);
    expect(await artifactsLeft(["the other's"])).toEqual(["the other's"]);
  });
});
