import { summaryRequestKind } from "../formats/summary-requests.ts";
import { MOST_LOST_POINTS } from "../judge/settings.ts";
import { SAME_COST_RATIO, type Standing } from "../judge/standing.ts";
import type { Sureness } from "../judge/sureness.ts";
import { shortTokens } from "../judge/window-label.ts";
import {
  costMoreCell,
  formatCount,
  formatNumberOf,
  formatPercent,
  formatTokens,
  formatUsd,
  heldCell,
  lossText as lossOf,
  shareTexts,
} from "../show/figures.ts";
import { triggerLine } from "../show/trigger.ts";
import { sumOf } from "../statistics.ts";
import type { KnobValue } from "./agent-knobs.ts";
import type { OwnVerdict, SettingChoice, SettingFigures } from "./choose-setting.ts";
import type { Decision, Payment, Turning } from "./decide.ts";
import { summaryPrice } from "./recorded-cost.ts";
import { placeOf } from "./setting-text.ts";
import type { WindowFill } from "./window-fill.ts";

type Values = ReadonlyMap<string, KnobValue | null>;

interface DecisionWords {
  readonly facts: readonly string[];
  readonly answers: readonly string[];
  /** The meaning of the names of tried settings, and a row for each; `null` if none was tried. */
  readonly settings: { readonly legend: string; readonly rows: readonly (readonly string[])[] } | null;
  readonly fills: readonly (readonly string[])[];
  /** Lines to paste, each block below its label, and the place of the answer that they carry out. */
  readonly pastes: readonly {
    readonly label: string;
    readonly lines: readonly string[];
    readonly isPasted: boolean;
    readonly answer: number;
  }[];
}

type ShownRow = Pick<SettingFigures, "standing" | "losses">;

/** The columns of a table of tried settings behind the name. */
const SETTING_COLUMNS: readonly (readonly [head: string, cell: (row: ShownRow) => string])[] = [
  ["cost %", ({ standing }) => formatPercent(standing.costPercent)],
  ["costlier sessions", ({ standing }) => costMoreCell(standing).replace("/", " of ")],
  ["kept %", ({ standing }) => heldCell(standing.gain)],
  ["older", ({ standing }) => heldCell(standing.farGain)],
  ["dollars", ({ standing: { usd } }) => (usd === null ? "no price" : `$${formatUsd(usd)}`)],
  ["compacts", ({ standing }) => formatCount(standing.compactions)],
  [
    "largest loss",
    ({ losses: [worst] }) => (!worst ? "none" : worst.onHalf ? "none*" : `${worst.measure} −${formatPercent(worst.points)}`),
  ],
];

/** Heads of the tables of tried settings, behind the name, and of the requests' content; there the first is the name's. */
export const SETTING_HEADS: readonly string[] = SETTING_COLUMNS.map(([head]) => head);
export const FILL_HEADS = ["contents of the requests", "mean tokens", "share", "cost"] as const;

/** Puts a decision into words: with the largest gains, losses and contents of its requests, or with all. */
export function decisionWords(decision: Decision, { pays, full }: Shown): DecisionWords {
  const rows = decision.choice?.rows ?? [];
  const { names, legend } = rowNames(decision, rows);
  const logs = decision.recorded === null ? [] : [settingRow("logs", { standing: decision.recorded, losses: [] })];
  return {
    facts: [...optionSentences(decision), ...factSentences(decision, pays)],
    answers: answerSentences(decision, { pays, full }),
    settings: !hasTable(decision)
      ? null
      : {
          legend,
          rows: [...logs, ...rows.map((row, place) => settingRow(names[place] ?? "", row))],
        },
    fills: fillRows(decision, full),
    pastes: pastesOf(decision, pays),
  };
}

const settingRow = (name: string, row: ShownRow) => [name, ...SETTING_COLUMNS.map(([, cell]) => cell(row))];

/** Whether a decision has figures of settings. */
export const hasTable = ({ choice }: Decision): boolean => choice !== null && choice.rows.length > 0;

/** Settings without the keys that they lie under, as a line has no place for them. */
function shortValues(values: Values): string {
  return [...values].map(([path, value]) => `${path.split(".").at(-1)}${value === null ? " not set" : `=${value}`}`).join(" ");
}

/** Names the rows of a decision, with a legend: with one setting the rows are its values, with several each has its first word. */
function rowNames(
  { agent, recorded, choice }: Decision,
  rows: readonly SettingFigures[],
): { readonly names: readonly string[]; readonly legend: string } {
  const now = agent.turning?.values ?? new Map();
  const paths = [...new Set([...now.keys(), ...rows.flatMap(({ values }) => [...values.keys()])])];
  const wordOf = (path: string) => /^[a-z]+/.exec(path.split(".").at(-1) ?? "")?.[0] ?? path;
  const shown = (value: KnobValue | null) => (typeof value === "number" ? shortTokens(value) : String(value));
  const named = (of: Values) =>
    [...of].map(([path, value]) => (paths.length === 1 ? shown(value) : `${wordOf(path)} ${shown(value)}`)).join(", ");
  const names = rows.map(({ kind, values }) => (kind === "candidate" ? named(values) : kind));
  const meant = paths.length === 1 ? paths : paths.map((path) => `${wordOf(path)} is ${path}`);
  const set = rows.flatMap(({ kind }) =>
    kind !== "now" && kind !== "default"
      ? []
      : [`${kind}: ${kind === "now" && now.size > 0 ? shortValues(now) : `${agent.title}'s defaults`}.`],
  );
  const tried = meant.every((text) => text === "") ? [] : [`Settings tried: ${meant.join("; ")}.`];
  const ours = rows.map(({ kind }) => kind);
  const proxy = ours.includes("proxy") ? " proxy: the agent under plimsoll proxy." : "";
  const plugin = ours.includes("plugin") ? " plugin: the agent with our plugin." : "";
  const large = rows.flatMap(({ standing: { tooLarge } }, place) => (tooLarge === 0 ? [] : [`${names[place]} ${tooLarge}`]));
  const over = large.length === 0 ? "" : ` Requests over the window: ${large.join(", ")}.`;
  const tokens = rows.some(({ standing }) => standing.usd === null)
    ? ` Without a price, cost %${proxy === "" ? " goes" : " and the proxy's cuts go"} by tokens (--prices).`
    : "";
  const both = [proxy && "proxy", plugin && "plugin"].filter((kind) => kind !== "").join(" and ");
  const base = rows.some(({ isAgainstLogs }) => isAgainstLogs)
    ? `; ${both} compared with them, settings with now`
    : "; perhaps of other settings: all compared with now";
  const logs = recorded === null ? "" : ` logs: as recorded, not replayed${both === "" ? "" : base}.`;
  const few = choice?.setting.kind === "too-few" ? `${formatNumberOf(choice.sessions, "session")}: too few to judge. ` : "";
  return { names, legend: `${few}${[...tried, ...set].join(" ")}${proxy}${plugin}${logs}${over}${tokens}` };
}

/** The meaning of the measures that an offer names. */
export const MEASURE_READING =
  "Decisions come from replays: the recorded sessions under other settings, with the recorded replies; quotations stand in for other summaries. Measures, in % of the text that later replies needed: replaced texts (quoted by edits), passages (that replies refer to), edited files (nearly whole), still in the context word for word. Older: last stated at least 20k tokens earlier. A point is 1%.";

/** The meaning of the table's figures. */
export const ROW_READING =
  "cost %: of the cost without compaction, mean of the sessions that fill half of the window; costlier sessions: those that cost over 2% more than without compaction; kept %: of the needed text, the mean of the measures; older: the same of older text; dollars: with a modelled prompt cache and estimated summaries; compacts: how often; largest loss: in points, against now or the row that the legend names (in the row now: against the default); none*: a loss on one half of the sessions only.";

/** The saving of a setting against now (the mean of the sessions), how sure it is, its compactions, and the measures that fall and rise. */
function offerText({ choice, recorded }: Decision, { best, sureness, cheaper }: Offer, { pays, full }: Shown): string {
  const moved = (verb: string, sign: string, all: SettingFigures["losses"]) => {
    const shown = full ? all : all.slice(0, NAMED_MEASURES);
    const others = all.length === shown.length ? "" : ` and ${all.length - shown.length} more`;
    const cases = (loss: SettingFigures["losses"][number]) => (loss.onHalf ? ` (${formatNumberOf(loss.cases, "case")})` : "");
    const named = shown.map((each) => `${each.measure} ${sign}${formatPercent(each.points)}${cases(each)}`).join(", ");
    return all.length === 0 ? [] : [`${verb} points: ${named}${others}`];
  };
  const [{ worst }, [loses]] = [best, moved("loses", "−", best.losses)];
  const doubt = isOnHalf(best) ? ` Not sure: ${ON_HALF} it ${loses}.` : "";
  const little = worst && `loses less than a point of each measure (most: ${worst.measure} −${formatPercent(worst.points)})`;
  const losses = (doubt === "" ? loses : null) ?? little ?? "loses nothing measured";
  const [low, high] = [sureness.cost.through, sureness.cost.from].map((percent) => formatPercent(100 - percent));
  const isUnset = choice?.setting.kind === "remove";
  const replayed = choice?.rows.find(({ kind }) => kind === (isUnset ? "default" : "now"))?.standing;
  const before = (best.isAgainstLogs ? recorded : replayed)?.compactions ?? 0;
  const against = best.isAgainstLogs ? "the recording" : isUnset ? "the default" : "";
  const saves = `saves${against === "" ? "" : `, against ${against},`} ${savesPercent(best)} of a session's cost on average (${low} to ${high}% in 95% of resamples of your ${sureness.drawn})${savesUsd(best, pays)}`;
  const often = `compacts ${formatNumberOf(best.standing.compactions, "time")}, ${best.isAgainstLogs ? "as recorded" : isUnset ? "by default" : "now"} ${formatCount(before)}`;
  const other = cheaper === undefined ? "" : ` Or ${shortOffer(cheaper, pays)}.`;
  return `${[saves, often, losses, ...moved("gains", "+", best.gains)].join("; ")}.${doubt} ${judgedOn(choice)}${other}`;
}

function judgedOn(choice: SettingChoice | null): string {
  const { sessions = 0, projects = 0 } = choice ?? {};
  return `Judged on ${formatNumberOf(sessions, "session")} of ${formatNumberOf(projects, "project")}.`;
}

/** The saved dollars of all judged sessions; nothing for a plan, or without prices. */
function savesUsd({ savedUsd }: SettingFigures, pays: Payment): string {
  return pays === "plan" || savedUsd === null ? "" : `; about $${formatUsd(savedUsd)} in all`;
}

function savesPercent({ costRatio }: SettingFigures): string {
  return `${formatPercent(100 * (1 - costRatio))}%`;
}

/** The cost of removing a setting, as words behind its name; empty if its replay says nothing. */
export function removalCost(choice: SettingChoice | null, pays: Payment = "tokens"): string {
  const [now, unset] = ["now", "default"].map((name) => choice?.rows.find(({ kind }) => kind === name));
  if (now === undefined || unset === undefined) return "";
  const usd = unset.savedUsd ?? 0;
  if (pays === "tokens" && usd !== 0) return `costs about $${formatUsd(Math.abs(usd))} ${usd < 0 ? "more" : "less"}`;
  const percent = 100 * (unset.costRatio - 1);
  return `costs ${formatPercent(Math.abs(percent))}% ${percent < 0 ? "less" : "more"} on average`;
}

/** Whether a setting loses nothing over all sessions, and something on a half of them. */
const isOnHalf = ({ losses: [worst] }: Pick<SettingFigures, "losses">): boolean => worst?.onHalf ?? false;

const ON_HALF = "in one of two random halves of your sessions";

const NAMED_MEASURES = 3;

interface Offer {
  readonly best: SettingFigures;
  readonly sureness: Sureness;
  readonly cheaper?: SettingFigures | undefined;
}

/** A verdict that offers something: better by the test, or a trade. */
const isOffer = (verdict: OwnVerdict): verdict is Extract<OwnVerdict, Offer> =>
  verdict.kind === "set" || verdict.kind === "trade";

/** The verdicts of one decision, a sentence each: on the agent's settings, and on running it behind our proxy. */
export function answerSentences(decision: Decision, shown: Partial<Shown> = {}): readonly string[] {
  const words = { pays: "tokens", full: true, ...shown } as const;
  const { pays } = words;
  const { choice, refusal, agent } = decision;
  if (choice === null) return [`Nothing to set: ${refusal}.`];
  const verdict = refusal === null ? settingSentence(decision, choice.setting, words) : `Nothing to set: ${refusal}.`;
  const isKept = choice.setting.kind === "keep" && choice.rows.length > 1;
  const own = isKept ? `${verdict} ${judgedOn(choice)}` : verdict;
  const { proxy } = choice;
  if (pays === "plan" || proxy.kind === "idle" || proxy.kind === "too-few") return [own];
  const need = "plimsoll proxy (needs an API key; not with a subscription)";
  if (!isOffer(proxy)) return [own, `Don't use ${need}: it ${proxyWhy(decision, proxy.why)}.`];
  const isBeside = isOffer(choice.setting) || choice.setting.kind === "remove";
  const lead = isBeside ? "Or instead: " : proxy.kind === "set" ? "Run " : "";
  const text = offerText(decision, proxy, words);
  return [own, `${lead}${agent.title} behind ${need}${lead === "Run " ? ":" : ""} ${text}${ownCompaction(decision)}`];
}

/** Part of a window that the proxy leaves to a reply whose length the agent does not name. */
const REPLY_RATIO = 0.125;

/** Whether the agent would compact before the proxy does, and the remedy. */
function ownCompaction({ agent: { title, turning }, windowTokens }: Decision): string {
  if (turning === null) return "";
  const { replay, behindProxy } = turning.knobs;
  const inputBudgetTokens = (1 - REPLY_RATIO) * windowTokens;
  const line = triggerLine(replay.likeness(turning.values));
  const tokens = line({ contextWindowTokens: windowTokens, inputBudgetTokens });
  if (tokens === null) return "";
  return tokens > inputBudgetTokens
    ? ` ${title}'s own compaction, at ${formatTokens(tokens)}, can stay: the proxy cuts first.`
    : ` ${title}'s own compaction would act first, at ${formatTokens(tokens)}: ${behindProxy.off}.`;
}

/** The ways to compact that need no API key, with the figures of our plugin's replay if it has one: options beside the answers. */
export function optionSentences({ agent: { turning, program, version }, cost, choice, recorded }: Decision): readonly string[] {
  if (turning === null || cost.compactions === 0) return [];
  const { besideProxy, command = "/compact", plugin } = turning.knobs;
  const judged = plugin === undefined || choice === null || choice.setting.kind === "too-few" ? [] : choice.rows;
  const [now, behind, own = behind] = ["now", "proxy", "plugin"].map((name) => judged.find(({ kind }) => kind === name));
  const base = own?.isAgainstLogs ? recorded : now?.standing;
  const dearer = own?.gains.length === 0 ? "Costs more" : "Keeps more, costs more";
  const lead = (own?.costRatio ?? 0) > 1 ? dearer : "With a subscription too";
  const beside = (of: (one: Standing) => string) => (base && own ? `${of(own.standing)}% (${of(base)}%)` : "");
  const costs = beside(({ costPercent }) => formatPercent(costPercent));
  const shares = `kept ${beside(({ gain }) => heldCell(gain))}, older ${beside(({ farGain }) => heldCell(farGain))}`;
  const figures = costs === "" ? "" : ` Replayed (in parentheses: your own compaction): cost ${costs}, ${shares}.`;
  const ours = besideProxy === undefined ? [] : [`${lead}: ${besideProxy(program, version)}.${figures}`];
  return [...ours, `By hand: type ${command} between two tasks.`];
}

/** Why the proxy is not worth it, with its saving if that is too small. */
function proxyWhy({ choice, recorded }: Decision, why: keyof typeof KEEP_WORDS): string {
  const [replayed, proxy] = ["now", "proxy"].map((name) => choice?.rows.find(({ kind }) => kind === name));
  const now = proxy?.isAgainstLogs ? recorded : replayed?.standing;
  const isNow = why === "nothing-cheaper" && choice?.setting.kind !== "remove";
  if (!isNow || !now || proxy === undefined) return KEEP_WORDS[why][1];
  const saves = proxy.costRatio > 1 ? "saves nothing" : `saves only ${savesPercent(proxy)}`;
  return `${saves}, and compacts ${formatNumberOf(proxy.standing.compactions, "time")} instead of ${formatCount(now.compactions)}`;
}

/** The part of a decision that a screen shows. */
export interface Shown {
  readonly pays: Payment;
  /** True for all measures and all contents of the requests, however small. */
  readonly full: boolean;
}

function settingSentence(decision: Decision, verdict: OwnVerdict, words: Shown): string {
  const { agent, windowTokens, choice } = decision;
  const file = agent.turning?.settings.shown ?? "";
  switch (verdict.kind) {
    case "idle":
      return `Nothing to set: no session fills half of the window (${formatTokens(windowTokens / 2)} tokens).`;
    case "too-few": {
      const sessions = choice?.sessions ?? 0;
      return `Nothing to set yet: ${formatNumberOf(sessions, "session")} ${sessions === 1 ? "fills" : "fill"} half of the window; an answer needs ${formatCount(verdict.missing)} more.`;
    }
    case "remove": {
      const { harm, instead } = verdict;
      const [costs, other] = [removalCost(choice, words.pays), isOffer(instead) && instead.kind === "set" ? instead : null];
      const why = typeof harm === "string" ? harm : `it loses ${lossText(harm)}${costs === "" ? "" : `; the default ${costs}`}`;
      const set =
        other === null ? judgedOn(choice) : `Or set ${shortValues(other.best.values)}: ${offerText(decision, other, words)}`;
      return `Remove ${names(verdict.values)} from ${file}: ${why}. ${set}`;
    }
    case "set":
      return `${changeOf(verdict.best.values)} ${file}: ${offerText(decision, verdict, words)}`;
    case "trade":
      return `Every saving has a loss or a doubt: ${shortValues(verdict.best.values)} ${offerText(decision, verdict, words)}`;
    case "keep":
      return `Nothing to set: ${keptWhy(decision, verdict.why)}.`;
    default:
      return verdict satisfies never;
  }
}

/** A setting or the proxy, with its saving and its largest loss. */
function shortOffer(best: SettingFigures, pays: Payment): string {
  return `${best.kind === "proxy" ? "plimsoll proxy" : shortValues(best.values)} ${savesText(best, pays)} and ${worstLoss(best)}`;
}

const savesText = (best: SettingFigures, pays: Payment) =>
  `saves ${savesPercent(best)} a session on average${savesUsd(best, pays).replace(/^; about (.*)$/, " ($1)")}`;

/** The reason for keeping a setting; of too large a loss with the settings that were tried, and the one that loses least. */
function keptWhy(decision: Decision, why: keyof typeof KEEP_WORDS): string {
  const rows = decision.choice?.rows ?? [];
  const { names } = rowNames(decision, rows);
  const tried = rows
    .map((row, place) => ({ ...row, name: names[place] ?? "" }))
    .filter(({ kind }) => kind === "candidate" || kind === "default");
  if (why !== "too-much-lost") return KEEP_WORDS[why][0];
  const isChosen = tried.some(({ kind }) => kind === "default");
  const than = isChosen ? "loses a point or more of a measure (against a value that you chose no loss is offered)" : LOSES;
  const all = `${formatNumberOf(tried.length, "setting")} tried (${tried.map(({ name }) => name).join("; ")})`;
  const [near] = tried
    .flatMap((row) => (row.costRatio * SAME_COST_RATIO > 1 ? [] : row.losses.slice(0, 1).map((loss) => ({ row, loss }))))
    .toSorted((a, b) => a.loss.points - b.loss.points);
  const miss = near && `; nearest: ${near.row.name} saves ${savesPercent(near.row)}, loses ${lossOf(near.loss)}`;
  return `each of the ${all} that saves 5% ${than}${miss ?? ""}`;
}

/** The change to a file, up to its name: a value to set, or one to take out. */
const changeOf = (values: Values) =>
  [...values.values()].every((value) => value === null) ? `Remove ${names(values)} from` : `Set ${shortValues(values)} in`;

const names = (values: Values) => [...values.keys()].join(", ");

const lossText = (loss: SettingFigures["losses"][number]) => `up to ${formatPercent(loss.points)} points of ${loss.measure}`;

/** The largest loss of an offer in words, or the doubt. */
function worstLoss(best: SettingFigures): string {
  const [worst] = best.losses;
  const little = best.worst === undefined ? "nothing" : "under a point";
  if (worst?.onHalf) return `loses ${little} over all sessions, but on one half up to ${lossOf(worst)}`;
  return `loses ${worst === undefined ? little : lossText(worst)}`;
}

const LOSES = `loses over ${MOST_LOST_POINTS} points of a measure`;
const UNSURE = "saves 5% over all sessions, but not on each half of them, or not in 95% of samples";

/** Why a setting is kept, and why the proxy is not taken. */
const KEEP_WORDS = {
  "nothing-cheaper": ["no setting tried saves 5%", "doesn't save 5%"],
  "too-much-lost": ["", LOSES],
  "not-confirmed": [`a setting ${UNSURE}`, UNSURE],
  "other-window": ["another window uses the same setting, and decides it", ""],
} as const;

/** The lines of the settings file, of a trade too, and the command that starts the proxy in the window of the replay. */
function pastesOf(decision: Decision, pays: Payment): DecisionWords["pastes"] {
  const { choice, refusal, agent, windowTokens } = decision;
  const { turning } = agent;
  if (choice === null || turning === null) return [];
  const { setting, proxy } = choice;
  const { knobs, settings, values } = turning;
  const inFile = (own: Values) => {
    const isPasted = [...own.values()].some((value) => value !== null);
    const undo = [...own.keys()].some((each) => values.has(each)) ? "put the old value back" : "remove it";
    const [path = ""] = own.keys();
    const where =
      settings.text === null
        ? `create ${settings.shown} with this line`
        : `paste into ${settings.shown}, ${placeOf(knobs.place.form, path)}`;
    const how = isPasted ? `Setting ${[...own.values()].join(", ")}: ${where}` : `In ${settings.shown}`;
    return { label: `${how} (to undo, ${undo})`, lines: pasteLines(turning, own), isPasted, answer: 0 };
  };
  const offered = setting.kind !== "remove" ? [setting] : [setting, setting.instead].filter((each) => each.kind !== "trade");
  const toSet = offered.flatMap((each) =>
    each.kind === "remove" ? [each.values] : isOffer(each) && refusal === null ? [each.best.values] : [],
  );
  const { upstream, off, knowsWindows = false } = knobs.behindProxy;
  const isFirst = ownCompaction(decision).includes(off);
  const steps = `${isFirst ? `first ${off} in ${settings.shown}; then ` : ""}run this, then start ${knobs.title} with the line it prints`;
  const back = `stop the proxy, and remove the printed lines${isFirst ? `; put back the setting` : ""}`;
  const start = `${agent.program} proxy --upstream ${upstream}${knowsWindows ? "" : ` --window ${windowTokens}`}`;
  const proxyLabel = `Proxy: ${steps} (to undo, ${back})`;
  return [
    ...toSet.map(inFile),
    ...(isOffer(proxy) && pays === "tokens" ? [{ label: proxyLabel, lines: [start], isPasted: true, answer: 1 }] : []),
  ];
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

/** The time that a person waited for compactions in whole minutes, and for how many if not for all; empty if no wait is known. */
export function waitedText(waitsMs: readonly number[], compactions: number): string {
  if (waitsMs.length === 0) return "";
  const minutes = Math.round(waitsMs.reduce((sum, ms) => sum + ms, 0) / MS_PER_MINUTE);
  const time = `${minutes === 0 ? "under 1" : formatCount(minutes)} min`;
  return waitsMs.length < compactions
    ? ` (${formatCount(waitsMs.length)} of the ${formatCount(compactions)} ${waitsMs.length === 1 ? "has" : "have"} a recorded wait: ${time} in total)`
    : `, ${time} of waiting`;
}

/** How many of the compactions have a price, if not all. */
export function pricedText(priced: number, compactions: number): string {
  return priced === compactions ? "" : ` (${formatCount(priced)} of ${formatCount(compactions)} priced)`;
}

function usdText({ usd, usdIs }: Decision["cost"], pays: Payment): string {
  if (usd === null) return "no prices known";
  return `${pays === "plan" ? "list price " : ""}${usdIs === "whole" ? "" : "at least "}$${formatUsd(usd)}`;
}

/** A decision's heading: agent, window, dollars. */
export function decisionTitle(decision: Decision, pays: Payment = "tokens"): string {
  return `${decision.agent.title}, window ${formatTokens(decision.windowTokens).replace(".00M", "M")}: ${usdText(decision.cost, pays)}`;
}

/** The verdict in a few words. */
export function shortAnswer(decision: Decision, pays: Payment = "tokens"): string {
  const { choice, refusal, agent } = decision;
  const wrong = agent.turning?.refusal ?? null;
  if (wrong !== null) return `nothing to set: ${wrong}`;
  const proxy = pays === "tokens" ? choice?.proxy : undefined;
  const setting = refusal === null ? choice?.setting : undefined;
  if (setting?.kind === "remove") {
    const [costs, { instead }] = [removalCost(choice, pays), setting];
    const parts = [
      `remove ${names(setting.values)}${costs === "" ? "" : ` (${costs})`}`,
      instead.kind === "set" ? `set ${shortValues(instead.best.values)}` : "",
      proxy !== undefined && isOffer(proxy) ? "use plimsoll proxy" : "",
    ];
    return parts.filter((text) => text !== "").join("; or ");
  }
  if (setting?.kind === "set") return `set its values, ${savesText(setting.best, pays)}`;
  if (proxy?.kind === "set") return `use plimsoll proxy, ${savesText(proxy.best, pays)}`;
  if (setting?.kind === "too-few") return `nothing to set yet, ${formatNumberOf(setting.missing, "more session")} needed`;
  const named = [setting, proxy].flatMap((verdict) =>
    verdict?.kind !== "trade" ? [] : [verdict.best, verdict.cheaper ?? []].flat().map((best) => shortOffer(best, pays)),
  );
  const why = setting?.kind === "keep" ? `: ${keptWhy(decision, setting.why)}` : "";
  const idle = proxy?.kind === "keep" && choice !== null ? `; plimsoll proxy ${proxyWhy(decision, proxy.why)}` : "";
  if (setting?.kind !== "trade") return `${[`nothing to set${why}`, ...named].join("; but ")}${idle}`;
  return `every saving has a loss or a doubt: ${named.join("; or ")}`;
}

/** The share that the agent's own compactions kept of the needed text, a sentence; nothing if no figure is known. */
export function keptSentences({ agent, recorded, fills, cost, waitsMs }: Decision): readonly string[] {
  if (recorded === null || recorded.gain === null || recorded.compactions === 0) return [];
  const { compactions, gain, farGain } = recorded;
  const judged = compactions === cost.compactions ? "" : ` (${formatCount(compactions)} judged)`;
  const isSealed = fills.some(({ kind }) => kind === "encrypted summaries");
  const notes = [
    ...(farGain === null ? [] : [`older text: ${formatPercent(farGain)}%`]),
    ...(isSealed ? ["its encrypted summaries can't be read"] : []),
  ];
  return [
    `${agent.title}'s ${formatNumberOf(cost.compactions, "compaction")}${judged} kept ${isSealed ? "at least " : ""}${formatPercent(gain)}% of the text that later replies needed${notes.length === 0 ? "" : ` (${notes.join("; ")})`}${waitedText(waitsMs, cost.compactions)}.`,
  ];
}

/** The data of a decision and the cost of compaction in it, a sentence each. */
function factSentences(decision: Decision, pays: Payment): readonly string[] {
  const { agent, cost, waitsMs, days, choice, models, windowBy, notJudged } = decision;
  const when = days === null ? "" : days.from === days.through ? `, ${days.from}` : `, ${days.from} to ${days.through}`;
  const { sessions: filling = 0, projects = 0 } = choice ?? {};
  const all = filling + notJudged.length;
  const parts = [
    all > filling ? `${formatCount(filling)} judged` : "",
    projects > 1 ? `of ${formatCount(projects)} projects` : "",
  ];
  const of = parts.some((part) => part !== "") ? ` (${parts.filter((part) => part !== "").join(", ")})` : "";
  const fill = `${formatCount(all)}${of} ${all === 1 ? "fills" : "fill"} half of the window or more`;
  const long = filling === 0 ? "" : `. ${fill}: only ${filling === 1 ? "it shows" : "they show"} a difference between settings`;
  const apart = notJudged.map(({ id, overheadTokens }) => `${id} (${formatTokens(overheadTokens)})`).join(", ");
  const are = notJudged.length === 1 ? "isn't judged" : "aren't judged";
  const shares = models.map(
    ({ modelId, sessions, usd }) =>
      `${modelId}${models.length === 1 ? "" : ` (${usd === null ? "" : `$${formatUsd(usd)}, `}${formatNumberOf(sessions, "session")})`}`,
  );
  // The title has the dollars, unless the logs say something else.
  const stated =
    cost.usdText?.replace(" by list prices", "") === usdText(cost, "tokens") ? "" : (cost.usdText ?? "no prices known");
  const facts = [
    `${formatNumberOf(cost.sessions, "session")}${when}${long}. Window of the newest: ${windowBy}.`,
    ...(apart === ""
      ? []
      : [
          `${formatNumberOf(notJudged.length, "session")} ${are}: ${apart}. Beside the log's messages the first request has more than half of the window.`,
        ]),
    `${models.length === 1 ? "Model" : "Models"}: ${shares.join(", ")}${stated === "" ? "" : `; ${stated}`}.`,
  ];
  if (cost.compactions === 0) return [...facts, "Nothing was compacted."];
  const price = pays === "plan" ? "list price " : "";
  const usd =
    cost.compactionUsd === null
      ? ""
      : `, ${price}about $${formatUsd(cost.compactionUsd)}${pricedText(cost.pricedCompactions, cost.compactions)} (prompts of summaries ${summaryPrice(summaryRequestKind(agent.agent))})`;
  return [
    ...facts,
    `${formatNumberOf(cost.compactions, "compaction")} in ${formatNumberOf(cost.compactedSessions, "session")}${usd}${waitedText(waitsMs, cost.compactions)}.${cost.neededLater === 0 ? "" : ` The agent read ${formatNumberOf(cost.neededLater, "removed line")} again (${agent.program} inspect ID shows them).`}`,
  ];
}

/** The contents of the requests: all, or down to the last that is worth a line (the largest, and every MCP server and instruction file), and the others together. */
function fillRows({ fills }: Decision, full: boolean): readonly (readonly string[])[] {
  const shares = shareTexts(fills, ({ tokens }) => tokens);
  const rowOf = (name: string, share: string, { tokens, usd }: Pick<WindowFill, "tokens" | "usd">) => [
    ...[name, formatTokens(tokens), share, usd === null ? "" : `$${formatUsd(usd)}`],
  ];
  const rows = fills.map((fill, place) => rowOf(fillName(fill.kind), shares[place] ?? "", fill));
  const isShown = ({ kind, percent }: WindowFill, place: number) =>
    place < LARGEST_FILLS || (percent >= LEAST_PERCENT && /^(?:MCP server|instructions of) /.test(kind));
  const shown = fills.findLastIndex(isShown) + 1;
  const others = fills.slice(shown);
  if (full || others.length < 2) return rows;
  const usd = others[0]?.usd === null ? null : sumOf(others, (fill) => fill.usd ?? 0);
  const share = 100 - sumOf(shares.slice(0, shown), (text) => Number.parseFloat(text.replace("< ", "")));
  const rest = { tokens: sumOf(others, ({ tokens }) => tokens), usd };
  return [...rows.slice(0, shown), rowOf(formatNumberOf(others.length, "other kind"), `${share.toFixed(1)}%`, rest)];
}

/** Kinds that are always shown, and the share from which a server or file is shown too; chosen. */
const LARGEST_FILLS = 4;
const LEAST_PERCENT = 1;

/** A kind of content as a person calls it. */
export function fillName(kind: string): string {
  return FILL_NAMES[kind] ?? kind.replace(/^MCP server /, "results of MCP server ");
}

/** Names of kinds that a reader would not understand. */
const FILL_NAMES: Readonly<Record<string, string | undefined>> = {
  overhead: "system prompt and tools",
  unlogged: "text that the agent sends and doesn't log",
  assistant: "the model's replies",
  injected: "text added by the agent",
  "encrypted summaries": "placeholders of encrypted summaries",
  person: "your messages",
};
