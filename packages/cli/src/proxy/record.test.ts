import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { startAgent } from "../../testing/proxy-agent.ts";
import { compactionsIn, type ProxySetting, startSetting } from "../../testing/proxy-setting.ts";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

let setting: ProxySetting | null = null;
afterEach(async () => {
  await setting?.close();
  setting = null;
});

const runIn =
  (folder: string) =>
  async (...args: readonly string[]) => {
    const { io, stdout, stderr } = recordedIo(folder);
    expect(await main(args, io), stderr()).toBe(0);
    return stdout();
  };

test("record, replay, tune and apply are one loop", { timeout: 240_000 }, async () => {
  setting = await startSetting({ contextWindowTokens: 100_000, proxy: { window: "100k", policy: "none", record: "sessions" } });
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
  await tuned.close();
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(tuned.stdout()).not.toContain("policy none");
  expect(compactionsIn(tuned.stdout())).toBeGreaterThan(0);
});

test("what is kept can be listed and deleted", async () => {
  setting = await startSetting();
  const { folder, url } = setting;
  const run = runIn(folder);
  for (const session_id of ["one", "two"])
    await startAgent({ wire: "openai-chat", form: "whole", url, headers: { session_id } }).say(`Look at ${session_id}.`, 2);
  await setting.restart();
  const list = (await run("proxy", "sessions", "--state", "state")).trim().split("\n");
  expect(list.map((line) => /Look at \w+/.exec(line)?.[0]).sort()).toEqual(["Look at one", "Look at two"]);
  const [id = ""] = list[0]?.split(" ") ?? [];
  expect(await run("proxy", "sessions", "--delete", id, "--state", "state")).toBe("deleted: 1\n");
  expect(logsIn(folder)).toHaveLength(1);
  expect(await run("proxy", "sessions", "--delete", "all", "--state", "state")).toBe("deleted: 1\n");
  expect(logsIn(folder)).toEqual([]);
});

test("a conversation that nobody went on with for long is removed at the next start", async () => {
  setting = await startSetting();
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
