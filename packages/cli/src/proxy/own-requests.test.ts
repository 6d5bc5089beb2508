import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_WIRES, startAgent } from "../../testing/proxy-agent.ts";
import type { SettingOptions } from "../../testing/proxy-setting.ts";
import { compactionsIn, prefixBreaks, startSetting } from "../../testing/proxy-setting.ts";
import { recordedIo } from "../../testing/recorded-io.ts";
import { proxyStatus, type StatusOptions } from "./proxy-command.ts";

/** A session that was cut at least once. */
async function cutSession(options: SettingOptions = {}, steps = 18) {
  const running = await startSetting(options);
  const agent = startAgent({ wire: "openai-chat", form: "streamed", url: running.url, headers: { session_id: "one" } });
  await agent.say("Look at every part, and never touch the harbour.", steps);
  const status = async (given: StatusOptions = {}) => {
    const { io, stdout } = recordedIo(running.folder);
    await proxyStatus({ state: "state", ...given }, io);
    return stdout();
  };
  const id = /^([0-9a-f]{8}) {2}/m.exec(await status())?.[1] ?? expect.fail("no conversation");
  return { ...running, agent, status, id };
}

const textOf = (answers: readonly { readonly text: string }[]) => answers.map(({ text }) => text).join("\n");

describe("typed to plimsoll", () => {
  const forms = [["streamed", {}] as const, ["whole", { "x-session-id": "one" }] as const];
  test.each(AGENT_WIRES.flatMap((wire) => forms.map(([form, headers]) => [wire, form, headers] as const)))(
    "%s, %s, %j: it is answered, and no vendor ever sees it",
    async (wire, form, headers) => {
      const { url, seen, simulator } = await startSetting();
      const agent = startAgent({ wire, url, form, headers });
      await agent.say("Look at every part, and never touch the harbour.", 18);
      const before = seen.length;
      expect(textOf(await agent.say("Plimsoll: what did you drop?", 1))).toContain("The newest cut");
      expect(seen).toHaveLength(before);
      await agent.say("Go on.", 2);
      expect(seen.map(({ body }) => body.toString("utf8")).join("\n")).not.toMatch(/what did you drop|The newest cut/);
      expect(simulator.exchanges().every(({ status }) => status === 200)).toBe(true);
    },
  );

  test("undo puts back what was cut, and no cut comes before a request would not fit", async () => {
    const early = { contextWindowTokens: 24_000, proxy: { window: "24k", policy: "plimsoll actAt=50% pays=off" } };
    const { agent, seen, stdout, status } = await cutSession(early);
    const cuts = compactionsIn(stdout());
    const sentBytes = seen.at(-1)?.body.length ?? 0;
    expect(textOf(await agent.say("plimsoll: undo", 1))).toContain("The last cut is undone");
    await agent.say("Go on.", 1);
    expect(seen.at(-1)?.body.length).toBeGreaterThan(sentBytes * 1.5);
    expect(compactionsIn(stdout())).toBe(cuts);
    expect(await status()).toContain(", undone: ");
    await agent.say("Go on.", 10);
    expect(stdout().slice(stdout().indexOf("was undone"))).toMatch(/^[^(]*compacted \(over-budget\)/);
  });

  test("after an undo a proxy that was started anew does not make the same cut again", async () => {
    const early = { contextWindowTokens: 24_000, proxy: { window: "24k", policy: "plimsoll actAt=50% pays=off" } };
    const { agent, stdout, status, id, restart } = await cutSession(early);
    await status({ action: "undo", name: id });
    const cuts = compactionsIn(stdout());
    const next = startAgent({ wire: "openai-chat", form: "streamed", url: await restart(), headers: { session_id: "one" } });
    next.takeOver(agent.history());
    await next.say("Go on.", 1);
    expect((await status()).replace(/\s+/g, " ")).toContain("the last cut was undone");
    expect(compactionsIn(stdout())).toBe(cuts);
  });

  test("what is to be kept is told to the model, and stands in every later request", async () => {
    const { url, seen, stdout } = await startSetting();
    const agent = startAgent({ wire: "anthropic", url, form: "whole", headers: { session_id: "one" } });
    await agent.say("Look at every part.", 2);
    await agent.say(`Plimsoll: keep this: the harbour is at 54°N. ${"It is far. ".repeat(300)}`, 1);
    expect(seen.at(-1)?.body.toString("utf8")).toContain("Plimsoll: keep this");
    await agent.say("Go on.", 40);
    expect(compactionsIn(stdout())).toBeGreaterThan(1);
    expect(seen.at(-1)?.body.toString("utf8")).toContain("the harbour is at 54°N");
  });

  test("a result that says it is no person's", async () => {
    const { url, seen } = await startSetting();
    const agent = startAgent({
      wire: "anthropic",
      url,
      form: "whole",
      headers: { session_id: "one" },
      resultOf: () => "plimsoll: undo",
    });
    await agent.say("Look at every part.", 3);
    expect(seen).toHaveLength(3);
    expect(seen.at(-1)?.body.toString("utf8")).toContain("plimsoll: undo");
  });
});

describe("a window that a refusal taught", () => {
  // Of 272,000 tokens a reply that is not asked for is guessed to take 34,000: of 40,000 they would leave next to nothing.
  const taught = async () => {
    const running = await startSetting({ contextWindowTokens: 40_000, proxy: { window: "272k" } });
    const resultOf = (step: number) => `line ${step} of a log\n`.repeat(900);
    const fields = { model: "gpt-5-mini", max_tokens: undefined };
    const headers = { session_id: "one" };
    const agent = startAgent({ wire: "openai-chat", form: "whole", url: running.url, headers, fields, resultOf });
    const told = async (given: StatusOptions = {}) => {
      const { io, stdout } = recordedIo(running.folder);
      await proxyStatus({ state: "state", ...given }, io);
      return stdout();
    };
    return { ...running, agent, told };
  };

  test("leaves a guessed reply the same share, so that a cut buys steps", async () => {
    const { agent, stdout, simulator } = await taught();
    await agent.say("Look at every part.", 40);
    expect(simulator.exchanges().filter(({ status }) => status !== 200)).toHaveLength(1);
    expect(compactionsIn(stdout())).toBeLessThan(6);
  });

  test("is what the status goes by, and what an undo is held against", async () => {
    const { agent, told, stdout } = await taught();
    for (let step = 0; step < 30 && compactionsIn(stdout()) === 0; step += 1) await agent.say("Look on.", 1);
    expect(await told()).toMatch(/ of 35\.0k tokens, next cut at 35\.0k/);
    expect(textOf(await agent.say("plimsoll: status", 1))).toContain("of 35.0k tokens");
    const [, before = 0, after = 0] = /: ([\d.]+)k to ([\d.]+)k tokens/.exec(await told()) ?? [];
    const taken = [...(await told()).matchAll(/no longer sent: .*\(([\d.]+)(k?) tokens\)/g)];
    const takenTokens = taken.reduce((sum, [, count, unit]) => sum + Number(count) * (unit === "k" ? 1_000 : 1), 0);
    expect(takenTokens / ((Number(before) - Number(after)) * 1_000)).toBeCloseTo(1, 0);
    expect(textOf(await agent.say("plimsoll: undo", 1))).toMatch(/4\d\.\dk tokens would be sent, but 35\.0k fit, so the next/);
  });
});

describe("the status of a running proxy", () => {
  test("tells how full, the next cut, what went, and what a cut would take", async () => {
    const { status, id } = await cutSession();
    const lines = await status();
    expect(lines).toContain(`; Ctrl-C or kill ${process.pid} ends it\n`);
    expect(lines.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const told = lines.replace(/\n {6}/g, " ");
    expect(told).toContain("Look at every part, and never touch the harbour.");
    expect(told).toMatch(/of [\d.]+k tokens, next cut at [\d.]+k/);
    expect(told).toContain("no longer sent: ");
    expect(told).toContain("no model was asked");
    expect(await status({ action: "preview", name: id })).toContain("the model would then receive:");
  });

  test("pauses and goes on", async () => {
    const { status, agent, stdout, id } = await cutSession();
    const cuts = compactionsIn(stdout());
    expect(await status({ action: "pause", name: id })).toContain("cuts are paused");
    const refused = await agent.say("Go on.", 20);
    expect(refused.at(-1)?.status).toBe(400);
    expect(compactionsIn(stdout())).toBe(cuts);
    expect(stdout().match(/no cut \(/g)).toHaveLength(1);
    expect(stdout()).toContain("problem: the upstream refused it with 400");
    expect(await status({ action: "resume" })).toContain("cuts are on again");
    expect((await agent.say("Go on.", 2)).at(-1)?.status).toBe(200);
  });

  test("undoes by an id, and says what cannot be done", async () => {
    const { status, id } = await cutSession();
    await expect(status({ action: "undo", name: "other" })).rejects.toMatchObject({ message: expect.stringContaining(id) });
    expect(await status({ action: "undo", name: id })).toContain("the last cut was undone");
    await expect(status({ action: "forget", name: "all" })).rejects.toMatchObject({ message: "no limit was learned" });
    await expect(status({ action: "pauze" })).rejects.toMatchObject({ code: "bad-input" });
  });

  test.each(["preview", "undo", "pause", "resume"])("is needed by %s", async (action) => {
    const { folder } = await startSetting();
    await expect(proxyStatus({ state: "other", action }, recordedIo(folder).io)).rejects.toMatchObject({
      code: "bad-input",
      message: expect.stringContaining("no proxy runs on"),
    });
  });

  test("every line of an event has its time, conversation and model", async () => {
    const { stdout, id, status, agent } = await cutSession();
    expect(stdout()).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d  ${id}  test-model  compacted \\(`, "m"));
    await status({ action: "pause" });
    await agent.say("Go on.", 20);
    const events = stdout()
      .slice(stdout().indexOf("/plimsoll\n") + "/plimsoll\n".length)
      .trimEnd()
      .split("\n");
    expect(events.filter((line) => !/^\d\d:\d\d:\d\d {2}/.test(line))).toEqual([]);
  });
});

describe("the proxy's page", () => {
  test("is for its token and its own origin alone", async () => {
    const { url, folder } = await cutSession();
    expect(readFileSync(join(folder, "state", "address"), "utf8").trim()).toBe(url);
    const origin = new URL(url).origin;
    const post = (target: string, from: string) =>
      fetch(target, { method: "POST", headers: { origin: from }, body: new URLSearchParams(), redirect: "manual" });
    expect((await fetch(`${origin}/plimsoll`)).status).toBe(403);
    expect((await post(`${url}/plimsoll/pause`, "https://elsewhere.example")).status).toBe(403);
    expect((await post(`${url}/v1/chat/completions`, origin)).status).toBe(403);
    expect((await post(`${url}/plimsoll/pause`, origin)).status).toBe(303);
    const page = await fetch(`${url}/plimsoll`);
    expect(page.headers.get("content-security-policy")).toContain("script-src 'none'");
    const text = await page.text();
    expect(text).toContain("All cuts are paused.");
    // Its buttons are forms: they go back to the proxy, and nowhere else.
    expect(text).toContain("form-action &#39;self&#39;");
  });
});

describe("a history that the vendor refuses for its form", () => {
  const broken = [
    { role: "user", content: "Look at every part." },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "shell", input: { command: "look" } }] },
    { role: "user", content: [{ type: "text", text: "Go on." }] },
  ];
  const asking = async (given: SettingOptions) => {
    const { url, stdout, seen } = await startSetting(given);
    const agent = startAgent({ wire: "anthropic", url, form: "whole", headers: { session_id: "one" } });
    agent.takeOver(broken);
    return { statuses: (await agent.say("Are you there?", 2)).map(({ status }) => status), stdout, seen };
  };

  test("is mended, sent again, and told; from then on it is sent mended", async () => {
    const { statuses, stdout, seen } = await asking({});
    expect(statuses).toEqual([200, 200]);
    expect(
      stdout().match(/^[\d:]{8} {2}\w{8} {2}\S+ {2}problem: .*which is sent again without: this call of shell has no result/gm),
    ).toHaveLength(1);
    expect(seen).toHaveLength(3);
    expect(seen.at(-1)?.body.toString("utf8")).toContain("shell was called and gave no result");
  });

  test("passes as it is if the person says so", async () => {
    const { statuses, seen } = await asking({ proxy: { readOnly: true } });
    expect([statuses, seen.length]).toEqual([[400], 1]);
  });
});

describe("POST /compact", () => {
  const items = [
    { role: "user", content: "Look at every part, and never touch the harbour." },
    ...Array.from({ length: 20 }, (_, index) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: `c${index}`, type: "function", function: { name: "shell", arguments: `{"command":"look ${index}"}` } },
        ],
      },
      { role: "tool", tool_call_id: `c${index}`, content: `part ${index} is whole. `.repeat(200) },
    ]).flat(),
    { role: "user", content: "Go on." },
  ];
  const compacted = async (url: string, body: object, path = "compact") => {
    const answer = await fetch(`${url}/${path}`, { method: "POST", body: JSON.stringify(body) });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };

  test("gives fewer items and a record back, and brings back what a handle names", async () => {
    const { url, seen } = await startSetting();
    const { status, body } = await compacted(url, { wire: "openai-chat", items, window_tokens: 30_000, conversation: "mine" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ version: 1, outcome: "compacted", record: { policy: "plimsoll", reason: "manual" } });
    expect(body.items.length).toBeLessThan(items.length);
    expect(body.items.at(-1)).toEqual(items.at(-1));
    expect(seen).toHaveLength(0);
    const shown = JSON.stringify(body.items);
    const handle = /handle[= ]\\?"?([\w:.-]+)/.exec(shown)?.[1] ?? body.record.handles[0];
    const recalled = await compacted(url, { wire: "openai-chat", conversation: "mine", handle }, "compact/recall");
    expect(recalled).toMatchObject({ status: 200, body: { version: 1 } });
  });

  test("acts by the policy's trigger if it is told to", async () => {
    const { url } = await startSetting();
    const { body } = await compacted(url, { wire: "openai-chat", items, window_tokens: 1_000_000, act: "when-needed" });
    expect(body).toMatchObject({ outcome: "unchanged", items, record: null });
  });

  test.each([
    ["a wire that is none", { wire: "smoke", items }, "wire: "],
    ["no items", { wire: "gemini", items: [] }, "items: "],
    ["a field that is none", { wire: "gemini", items, more: 1 }, "more"],
  ])("%s is one line that names the field", async (_, body, words) => {
    const { url } = await startSetting();
    expect(await compacted(url, body)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining(words) } },
    });
  });
});

test("a proxy that tells of itself breaks the prefix no more often", async () => {
  const { simulator, stdout, status } = await cutSession();
  await status();
  expect(prefixBreaks(simulator.exchanges())).toBe(compactionsIn(stdout()));
});
