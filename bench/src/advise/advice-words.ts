import type { SettingVerdict } from "../judge/settings.ts";
import type { Sureness } from "../judge/sureness.ts";
import { shortTokens } from "../judge/window-label.ts";
import {
  costMoreCell,
  formatCount,
  formatNumberOf,
  formatPercent,
  formatTokens,
  formatUsd,
  NOT_VISIBLE,
} from "../show/figures.ts";
import type { KnobValue } from "./agent-knobs.ts";
import type { SettingFigures } from "./choose-setting.ts";
import { type Decision, type Turning, windowName } from "./decide.ts";

type Values = ReadonlyMap<string, KnobValue | null>;

interface DecisionWords {
  readonly facts: readonly string[];
  readonly answers: readonly string[];
  /** The meaning of the names of tried settings, and a row for each; `null` if none was tried. */
  readonly settings: { readonly legend: string; readonly rows: readonly (readonly string[])[] } | null;
  readonly fills: readonly (readonly string[])[];
  /** Lines to paste into a file; `null` if there is nothing to change. */
  readonly paste: { readonly file: string; readonly lines: readonly string[] } | null;
}

/** Heads of the tables of tried settings and of the requests' content; the first is the name's. */
export const SETTING_HEADS = [
  "setting",
  "cost %",
  "cost more in",
  "kept %",
  "older %",
  "dollars",
  "too large",
  "largest loss",
] as const;
export const FILL_HEADS = ["contents of the requests", "tokens", "share", "cost"] as const;

/** Puts a decision into words. */
export function decisionWords(decision: Decision): DecisionWords {
  const { turning } = decision.agent;
  const rows = decision.choice?.rows ?? [];
  const { names, legend } = rowNames(decision);
  const best = pasteable(decision);
  return {
    facts: factSentences(decision),
    answers: answerSentences(decision),
    settings: rows.length === 0 ? null : { legend, rows: rows.map((row, place) => [names[place] ?? "", ...rowCells(row)]) },
    fills: shownFills(decision).map(fillCells),
    paste: best === null || turning === null ? null : { file: turning.settings.shown, lines: pasteLines(turning, best.values) },
  };
}

/** Settings without the keys that they lie under, as a line has no place for them. */
function shortValues(values: Values): string {
  return [...values].map(([path, value]) => `${path.split(".").at(-1)}${value === null ? " not set" : `=${value}`}`).join(" ");
}

/** Names the rows of a decision, with a legend: with one setting the rows are its values, with several each has its first word. */
function rowNames({ choice, agent }: Decision): { readonly names: readonly string[]; readonly legend: string } {
  const now = agent.turning?.values ?? new Map();
  const rows = choice?.rows ?? [];
  const paths = [...new Set([...now.keys(), ...rows.flatMap(({ values }) => [...values.keys()])])];
  const wordOf = (path: string) => /^[a-z]+/.exec(path.split(".").at(-1) ?? "")?.[0] ?? path;
  const shown = (value: KnobValue | null) => (typeof value === "number" ? shortTokens(value) : String(value));
  const named = (of: Values) =>
    [...of].map(([path, value]) => (paths.length === 1 ? shown(value) : `${wordOf(path)} ${shown(value)}`)).join(", ");
  const names = rows.map(({ kind, values }) => (kind === "candidate" ? named(values) : kind));
  const meant = paths.length === 1 ? paths : paths.map((path) => `${wordOf(path)} is ${path}`);
  const set = now.size === 0 ? "not set" : shortValues(now);
  const tried = meant.every((text) => text === "") ? "" : `Settings tried: ${meant.join("; ")}. `;
  return { names, legend: `${tried}now: ${set}. proxy: the agent under plimsoll proxy.` };
}

/** The meaning of the table's figures. */
export const ROW_READING =
  "cost %: of the cost without compaction, mean of the sessions; cost more in: sessions that cost over 2% more. kept %: share of the text needed by later replies that was still in the context; older %: the same for text last stated at least 20k tokens earlier. dollars: all these sessions, replayed, at list prices with the prompt cache. too large: requests over the window. largest loss: the measure that falls most, in points.";

function rowCells({ standing, losses: [worst] }: SettingFigures): readonly string[] {
  const { costPercent, usd, gain, farGain, tooLarge } = standing;
  return [
    formatPercent(costPercent),
    costMoreCell(standing),
    percentCell(gain),
    percentCell(farGain),
    usd === null ? "no price" : `$${formatUsd(usd)}`,
    formatCount(tooLarge),
    worst === undefined ? "" : `${worst.measure} −${formatPercent(worst.points)}`,
  ];
}

const percentCell = (percent: number | null): string => (percent === null ? NOT_VISIBLE : formatPercent(percent));

/** The saving of a setting against now, the mean of the sessions and all their dollars, its losses, and the sessions that show it. */
function savingText({ choice }: Decision, figures: SettingFigures): string {
  const [now, then] = [choice?.rows[0]?.standing.usd ?? null, figures.standing.usd];
  const dollars =
    now === null || then === null ? "" : ` (dollars of the replay: $${formatUsd(now)} now, $${formatUsd(then)} then)`;
  const losses = figures.losses.length === 0 ? "loses nothing measured" : `loses ${lessText(figures)}`;
  return `${savesPercent(figures)}${dollars}, ${losses}, on ${formatNumberOf(choice?.sessions ?? 0, "session")}`;
}

function savesPercent({ costRatio }: SettingFigures): string {
  return `saves ${formatPercent(100 * (1 - costRatio))}%`;
}

function lessText({ losses }: SettingFigures): string {
  const others = losses.length <= NAMED_LOSSES ? "" : ` and ${losses.length - NAMED_LOSSES} more`;
  const named = losses.slice(0, NAMED_LOSSES).map(({ measure, points }) => `${measure} −${formatPercent(points)} points`);
  return `${named.join(", ")}${others}`;
}

const NAMED_LOSSES = 3;

/** The verdicts of one decision, a sentence each: on the agent's settings, then on our proxy if it is better by the same test. */
export function answerSentences(decision: Decision, pays: Payment = "tokens"): readonly string[] {
  const { choice, refusal, agent } = decision;
  if (choice === null) return [`Nothing to set: ${refusal}.`];
  const own = refusal === null ? settingSentence(decision, choice.setting) : `Nothing to set: ${refusal}.`;
  if (choice.proxy.kind !== "set" || pays === "plan") return [own];
  const { best, sureness } = choice.proxy;
  return [
    own,
    `Run ${agent.title} behind plimsoll proxy (needs an API key; not with a subscription): ${savingText(decision, best)}${sureText(sureness)}.`,
  ];
}

/** How a person pays for an agent: by tokens, or by a plan, which no proxy serves. */
export type Payment = "tokens" | "plan";

function sureText({ cost, drawn }: Sureness): string {
  const [low, high] = [cost.through, cost.from].map((percent) => formatPercent(100 - percent));
  return `; in 95% of samples of your ${drawn} it saves ${low} to ${high}%`;
}

function settingSentence(decision: Decision, verdict: SettingVerdict<SettingFigures>): string {
  const { agent, windowTokens, choice } = decision;
  const file = agent.turning?.settings.shown ?? "";
  switch (verdict.kind) {
    case "idle":
      return `Nothing to set: no session fills half of the window (${formatTokens(windowTokens / 2)} tokens).`;
    case "too-few": {
      const sessions = choice?.sessions ?? 0;
      return `Nothing to set yet: ${formatNumberOf(sessions, "session")} ${sessions === 1 ? "fills" : "fill"} half of the window, and an answer needs ${formatCount(verdict.missing)} more.`;
    }
    case "set":
      return `Set ${shortValues(verdict.best.values)} in ${file}: ${savingText(decision, verdict.best)}${sureText(verdict.sureness)}.`;
    case "trade": {
      const { best, against } = verdict;
      const why = against === undefined ? "" : `, and is worse in ${against}, which reads the same setting`;
      return `Nothing to set without a loss: ${shortValues(best.values)} ${savingText(decision, best)}${why}.`;
    }
    case "keep":
      return KEEP_WORDS[verdict.why];
    default:
      return verdict satisfies never;
  }
}

const KEEP_WORDS = {
  "nothing-cheaper": "Nothing to set: no setting saves 5%.",
  "not-confirmed": "Nothing to set: the setting chosen on half of the sessions did not save on the other half.",
  "other-window": "Nothing to set here: the other window decides, because the file has one number for all models.",
} as const;

/** The setting to paste: of a change, a trade or a likely improvement; `null` if there is none. */
function pasteable({ choice, refusal }: Decision): SettingFigures | null {
  const verdict = choice?.setting;
  if (verdict === undefined || refusal !== null) return null;
  return verdict.kind === "set" || verdict.kind === "trade" ? verdict.best : null;
}

function pasteLines({ knobs }: Turning, values: Values): readonly string[] {
  return [...values].map(([path, value]) => {
    if (value === null) return `(remove ${path})`;
    if (knobs.place.form === "toml") return `${path} = ${JSON.stringify(value)}`;
    const keys = path.split(".").map((key) => JSON.stringify(key));
    return `${keys.join(": { ")}: ${JSON.stringify(value)}${" }".repeat(keys.length - 1)}`;
  });
}

const MS_PER_MINUTE = 60_000;
/** A time in whole minutes. */
export function minutesText(ms: number): string {
  const minutes = Math.round(ms / MS_PER_MINUTE);
  return minutes === 0 ? "under 1 min" : `${formatCount(minutes)} min`;
}

function usdText({ usd, usdIs }: Decision["cost"]): string {
  if (usd === null) return "no prices known";
  return `${usdIs === "whole" ? "" : "at least "}$${formatUsd(usd)}`;
}

/** A decision's heading: agent, window, dollars. */
export function decisionTitle(decision: Decision): string {
  return `${decision.agent.title}, ${windowName(decision)}: ${usdText(decision.cost)}`;
}

/** The verdict in a few words. */
export function shortAnswer({ choice, refusal }: Decision, pays: Payment = "tokens"): string {
  if (choice?.proxy.kind === "set" && pays === "tokens") return `use plimsoll proxy, ${savesPercent(choice.proxy.best)}`;
  if (choice === null || refusal !== null) return "nothing to set";
  const verdict = choice.setting;
  if (verdict.kind === "set") return `Set the values below, ${savesPercent(verdict.best)}`;
  if (verdict.kind === "too-few") return `nothing to set yet, ${formatNumberOf(verdict.missing, "more session")} needed`;
  return verdict.kind === "trade" ? `nothing to set without a loss (${savesPercent(verdict.best)})` : "nothing to set";
}

/** The data of a decision and the cost of compaction in it, a sentence each. */
function factSentences({ cost, waitsMs, days, choice, models }: Decision): readonly string[] {
  const when = days === null ? "" : days.from === days.through ? `, ${days.from}` : `, ${days.from} to ${days.through}`;
  const long =
    choice === null
      ? ""
      : `. ${formatCount(choice.sessions)}${choice.projects > 1 ? ` (of ${formatCount(choice.projects)} projects)` : ""} ${choice.sessions === 1 ? "fills" : "fill"} half of the window`;
  const shares = models.map(
    ({ modelId, sessions, usd }) =>
      `${modelId} (${usd === null ? "" : `$${formatUsd(usd)}, `}${formatNumberOf(sessions, "session")})`,
  );
  const facts = [
    `${formatNumberOf(cost.sessions, "session")}${when}${long}.`,
    `${models.length === 1 ? "Model" : "Models"}: ${shares.join(", ")}; ${cost.usdText ?? "no prices known"}.`,
  ];
  if (cost.compactions === 0) return [...facts, "Nothing was compacted."];
  const usd = cost.compactionUsd === null ? "" : `about $${formatUsd(cost.compactionUsd)}, `;
  const waited = waitsMs.length === 0 ? "" : `, ${minutesText(waitsMs.reduce((sum, ms) => sum + ms, 0))} of waiting`;
  return [
    ...facts,
    `${formatNumberOf(cost.compactions, "compaction")} in ${formatNumberOf(cost.compactedSessions, "session")}: ${usd}${formatTokens(cost.compactionTokens)} tokens${waited}. Later replies needed ${formatNumberOf(cost.neededLater, "passage")} that compaction had removed.`,
  ];
}

/** The contents of a request that are worth a line: the largest, and every MCP server and instruction file. */
function shownFills({ fills }: Decision): Decision["fills"] {
  return fills.filter(
    ({ kind, percent }, place) =>
      place < LARGEST_FILLS || (percent >= LEAST_PERCENT && /^(?:MCP server|instructions of) /.test(kind)),
  );
}

/** Kinds that are always shown, and the share from which a server or file is shown too; chosen. */
const LARGEST_FILLS = 4;
const LEAST_PERCENT = 0.05;

function fillCells({ kind, tokens, percent, usd }: Decision["fills"][number]): readonly string[] {
  return [fillName(kind), formatTokens(tokens), `${formatPercent(percent)}%`, usd === null ? "" : `$${formatUsd(usd)}`];
}

/** A kind of content as a person calls it. */
export function fillName(kind: string): string {
  return FILL_NAMES[kind] ?? kind;
}

/** Names of kinds that a reader would not understand. */
const FILL_NAMES: Readonly<Record<string, string | undefined>> = {
  overhead: "system prompt and tool definitions",
  assistant: "the model's replies",
  injected: "other text added by the agent",
  person: "your messages",
};
