import type { AgentModel } from "@plimsoll/agent";
import { createDigest, createModelSummarizer, isPlimsollError, PlimsollError, type Summarizer } from "@plimsoll/core";
import { MODEL_CATALOG, type ModelPrices } from "@plimsoll/providers";
import { createAnthropicClient } from "@plimsoll/providers/anthropic";
import { type SimulatedReply, type SimulatedRequest, type Simulator, startSimulator } from "@plimsoll/simulator";
import { type ChosenModel, chooseModel, type ModelChoice } from "./choose-model.ts";

/** The models of a session: the one that it begins with, and those that it goes on with. */
export interface SessionModels {
  readonly first: ChosenModel;
  /** The demo's; `null` without it. */
  readonly simulator: Simulator | null;
  /** The writer of summaries if the policy names none; `null` for the session's model. */
  readonly summarizer: Summarizer | null;
  /** Of the host that a model was chosen at, else of its maker. */
  pricesOf(modelId: string, atMs: number | null): ModelPrices | null;
  named(reference: string): Promise<ChosenModel>;
  use(model: AgentModel): void;
  close(): Promise<void>;
}

/** The default model. */
export const DEFAULT_MODEL = "sonnet";

/** Chooses the first model, or starts the demo's. */
export async function openModels(kind: "demo" | "chosen", choice: ModelChoice): Promise<SessionModels> {
  const chosenPrices = new Map<string, ChosenModel["pricesAt"]>();
  const known = (chosen: ChosenModel) => {
    chosenPrices.set(chosen.model.modelId, chosen.pricesAt);
    return chosen;
  };
  const named = async (reference: string) => known(await chooseModel(reference, choice));
  const demo = kind === "demo" ? await startDemoModel() : null;
  const first = demo === null ? await named(choice.config.settings.model?.value ?? DEFAULT_MODEL).catch(orDemo) : known(demo);
  let current = first.model;
  return {
    first,
    simulator: demo?.simulator ?? null,
    summarizer: demo === null ? null : demoSummarizer(demo.model, () => current),
    pricesOf: (modelId, atMs) => (chosenPrices.get(modelId) ?? ((at) => MODEL_CATALOG.pricesOf(modelId, at)))(atMs),
    named,
    use: (model) => {
      current = model;
    },
    close: async () => await demo?.simulator.close(),
  };
}

/** The error of a missing key also names the demo, which needs none. */
function orDemo(error: unknown): never {
  if (!isPlimsollError(error, "bad-input") || error.details.variable === undefined) throw error;
  throw new PlimsollError("bad-input", `${error.message}, or give --demo, which needs none`, error.details);
}

/** The demo's model answers by a script, which is no summary; a model that a person switched to writes them itself. */
function demoSummarizer(demoModel: AgentModel, current: () => AgentModel): Summarizer {
  const digest = createDigest();
  return (request, signal) => {
    const model = current();
    const { client, modelId } = model;
    return model === demoModel ? digest(request, signal) : createModelSummarizer(client, { modelId })(request, signal);
  };
}

/** Small, so that a few messages fill it. Chosen: with its tools the demo compacts at its second message. */
const DEMO_LIMITS = { contextWindowTokens: 24_000, maxOutputTokens: 2_000 } as const;

/** The demo is free; the dollars are another model's. */
const PRICED_AS = "claude-sonnet-5-5";

const CALLS_PER_TURN = 5;

/** The demo's model: a simulator on this machine, and the client that asks it. */
async function startDemoModel() {
  const simulator = await startSimulator({
    contextWindowTokens: DEMO_LIMITS.contextWindowTokens,
    maximumOutputTokens: DEMO_LIMITS.maxOutputTokens,
    replies: demoReply,
  });
  const client = createAnthropicClient({ baseUrl: simulator.url, keyVariable: null });
  return {
    simulator,
    model: { client, modelId: "claude-demo", limits: DEMO_LIMITS },
    pricesAt: (atMs: number | null) => MODEL_CATALOG.pricesOf(PRICED_AS, atMs),
    windowLine: `plays a script whatever you type; window ${DEMO_LIMITS.contextWindowTokens}; priced as ${PRICED_AS}`,
  };
}

/** Replies as the demo's model: it looks at made-up logs, then sums up. A request without tools is one for a summary. */
function demoReply({ replyIndex, toolNames, promptTokens }: SimulatedRequest): SimulatedReply {
  const place = replyIndex % (CALLS_PER_TURN + 1);
  if (toolNames.length === 0 || place === CALLS_PER_TURN) {
    const text = `I have looked at ${CALLS_PER_TURN} logs. The last prompt had ${promptTokens} tokens. Ask on, or try /context, /compact and /undo.`;
    return { parts: [{ type: "text", text }] };
  }
  const log = `seq -f 'part ${replyIndex}.%g checked, nothing unusual' 1 ${120 + 40 * place}`;
  const call = {
    type: "tool-call" as const,
    toolName: "run_terminal_command",
    argumentsJson: JSON.stringify({ command: log }),
  };
  return { parts: place === 0 ? [{ type: "text", text: "I look at the logs." }, call] : [call] };
}
