import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, posix, win32 } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { SettingsPlace } from "./agent-knobs.ts";
import { knobsOf } from "./knob-table.ts";
import { findUndo, openSettings, settingsPaths, undoSettings, writeSettings } from "./settings-file.ts";

const PLACE: SettingsPlace = { form: "json", base: ".agent", variable: "AGENT_HOME", names: ["a.json", "b.json"] };
const BEFORE = '{ "mine": true }\n';
const AFTER = '{ "mine": true, "n": 1 }\n';

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "plimsoll-settings-"));
});

const path = (name = "a.json") => join(home, ".agent", name);
const open = (environment: Readonly<Record<string, string>> = {}) => openSettings(PLACE, { homeFolder: home, environment });
/** Takes back the last write. */
const undo = async () => {
  const written = await open();
  await undoSettings(written, (await findUndo(written)) ?? { before: "nothing found", backup: "" });
};
const put = (text = BEFORE, name = "a.json") => {
  mkdirSync(join(home, ".agent"), { recursive: true });
  writeFileSync(path(name), text);
};

describe("the settings file", () => {
  test("is the first that is there", async () => {
    put(BEFORE, "b.json");
    expect(await open()).toMatchObject({ path: path("b.json"), shown: "~/.agent/b.json", text: BEFORE });
  });

  test("is the first of all if none is there", async () => {
    expect(await open()).toMatchObject({ path: path(), text: null });
  });

  test("lies where the environment says", async () => {
    const elsewhere = join(home, "elsewhere");
    expect(await open({ AGENT_HOME: elsewhere })).toMatchObject({ path: join(elsewhere, "a.json"), root: elsewhere });
  });

  test("is refused if it is no UTF-8, as it would not be written back as it was", async () => {
    mkdirSync(join(home, ".agent"));
    writeFileSync(path(), Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(open()).rejects.toThrow("is not UTF-8 text");
  });
});

describe("a file that is written", () => {
  test("has its text and its rights, and what was there beside it", async () => {
    put();
    chmodSync(path(), 0o640);
    const { backup } = await writeSettings(await open(), AFTER);
    expect(readFileSync(path(), "utf8")).toBe(AFTER);
    expect(statSync(path()).mode & 0o777).toBe(0o640);
    expect(readFileSync(path(backup), "utf8")).toBe(BEFORE);
    expect(readdirSync(join(home, ".agent")).toSorted()).toEqual(["a.json", backup].toSorted());
  });

  test("is put back as it was", async () => {
    put();
    await writeSettings(await open(), AFTER);
    await undo();
    expect(readFileSync(path(), "utf8")).toBe(BEFORE);
    expect(readdirSync(join(home, ".agent"))).toEqual(["a.json"]);
  });

  test("is removed again if there was none", async () => {
    await writeSettings(await open(), AFTER);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    await undo();
    expect(readdirSync(join(home, ".agent"))).toEqual([]);
  });

  test("is put back in two steps if it was written twice", async () => {
    put();
    await writeSettings(await open(), AFTER);
    await writeSettings(await open(), "{}\n");
    const texts: string[] = [];
    for (const _ of [1, 2]) {
      await undo();
      texts.push(readFileSync(path(), "utf8"));
    }
    expect(texts).toEqual([AFTER, BEFORE]);
  });
});

describe("nothing is changed", () => {
  test("if the file was changed since it was read", async () => {
    put();
    const read = await open();
    put("{}");
    await expect(writeSettings(read, AFTER)).rejects.toThrow("was changed meanwhile");
    expect(readFileSync(path(), "utf8")).toBe("{}");
  });

  test("if it was changed since it was written", async () => {
    put();
    await writeSettings(await open(), AFTER);
    put(`${AFTER} `);
    await expect(open().then(findUndo)).rejects.toThrow("was changed since it was written");
  });

  test("if nothing was written", async () => {
    put();
    expect(await open().then(findUndo)).toBeNull();
  });

  test("if the file is gone", async () => {
    put();
    await writeSettings(await open(), AFTER);
    rmSync(path());
    await expect(open().then(findUndo)).rejects.toThrow("is gone");
  });

  test("if the file is a link", async () => {
    put(BEFORE, "target.json");
    symlinkSync(path("target.json"), path());
    await expect(writeSettings(await open(), AFTER)).rejects.toThrow("a.json is a link");
    expect(readFileSync(path("target.json"), "utf8")).toBe(BEFORE);
  });

  test("if a folder on the way is a link", async () => {
    mkdirSync(join(home, "real"));
    writeFileSync(join(home, "real", "a.json"), BEFORE);
    symlinkSync(join(home, "real"), join(home, ".agent"));
    await expect(writeSettings(await open(), AFTER)).rejects.toThrow(".agent is a link");
    expect(readdirSync(join(home, "real"))).toEqual(["a.json"]);
  });

  test("if the backup is a link", async () => {
    put();
    const { backup } = await writeSettings(await open(), AFTER);
    rmSync(path(backup));
    writeFileSync(join(home, "other"), "stolen");
    symlinkSync(join(home, "other"), path(backup));
    await expect(open().then(findUndo)).rejects.toThrow("was changed since it was written");
  });
});

test.each([
  ["Windows", win32, "C:\\Users\\u", {}, "C:\\Users\\u\\.codex\\config.toml", "~\\.codex\\config.toml"],
  ["Windows, moved", win32, "C:\\Users\\u", { CODEX_HOME: "D:\\c" }, "D:\\c\\config.toml", "D:\\c\\config.toml"],
  ["macOS", posix, "/Users/u", {}, "/Users/u/.codex/config.toml", "~/.codex/config.toml"],
] as const)("settings on %s lie where the agent looks", (_, system, homeFolder, environment, path, shown) => {
  const place = knobsOf("codex", null)?.place ?? expect.fail("no codex");
  const { paths, shownOf } = settingsPaths(place, { homeFolder, environment }, system);
  expect(paths).toEqual([path]);
  expect(paths.map(shownOf)).toEqual([shown]);
});
