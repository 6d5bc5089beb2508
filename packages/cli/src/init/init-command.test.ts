import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { readConfig } from "../config/read-config.ts";
import { SETTING_KEYS } from "../config/settings.ts";
import { main } from "../main.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-init-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => join(folder, "plimsoll.yaml");
const config = () => readConfig({ cwd: folder, homeFolder: join(folder, "home"), environment: {}, flags: {} });

test("what init writes changes nothing but where the policy comes from, and leaves a file that is there alone", async () => {
  const recorded = recordedIo(folder);
  expect(await main(["init"], recorded.io)).toBe(0);
  expect(config()).toMatchObject({ settings: {}, policy: { value: { name: "plimsoll" }, source: "plimsoll.yaml:3" } });
  expect(await main(["init"], recorded.io)).toBe(2);
  expect(recorded.stderr()).toBe("plimsoll: plimsoll.yaml is there already\n");
});

test("every line that is a setting holds when its comment sign is taken away", async () => {
  await main(["init"], recordedIo(folder).io);
  const lines = readFileSync(file(), "utf8").split("\n");
  const isSetting = (line: string) => /^# ([a-z_]+|mcpServers| .*):( |$)/.test(line) || line.startsWith("#   ");
  const open = lines.map((line) => (isSetting(line) ? line.slice(2) : line));
  writeFileSync(file(), open.join("\n"));
  const { settings, mcpServers } = config();
  expect(Object.keys(settings).sort()).toEqual(SETTING_KEYS.map(({ key }) => key).sort());
  expect([...mcpServers.keys()]).toEqual(["files", "docs"]);
});
