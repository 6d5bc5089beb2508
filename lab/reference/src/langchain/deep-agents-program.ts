import type { Program, ProgramMoment, ProgramSetting } from "@plimsoll/bench";
import type { Message } from "@plimsoll/core";
import { called, type PublishedCode } from "../packages.ts";
import { createLangChainMessages } from "./langchain-messages.ts";
import { type LangChainMessage, type LangChainMiddleware, type LangChainRequest, loadDeepAgents } from "./langchain-module.ts";
import { createSummaryModel, HISTORY_ALONE } from "./summary-model.ts";

/** A rejected request is answered by a summary, and a rejected summary by one of all that is left. */
const MAX_RECOVERIES = 2;
/** The program counts system text and tools at four characters a token: a text of that length stands for them. */
const CHARS_PER_TOKEN = 4;
/** Names the file of the history, which is written nowhere here. */
const SESSION_ID = "session_00000000";
const NO_FILES = { write: () => Promise.resolve({}), edit: () => Promise.resolve({}), read: () => Promise.resolve({}) };

/** Deep Agents' summarization middleware with its defaults, around each call. */
export function deepAgentsProgram({ name, likeness, package: published, address }: PublishedCode): Program {
  return {
    name,
    likeness,
    runs: called(published),
    maxRecoveries: MAX_RECOVERIES,
    resultCapChars: null,
    start: (setting) => startDeepAgents(address, setting),
  };
}

async function startDeepAgents(address: string, setting: ProgramSetting) {
  const module = await loadDeepAgents(address);
  const messages = createLangChainMessages(module);
  const all: LangChainMessage[] = [];
  const seen = new Set<Message>();
  const asked: { now: readonly LangChainMessage[] } = { now: [] };
  const model = createSummaryModel({
    setting,
    core: module,
    template: HISTORY_ALONE.deepAgents,
    messages,
    asked: () => asked.now,
  });
  const middleware = module.createSummarizationMiddleware({
    model,
    backend: NO_FILES,
    summaryPrompt: HISTORY_ALONE.deepAgents,
  });
  const systemMessage = new module.SystemMessage({ content: "x".repeat(CHARS_PER_TOKEN * setting.overheadTokens) });
  let state: Readonly<Record<string, unknown>> = { _summarizationSessionId: SESSION_ID };
  let call: WrappedCall | null = null;
  let used: ProgramMoment["reported"] = null;
  const rejection = () => new module.ContextOverflowError("prompt is too long");
  return {
    at: async ({ gate, messages: view, reported, nowMs }: ProgramMoment) => {
      if (gate === "before-submit" || gate === "after-tool-batch") return view;
      if (gate === "before-step") {
        for (const message of view.filter((each) => !seen.has(each))) {
          seen.add(message);
          all.push(messages.of(message));
        }
        // Without a new report the call before was lost.
        if (reported === used) await call?.rejected(rejection());
        else state = { ...state, ...(await call?.answered()) };
        used = reported;
        asked.now = [...summaryIn(state), ...all];
        call = wrappedCall(middleware, { messages: [...all], state, model, systemMessage, tools: [] });
      }
      const sent = gate === "before-step" ? await call?.sent() : await call?.rejected(rejection());
      const ours = (sent ?? []).map((message) => messages.oursOf(message, nowMs));
      for (const message of ours) seen.add(message);
      return sent === null || sent === undefined ? view : ours;
    },
  };
}

/** The summary that stands for what is older, if there is one. */
function summaryIn({ _summarizationEvent: event }: Readonly<Record<string, unknown>>): readonly LangChainMessage[] {
  const { summaryMessage }: { readonly summaryMessage?: LangChainMessage } =
    typeof event === "object" && event !== null ? event : {};
  return summaryMessage === undefined ? [] : [summaryMessage];
}

/** A call in the middleware's hands, which waits for the provider's answer where the replay does. */
interface WrappedCall {
  /** The messages that it sends; `null` if it gave up. */
  sent(): Promise<readonly LangChainMessage[] | null>;
  /** The provider took it: what the middleware then writes into the agent's state. */
  answered(): Promise<Readonly<Record<string, unknown>>>;
  /** The provider rejected it: what the middleware sends instead, or `null`. */
  rejected(error: Error): Promise<readonly LangChainMessage[] | null>;
}

interface Attempt {
  readonly messages: readonly LangChainMessage[];
  readonly answer: (reply: unknown) => void;
  readonly reject: (error: Error) => void;
}

function wrappedCall({ wrapModelCall }: LangChainMiddleware, request: LangChainRequest): WrappedCall {
  let onAttempt: (attempt: Attempt | null) => void = () => undefined;
  let last: Attempt | null = null;
  const next = () =>
    new Promise<readonly LangChainMessage[] | null>((resolve) => {
      onAttempt = (attempt) => {
        last = attempt;
        resolve(attempt?.messages ?? null);
      };
    });
  const first = next();
  const done = Promise.resolve(
    wrapModelCall?.(
      request,
      ({ messages }) =>
        new Promise((answer, reject) => {
          onAttempt({ messages, answer, reject });
        }),
    ),
  );
  // A call that failed sends nothing more.
  done.then(
    () => onAttempt(null),
    () => onAttempt(null),
  );
  return {
    sent: () => first,
    answered: async () => {
      last?.answer({});
      return updateOf(await done.catch(() => null));
    },
    rejected: async (error) => {
      const attempt = next();
      last?.reject(error);
      return await attempt;
    },
  };
}

/** The state that a command writes; nothing for a plain reply. */
function updateOf(result: unknown): Readonly<Record<string, unknown>> {
  const { update }: { readonly update?: object } = typeof result === "object" && result !== null ? result : {};
  return { ...update };
}
