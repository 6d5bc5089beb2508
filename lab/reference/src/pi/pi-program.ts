import type { Program, ProgramMoment, ProgramRun, ProgramSetting } from "@plimsoll/bench";
import type { Message } from "@plimsoll/core";
import { called, type PublishedCode } from "../packages.ts";
import { PI_MODEL_NAMES } from "./pi-messages.ts";
import {
  loadPi,
  type PiMessage,
  type PiPreparation,
  type PiReply,
  type PiStream,
  piUsage,
  registerOldApi,
} from "./pi-module.ts";
import { createPiSession, type PiSession } from "./pi-session.ts";

/** pi cuts results in a request for a summary to so many characters (serializeConversation). */
const RESULT_CAP_CHARS = 2000;

/** A published pi as a program: its own session code decides, cuts and writes; the stand-in answers for its model. */
export function piProgram({ name, likeness, package: published, address }: PublishedCode): Program {
  return {
    name,
    likeness,
    runs: called(published),
    maxRecoveries: 1,
    resultCapChars: RESULT_CAP_CHARS,
    start: (setting) => startPi(address, setting),
  };
}

async function startPi(address: string, setting: ProgramSetting): Promise<ProgramRun> {
  const module = await loadPi(address);
  const requests: (readonly Message[])[] = [];
  const summaries = new Map<string, Message>();
  const answer = () => streamOf(setting.summarize({ messages: requests.shift() ?? [], maxTokens: 13_107, form: "serialised" }));
  const session: PiSession = createPiSession({
    module,
    contextWindowTokens: setting.limits.contextWindowTokens ?? 0,
    answer,
    onPreparation: (preparation) => {
      requests.splice(0, requests.length, ...partsOf(preparation, session, summaries));
      return true;
    },
  });
  await registerOldApi(address, PI_MODEL_NAMES.api, answer).catch(() => undefined);
  const seen = new Set<Message>();
  let used: ProgramMoment["reported"] = null;
  return {
    at: async (moment) => {
      for (const message of moment.messages) {
        if (seen.has(message)) continue;
        seen.add(message);
        const isAnswer = message.role === "assistant" && moment.reported !== used;
        session.append(message, isAnswer ? moment.reported : null);
        if (isAnswer) used = moment.reported;
      }
      const before = session.store.getBranch().length;
      await decide(session, moment);
      if (session.store.getBranch().length === before) return moment.messages;
      return session.store.buildSessionContext().messages.flatMap((message) => {
        const our = session.ourOf(message) ?? summaryOf(message, summaries, module.convertToLlm([message]), moment.nowMs);
        seen.add(our);
        return [our];
      });
    },
  };
}

/** Where the program looks at its size: the older scope at the end of a run alone, the newer one before each step of it as well. */
async function decide({ methods, lastReply, overflowReply }: PiSession, { gate, messages }: ProgramMoment): Promise<void> {
  const reply = lastReply();
  if (gate === "on-overflow") await methods._checkCompaction(overflowReply());
  else if (gate === "before-submit" && reply !== null) await methods._checkCompaction(reply, false);
  else if (gate === "before-step" && messages.at(-1)?.role === "tool-result")
    await methods._compactBeforeNextAssistantResponse?.({});
}

/** The subjects of the program's requests for summaries, in the order in which it makes them. */
function partsOf(
  { messagesToSummarize, turnPrefixMessages, isSplitTurn, previousSummary }: PiPreparation,
  session: PiSession,
  summaries: ReadonlyMap<string, Message>,
): readonly (readonly Message[])[] {
  const ours = (messages: readonly PiMessage[]) => messages.flatMap((message) => session.ourOf(message) ?? []);
  const earlier = previousSummary === undefined ? [] : [summaries.get(previousSummary) ?? []].flat();
  const history = messagesToSummarize.length > 0 || !isSplitTurn ? [[...earlier, ...ours(messagesToSummarize)]] : [];
  return [...history, ...(isSplitTurn && turnPrefixMessages.length > 0 ? [ours(turnPrefixMessages)] : [])];
}

/** The program's summary with its framing as a message of ours, the same one as long as the program has it. */
function summaryOf(
  message: PiMessage,
  summaries: Map<string, Message>,
  shown: readonly PiMessage[],
  nowMs: number | null,
): Message {
  const key = String(message.summary ?? "");
  const known = summaries.get(key);
  if (known !== undefined) return known;
  const text = shown.map(({ content }) => textOfContent(content)).join("\n");
  const made: Message = {
    role: "user",
    id: `pi-summary-${summaries.size}`,
    origin: "summary",
    parts: [{ type: "text", text }],
    atMs: nowMs,
  };
  summaries.set(key, made);
  return made;
}

function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks: readonly { readonly text?: unknown }[] = Array.isArray(content) ? content : [];
  return blocks.map(({ text }) => String(text ?? "")).join("");
}

function streamOf(text: Promise<string>): PiStream {
  const reply: Promise<PiReply> = text.then((written) => ({
    role: "assistant",
    content: [{ type: "text", text: written }],
    ...PI_MODEL_NAMES,
    stopReason: "stop",
    usage: piUsage(0, 0),
    timestamp: 0,
  }));
  return { result: () => reply };
}
