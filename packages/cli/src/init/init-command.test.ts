import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePolicy } from "@plimsoll/core";
import { loadPolicy } from "@plimsoll/core/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { projectRefusal } from "../config/project-may.ts";
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
  expect(config()).toMatchObject({ settings: {}, policy: { value: { name: "plimsoll" }, source: "plimsoll.yaml:2" } });
  expect(await main(["init"], recorded.io)).toBe(2);
  expect(recorded.stderr()).toBe("plimsoll: plimsoll.yaml is there already; rename it to have a new one\n");
});

test("every line that is a setting holds when its comment sign is taken away", async () => {
  await main(["init"], recordedIo(folder).io);
  const lines = readFileSync(file(), "utf8").split("\n");
  const isSetting = (line: string) => /^# ([a-z_]+|mcpServers| .*):( |$)/.test(line) || line.startsWith("#   ");
  const open = lines.map((line) => (isSetting(line) ? line.slice(2) : line));
  writeFileSync(file(), open.join("\n"));
  const { settings, mcpServers } = config();
  const mayStand = SETTING_KEYS.filter(({ key }) => projectRefusal(key) === null).map(({ key }) => key);
  expect(Object.keys(settings).sort()).toEqual(mayStand.sort());
  expect([...mcpServers.keys()]).toEqual(["files", "docs"]);
});

test("starts from the preset that is named, and knobs hold when their comment signs are taken away", async () => {
  expect(await main(["init", "--policy", "sven"], recordedIo(folder).io)).toBe(0);
  writeFileSync(file(), readFileSync(file(), "utf8").replace(/^# (actAt|keep|writer|cap):/gm, "$1:"));
  expect(loadPolicy(file()).policy).toEqual(definePolicy({ ...KNOBS_OF_INIT, extends: "sven", name: "sven (plimsoll.yaml)" }));
});

/** The first example of each knob. */
const KNOBS_OF_INIT = { actAt: "75%", keep: { recent: "12 messages" }, writer: "model", cap: "16k" };

test("a preset that there is not is refused with the nearest", async () => {
  const recorded = recordedIo(folder);
  expect(await main(["init", "--policy", "svne"], recorded.io)).toBe(2);
  expect(recorded.stderr()).toContain("did you mean sven?");
});
