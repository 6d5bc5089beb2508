import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { charClass, createWorkCounter } from "@plimsoll/core/build";
import { pruneMessages } from "ai";
import type { Comparison } from "./comparison.ts";
import { aiSdkMessages, langChainMessages, messagesOf } from "./library-messages.ts";
import {
  approximateTokens,
  CLEAR_POLICY,
  clearedByPlimsoll,
  KEPT_RESULTS,
  trimmedByLangChain,
  trimmedByPlimsoll,
} from "./library-tasks.ts";
import { longSession } from "./long-session.ts";
import { planningTask } from "./planning.ts";
import { quietSession } from "./quiet-gate.ts";

const LONG = 1000;
/** Two lengths that differ by two: `trimMessages` recounts what is left for every message that it leaves out. */
const TRIMMED = { short: 100, long: 200 } as const;

const TRIM_UNLIKE =
  "trimMessages copies every message and keeps no log; ours folds the log, keeps pairs whole, checks the result";

/** Published libraries that shorten histories in Node, LangChain and the AI SDK, on the same messages with the same target. */
export async function libraryComparisons(): Promise<readonly Comparison[]> {
  return [...counting(), ...(await trimming()), ...clearing()];
}

function counting(): readonly Comparison[] {
  const messages = messagesOf(LONG);
  const theirs = langChainMessages(messages);
  const { signal } = new AbortController();
  const quiet = quietSession(PLIMSOLL_POLICY, { messageCount: LONG });
  const gate = () => quiet.manager.fit(quiet.input, signal);
  return [
    {
      slow: `getBufferString of ${LONG} messages, its length / 4`,
      fast: "char-class, as at first sight",
      runSlow: () => approximateTokens(theirs),
      runFast: () => {
        const measure = charClass(createWorkCounter());
        for (const message of messages) measure.messageTokens(message);
      },
      unlike: "the one divides a length, the other reads every character",
    },
    {
      slow: `trimMessages where all of ${LONG} messages fit`,
      fast: "a quiet gate at as many messages",
      runSlow: () => trimmedByLangChain(theirs, Number.MAX_SAFE_INTEGER),
      runFast: gate,
      unlike: "trimMessages counts everything at every call; a session knows what it has counted",
    },
  ];
}

async function trimming(): Promise<readonly Comparison[]> {
  const sizes = [TRIMMED.short, TRIMMED.long].map((messageCount) => {
    const theirs = langChainMessages(messagesOf(messageCount));
    const targetTokens = approximateTokens(theirs) / 2;
    const entries = longSession(messageCount);
    return {
      langChain: () => trimmedByLangChain(theirs, targetTokens),
      plimsoll: () => trimmedByPlimsoll(entries, targetTokens),
    };
  });
  const [short, long] = sizes;
  if (short === undefined || long === undefined) throw new Error("two sizes are compared");
  return [
    {
      slow: `trimMessages of ${TRIMMED.long} messages to half`,
      fast: "drop-oldest to half, session opened for it",
      runSlow: long.langChain,
      runFast: long.plimsoll,
      unlike: TRIM_UNLIKE,
    },
    {
      slow: `trimMessages of ${TRIMMED.long} messages to half`,
      fast: `of ${TRIMMED.short}`,
      runSlow: long.langChain,
      runFast: short.langChain,
      unlike: null,
    },
    {
      slow: `drop-oldest of ${TRIMMED.long} messages to half, session opened for it`,
      fast: `of ${TRIMMED.short}`,
      runSlow: long.plimsoll,
      runFast: short.plimsoll,
      unlike: null,
    },
  ];
}

function clearing(): readonly Comparison[] {
  const theirs = aiSdkMessages(messagesOf(LONG));
  const entries = longSession(LONG);
  const { plan } = planningTask(CLEAR_POLICY, LONG);
  const prune = () => pruneMessages({ messages: theirs, toolCalls: `before-last-${2 * KEPT_RESULTS}-messages` });
  return [
    {
      slow: `planning to clear old results of ${LONG} messages`,
      fast: "pruneMessages",
      runSlow: plan,
      runFast: prune,
      unlike:
        "pruneMessages counts nothing and takes calls and results away; ours prices what it saves and writes stubs with handles",
    },
    {
      slow: `the same, session opened for it`,
      fast: "pruneMessages",
      runSlow: () => clearedByPlimsoll(entries),
      runFast: prune,
      unlike: "the session is folded, every message is priced once, and the result is checked",
    },
  ];
}
