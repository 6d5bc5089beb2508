import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ModHost, makeSteps } from "../../providers/testing/mod-host.ts";
import { bundleMod } from "./bundle.mjs";

test("the plugin is one module that imports nothing, and compacts where there is neither Node nor a timer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-mod-"));
  const files = await bundleMod(folder);
  expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  const plugin = join(folder, "claude-code");
  expect(readFileSync(join(plugin, "hooks/register.js"), "utf8")).not.toMatch(/^import |\brequire\(|\bimport\(/m);
  const host = new ModHost({ mod: { dir: plugin }, contextWindow: 24_000, precomputeAt: 0.7 });
  const { refused, compactions } = await host.play(makeSteps(60, 11));
  expect(refused).toEqual([]);
  expect(compactions.length).toBeGreaterThan(1);
  expect(new Set(compactions.map(({ by }) => by))).toEqual(new Set(["mod"]));
  const handle = /handle ([a-z\d]{8,})/.exec(JSON.stringify(host.transcript()))?.[1] ?? expect.fail("no handle");
  const call = { tool: "mcp__plimsoll__recall", input: { handle }, result: "" };
  await host.play([
    { kind: "user", text: "Recall it." },
    { kind: "tools", text: "", calls: [call] },
  ]);
  expect(JSON.stringify(host.transcript().slice(-3))).toMatch(/characters 0 to \d+ of \d+/);
}, 120_000);
