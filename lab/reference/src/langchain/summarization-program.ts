import type { Program, ProgramMoment, ProgramSetting } from "@plimsoll/bench";
import { called, type PublishedCode } from "../packages.ts";
import { createLangChainMessages } from "./langchain-messages.ts";
import { type LangChainMessage, loadLangChain } from "./langchain-module.ts";
import { createSummaryModel, HISTORY_ALONE } from "./summary-model.ts";

/** The line of the bench's likeness: the middleware has none unless it is given one. */
const TRIGGER = { fraction: 0.8 } as const;

/** LangChain's summarization middleware: before each call, all but the newest 20 messages. It knows no recovery. */
export function summarizationProgram({ name, likeness, package: published, address }: PublishedCode): Program {
  return {
    name,
    likeness,
    runs: called(published),
    maxRecoveries: 0,
    resultCapChars: null,
    start: (setting) => startSummarization(address, setting),
  };
}

async function startSummarization(address: string, setting: ProgramSetting) {
  const module = await loadLangChain(address);
  const messages = createLangChainMessages(module);
  const asked: { now: readonly LangChainMessage[] } = { now: [] };
  const middleware = module.summarizationMiddleware({
    model: createSummaryModel({ setting, core: module, template: HISTORY_ALONE.langchain, messages, asked: () => asked.now }),
    trigger: TRIGGER,
    summaryPrompt: HISTORY_ALONE.langchain,
  });
  return {
    at: async ({ gate, messages: view, nowMs }: ProgramMoment) => {
      if (gate !== "before-step") return view;
      asked.now = view.map(messages.of);
      const update = await middleware.beforeModel?.({ messages: asked.now }, { context: {} });
      if (update === undefined) return view;
      return update.messages.filter(({ type }) => type !== "remove").map((message) => messages.oursOf(message, nowMs));
    },
  };
}
