import { basename } from "node:path";
import type { Transcript } from "@plimsoll/bench";
import { formatNumberOf, formatTokens, groupNotes } from "@plimsoll/bench/extend";
import { beginningOf, printable, shortened, wrapped } from "@plimsoll/bench/terminal";
import { type Context, createDigest, createSession, NONE_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
import { contextTable, type ShareMeasure } from "../chat/context-table.ts";
import { editWords, lossText } from "./compaction-loss.ts";
import { contextPlot } from "./context-plot.ts";
import { sessionFacts } from "./session-facts.ts";
import {
  type CompactionStory,
  type SessionStory,
  type StoryLine,
  sessionStory,
  totalOf,
  type WorkStory,
} from "./session-story.ts";

const NAME_CHARS = 78;

/** The context that a log ends with, and how to measure it: reports of the log say how many tokens its texts have. */
export function contextAtEnd(
  entries: Transcript["entries"],
  { calls }: Pick<SessionStory, "calls">,
): { readonly context: Context; readonly by: ShareMeasure } {
  const policy = { ...NONE_POLICY, estimator: PLIMSOLL_POLICY.estimator };
  const session = createSession({ policy, summarizer: createDigest(), entries });
  const { basis: estimator, expectedTokens: usedTokens, overheadTokens } = session.predict();
  const isReported = calls.some(({ promptTokens }) => promptTokens !== null);
  const expected = isReported ? { expected: { estimator, usedTokens, overheadTokens } } : {};
  return { context: session.context(), by: { policy: PLIMSOLL_POLICY, ...expected } };
}

/** One session as text of 80 columns, with a table of so many. */
export function inspectText(transcript: Transcript, columns: number): string {
  const { name, format, entries } = transcript;
  const story = sessionStory(entries);
  const { context, by } = contextAtEnd(entries, story);
  const facts = sessionFacts(transcript, story).map((fact) => `${fact.name}: ${fact.value}`);
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
    ...story.lines.flatMap((line) => storyText(line, story.calls)),
    "",
    "The context at the end:",
    contextTable(context, by, columns),
    ...noteLines(transcript),
    "",
  ].join("\n");
}

/** Sessions as data: the facts by their names, the compactions, each kind of note with its count, and what was not read by its names. */
export function inspectJson(transcripts: readonly Transcript[]): { readonly sessions: readonly object[] } {
  const sessions = transcripts.map((transcript) => {
    const { name, file, format, notes } = transcript;
    const story = sessionStory(transcript.entries);
    const facts = sessionFacts(transcript, story).map((fact) => [fact.name, fact.value]);
    const compactions = story.compactions.map((each) => compactionHead(each, story.calls));
    const groups = groupNotes(notes.map((note) => ({ file, ...note })));
    const unread = notes.flatMap((note) => note.unread ?? []);
    return { name, format, facts: Object.fromEntries(facts), compactions, notes: groups, unread };
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

function storyText(line: StoryLine, calls: SessionStory["calls"]): readonly string[] {
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
      return compactionText(line.story, calls);
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

function compactionText(story: CompactionStory, calls: SessionStory["calls"]): readonly string[] {
  const body = { first: "      ", further: "        " };
  return [
    ...wrapped(`◆ ${compactionHead(story, calls)}`, { first: "  ", further: "    " }),
    ...editWords(story.entry.edits).flatMap((words) => wrapped(words, body)),
    ...lossText(story.loss, body),
  ];
}

/** Reason, policy, strategies and sizes of a compaction. */
export function compactionHead(story: CompactionStory, calls: SessionStory["calls"]): string {
  const { reason, policy, steps } = story.entry.record;
  const strategies = steps.filter(({ outcome }) => outcome === "applied").map(({ strategy }) => printable(strategy));
  const by = strategies.length === 0 ? "" : ` by ${strategies.join(" and ")}`;
  const undone = story.isReverted ? ", undone later" : "";
  const who = policy === reason ? "" : `, ${printable(policy)}`;
  return `compaction (${reason}${who}${by}${undone}): ${compactionSizes(story, calls)}, ${story.messagesBefore} → ${story.messagesAfter} messages`;
}

/** The prompt before a compaction and that of the next call, as the log has them; otherwise estimates of the log's content. */
export function compactionSizes(story: CompactionStory, calls: SessionStory["calls"]): string {
  const before = story.entry.record.tokensBefore ?? calls[story.callsBefore - 1]?.promptTokens ?? null;
  const after = calls[story.callsBefore]?.promptTokens ?? null;
  if (before !== null && after !== null) return `${formatTokens(before)} → ${formatTokens(after)} tokens`;
  return `about ${formatTokens(story.tokensBefore)} → ${formatTokens(story.tokensAfter)} tokens`;
}
