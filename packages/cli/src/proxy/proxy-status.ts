import { formatNumberOf, formatTokens, formatUsd } from "@plimsoll/bench/extend";
import { wrapped } from "@plimsoll/bench/terminal";
import { createDigest, createSession, isHuman, type Message, type Policy } from "@plimsoll/core";
import { budgetOf, triggerTokens } from "@plimsoll/core/extend";
import { isBoundReasoning, MODEL_CATALOG, modelCosts, modelPriors, promptUsd } from "@plimsoll/providers";
import type { ProxyCompaction } from "@plimsoll/providers/proxy";
import { textsOf, titleOf } from "../inspect/compaction-loss.ts";
import { type CompactionStory, sessionStory } from "../inspect/session-story.ts";
import { shownEntries } from "../inspect/shown-entries.ts";

type ProxyConversation = ReturnType<ProxyCompaction["conversations"]>[number];

/** Characters by which a person distinguishes conversations: 32 bits of a hash. Chosen. */
const ID_CHARS = 8;

/** The end of a log's id, which a person can type. */
export function shortId(sessionId: string): string {
  return sessionId.slice(-ID_CHARS);
}

/** Removed parts of a context, as a status shows them. */
export interface Went {
  /** Kinds with their parts and estimated tokens, the largest first. */
  readonly kinds: readonly { readonly what: string; readonly parts: number; readonly tokens: number }[];
  readonly paths: readonly string[];
  /** Beginnings of the person's own messages that are no longer sent as they were. */
  readonly yours: readonly string[];
}

/** One cut of a conversation. */
export interface CutStatus extends Went {
  readonly atMs: number | null;
  readonly reason: string;
  readonly isUndone: boolean;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly cost: string;
}

/** One conversation that the proxy holds. */
export interface ConversationStatus {
  readonly id: string;
  readonly title: string;
  readonly modelId: string | null;
  readonly state: ProxyConversation["state"];
  readonly askedMs: number;
  readonly usedTokens: number;
  /** The most that a prompt may hold; `null` for a window that is not known. */
  readonly budgetTokens: number | null;
  /** From how many tokens on the next cut is made; `null` if none is. */
  readonly nextCutTokens: number | null;
  readonly cuts: readonly CutStatus[];
}

/** The state of a running proxy, for a person. */
export interface ProxyStatus {
  readonly upstream: string;
  /** How many requests went on to it, and how many failed, in words. */
  readonly requests: string;
  readonly policy: string;
  readonly isPaused: boolean;
  readonly conversations: readonly ConversationStatus[];
  readonly limits: readonly string[];
  /** Conversations on the disk that no agent has gone on with since the start, a line each. */
  readonly stored: readonly string[];
}

/** Characters of a title, and rows of each list of removed parts: a screen holds them. Chosen. */
const TITLE_CHARS = 80;
const LISTED = 12;

/** A conversation as it is now. */
export function conversationStatus(conversation: ProxyConversation, policy: Policy): ConversationStatus {
  const { sessionId, modelId, state, askedMs, expectedTokens, limits } = conversation;
  const entries = shownEntries(conversation.entries);
  const first = entries.find((entry) => entry.type === "message" && isHuman(entry.message));
  const budget = policy.enabled ? budgetOf(limits) : null;
  const waitsForBudget = state === "undone";
  return {
    id: shortId(sessionId),
    title: first?.type === "message" ? beginning(titleOf(first.message)) : "",
    modelId,
    state,
    askedMs,
    usedTokens: Math.round(expectedTokens),
    budgetTokens: budget?.inputBudgetTokens ?? null,
    nextCutTokens:
      budget === null || state === "paused"
        ? null
        : Math.round(
            waitsForBudget
              ? budget.inputBudgetTokens
              : Math.min(budget.inputBudgetTokens, triggerTokens(policy.trigger, budget)),
          ),
    cuts: sessionStory(entries).compactions.map((story) => cutStatus(story, modelId)),
  };
}

function cutStatus(story: CompactionStory, modelId: string | null): CutStatus {
  const { entry, isReverted } = story;
  const { reason, tokensBefore, tokensAfter } = entry.record;
  return {
    atMs: entry.atMs,
    reason,
    isUndone: isReverted,
    tokensBefore: Math.round(tokensBefore ?? 0),
    tokensAfter: Math.round(tokensAfter ?? 0),
    cost: costWords(
      entry.edits.some((edit) => edit.kind === "replace-spans" && edit.usage !== null),
      tokensAfter ?? 0,
      modelId,
    ),
    ...went(story),
  };
}

function went({ loss: { kinds, paths, humanMessages } }: CompactionStory): Went {
  return {
    kinds: kinds.slice(0, LISTED),
    paths: paths.slice(-LISTED),
    yours: humanMessages.slice(-LISTED).map((message) => beginning(titleOf(message))),
  };
}

/** The price of a cut: the kept part is written to the prompt's cache anew, and a model may have written the summary. */
function costWords(isWritten: boolean, tokensAfter: number, modelId: string | null): string {
  const prices = modelId === null ? null : MODEL_CATALOG.pricesOf(modelId);
  const written = { readTokens: 0, writeTokens: tokensAfter, uncachedTokens: 0 };
  const rules = { ...MODEL_CATALOG.cacheRulesOf(modelId ?? ""), timeToLiveMs: 0 };
  const usd = prices === null ? "" : `, at most $${formatUsd(promptUsd(written, prices, rules))}`;
  return `${formatTokens(tokensAfter)} tokens read without the prompt cache once${usd}; ${isWritten ? "a model wrote the summary" : "no model was asked"}`;
}

/** A cut that was not made: the parts that it would take, and the model's view after it. */
export interface Preview extends Went {
  readonly id: string;
  readonly outcome: string;
  readonly messages: readonly { readonly who: string; readonly chars: number; readonly text: string }[];
}

/** Characters of a message that a preview shows; chosen. */
const SHOWN_CHARS = 2_000;

/** Tries the next cut on a copy of the log. Summaries are quotations here, under any policy. */
export async function previewOf(
  { sessionId, entries, limits }: ProxyConversation,
  policy: Policy,
  signal: AbortSignal,
): Promise<Preview> {
  const session = createSession({
    policy,
    summarizer: createDigest(),
    entries: shownEntries(entries),
    repairs: "none",
    modelPriors,
    modelCosts,
    isBoundReasoning,
  });
  const input = {
    gate: "before-submit",
    pending: [],
    model: limits,
    nowMs: null,
    now: { reason: "manual", keep: null },
  } as const;
  const outcome = await session.fit(input, signal);
  const made = session.entries();
  const newest = outcome.entry === undefined ? undefined : sessionStory(made).compactions.at(-1);
  const record = outcome.entry?.record ?? null;
  return {
    id: shortId(sessionId),
    outcome:
      record === null
        ? "A cut now would change nothing"
        : `${formatTokens(record.tokensBefore)} to ${formatTokens(record.tokensAfter)} tokens, ${formatNumberOf(record.messagesBefore, "message")} to ${record.messagesAfter}`,
    ...(newest === undefined ? { kinds: [], paths: [], yours: [] } : went(newest)),
    messages: session.context().messages.map((message) => {
      const text = textsOf(message).join("\n");
      return { who: whoSays(message), chars: text.length, text: text.slice(0, SHOWN_CHARS).toWellFormed() };
    }),
  };
}

function whoSays(message: Message): string {
  if (message.role === "tool-result") return `result of ${message.toolName}`;
  return message.role === "assistant" ? "model" : message.origin === "human" ? "you" : message.origin;
}

function beginning(text: string): string {
  return text.length <= TITLE_CHARS ? text.toWellFormed() : `${text.slice(0, TITLE_CHARS - 1).toWellFormed()}…`;
}

/** Says in words how full a conversation is. */
export function fullWords({ usedTokens, budgetTokens, nextCutTokens, state }: ConversationStatus): string {
  const of = budgetTokens === null ? "; the window is unknown" : ` of ${formatTokens(budgetTokens)}`;
  const next = nextCutTokens === null ? "" : `, next cut at ${formatTokens(nextCutTokens)}`;
  const why = state === "paused" ? ", cuts are paused" : state === "undone" ? " (the last cut was undone)" : "";
  return `${formatTokens(usedTokens)}${of} tokens${next}${why}`;
}

/** Describes a cut in words. */
export function cutWords({ reason, isUndone, tokensBefore, tokensAfter }: CutStatus): string {
  return `cut (${reason})${isUndone ? ", undone" : ""}: ${formatTokens(tokensBefore)} to ${formatTokens(tokensAfter)} tokens`;
}

/** Lists the removed parts, a line each; none if there are none. */
export function wentLines({ kinds, paths, yours }: Went): readonly string[] {
  return [
    ...kinds.map(({ what, parts, tokens }) => `no longer sent: ${what}, ${parts} (${formatTokens(tokens)} tokens)`),
    ...yours.map((text) => `your message, quoted or shortened: ${text}`),
    ...(paths.length === 0 ? [] : [`files of calls that went: ${paths.join(", ")}`]),
  ];
}

/** The status as lines for a terminal. */
export function statusLines({ upstream, requests, policy, isPaused, conversations, ...kept }: ProxyStatus): readonly string[] {
  return [
    `plimsoll proxy for ${upstream}, policy ${policy}${isPaused ? ", all cuts are paused" : ""}`,
    `${requests}; Ctrl-C or kill ${process.pid} ends it`,
    ...conversations.flatMap((each) => [
      `${each.id}  ${each.modelId ?? "no model named"}  ${fullWords(each)}  ${each.title}`,
      ...each.cuts.flatMap((cut) => [`  ${cutWords(cut)}; ${cut.cost}`, ...wentLines(cut).map((line) => `    ${line}`)]),
    ]),
    ...keptLines(kept),
  ].flatMap((line) => wrapped(line, { further: "      " }));
}

/** Kept conversations and learned limits as lines for a terminal. */
export function keptLines({ stored, limits }: Pick<ProxyStatus, "stored" | "limits">): readonly string[] {
  return [...stored.map((line) => `on the disk: ${line}`), ...limits.map((line) => `learned limit: ${line}`)];
}

/** Characters of each message that a preview shows on a terminal: the page has more. Chosen. */
const LINE_CHARS = 100;

/** A cut that was not made, as lines for a terminal. */
export function previewLines({ outcome, messages, ...gone }: Preview): readonly string[] {
  const sent = messages.map(
    ({ who, chars, text }) => `  ${who}, ${chars} characters: ${text.slice(0, LINE_CHARS).split(/\s+/).join(" ")}`,
  );
  return [outcome, ...wentLines(gone), "the model would then receive:", ...sent];
}
