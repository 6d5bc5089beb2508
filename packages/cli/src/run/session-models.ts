import type { Summarizer } from "@plimsoll/core";
import { createDigest, createModelSummarizer } from "@plimsoll/core";
import type { AgentModel } from "@plimsoll/core/agent";
import type { ModelPrices } from "@plimsoll/core/internal";
import { MODEL_CATALOG } from "@plimsoll/providers";
import type { Simulator } from "@plimsoll/providers/simulator";
import { type ChosenModel, chooseModel, type ModelChoice } from "./choose-model.ts";
import { startDemoModel } from "./demo-model.ts";
import type { PricesOf } from "./spending.ts";

/** The models of a session: the one that it begins with, and those that it goes on with. */
export interface SessionModels {
  readonly first: ChosenModel;
  /** The demo's; `null` without it. */
  readonly simulator: Simulator | null;
  /** Who writes summaries if not the policy says it; `null` for the model that is asked. */
  readonly summarizer: Summarizer | null;
  /** Prices as they were when a model was chosen, else the catalogue's. */
  readonly pricesOf: PricesOf;
  named(reference: string): Promise<ChosenModel>;
  /** Says which model is asked from now on. */
  use(model: AgentModel): void;
  close(): Promise<void>;
}

/** What is asked if nobody chose a model. */
const DEFAULT_MODEL = "sonnet";

/** Chooses the first model, or starts the demo's. */
export async function openModels(kind: "demo" | "chosen", choice: ModelChoice): Promise<SessionModels> {
  const prices = new Map<string, ModelPrices | null>();
  const known = (chosen: ChosenModel) => {
    prices.set(chosen.model.modelId, chosen.prices);
    return chosen;
  };
  const named = async (reference: string) => known(await chooseModel(reference, choice));
  const demo = kind === "demo" ? await startDemoModel() : null;
  const first = demo === null ? await named(choice.config.settings.model?.value ?? DEFAULT_MODEL) : known(demo);
  let current = first.model;
  return {
    first,
    simulator: demo?.simulator ?? null,
    summarizer: demo === null ? null : demoSummarizer(demo.model, () => current),
    pricesOf: (modelId) => prices.get(modelId) ?? MODEL_CATALOG.pricesOf(modelId),
    named,
    use: (model) => {
      current = model;
    },
    close: async () => await demo?.simulator.close(),
  };
}

/** The demo's model says what a script says, which is no summary; one that a person switched to writes them itself. */
function demoSummarizer(demoModel: AgentModel, current: () => AgentModel): Summarizer {
  const digest = createDigest();
  return (request, signal) => {
    const model = current();
    const { client, modelId } = model;
    return model === demoModel ? digest(request, signal) : createModelSummarizer(client, { modelId })(request, signal);
  };
}
