import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { artifactHandle } from "@plimsoll/core/extend";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { ARTIFACT_STORE_CONTRACT } from "../testing/artifact-store-contract.ts";
import { createFileArtifactStore } from "./file-artifact-store.ts";

const folder = freshFolder(beforeEach);

describe("file artifact store", () => {
  test.each(ARTIFACT_STORE_CONTRACT)("$rule", ({ run }) => run(async () => createFileArtifactStore(folder())));

  test("a text written in pieces has the handle of the whole", async () => {
    const store = createFileArtifactStore(folder());
    const writer = await store.begin();
    for (const piece of ["one 🦊\n", "", "two"]) await writer.write(piece);
    const handle = await writer.finish();
    expect(handle).toBe(artifactHandle("one 🦊\ntwo"));
    expect(await store.get(handle)).toBe("one 🦊\ntwo");
  });

  test("a text that was given up leaves nothing behind", async () => {
    const writer = await createFileArtifactStore(folder()).begin();
    await writer.write("half");
    await writer.discard();
    expect(readdirSync(folder())).toEqual([]);
  });

  test("a folder that cannot be written to is one clear line", async () => {
    const file = folder("file");
    writeFileSync(file, "");
    await expect(createFileArtifactStore(join(file, "below")).put("text")).rejects.toMatchObject({ code: "bad-session" });
  });
});
