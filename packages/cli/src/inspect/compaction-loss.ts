import process from "node:process";
import { formatCount, formatNumberOf, formatTokens, formatUsd, type recordedFigures, typedWords } from "@plimsoll/bench/extend";
import { beginningOf, shortened, wrapped } from "@plimsoll/bench/terminal";
import { type CompactionEntry, createKeyRedactor, type Message, textOf, toolCallsOf } from "@plimsoll/core";
import { coverageOf } from "@plimsoll/core/extend";
import type { compactionLoss } from "@plimsoll/providers/proxy";

/** The parts that a compaction took out of the context. */
export type CompactionLoss = ReturnType<typeof compactionLoss>;

/** The wait, the price and the needed passages of one compaction. */
type RecordedCompaction =
  Awaited<ReturnType<typeof recordedFigures>>["compactions"] extends ReadonlyMap<string, infer Each> ? Each : never;

/** Says which edits were made, like ones counted together. */
export function editWords(edits: CompactionEntry["edits"]): readonly string[] {
  const cleared = edits.filter((edit) => edit.kind === "replace-part");
  const others = edits.flatMap((edit): string[] => {
    switch (edit.kind) {
      case "replace-spans":
        return [spansWords(edit)];
      case "replace-history":
        return [
          `${formatNumberOf(edit.covered.messages, "message")} removed; ${formatNumberOf(edit.messages.length, "message")} replaced them`,
        ];
      case "replace-part":
        return [];
      default:
        return edit satisfies never;
    }
  });
  const removedChars = cleared.reduce((sum, edit) => sum + edit.removedChars, 0);
  return cleared.length === 0
    ? others
    : [`shortened ${formatNumberOf(cleared.length, "part")} (${formatCount(removedChars)} characters fewer)`, ...others];
}

function spansWords({
  by,
  message,
  covered,
}: Extract<CompactionEntry["edits"][number], { readonly kind: "replace-spans" }>): string {
  const what = `${formatNumberOf(covered.messages, "message")} (${formatCount(covered.chars)} characters)`;
  const isWritten = message !== null && by !== "notice";
  return isWritten ? `summarised ${what} as ${formatCount(coverageOf([message]).chars)}` : `dropped ${what}`;
}

/** Kinds of losses that are listed; the rest is counted. Chosen. */
const KINDS_LISTED = 4;
const MESSAGES_LISTED = 3;
const PATHS_LISTED = 4;
const LISTED_CHARS = 60;

/** Shows the losses of a compaction, as lines of 80 columns. Tokens are estimates. */
export function lossText(
  { kinds, humanMessages, paths }: CompactionLoss,
  starts: { readonly first: string; readonly further: string },
): readonly string[] {
  const folder = sharedFolder(paths.slice(0, PATHS_LISTED));
  const pathTexts = paths.map((path) => shortened(path.startsWith(folder) ? path.slice(folder.length) : path, LISTED_CHARS));
  const further = humanMessages.length - MESSAGES_LISTED;
  return [
    ...(kinds.length === 0 ? [] : wrapped(`no longer sent: ${kindsText(kinds)}`, starts)),
    ...(paths.length === 0
      ? []
      : wrapped(
          `files the removed calls read or changed${folder === "" ? "" : `, below ${shortened(folder, LISTED_CHARS)}`}: ${listed(pathTexts, PATHS_LISTED)}`,
          starts,
        )),
    ...(humanMessages.length === 0 ? [] : [`${starts.first}the summary replaced ${humanMessages.length} of your messages:`]),
    ...humanMessages
      .slice(0, MESSAGES_LISTED)
      .map((message) => `${starts.further}${beginningOf(titleOf(message), LISTED_CHARS)}`),
    ...(further > 0 ? [`${starts.further}and ${further} more`] : []),
  ];
}

/** The folder that several paths begin with, with its slash; empty for none. */
function sharedFolder([first = "", ...others]: readonly string[]): string {
  const names = first.split("/").slice(0, others.length === 0 ? 0 : -1);
  const different = names.findIndex((_, at) => others.some((path) => path.split("/")[at] !== names[at]));
  const folder = names.slice(0, different < 0 ? names.length : different).join("/");
  return folder === "" ? "" : `${folder}/`;
}

/** The wait for a compaction and its price at list prices, as one line; none if neither is known. No summary was paid if a digest wrote it. */
export function costWords(
  figures: RecordedCompaction | undefined,
  { entry }: { readonly entry: CompactionEntry },
): readonly string[] {
  const isPaid = !entry.record.steps.some(({ strategy }) => strategy === "digest");
  const { waitMs = null, spend = null } = figures ?? {};
  const words = [
    ...(waitMs === null || waitMs < MS_PER_SECOND ? [] : [`${Math.round(waitMs / MS_PER_SECOND)} s of waiting`]),
    ...(spend === null || spend.summaryUsd === 0 || !isPaid ? [] : [`about $${formatUsd(spend.summaryUsd)} for the summary`]),
    ...(spend === null || spend.lostCacheUsd === 0 ? [] : [`$${formatUsd(spend.lostCacheUsd)} for the lost prompt cache`]),
  ];
  return words.length === 0 ? [] : [words.join("; ")];
}

const MS_PER_SECOND = 1_000;

/** Counts the removed lines that the agent read again. */
export function neededWords({ neededLater }: RecordedCompaction): string {
  if (neededLater === 0) return "the agent read no removed line again";
  return `the agent read ${formatNumberOf(neededLater, "removed line")} again (results of later calls repeat them)`;
}

/** Such a line, with the number of lines that differ from it in numbers only. */
export const neededLine = ({ text, lines }: RecordedCompaction["examples"][number]): string =>
  lines === 1 ? text : `${text} (and ${lines - 1} like it)`;

/** Shows those lines, by the call that read each again. */
export function neededText(
  figures: RecordedCompaction | undefined,
  starts: { readonly first: string; readonly further: string },
): readonly string[] {
  if (figures === undefined) return [];
  const shown = figures.examples.slice(0, MESSAGES_LISTED);
  const rest = figures.neededLater - shown.length;
  return [
    ...wrapped(`${neededWords(figures)}${figures.neededLater === 0 ? "" : ":"}`, starts),
    ...shown.map(
      ({ call, text, ...of }) =>
        `${starts.further}call ${call}: ${neededLine({ ...of, call, text: beginningOf(text, LISTED_CHARS) })}`,
    ),
    ...(rest > 0 ? [`${starts.further}and ${rest} more (--html or --json FILE: up to 200)`] : []),
  ];
}

/** Names kinds of content with their parts and tokens, the first few of them. */
export function kindsText(kinds: CompactionLoss["kinds"]): string {
  const named = kinds.map(({ what, parts, tokens }) => `${shortened(what, LISTED_CHARS)} ${parts} (${formatTokens(tokens)})`);
  return listed(named, KINDS_LISTED);
}

function listed(items: readonly string[], most: number): string {
  return `${items.slice(0, most).join(", ")}${items.length > most ? ` and ${items.length - most} more` : ""}`;
}

/** The texts of a message, its calls included. */
export function textsOf(message: Message): readonly string[] {
  const calls = toolCallsOf(message).map(({ toolName, argumentsJson }) => `${toolName} ${argumentsJson}`);
  return [textOf(message), ...calls].filter((each) => each !== "");
}

/** The first line of a message that says something, without keys. */
export function titleOf(message: Message): string {
  return createKeyRedactor(process.env)(typedWords(textOf(message)).trim().split("\n", 1)[0] ?? "", "report");
}
