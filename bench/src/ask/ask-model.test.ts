import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SVEN_POLICY } from "@plimsoll/core";
import { clientFor, MODEL_CATALOG } from "@plimsoll/providers";
import { type Fault, type SimulatedReply, startSimulator } from "@plimsoll/providers/simulator";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ASKED_MODEL, askedPlan, contextOf, scripted } from "../../testing/asked-session.ts";
import { openCassette } from "../summaries/cassette.ts";
import { askReport } from "./ask-figures.ts";
import { type Asking, askModel } from "./ask-model.ts";
import { askPrice } from "./ask-price.ts";
import { askReportSchema } from "./ask-schema.ts";
import type { AskPlan } from "./plan-ask.ts";

/** Replays take a second, longer if other tests run at the same time. */
const PLAN_MS = 60_000;
const KEY = "sk-not-to-be-seen";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-ask-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Live extends Partial<Pick<Asking, "mostUsd" | "signal" | "onProgress" | "openClient">> {
  readonly reply?: SimulatedReply;
  readonly fault?: (index: number) => Fault | null;
  /** Replies by the number of the request, in place of the script. */
  readonly replyTo?: (index: number) => SimulatedReply | null;
}

/** Asks a simulated provider, one request at a time; a failed request is sent again at once. */
async function live({ reply, replyTo = () => null, fault = () => null, ...asking }: Live) {
  const contexts: ReturnType<typeof contextOf>[] = [];
  const simulator = await startSimulator({
    replies: ({ newestText }) => replyTo(contexts.length - 1) ?? reply ?? scripted(contexts.at(-1) ?? "full", newestText),
    faults: ({ index }) => fault(index),
    onRequest: (_, body) => contexts.push(contextOf(body)),
  });
  const environment = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: simulator.url };
  const requests = planned.calls.flatMap((call) => Object.values(call.requests));
  const asked = await askModel(requests, {
    model: ASKED_MODEL,
    cassette: openCassette(folder),
    openClient: () => Promise.resolve(clientFor("anthropic", { environment, wait: () => Promise.resolve() })),
    catalog: MODEL_CATALOG,
    mostUsd: null,
    signal: new AbortController().signal,
    atOnce: 1,
    ...asking,
  }).then(
    (value) => ({ ...value, error: null }),
    (error: unknown) => ({ outcomes: new Map(), spending: null, error }),
  );
  await simulator.close();
  const report = askReport(planned, asked.outcomes);
  return { ...asked, report, sent: simulator.exchanges().length, exchanges: simulator.exchanges() };
}

/** Six calls under one policy: 24 requests. */
let planned: AskPlan;
beforeAll(async () => {
  planned = await askedPlan([SVEN_POLICY]);
}, PLAN_MS);

describe("bench --ask", () => {
  test("a plan is priced by context, and what the cassette holds costs nothing", async () => {
    const options = { cassette: openCassette(folder), catalog: MODEL_CATALOG };
    const before = await askPrice(planned, options);
    expect(before.contexts.map(({ context, requests }) => [context, requests])).toEqual([
      ["full", 6],
      ["compacted", 6],
      ["again", 6],
      ["tail", 6],
    ]);
    expect(before.total.requests).toBe(24);
    const { spending } = await live({});
    expect(spending?.usd).toBeGreaterThan(0);
    expect(before.total.usd).toBeGreaterThanOrEqual(spending?.usd ?? Infinity);
    expect(await askPrice(planned, options)).toMatchObject({ fromCassette: 24, total: { requests: 0, usd: 0 } });
  });

  test("counts the agreements that the script has", async () => {
    const { report, spending, sent } = await live({});
    expect({ sent, spending }).toMatchObject({ sent: 24, spending: { sent: 24, failed: 0, fromCassette: 0, stopped: null } });
    const [policy] = report.policies;
    const counts = policy?.comparisons.map((each) => [
      each.of,
      each.with,
      each.tool.agreed,
      each.path.agreed,
      each.arguments.agreed,
    ]);
    expect(counts).toEqual([
      ["full", "recorded", 6, 6, 6],
      ["compacted", "recorded", 6, 6, 0],
      ["again", "recorded", 6, 6, 0],
      ["tail", "recorded", 0, 0, 0],
      ["compacted", "again", 6, 6, 6],
      ["compacted", "full", 6, 6, 0],
      ["tail", "full", 0, 0, 0],
      ["compacted", "tail", 0, 0, 0],
    ]);
    expect(policy?.differences.map(({ minus, tool, arguments: args }) => [minus, tool.ratio, args.ratio])).toEqual([
      ["full", 0, -1],
      ["tail", 1, 0],
    ]);
    expect(report.calls[0]).toMatchObject({
      policy: "sven",
      recordedTool: "read",
      answers: { full: { toolName: "read" }, tail: { toolName: "search", agreement: { tool: false, path: false } } },
    });
  });

  const other: SimulatedReply = { parts: [{ type: "tool-call", toolName: "search", argumentsJson: "{}" }] };
  test("an answer that changes when the same is asked again makes the smallest difference that shows larger, and no difference", async () => {
    const [steady] = (await live({})).report.policies;
    rmSync(folder, { recursive: true });
    // Of each call's four requests the third is the second one again.
    const [changing] = (await live({ replyTo: (index) => (index % 4 === 2 ? other : null) })).report.policies;
    const [before, after] = [steady?.differences[0]?.tool, changing?.differences[0]?.tool];
    expect([before?.detectableRatio, after?.detectableRatio].map((ratio) => ratio?.toFixed(2))).toEqual(["0.40", "1.07"]);
    expect([before?.ratio, after?.ratio]).toEqual([0, 0]);
    expect(changing?.comparisons.find((each) => each.with === "again")?.tool).toMatchObject({ agreed: 0, of: 6 });
  });

  test("asked again sends nothing, needs no key and gives the same bytes", async () => {
    const paid = await live({});
    const free = await live({ openClient: () => Promise.reject(new Error("no key")) });
    expect(free).toMatchObject({ sent: 0, error: null, spending: { sent: 0, fromCassette: 24, usd: 0 } });
    expect(JSON.stringify(free.report)).toBe(JSON.stringify(paid.report));
    expect(askReportSchema.safeParse(JSON.parse(JSON.stringify(paid.report))).error).toBeUndefined();
  });

  test("broken off in its middle keeps what was answered, and the next run sends the rest alone", async () => {
    const controller = new AbortController();
    const stops = new Map([[7, () => controller.abort()]]);
    const onProgress: Asking["onProgress"] = ({ done }) => stops.get(done)?.();
    const broken = await live({ signal: controller.signal, onProgress });
    expect(broken.error).toBe(controller.signal.reason);
    expect(readdirSync(folder)).toHaveLength(7);
    const rest = await live({});
    expect([broken.sent, rest.sent]).toEqual([7, 17]);
    expect(rest.report.policies[0]?.contexts.map(({ answered }) => answered)).toEqual([6, 6, 6, 6]);
  });

  const limited: Fault = { kind: "status", status: 429 };
  test("a request that is limited until the end of the retries is missing, and no disagreement", async () => {
    const { report, spending, sent } = await live({ fault: (index) => (index < 5 ? limited : null) });
    expect({ sent, spending }).toMatchObject({ sent: 28, spending: { sent: 24, failed: 1, lastFailure: /429/ } });
    const [policy] = report.policies;
    expect(policy?.contexts[0]).toMatchObject({ answered: 5, missing: [{ why: "failed", calls: 1 }] });
    expect(policy?.comparisons[0]).toMatchObject({ calls: 5, tool: { agreed: 5, of: 5 } });
    expect(policy?.differences[0]?.tool).toMatchObject({ calls: 5, lost: 0 });
    expect(await live({})).toMatchObject({ sent: 1, report: { policies: [{ contexts: [{ answered: 6 }, {}, {}, {}] }] } });
  });

  test("a request that is limited for a moment is answered", async () => {
    const { spending, sent } = await live({ fault: (index) => (index < 2 ? limited : null) });
    expect({ sent, spending }).toMatchObject({ sent: 26, spending: { sent: 24, failed: 0 } });
  });

  test("five failures one after the other end it: the rest is not asked", async () => {
    const { report, spending, sent } = await live({ fault: () => ({ kind: "status", status: 401 }) });
    expect({ sent, spending }).toMatchObject({ sent: 5, spending: { stopped: "failures", usd: 0 } });
    const missing = report.policies[0]?.contexts.flatMap((context) => context.missing) ?? [];
    const countOf = (why: string) => missing.filter((each) => each.why === why).reduce((sum, { calls }) => sum + calls, 0);
    expect([countOf("failed"), countOf("not-asked")]).toEqual([5, 19]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each<[string, SimulatedReply, string]>([
    ["cut off at its limit", { parts: [{ type: "text", text: "I" }], stop: "length" }, "cut-off"],
    ["a refusal", { parts: [{ type: "text", text: "No." }], stop: "refusal" }, "refused"],
  ])("a reply that is %s is missing, and kept", async (_, reply, why) => {
    const { report } = await live({ reply });
    expect(report.policies[0]?.contexts[0]?.missing).toEqual([{ why, calls: 6 }]);
    expect((await live({})).sent).toBe(0);
  });

  test("a reply without a call is an answer that does not agree", async () => {
    const { report } = await live({ reply: { parts: [{ type: "text", text: "I am done." }] } });
    expect(report.policies[0]?.comparisons[0]).toMatchObject({ calls: 6, tool: { agreed: 0, of: 6 } });
  });

  test("stops before its dollars are passed", async () => {
    const mostUsd = 0.2;
    const { spending, report } = await live({ mostUsd });
    expect(spending?.stopped).toBe("most-dollars");
    expect(spending?.sent).toBeGreaterThan(0);
    expect(spending?.usd).toBeLessThanOrEqual(mostUsd);
    expect(report.policies[0]?.contexts.at(-1)?.missing[0]?.why).toBe("not-asked");
    expect((await live({ mostUsd: 0 })).sent).toBe(0);
  });

  test("leaves no key and nothing of the request behind", async () => {
    const { report } = await live({ fault: (index) => (index < 6 ? { kind: "echo" } : null) });
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    expect(files.length).toBeGreaterThan(10);
    expect([...files, JSON.stringify(report)].join()).not.toMatch(/sk-not|compute\(|x-api-key|You are a test/);
  });
});
