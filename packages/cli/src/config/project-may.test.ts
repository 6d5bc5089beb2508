import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { KNOBS } from "@plimsoll/core/extend";
import { SESSION_KEYS } from "@plimsoll/stores";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { PROJECT_MAY } from "./project-may.ts";
import { readConfig } from "./read-config.ts";
import { SETTING_KEYS } from "./settings.ts";

const folder = freshFolder(beforeEach);

const write = (name: string, text: string) => {
  mkdirSync(dirname(folder(name)), { recursive: true });
  writeFileSync(folder(name), text);
};
const read = (more: Partial<Parameters<typeof readConfig>[0]> = {}) =>
  readConfig({ cwd: folder("clone"), homeFolder: folder("home"), environment: {}, flags: {}, ...more });
const PROJECT = ["plimsoll.yaml", ".plimsoll/config.yaml"] as const;
const OWN = "home/.config/plimsoll/config.yaml";

test("each key that a file of settings can have is decided", () => {
  const keys = [
    ...SESSION_KEYS,
    ...Object.keys(PLIMSOLL_POLICY),
    ...["prepare", "policy", "extends", "agent", "compaction"],
    ...KNOBS.map(({ key }) => key),
  ];
  expect(keys.filter((key) => !Object.hasOwn(PROJECT_MAY, key))).toEqual([]);
});

/** A number where a number is wanted, and else a word. */
const PERSONS = SETTING_KEYS.filter(({ key }) => PROJECT_MAY[key].word === "person").map(({ key }) => ({
  key,
  example: key === "max_steps" ? "50" : "opus",
}));

describe.each(PROJECT)("in %s", (file) => {
  test.each(PERSONS)("$key is refused with its line and where the person may set it", ({ key, example }) => {
    write(`clone/${file}`, `# ours\n${key}: ${example}\n`);
    const line = `${file}:2:1: "${key}" ${PROJECT_MAY[key].why}: a project's file may not set it; set it in ~/.config/plimsoll/config.yaml, or PLIMSOLL_${key.toUpperCase()}`;
    expect(() => read()).toThrow(line);
    expect(() => read({ flags: { max_steps: "5" } })).toThrow(line);
  });

  test.each([
    ["policy:\n  extends: plimsoll\n  model: claude-haiku-4-5 200k\n", "3:3"],
    ["policy:\n  extends: plimsoll\n  summary:\n    request: { cheaper: { modelId: x, contextWindowTokens: 9000 } }\n", "4:5"],
    ["extends: plimsoll\nsummary: { request: { cheaper: { modelId: x, contextWindowTokens: 9000 } } }\n", "2:12"],
  ])("another model that writes the summaries is refused: %j", (text, place) => {
    write(`clone/${file}`, text);
    expect(() => read()).toThrow(`${file}:${place}: "summary.request" names another model`);
    write(OWN, text);
    rmSync(folder("clone", file));
    expect(read().policy.value.summary.request).toHaveProperty("cheaper");
  });

  test("what compaction does may be set", () => {
    write(`clone/${file}`, "extends: sven\nactAt: 70%\ncontext_window: 24k\nhand_off: true\ntimeout_seconds: 9\n");
    expect(Object.keys(read().settings).sort()).toEqual(["context_window", "hand_off", "timeout_seconds"]);
  });
});

test.each(PERSONS)("$key holds in the person's own file, in the environment and as a flag", ({ key, example }) => {
  mkdirSync(folder("clone"));
  write(OWN, `${key}: ${example}\n`);
  expect(read().settings[key]?.source).toBe("~/.config/plimsoll/config.yaml:1");
  const variable = `PLIMSOLL_${key.toUpperCase()}`;
  expect(read({ environment: { [variable]: example } }).settings[key]?.source).toBe(variable);
  expect(read({ flags: { [key]: example } }).settings[key]?.source).toMatch(/^--/);
});

describe.each(PROJECT)("%s", (file) => {
  const place = () => folder("clone", file);
  beforeEach(() => {
    mkdirSync(dirname(place()), { recursive: true });
    write("outside.yaml", "context_window: 1000\n");
  });

  test.each<readonly [string, () => void, string]>([
    ["a link out", () => symlinkSync(folder("outside.yaml"), place()), "is a link that leads out of this folder"],
    ["a device", () => symlinkSync("/dev/zero", place()), "is a link that leads out of this folder"],
    ["a link to nothing", () => symlinkSync(folder("none"), place()), "is a link to nothing"],
    ["a folder", () => mkdirSync(place()), "is a folder"],
    [
      "a file without end",
      () => {
        writeFileSync(place(), "");
        truncateSync(place(), 2 ** 40);
      },
      "has more than 100000 bytes",
    ],
  ])("as %s is refused in one line", (_what, make, why) => {
    make();
    expect(() => read()).toThrow(`${file} ${why}`);
  });

  test("as a link that stays inside is read", () => {
    write("clone/settings.yaml", "context_window: 1000\n");
    symlinkSync(folder("clone/settings.yaml"), place());
    expect(read().settings.context_window?.value).toBe(1_000);
  });
});

test("a folder of settings that leads out is refused", () => {
  mkdirSync(folder("clone"));
  write("outside/config.yaml", "context_window: 1000\n");
  symlinkSync(folder("outside"), folder("clone/.plimsoll"));
  expect(() => read()).toThrow(".plimsoll/config.yaml is a link that leads out of this folder");
});

test("the person's own file may be a link", () => {
  mkdirSync(folder("clone"));
  write("dotfiles/plimsoll.yaml", "model: opus\n");
  mkdirSync(folder("home/.config/plimsoll"), { recursive: true });
  symlinkSync(folder("dotfiles/plimsoll.yaml"), folder(OWN));
  expect(read().settings.model?.value).toBe("opus");
});
