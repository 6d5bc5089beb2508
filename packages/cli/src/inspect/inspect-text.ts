import { basename } from "node:path";
import type { Transcript } from "@plimsoll/bench";
import { formatCount, formatNumberOf, formatTokens, groupNotes } from "@plimsoll/bench/extend";
import { beginningOf, printable, shortened, wrapped } from "@plimsoll/bench/terminal";
import { type Context, createDigest, createSession, NONE_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
import { contextTable, type ShareMeasure } from "../chat/context-table.ts";
import { costWords, editWords, lossText, neededText, neededWords } from "./compaction-loss.ts";
import { contextPlot } from "./context-plot.ts";
import { type InspectedSession, sessionFacts } from "./session-facts.ts";
import { type CompactionStory, type SessionStory, type StoryLine, totalOf, type WorkStory } from "./session-story.ts";

const NAME_CHARS = 78;

/** The context that a log ends with, and how to measure it: reports of the log say how many tokens its texts have. */
export function contextAtEnd(inspected: InspectedSession): { readonly context: Context; readonly by: ShareMeasure } {
  const { entries } = inspected.transcript;
  const { calls, compactions } = inspected.story;
  const newest = compactions.findLast(({ isReverted }) => !isReverted);
  const policy = { ...NONE_POLICY, estimator: PLIMSOLL_POLICY.estimator };
  const session = createSession({ policy, summarizer: createDigest(), entries });
  const { basis: estimator, expectedTokens: usedTokens, overheadTokens } = session.predict();
  const isReported = calls.some(({ promptTokens }) => promptTokens !== null);
  const expected = isReported ? { expected: { estimator, usedTokens, overheadTokens } } : {};
  const hasFilesBack = newest !== undefined && isPutBack(newest, inspected);
  return { context: session.context(), by: { policy: PLIMSOLL_POLICY, ...expected, hasFilesBack } };
}

/** One session as text of 80 columns, with a table of so many. Compactions before the newest are one sentence each unless all are asked for. */
export function inspectText(session: InspectedSession, columns: number, isFull: boolean): string {
  const { transcript, story } = session;
  const older = isFull ? [] : story.compactions.slice(0, -1);
  const { name, format } = transcript;
  const { context, by } = contextAtEnd(session);
  const facts = sessionFacts(session).map((fact) => `${fact.name}: ${fact.value}`);
  const sizes = story.calls.map(({ promptTokens, composition }) => promptTokens ?? totalOf(composition));
  const plot = contextPlot({ sizes, compactedBefore: story.compactions.map(({ callsBefore }) => callsBefore) });
  const measured = story.calls.every(({ promptTokens }) => promptTokens !== null)
    ? "as reported"
    : "estimated where not reported";
  return [
    shortened(basename(name), NAME_CHARS),
    ...wrapped([`${format} log`, ...facts].join(" · ")),
    ...(plot.length === 0 ? [] : ["", `Tokens of each prompt, ${measured}; ◆ compaction:`, ...plot]),
    "",
    ...story.lines.flatMap((line) =>
      line.kind === "compaction" && older.includes(line.story) ? foldedLines(line.story, session) : storyText(line, session),
    ),
    ...(older.length === 0 ? [] : ["", "--full shows the losses of each compaction."]),
    "",
    "The context at the end:",
    contextTable(context, by, columns),
    ...noteLines(transcript),
    "",
  ].join("\n");
}

/** Sessions as data: facts in words and as figures, compactions, each kind of note with its count, and what was not read by its names. */
export function inspectJson(inspected: readonly InspectedSession[]): { readonly sessions: readonly object[] } {
  const sessions = inspected.map((session) => {
    const { transcript, story, recorded } = session;
    const { name, file, format, notes } = transcript;
    const facts = sessionFacts(session);
    const compactions = story.compactions.map((each) => {
      const { entry, callsBefore, messagesBefore, messagesAfter, isReverted: isUndone } = each;
      const { reason, policy } = entry.record;
      const figures = { callsBefore, ...sizesOf(each, story), messagesBefore, messagesAfter, isUndone };
      const cost = { ...recorded.compactions.get(entry.id), isPutBack: isPutBack(each, session) };
      return { text: compactionHead(each, session), id: entry.id, reason, policy, ...figures, ...cost };
    });
    return {
      ...{ name, format, facts: Object.fromEntries(facts.map((fact) => [fact.name, fact.value])) },
      figures: Object.assign({}, ...facts.map(({ figures }) => figures)),
      compactions,
      notes: groupNotes(notes.map((note) => ({ file, ...note }))),
      unread: notes.flatMap((note) => note.unread ?? []),
    };
  });
  return { sessions };
}

function noteLines({ file, notes }: Transcript): readonly string[] {
  return groupNotes(notes.map((note) => ({ file, ...note }))).flatMap(({ count, text }) =>
    wrapped(`Note: ${printable(text)}${count === 1 ? "" : ` (the first of ${count})`}`, { further: "  " }),
  );
}

const TITLE_CHARS = 76;
const LISTED_CHARS = 60;

function storyText(line: StoryLine, session: InspectedSession): readonly string[] {
  switch (line.kind) {
    case "turn":
      return [`› ${beginningOf(line.title, TITLE_CHARS)}`];
    case "work":
      return wrapped(workText(line.work), { first: "    ", further: "      " });
    case "model":
      return [`    model ${shortened(line.modelId, TITLE_CHARS)}`];
    case "revert":
      return ["  ◇ the newest compaction was undone"];
    case "rolled-back":
      return [`  ◇ ${formatNumberOf(line.messages, "message")} taken back by the person`];
    case "compaction":
      return compactionText(line.story, session);
    default:
      return line satisfies never;
  }
}

/** Sums up work in words: calls, results, failures, size. */
export function workText({ calls, results, failures, promptTokens }: WorkStory): string {
  const tools = results.map(({ toolName, count }) => `${shortened(toolName, LISTED_CHARS)} ${count}`);
  const pieces = [
    formatNumberOf(calls, "call"),
    tools.length === 0 ? "no tools" : tools.join(", "),
    ...(failures === 0 ? [] : [`${failures} failed`]),
    ...(promptTokens === null ? [] : [`last prompt ${formatTokens(promptTokens)}`]),
  ];
  return pieces.join("; ");
}

function headLines(story: CompactionStory, session: InspectedSession): readonly string[] {
  return wrapped(`◆ ${compactionHead(story, session)}`, { first: "  ", further: "    " });
}

/** An older compaction: its head, the wait, and the removed lines that the agent read again, if there are any. */
function foldedLines(story: CompactionStory, session: InspectedSession): readonly string[] {
  const figures = session.recorded.compactions.get(story.entry.id);
  const needed = figures === undefined || figures.neededLater === 0 ? [] : [neededWords(figures)];
  const words = [...costWords(figures, story), ...needed].join("; ");
  return [...headLines(story, session), ...(words === "" ? [] : wrapped(words, BODY))];
}

const BODY = { first: "      ", further: "        " };

function compactionText(story: CompactionStory, session: InspectedSession): readonly string[] {
  const figures = session.recorded.compactions.get(story.entry.id);
  return [
    ...headLines(story, session),
    ...editWords(story.entry.edits.filter(({ kind }) => kind !== "replace-history")).flatMap((words) => wrapped(words, BODY)),
    ...costWords(figures, story).flatMap((words) => wrapped(words, BODY)),
    ...lossText(story.loss, BODY),
    ...neededText(figures, BODY),
    ...(isPutBack(story, session) ? wrapped(PUT_BACK, BODY) : []),
  ];
}

/** Said of a compaction behind which the agent sent files that the log does not hold there. */
export const PUT_BACK =
  "the agent attached recently used files again; the log does not show them, so these losses are upper bounds";

/** True if the agent attached files again behind a compaction, without logging it. */
export function isPutBack({ entry }: CompactionStory, { transcript }: InspectedSession): boolean {
  return transcript.putBack?.some(({ compactionId }) => compactionId === entry.id) === true;
}

/** Reason, policy, strategies and sizes of a compaction. */
export function compactionHead(story: CompactionStory, { story: session, recorded }: InspectedSession): string {
  const { reason, policy, steps, tokensBefore } = story.entry.record;
  const strategies = steps.filter(({ outcome }) => outcome === "applied").map(({ strategy }) => printable(strategy));
  const by = strategies.length === 0 ? "" : ` by ${strategies.join(" and ")}`;
  const undone = story.isReverted ? ", undone later" : "";
  const who = policy === reason ? "" : `, ${printable(policy)}`;
  const { trigger = null, spend = null } = recorded.compactions.get(story.entry.id) ?? {};
  const counted = reason === "recorded" && tokensBefore !== null ? formatTokens(tokensBefore) : "";
  const at = ["", formatTokens(sizesOf(story, session).tokensBefore)].includes(counted) ? "" : `; the log says ${counted}`;
  return `compaction (${reason === "recorded" && trigger !== null ? trigger : reason}${at}${who}${by}${undone}): ${compactionSizes(story, session)}, ${messagesWords(story, spend)}`;
}

type Spend = { readonly summaryUsd: number } | null;

function messagesWords({ gone, messagesBefore, loss: { newMessages } }: CompactionStory, spend: Spend): string {
  if (gone.length === 0) return newMessages.length === 0 ? "all messages stay, some shortened" : "all messages stay";
  const replaced = `${gone.length === messagesBefore ? "" : `${formatCount(gone.length)} of `}${formatNumberOf(messagesBefore, "message")}`;
  const isUnlogged = spend !== null && spend.summaryUsd > 0;
  if (newMessages.length === 0) return `${replaced} ${isUnlogged ? "became 1 summary, not in the log" : "removed"}`;
  const isSummary = newMessages.every((message) => message.role === "user" && message.origin === "summary");
  return `${replaced} became ${isSummary && newMessages.length === 1 ? "1 summary" : formatNumberOf(newMessages.length, "new message")}`;
}

/** The prompt before a compaction and that of the next call, as the log has them; otherwise estimates of the log's content. */
export function compactionSizes(story: CompactionStory, session: Pick<SessionStory, "calls" | "compactions">): string {
  const { tokensBefore, tokensAfter, isEstimated } = sizesOf(story, session);
  return `${isEstimated ? "about " : ""}${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)} tokens`;
}

type Sizes = { readonly tokensBefore: number; readonly tokensAfter: number; readonly isEstimated: boolean };

function sizesOf(story: CompactionStory, session: Pick<SessionStory, "calls" | "compactions">): Sizes {
  const { calls, compactions } = session;
  const { callsBefore, entry } = story;
  const { reason, ...record } = entry.record;
  // Compactions without a call between them begin where the one before ends; the next prompt has all of them before it.
  const same = compactions.filter((each) => each.callsBefore === callsBefore);
  const previous = same[same.indexOf(story) - 1];
  const first = { tokensAfter: calls[callsBefore - 1]?.promptTokens ?? null, isEstimated: false };
  const { tokensAfter: found, isEstimated } = previous === undefined ? first : sizesOf(previous, session);
  const sent = same.at(-1) === story ? (calls[callsBefore]?.promptTokens ?? null) : null;
  // An agent's own record counts the reply too, and prompts are shown elsewhere.
  const isOwn = reason === "recorded";
  const tokensBefore = isOwn ? (found ?? record.tokensBefore) : (record.tokensBefore ?? found);
  const tokensAfter = isOwn ? (sent ?? record.tokensAfter) : (record.tokensAfter ?? sent);
  if (tokensBefore !== null && tokensAfter !== null) return { tokensBefore, tokensAfter, isEstimated };
  const start = tokensBefore ?? Math.round(story.tokensBefore);
  const removed = Math.round(story.tokensBefore - story.tokensAfter);
  return { tokensBefore: start, tokensAfter: Math.max(0, start - removed), isEstimated: true };
}
