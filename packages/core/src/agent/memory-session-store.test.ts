import { describe, test } from "vitest";
import { createMemoryArtifactStore } from "../session/recall.ts";
import { ARTIFACT_STORE_CONTRACT } from "../testing/artifact-store-contract.ts";
import { SESSION_STORE_CONTRACT } from "../testing/session-store-contract.ts";
import { createMemorySessionStore } from "./memory-session-store.ts";

describe("memory session store", () => {
  test.each(SESSION_STORE_CONTRACT)("$rule", ({ run }) => run(async () => createMemorySessionStore()));
});

describe("memory artifact store", () => {
  test.each(ARTIFACT_STORE_CONTRACT)("$rule", ({ run }) => run(async () => createMemoryArtifactStore()));
});
