import { NONE_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import { type Exchange, type Fault, type SimulatorOptions, startSimulator } from "@plimsoll/simulator";
import { expect, test, vi } from "vitest";
import { type FaultyRun, REPLIES_BEFORE_FAULT, runWithFaults, scriptWithCalls } from "../testing/faulty-run.ts";
import { CLIENTS, type ClientOf } from "../testing/wire-clients.ts";

/** Texts that nothing may show: the key nowhere, the person's text only in the session's log. */
const KEY = "planted-key-4711";
const TASK = "planted text of a request: read all parts";

const environment = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY };
const retry = { maximumAttempts: 3, firstWaitMs: 100, maximumWaitMs: 60_000 };

interface FaultCase {
  readonly name: string;
  readonly fault?: Fault;
  readonly simulator?: Partial<SimulatorOptions>;
  readonly policy?: Policy;
  readonly isUnreachable?: true;
  /** A server does it always or never. */
  readonly isLasting?: true;
}

/** A window unknown to the agent: it believes in 200,000 tokens. */
const SMALL_WINDOW = { contextWindowTokens: 4_000 };

/** A stream that pauses without end: the client's idle time is over as soon as the pause begins. */
const SLOW_STREAM: Fault = { kind: "slow-stream", pause: () => Promise.resolve() };

const cases: readonly FaultCase[] = [
  { name: "429", fault: { kind: "status", status: 429 } },
  { name: "429, retry after 7 s", fault: { kind: "status", status: 429, retryAfterSeconds: 7 } },
  { name: "429, retry after an hour", fault: { kind: "status", status: 429, retryAfterSeconds: 3_600 } },
  { name: "500", fault: { kind: "status", status: 500 } },
  { name: "503", fault: { kind: "status", status: 503 } },
  { name: "529", fault: { kind: "status", status: 529 } },
  { name: "error inside a stream", fault: { kind: "stream-error" } },
  { name: "cut stream", fault: { kind: "cut-stream", afterEvents: 4 } },
  { name: "slow stream", fault: SLOW_STREAM },
  { name: "empty reply", fault: { kind: "empty-reply" } },
  { name: "no usage", fault: { kind: "no-usage" } },
  { name: "silent truncation", fault: { kind: "silent-truncation" }, simulator: SMALL_WINDOW, isLasting: true },
  { name: "overflow, compaction on", simulator: SMALL_WINDOW, policy: SVEN_POLICY },
  { name: "overflow, compaction off", simulator: SMALL_WINDOW, policy: NONE_POLICY },
  { name: "proxy that echoes the request", fault: { kind: "echo" } },
  { name: "wrong key", simulator: { key: "another" } },
  { name: "no server", isUnreachable: true },
];

interface Played extends FaultyRun {
  readonly exchanges: readonly Exchange[];
}

/** Plays the agent; the fault holds for the requests that `isFaulty` names. */
async function play(
  { fault, simulator: options, policy = NONE_POLICY, isUnreachable }: FaultCase,
  clientOf: ClientOf,
  isFaulty: (request: { readonly replyIndex: number; readonly index: number }) => boolean,
): Promise<Played> {
  const silence = { begin: (): void => undefined };
  const pause = () => {
    silence.begin();
    return new Promise<void>(() => undefined);
  };
  const given: Fault | null = fault?.kind === "slow-stream" ? { kind: "slow-stream", pause } : (fault ?? null);
  const simulator = await startSimulator({
    replies: scriptWithCalls,
    nowMs: () => 0,
    faults: (request) => (isFaulty(request) ? given : null),
    ...options,
  });
  const idleWait = () =>
    new Promise<void>((resolve) => {
      silence.begin = resolve;
    });
  if (isUnreachable === true) await simulator.close();
  const client = clientOf(simulator, { environment, retry, wait: () => Promise.resolve(), random: () => 0, idleWait });
  const run = await runWithFaults({ client, policy, task: TASK, contextWindowTokens: 200_000 });
  await simulator.close();
  return { ...run, exchanges: simulator.exchanges() };
}

const lasting = ({ replyIndex }: { readonly replyIndex: number }) => replyIndex >= REPLIES_BEFORE_FAULT;
const once = ({ index }: { readonly index: number }) => index === REPLIES_BEFORE_FAULT;

function counted(names: readonly string[]): string {
  const kinds = [...new Set(names)].map((name) => [name, names.filter((each) => each === name).length] as const);
  return kinds.length === 0 ? "–" : kinds.map(([name, count]) => `\`${name}\`${count === 1 ? "" : ` × ${count}`}`).join(", ");
}

/** A row without its wire. */
function rowOf(run: Played, passing: Played | null): string {
  const error = run.code === null ? "–" : `\`${run.code}\``;
  const failure = [run.class, run.reason].filter((fact) => fact !== null).join(", ");
  const failed = run.exchanges.filter(({ outcome }) => outcome !== "answered").length;
  return [
    counted(run.told),
    `\`${run.ending}\``,
    error,
    failure === "" ? "–" : failure,
    `${failed}`,
    passing === null ? "–" : `\`${passing.ending}\``,
    run.isLogWhole && passing?.isLogWhole !== false ? "whole" : "damaged",
  ].join(" | ");
}

test("every fault ends in its event and class, with the log intact, and nothing shows the key", {
  timeout: 120_000,
}, async () => {
  const written = (["debug", "info", "log", "warn", "error"] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation(() => undefined),
  );
  const lines: string[] = [];
  for (const each of cases) {
    const rows = new Map<string, string[]>();
    for (const [wire, clientOf] of Object.entries(CLIENTS)) {
      const run = await play(each, clientOf, lasting);
      const passing = each.fault === undefined || each.isLasting === true ? null : await play(each, clientOf, once);
      const shown = [run, passing]
        .flatMap((played) => [played?.shown ?? "", JSON.stringify(played?.exchanges ?? [])])
        .join("\n");
      expect(shown).not.toContain(TASK);
      expect(`${shown}\n${run.log}\n${passing?.log ?? ""}`).not.toContain(KEY);
      expect(run.log).toContain(TASK);
      const row = rowOf(run, passing);
      rows.set(row, [...(rows.get(row) ?? []), wire]);
    }
    for (const [row, named] of rows)
      lines.push(`${each.name} | ${named.length === Object.keys(CLIENTS).length ? "all" : named.join(", ")} | ${row}`);
  }
  expect(written.flatMap((spy) => spy.mock.calls)).toEqual([]);
  for (const spy of written) spy.mockRestore();
  expect(lines).toMatchInlineSnapshot(`
    [
      "429 | all | \`request-retry\` × 2 | \`failed\` | \`provider-failed\` | rate-limit, status | 3 | \`done\` | whole",
      "429, retry after 7 s | all | \`request-retry\` × 2 | \`failed\` | \`provider-failed\` | rate-limit, status | 3 | \`done\` | whole",
      "429, retry after an hour | all | – | \`failed\` | \`provider-failed\` | rate-limit, status | 1 | \`failed\` | whole",
      "500 | all | \`request-retry\` × 2 | \`failed\` | \`provider-failed\` | transient, status | 3 | \`done\` | whole",
      "503 | all | \`request-retry\` × 2 | \`failed\` | \`provider-failed\` | transient, status | 3 | \`done\` | whole",
      "529 | all | \`request-retry\` × 2 | \`failed\` | \`provider-failed\` | transient, status | 3 | \`done\` | whole",
      "error inside a stream | all | \`request-retry\` × 2 | \`failed\` | \`provider-failed\` | transient, stream-error | 3 | \`done\` | whole",
      "cut stream | all | \`request-retry\` × 2 | \`failed\` | \`provider-failed\` | transient, cut-stream | 3 | \`done\` | whole",
      "slow stream | all | \`request-retry\` × 2 | \`failed\` | \`provider-failed\` | transient, idle-stream | 3 | \`done\` | whole",
      "empty reply | all | \`request-retry\` × 2 | \`failed\` | \`provider-failed\` | transient, empty-reply | 3 | \`done\` | whole",
      "no usage | all | – | \`done\` | – | – | 14 | \`done\` | whole",
      "silent truncation | all | \`silent-truncation\` | \`done\` | – | – | 14 | – | whole",
      "overflow, compaction on | all | \`overflow-detected\`, \`compaction-end\` × 3 | \`done\` | – | – | 1 | – | whole",
      "overflow, compaction off | all | \`overflow-detected\` | \`failed\` | \`context-overflow\` | context-overflow, status | 1 | – | whole",
      "proxy that echoes the request | all | \`request-retry\` × 2 | \`failed\` | \`provider-failed\` | transient, status | 3 | \`done\` | whole",
      "wrong key | all | – | \`failed\` | \`provider-failed\` | auth, status | 1 | – | whole",
      "no server | all | \`request-retry\` × 2 | \`failed\` | \`provider-failed\` | transient, connection | 0 | – | whole",
    ]
  `);
});
