import { type Policy, PRESETS, presetNamed } from "@plimsoll/core";
import { type SimulatedRequest, type SimulatedRules, startSimulator } from "@plimsoll/simulator";
import { expect, test, vi } from "vitest";
import { validateDeclared } from "../testing/declared-rules.ts";
import type { MatrixColumn } from "../testing/matrix-game.ts";
import { BOUND_COLUMNS, MATRIX_COLUMNS } from "../testing/matrix-runs.ts";
import { matrixScript } from "../testing/matrix-script.ts";
import { validateChatRequest, validateMessagesRequest, validateResponsesRequest } from "../testing/vendor-rules.ts";

/** Replies of each run: two batches of three large files, four turns. `MATRIX_STEPS=200` plays long ones, outside of CI. */
const SHORT_STEPS = 32;
const STEPS = Number(process.env.MATRIX_STEPS ?? SHORT_STEPS);
/** Plays only the columns whose SDK has this in its name. */
const ONLY = process.env.MATRIX_ONLY ?? "";
const WINDOW_TOKENS = 32_768;

const acting = PRESETS.filter(({ enabled }) => enabled);

/** The answer of a vendor that writes no summaries for this model. It is asked once in a run. */
const NO_SUMMARIES = "compaction: not supported on this model";

/** The record of one run. */
interface Played {
  readonly preset: string;
  /** Why it died; `null` for a run that was played to its end. */
  readonly diedOf: string | null;
  /** Requests that our simulator refused for anything but their size. */
  readonly refused: readonly string[];
  /** Violations of the rules from the vendors' documents. */
  readonly violations: readonly string[];
  /** Pieces of reasoning that were not shown to the model. */
  readonly drops: number;
}

function judged(column: MatrixColumn, body: unknown): readonly string[] {
  switch (column.wire) {
    case "anthropic":
      return validateMessagesRequest(body);
    case "openai-chat":
      return validateChatRequest(body, column.roles === "alternate" ? "alternating" : "any");
    case "openai-responses":
      return validateResponsesRequest(body, idsOf(column));
    default:
      return column.wire satisfies never;
  }
}

/** Where the model does not think, its server numbers calls by those in the request, as Kimi does: after a cut an id names two. */
const idsOf = ({ thinking }: MatrixColumn) => (thinking === "off" ? "again" : "once");

/** A call of a tool that the request does not declare is refused. */
const rulesOf = (column: MatrixColumn): SimulatedRules => ({
  undeclaredTools: "refused",
  ...(idsOf(column) === "again" ? { callIds: "by-name" } : {}),
});

const COMPARED = { anthropic: "messages", "openai-chat": "chat", "openai-responses": "responses" } as const;

/** Requests that a column's program sends if nothing is ever cut, by the replies that it got before. */
type OwnRequests = readonly unknown[];

/** A script, and the count of the replies that it gave. */
function countedScript(thinking: MatrixColumn["thinking"]) {
  const script = matrixScript(thinking);
  let count = 0;
  const replies = (request: SimulatedRequest) => {
    if (request.asks === "reply") count = request.replyIndex + 1;
    return script(request);
  };
  return { replies, replied: () => count };
}

/** Plays a column in a window without an end, under no compaction. */
async function ownRequests(column: MatrixColumn): Promise<OwnRequests> {
  const own: unknown[] = [];
  const { replies, replied } = countedScript(column.thinking);
  const simulator = await startSimulator({
    replies,
    contextWindowTokens: Number.MAX_SAFE_INTEGER,
    roles: column.roles,
    nowMs: () => 0,
    rules: rulesOf(column),
    onRequest: (_, request) => void own.push(request),
  });
  const [policy, windowTokens] = [presetNamed("none") ?? PRESETS[0], Number.MAX_SAFE_INTEGER];
  if (policy === undefined) throw new Error("there is no preset");
  await column.play({ simulator, policy, steps: STEPS, replied, windowTokens });
  await simulator.close();
  return own;
}

async function play(column: MatrixColumn, policy: Policy, own: OwnRequests): Promise<Played> {
  const violations: string[] = [];
  const { replies, replied } = countedScript(column.thinking);
  const simulator = await startSimulator({
    replies,
    contextWindowTokens: WINDOW_TOKENS,
    roles: column.roles,
    tokenFactorRatio: column.tokenFactorRatio,
    nowMs: () => 0,
    rules: rulesOf(column),
    onRequest: (_, request) => {
      violations.push(...judged(column, request), ...validateDeclared(COMPARED[column.wire], own[replied()], request));
    },
  });
  const diedOf = await column.play({ simulator, policy, steps: STEPS, replied, windowTokens: WINDOW_TOKENS }).then(
    () => null,
    (error: unknown) => String(error).slice(0, 200),
  );
  await simulator.close();
  const drops = simulator.exchanges().flatMap((exchange) => exchange.drops).length;
  const errors = simulator.exchanges().flatMap(({ outcome, error }) => (outcome === "rejected" ? [error ?? ""] : []));
  const refused = errors.filter((error, index) => error !== NO_SUMMARIES || errors.indexOf(error) < index);
  return { preset: policy.name, diedOf, refused, violations, drops };
}

test("no preset dies on any wire, through any SDK, with thinking on or off, under two independent judges", {
  timeout: 3_600_000,
}, async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const wrong: (Played & { readonly column: string })[] = [];
  for (const column of [...MATRIX_COLUMNS, ...BOUND_COLUMNS].filter(({ sdk }) => sdk.includes(ONLY))) {
    const runs: Played[] = [];
    const own = await ownRequests(column);
    for (const policy of acting) runs.push(await play(column, policy, own));
    const name = `${column.sdk}, ${column.wire}, ${column.roles}, thinking ${column.thinking}`;
    const failed = runs.filter(
      ({ diedOf, refused, violations, drops }) => diedOf !== null || refused.length + violations.length + drops > 0,
    );
    wrong.push(...failed.map((run) => ({ ...run, column: name })));
  }
  warned.mockRestore();
  expect(wrong).toEqual([]);
});
