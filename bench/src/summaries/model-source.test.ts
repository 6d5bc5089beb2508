import { readdirSync, readFileSync } from "node:fs";
import { type Policy, SVEN_POLICY } from "@plimsoll/core";
import { clientFor, MODEL_CATALOG } from "@plimsoll/providers";
import { type Fault, type SimulatedReply, startSimulator } from "@plimsoll/simulator";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { madeTranscript } from "../../testing/made-session.ts";
import { prepareSession } from "../open/prepared-session.ts";
import { replay } from "../replay/replay.ts";
import { type ModelChoice, openSource } from "./open-source.ts";

const SESSION = prepareSession(madeTranscript({ turns: 6, toolCallsPerTurn: 6, resultChars: 4000, overheadTokens: 2000 }));
const WINDOW = { kind: "working-room", tokens: 24_000 } as const;
const MODEL_ID = "claude-haiku-4-5";
const GOOD = SVEN_POLICY.summary.sections.map((title) => `## ${title}\n- simulated`).join("\n\n");
const says = (text: string): SimulatedReply => ({ parts: [{ type: "text", text }] });
const KEY = "sk-not-to-be-seen";

const folder = freshFolder(beforeEach);

interface Live {
  readonly missing?: ModelChoice["missing"];
  readonly policy?: Policy;
  readonly reply?: SimulatedReply;
  readonly fault?: (index: number) => Fault | null;
  readonly contextWindowTokens?: number;
}

/** One replay whose summaries a simulated provider writes; a failed request is sent again at once. */
async function live({
  missing = "ask",
  policy = SVEN_POLICY,
  reply = says(GOOD),
  fault = () => null,
  contextWindowTokens,
}: Live) {
  const simulator = await startSimulator({
    replies: () => reply,
    faults: ({ index }) => fault(index),
    ...(contextWindowTokens === undefined ? {} : { contextWindowTokens }),
  });
  const choice: ModelChoice = { kind: "model", host: "anthropic", modelId: MODEL_ID, cassetteFolder: folder(), missing };
  const environment = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: simulator.url };
  const openClient = () => Promise.resolve(clientFor("anthropic", { environment, wait: () => Promise.resolve() }));
  const open = openSource(choice, { catalog: MODEL_CATALOG, openClient });
  const outcome = await replay(SESSION, { policy, window: WINDOW, summaries: open.source }).then(
    (row) => ({ row, error: null }),
    (error: unknown) => ({ row: null, error }),
  );
  await simulator.close();
  return { ...outcome, tally: open.takeTally(), sent: simulator.exchanges().length, exchanges: simulator.exchanges() };
}

describe("summaries by a model", () => {
  test("are asked once, and replayed free, without a key and with the same figures", async () => {
    const paid = await live({});
    expect(paid.tally).toMatchObject({ fromCassette: 0, asked: paid.sent });
    expect(paid.sent).toBeGreaterThanOrEqual(2);
    const free = await live({});
    expect(free).toMatchObject({ sent: 0, tally: { fromCassette: paid.sent, asked: 0, usd: 0 } });
    expect(JSON.stringify(free.row)).toBe(JSON.stringify(paid.row));
  });

  test("are charged what they took, and are what the context holds", async () => {
    const { row, tally } = await live({});
    expect(row?.metrics?.cost).toMatchObject({
      summaryRequests: tally.asked,
      summaryPromptTokens: tally.promptTokens,
      summaryReplyTokens: tally.replyTokens,
    });
    expect(tally.usd).toBeGreaterThan(0);
    expect(row?.metrics?.summaries).toMatchObject({ model: tally.asked, digest: 0, failed: 0 });
    expect(row?.compactions[0]?.summary).toContain("- simulated");
  });

  test("leave nothing of the request, the key or a half-written file behind", async () => {
    await live({});
    const files = readdirSync(folder());
    expect(files.every((name) => /^[0-9a-f]{64}\.json$/.test(name))).toBe(true);
    const texts = files.map((name) => readFileSync(folder(name), "utf8")).join();
    expect(texts).not.toMatch(/sk-not|compute\(|x-api-key|You write records/);
  });

  test("go on where a run was broken off: what was answered is not asked again", async () => {
    const broken = await live({ fault: (index) => (index >= 1 ? { kind: "status", status: 401 } : null) });
    expect(String(broken.error)).toMatch(/anthropic: .*401/);
    const resumed = await live({});
    expect(resumed.tally.fromCassette).toBe(1);
    const whole = await live({});
    expect(whole.sent).toBe(0);
    expect(JSON.stringify(whole.row)).toBe(JSON.stringify(resumed.row));
  });

  test.each([429, 529, 500])("come through status %i", async (status) => {
    const { row } = await live({ fault: (index) => (index % 2 === 0 ? { kind: "status", status } : null) });
    expect(row?.metrics?.summaries).toMatchObject({ failed: 0 });
    expect(row?.metrics?.summaries.model).toBeGreaterThanOrEqual(2);
  });

  test("end the replay if the provider refuses for good, and nothing is kept of that", async () => {
    const { row, error } = await live({ fault: () => ({ kind: "status", status: 429 }) });
    expect(row).toBeNull();
    expect(String(error)).toMatch(/rate-limit/);
    expect(readdirSync(folder())).toEqual([]);
  });

  test.each<[string, Live]>([
    ["is empty", { fault: () => ({ kind: "empty-reply" }) }],
    ["is cut off", { reply: { ...says(GOOD), stop: "length" } }],
    ["is refused", { reply: { parts: [], stop: "refusal" } }],
    ["calls a tool", { reply: { parts: [{ type: "tool-call", toolName: "read", argumentsJson: "{}" }] } }],
    ["has none of its sections", { reply: says("Happy to help!") }],
    ["does not fit the model's window", { contextWindowTokens: 5000 }],
  ])("that %s fails as it would in earnest, with and without the provider", async (_, given) => {
    const paid = await live(given);
    expect(paid.row?.metrics?.summaries).toMatchObject({ model: 0 });
    expect(paid.row?.metrics?.summaries.failed).toBeGreaterThanOrEqual(1);
    expect(paid.row?.metrics?.safety.unrecoveredRequests).toBe(0);
    expect(paid.row?.compactions.every(({ summary }) => !summary?.includes("simulated"))).toBe(true);
    const free = await live(given);
    expect(free.sent).toBe(0);
    expect(JSON.stringify(free.row)).toBe(JSON.stringify(paid.row));
  });

  test("can be estimated: nothing is sent, and the count is near what is paid", async () => {
    const estimate = await live({ missing: "estimate" });
    expect(estimate).toMatchObject({ sent: 0, tally: { fromCassette: 0 } });
    const paid = await live({});
    expect(Math.abs(estimate.tally.asked - paid.tally.asked)).toBeLessThanOrEqual(1);
    expect(estimate.tally.promptTokens / paid.tally.promptTokens).toBeGreaterThan(0.5);
    expect(estimate.tally.promptTokens / paid.tally.promptTokens).toBeLessThan(2);
    expect((await live({ missing: "estimate" })).tally).toMatchObject({ asked: 0, fromCassette: paid.sent });
  });

  test("of another model that the policy names are asked of that one", async () => {
    const request = { cheaper: { modelId: "claude-opus-4-5", contextWindowTokens: 100_000 } };
    const policy: Policy = { ...SVEN_POLICY, summary: { ...SVEN_POLICY.summary, request } };
    const dear = await live({ policy });
    const cheap = await live({});
    expect(dear.tally.usd ?? 0).toBeGreaterThan(2 * (cheap.tally.usd ?? 0));
  });

  test("that are asked behind the conversation send it as it is", async () => {
    const policy: Policy = { ...SVEN_POLICY, summary: { ...SVEN_POLICY.summary, request: "prefix" } };
    const { row, exchanges } = await live({ policy });
    expect(row?.metrics?.summaries).toMatchObject({ model: exchanges.length, failed: 0 });
    expect(exchanges.every(({ messageCount }) => (messageCount ?? 0) > 5)).toBe(true);
  });
});
