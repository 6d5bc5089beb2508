import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStore } from "../src/databases/sqlite.ts";
import { ARTIFACT_STORE_CONTRACT } from "../src/testing/artifact-store-contract.ts";
import type { ContractCase } from "../src/testing/contract.ts";
import { SESSION_STORE_CONTRACT } from "../src/testing/session-store-contract.ts";
import { DATABASE_STORE_RULES, type MakeStore } from "./store-rules.ts";

/** Runs every rule of stores on Node's own SQLite, and prints which failed as JSON: for a Node that has one. */
const folder = mkdtempSync(join(tmpdir(), "plimsoll-node-sqlite-"));
const failed: string[] = [];
let madeCount = 0;

const make: MakeStore = async (options) => {
  madeCount += 1;
  const store = await createSqliteStore({ file: join(folder, `${madeCount}.db`), driver: "node", ...options });
  await store.setUp();
  return store;
};

async function play<Subject>(rules: readonly ContractCase<Subject>[], subject: () => Promise<Subject>): Promise<number> {
  for (const { rule, run } of rules) await run(subject).catch((error: unknown) => failed.push(`${rule}: ${String(error)}`));
  return rules.length;
}

const played =
  (await play(SESSION_STORE_CONTRACT, async () => (await make()).sessions)) +
  (await play(ARTIFACT_STORE_CONTRACT, async () => (await make()).artifacts)) +
  (await play(DATABASE_STORE_RULES, async () => make));
rmSync(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ played, failed }));
