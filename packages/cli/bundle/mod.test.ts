import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { createClaudeCodeHost } from "../../providers/testing/claude-code-host.ts";
import { bundleMod } from "./bundle.mjs";

test("the mod is one module that imports nothing, and compacts where there is neither Node nor a timer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-mod-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = await bundleMod(folder);
  expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  const code = readFileSync(join(folder, "claude-code/hooks/register.js"), "utf8");
  expect(code).not.toMatch(/^import |\brequire\(|\bimport\(/m);
  // What a mod has: the language, and the abort of the web.
  const bare = createContext({ AbortController });
  const register = runInContext(`${code.replace(/export \{[^}]*\};?\s*$/, "")}\nregister;`, bare);
  const host = createClaudeCodeHost(register);
  await host.start();
  await host.say("Look at every part, and never touch the harbour.");
  for (let step = 0; step < 40; step++) await host.step(`I look at part ${step}.`, `part ${step} is whole. `.repeat(300));
  expect(await host.compact("manual")).toMatchObject({ by: "mod" });
  expect(host.problems).toEqual([]);
  expect(JSON.stringify(host.transcript())).toContain("never touch the harbour");
});
