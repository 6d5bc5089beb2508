import type { Program, ProgramMoment } from "@plimsoll/bench";
import { called, type PublishedCode } from "../packages.ts";
import { createLangChainMessages } from "./langchain-messages.ts";
import { type LangChainMessage, loadLangChain } from "./langchain-module.ts";

/** LangChain's context editing middleware with its defaults. It edits the list that it is given, which is the agent's own: what is cleared stays cleared. */
export function contextEditingProgram({ name, likeness, package: published, address }: PublishedCode): Program {
  return {
    name,
    likeness,
    runs: called(published),
    maxRecoveries: 0,
    resultCapChars: null,
    start: () => startContextEditing(address),
  };
}

async function startContextEditing(address: string) {
  const module = await loadLangChain(address);
  const messages = createLangChainMessages(module);
  const middleware = module.contextEditingMiddleware();
  return {
    at: async ({ gate, messages: view, nowMs }: ProgramMoment) => {
      if (gate !== "before-step") return view;
      let sent: readonly LangChainMessage[] = [];
      const request = { messages: view.map(messages.of), state: {}, model: {}, tools: [] };
      await middleware.wrapModelCall?.(request, (edited) => {
        sent = edited.messages;
        return Promise.resolve();
      });
      return sent.map((message) => messages.oursOf(message, nowMs));
    },
  };
}
