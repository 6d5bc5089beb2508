import { mkdtempSync, readdirSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionStart } from "@plimsoll/core/testing";
import { createFileSessionStore } from "@plimsoll/stores";
import { beforeEach, describe, expect, test } from "vitest";
import { startAgent } from "../../testing/proxy-agent.ts";
import { compactionsIn, startSetting } from "../../testing/proxy-setting.ts";
import { runIn as anyIn, recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

const runIn =
  (folder: string) =>
  async (...args: readonly string[]) => {
    const { io, stdout, stderr } = recordedIo(folder);
    expect(await main(args, io), stderr()).toBe(0);
    return stdout();
  };

test("record, replay, tune and apply are one loop", { timeout: 240_000 }, async () => {
  const setting = await startSetting({
    contextWindowTokens: 100_000,
    proxy: { window: "100k", policy: "none", record: "sessions" },
  });
  const { folder, url } = setting;
  const run = runIn(folder);
  const agent = startAgent({ wire: "anthropic", form: "streamed", url, headers: { session_id: "one" } });
  await agent.say("Look at every part, and never touch the harbour.", 30);
  await setting.restart();
  expect(readdirSync(join(folder, "sessions")).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
  expect(compactionsIn(setting.stdout())).toBe(0);

  expect(await run("bench", "sessions", "-p", "none", "-p", "sven", "-w", "16k", "--jobs", "1")).toContain("sven");
  await run("tune", "sessions", "-p", "sven", "-w", "16k", "--jobs", "1", "--write", "plimsoll.yaml");

  const tuned = await startSetting({ proxy: { policy: join(folder, "plimsoll.yaml") } });
  const next = startAgent({ wire: "anthropic", form: "streamed", url: tuned.url, headers: { session_id: "two" } });
  const answers = await next.say("Look at every part, and never touch the harbour.", 25);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(tuned.stdout()).not.toContain("policy none");
  expect(compactionsIn(tuned.stdout())).toBeGreaterThan(0);
});

test("what is kept is listed by a proxy, and without one", async () => {
  const setting = await startSetting();
  const { folder, url } = setting;
  const run = runIn(folder);
  for (const session_id of ["one", "two"])
    await startAgent({ wire: "openai-chat", form: "whole", url, headers: { session_id } }).say(`Look at ${session_id}.`, 2);
  await setting.restart();
  const live = await run("proxy", "status", "--state", "state");
  expect(live).toMatch(/^plimsoll proxy for /);
  const elsewhere = ["--state", "none", "--record", "state/conversations"];
  const { exitCode, stdout } = await anyIn(folder, ["proxy", "status", ...elsewhere]);
  expect(exitCode).toBe(1);
  const [first, ...list] = stdout.trim().split("\n");
  expect(first).toMatch(/^no proxy runs on /);
  expect(live).toContain(list.join("\n"));
  expect(list.map((line) => /^on the disk: \w{8} {2}\S+ {2}\d+ kB {2}(Look at \w+)\.$/.exec(line)?.[1]).sort()).toEqual([
    "Look at one",
    "Look at two",
  ]);
});

describe("without a running proxy", () => {
  const IDS = ["made-11111111", "made-22222222", "other-22222222", "made-33333333"];
  let folder = "";
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-kept-"));
    const store = createFileSessionStore({ folder: join(folder, "logs") });
    for (const id of IDS) await (await store.create({ ...sessionStart(""), id })).close();
  });

  test.each([
    ["a whole id", ["delete", "made-22222222"], "deleted: 1\n", 3],
    ["the short id that a status shows", ["delete", "33333333"], "deleted: 1\n", 3],
    ["all", ["delete", "all"], "deleted: 4\n", 0],
    ["an id that there is not", ["delete", "44444444"], "plimsoll: delete 44444444: there is no such conversation", 4],
    [
      "an id of two",
      ["delete", "22222222"],
      "plimsoll: delete 22222222: 2 conversation ids end like this: give the whole id\n",
      4,
    ],
    ["no id", ["delete"], "plimsoll: delete: name a conversation by its id, or all\n", 4],
    ["a limit that was not learned", ["forget", "m"], "plimsoll: no limit was learned of m\n", 4],
    ["no limit at all", ["forget", "all"], "plimsoll: no limit was learned\n", 4],
    ["an action of the terminal", ["stop"], "forget, delete; Ctrl-C in its terminal ends the proxy\n", 4],
    ["an action that there is not", ["forgte", "all"], "plimsoll: status cannot forgte: did you mean forget?\n", 4],
  ])("%s", async (_, given, said, left) => {
    const { stdout, stderr } = await anyIn(folder, ["proxy", "status", ...given, "--state", "state", "--record", "logs"]);
    expect(`${stdout}${stderr}`).toContain(said);
    expect(readdirSync(join(folder, "logs")).filter((name) => name.endsWith(".jsonl"))).toHaveLength(left);
  });
});

test.each([
  [["status", "delete", "all", "--record", "none"], "nothing to delete in "],
  [["stop"], "plimsoll: proxy has no command stop: plimsoll proxy --upstream URL starts one, Ctrl-C in its terminal ends it"],
])("proxy %s is answered in one line", async (given, said) => {
  const { stdout, stderr } = await anyIn(mkdtempSync(join(tmpdir(), "plimsoll-none-")), ["proxy", ...given]);
  expect(`${stdout}${stderr}`).toContain(said);
});

test("a conversation that nobody went on with for long is removed at the next start", async () => {
  const setting = await startSetting();
  const { folder, url } = setting;
  for (const session_id of ["one", "two"])
    await startAgent({ wire: "openai-chat", form: "whole", url, headers: { session_id } }).say(`Look at ${session_id}.`, 2);
  const [old = "", young] = logsIn(folder);
  utimesSync(join(folder, "state", "conversations", old), 0, 0);
  await setting.restart();
  expect(logsIn(folder)).toEqual([young]);
});

function logsIn(folder: string): readonly string[] {
  return readdirSync(join(folder, "state", "conversations")).filter((name) => name.endsWith(".jsonl"));
}
