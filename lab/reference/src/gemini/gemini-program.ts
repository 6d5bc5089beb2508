import type { Program, ProgramMoment, ProgramSetting } from "@plimsoll/bench";
import type { Message } from "@plimsoll/core";
import { SUMMARY_MAX_TOKENS } from "../edited.ts";
import { called, type PublishedCode } from "../packages.ts";
import { createGeminiFolder, GEMINI_MODEL, geminiConfig } from "./gemini-config.ts";
import { createGeminiMessages } from "./gemini-messages.ts";
import { loadGemini } from "./gemini-module.ts";

/** gemini-cli-core's compression as its client calls it: before each request, on the history without what is about to be sent. It knows no recovery. */
export function geminiProgram({ name, likeness, package: published, address }: PublishedCode): Program {
  let folder: string | null = null;
  return {
    name,
    likeness,
    runs: called(published),
    maxRecoveries: 0,
    resultCapChars: null,
    start: (setting) => {
      folder ??= createGeminiFolder();
      return startGemini(setting, { address, folder });
    },
  };
}

async function startGemini(
  setting: ProgramSetting,
  { address, folder }: { readonly address: string; readonly folder: string },
) {
  const module = await loadGemini(address);
  const messages = createGeminiMessages(module, folder);
  const service = new module.ChatCompressionService();
  const { COMPRESSED, CONTENT_TRUNCATED, COMPRESSION_FAILED_INFLATED_TOKEN_COUNT: INFLATED } = module.CompressionStatus;
  let lastPromptTokens = 0;
  let used: ProgramMoment["reported"] = null;
  let hasFailed = false;
  const config = geminiConfig({
    module,
    contextWindowTokens: setting.limits.contextWindowTokens ?? 0,
    folder,
    lastPromptTokens: () => lastPromptTokens,
    answer: ({ contents, promptId }) =>
      setting.summarize({
        // Behind the history stands the instruction; in the second request the summary and the question whether it is whole.
        messages: messages.oursOf(contents.slice(0, promptId.endsWith("-verify") ? -2 : -1), null),
        maxTokens: SUMMARY_MAX_TOKENS,
        form: "serialised",
      }),
  });
  return {
    at: async ({ gate, messages: view, reported, nowMs }: ProgramMoment): Promise<readonly Message[]> => {
      if (gate !== "before-step") return view;
      if (reported !== null && reported !== used) lastPromptTokens = reported.promptTokens;
      used = reported;
      const pendingFrom = view.findLastIndex(({ role }) => role === "assistant") + 1;
      const history = messages.contentsOf(view.slice(0, pendingFrom));
      const chat = { getHistory: () => history, getLastPromptTokenCount: () => lastPromptTokens };
      const { newHistory, info } = await service.compress(chat, "replay", false, GEMINI_MODEL, config, hasFailed);
      if (info.compressionStatus === INFLATED) hasFailed = true;
      if (newHistory === null || ![COMPRESSED, CONTENT_TRUNCATED].includes(info.compressionStatus)) return view;
      lastPromptTokens = module.estimateTokenCountSync(newHistory.flatMap(({ parts }) => parts));
      return [...messages.oursOf(newHistory, nowMs), ...view.slice(pendingFrom)];
    },
  };
}
