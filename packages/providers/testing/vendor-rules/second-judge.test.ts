import { type ModelClient, type Policy, presetNamed } from "@plimsoll/core";
import { expect, onTestFinished, test } from "vitest";
import { createAnthropicClient } from "../../src/anthropic/client.ts";
import { createOpenAiChatClient } from "../../src/openai-chat/client.ts";
import { chatHostNamed, OPENAI_HOST } from "../../src/openai-chat/hosts.ts";
import { createOpenAiResponsesClient } from "../../src/openai-responses/client.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { playLongSession, scriptedReply } from "../long-session.ts";
import type { VendorViolation } from "./index.ts";
import { reasonedItems, validateChatRequest, validateMessagesRequest, validateResponsesRequest } from "./index.ts";
import { field, rootOf } from "./json-node.ts";
import { type RecordedExchange, startRecorder } from "./recorder.ts";

/** Steps of a run, and a window in which each of them compacts several times. */
const STEPS = 40;
const WINDOW_TOKENS = 32_000;
const OUTPUT_TOKENS = 2_000;

/** A run takes seconds; this is far more on a machine with other work. */
const SLOWEST_MS = 120_000;

const PRESET_NAMES = ["sven", "sven-ci", "sven-interactive", "opal", "klaude-code", "pi", "plimsoll", "plimsoll-model"];

type Options = { readonly baseUrl: string; readonly environment: Readonly<Record<string, string>> };

interface Wire {
  readonly wire: string;
  readonly path: string;
  /** How the server takes roles; left out, in any order. */
  readonly roles?: "alternate";
  readonly clientOf: (options: Options) => ModelClient;
  readonly judge: (exchanges: readonly RecordedExchange[]) => readonly VendorViolation[];
}

const MISTRAL = chatHostNamed("mistral") ?? OPENAI_HOST;

const WIRES: readonly Wire[] = [
  {
    wire: "anthropic",
    path: "",
    clientOf: createAnthropicClient,
    judge: (exchanges) => exchanges.flatMap(({ request }) => validateMessagesRequest(request)),
  },
  {
    wire: "openai-chat",
    path: "/v1",
    clientOf: createOpenAiChatClient,
    judge: (exchanges) => exchanges.flatMap(({ request }) => validateChatRequest(request)),
  },
  {
    wire: "openai-chat, in turn",
    path: "/v1",
    roles: "alternate",
    clientOf: (options) => createOpenAiChatClient({ ...options, host: MISTRAL }),
    judge: (exchanges) => exchanges.flatMap(({ request }) => validateChatRequest(request, { turns: "alternating" })),
  },
  {
    wire: "openai-responses",
    path: "/v1",
    clientOf: createOpenAiResponsesClient,
    judge: (exchanges) => {
      const reasonedBy = new Map(exchanges.flatMap((exchange) => [...reasonedItems(wholeResponse(exchange))]));
      return exchanges.flatMap(({ request }) => validateResponsesRequest(request, { reasonedBy }));
    },
  },
];

/** The response of an exchange; a stream's is in its last event. */
function wholeResponse({ answer, isStreamed }: RecordedExchange): unknown {
  return isStreamed && Array.isArray(answer) ? field(rootOf(answer.at(-1)), "response").value : answer;
}

const ROWS = WIRES.flatMap((wire) => PRESET_NAMES.map((preset) => ({ ...wire, preset, row: `${wire.wire} ${preset}` })));

function policyNamed(name: string): Policy {
  const policy = presetNamed(name);
  if (policy === undefined) throw new Error(`no preset is called ${name}`);
  return policy;
}

/** How often each rule was broken. */
function byRule(violations: readonly VendorViolation[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { rule } of violations) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
}

test.each(ROWS)(
  "$row: every request of a long session is as the vendor's documents ask",
  { timeout: SLOWEST_MS },
  async (row) => {
    const roles = row.roles ?? "any";
    const simulator = await startSimulator({ replies: scriptedReply, contextWindowTokens: WINDOW_TOKENS, roles });
    onTestFinished(() => simulator.close());
    const recorder = await startRecorder(simulator.url);
    onTestFinished(() => recorder.close());
    const environment = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", MISTRAL_API_KEY: "k" };
    const client = row.clientOf({ baseUrl: `${recorder.url}${row.path}`, environment });
    const policy = policyNamed(row.preset);
    const played = await playLongSession({
      policy,
      client,
      steps: STEPS,
      windowTokens: WINDOW_TOKENS,
      maxOutputTokens: OUTPUT_TOKENS,
    });
    const exchanges = recorder.exchanges();
    expect(played.compactions).toBeGreaterThan(0);
    expect(exchanges.length).toBeGreaterThanOrEqual(STEPS);
    expect({ ended: played.endedBy, broken: byRule(row.judge(exchanges)) }).toEqual({ ended: null, broken: {} });
  },
);
