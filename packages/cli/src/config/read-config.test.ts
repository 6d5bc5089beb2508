import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SESSION_KEYS } from "@plimsoll/stores";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { readConfig } from "./read-config.ts";
import { SETTING_KEYS } from "./settings.ts";

const folder = freshFolder(beforeEach);

const write = (name: string, text: string) => {
  mkdirSync(dirname(folder(name)), { recursive: true });
  writeFileSync(folder(name), text);
};
const USER_FILE = "home/.config/plimsoll/config.yaml";
const read = (more: Partial<Parameters<typeof readConfig>[0]> = {}) =>
  readConfig({ cwd: folder(), homeFolder: folder("home"), environment: {}, flags: {}, ...more });

test("readers of policies pass over the keys of a session", () => {
  expect([...SESSION_KEYS]).toEqual([...SETTING_KEYS.map(({ key }) => key), "mcpServers"]);
});

describe("configuration", () => {
  test("without any the default policy holds", () => {
    expect(read()).toMatchObject({ settings: {}, policy: { value: { name: "plimsoll" }, source: "default" } });
  });

  test("each value comes from the strongest place that sets it", () => {
    write("plimsoll.yaml", "timeout_seconds: 1\ncontext_window: 1000\n");
    write(".plimsoll/config.yaml", "max_output_tokens: 2\ntimeout_seconds: 2\n");
    write(USER_FILE, "max_steps: 3\nmodel: c\n\nlint: c\nmax_output_tokens: 3\n");
    const environment = { PLIMSOLL_MAX_STEPS: "4", PLIMSOLL_MODEL: "d" };
    expect(read({ environment, flags: { max_steps: "5" } }).settings).toEqual({
      max_steps: { value: 5, source: "--max-steps" },
      model: { value: "d", source: "PLIMSOLL_MODEL" },
      lint: { value: "c", source: "~/.config/plimsoll/config.yaml:4" },
      max_output_tokens: { value: 3, source: "~/.config/plimsoll/config.yaml:5" },
      timeout_seconds: { value: 2, source: ".plimsoll/config.yaml:2" },
      context_window: { value: 1000, source: "plimsoll.yaml:2" },
    });
  });

  test("a server is taken whole from the strongest place that names it", () => {
    write("plimsoll.yaml", "mcpServers:\n  a: { command: one, args: [x] }\n  b: { url: 'http://127.0.0.1/mcp' }\n");
    write(USER_FILE, "mcpServers:\n  a:\n    command: two\n");
    expect(Object.fromEntries(read().mcpServers)).toEqual({
      a: { value: { command: "two" }, source: "~/.config/plimsoll/config.yaml:2", owner: "person" },
      b: { value: { url: "http://127.0.0.1/mcp" }, source: "plimsoll.yaml:3", owner: "project" },
    });
  });

  test.each([
    ["a preset", "policy: sven\n", "sven", "plimsoll.yaml:1"],
    ["a preset that is extended", "hand_off: true\nextends: pi\nactAt: 70%\n", "pi (plimsoll.yaml)", "plimsoll.yaml:2"],
    ["a knob of the default", "hand_off: true\nactAt: 70%\n", "plimsoll (plimsoll.yaml)", "plimsoll.yaml:1"],
    ["a changed preset", "hand_off: true\npolicy: pi\nname: mine\nkeep: { messages: 4 }\n", "mine", "plimsoll.yaml:2"],
    ["sven's keys as they are", "name: like-sven\nagent:\n  compaction_threshold: 0.7\n", "like-sven", "plimsoll.yaml:3"],
    ["the Go agent's keys as they are", "name: like-go\ncompaction:\n  enabled: true\n", "like-go", "plimsoll.yaml:3"],
  ])("the policy may be %s", (_what, text, name, source) => {
    write("plimsoll.yaml", text);
    expect(read().policy).toMatchObject({ value: { name }, source });
  });

  test.each([
    ["an unknown key", "hand_off: true\nmodle: b\n", 'plimsoll.yaml:2:1: unknown key "modle": did you mean model?'],
    [
      "a key next to a policy",
      "policy: pi\nmax_step: 3\n",
      'plimsoll.yaml:2:1: unknown key "max_step": did you mean max_steps?',
    ],
    ["a knob next to a policy", "extends: pi\nactsAt: 70%\n", 'plimsoll.yaml:2:1: unknown key "actsAt": did you mean actAt?'],
    ["a value that does not fit", "timeout_seconds: many\n", "plimsoll.yaml:1:1: timeout_seconds"],
    ["an unknown preset", "policy: svne\n", 'plimsoll.yaml:1:1: unknown preset "svne": did you mean sven?'],
    ["another agent's name", "extends: claude-code\n", "claude-code exists only in bench, by its name"],
    ["two policies", "policy: pi\nagent: {}\n", "both choose a policy"],
    ["no YAML", "a: [\n", "plimsoll.yaml:"],
    [
      "an unknown key of an MCP server",
      "mcpServers:\n  math:\n    comand: node\n",
      'plimsoll.yaml:3:5: unknown key "comand" in mcpServers.math: did you mean command?',
    ],
    [
      "a category that there is not",
      "mcpServers:\n  math:\n    command: node\n    tools:\n      add: { category: list }\n",
      "plimsoll.yaml:5:14: mcpServers.math.tools.add.category: expected one of",
    ],
    [
      "a name that no tool could begin with",
      "mcpServers:\n  my math:\n    command: node\n",
      "plimsoll.yaml:2:3: mcpServers.my math: a server's name has at most 32 letters, digits, - and _",
    ],
  ])("%s is one line with its place", (_what, text, line) => {
    write("plimsoll.yaml", text);
    expect(() => read()).toThrow(line);
  });

  test.each([
    ["24k", 24_000],
    ["200000", 200_000],
  ])("a window is a size like all others: %s", (text, tokens) => {
    expect(read({ flags: { context_window: text } }).settings.context_window?.value).toBe(tokens);
    write("plimsoll.yaml", `context_window: ${text}\n`);
    expect(read().settings.context_window?.value).toBe(tokens);
  });

  test.each([
    ["a variable", { environment: { PLIMSOLL_MAX_STEPS: "many" } }, "PLIMSOLL_MAX_STEPS:"],
    ["a flag", { flags: { context_window: "big" } }, "--window:"],
    ["a policy of a flag", { flags: { policy: "svne" } }, '--policy: unknown policy "svne": did you mean sven?'],
  ])("%s that does not fit is named", (_what, places, line) => {
    expect(() => read(places)).toThrow(line);
  });
});
