import type { ContextUsage } from "@plimsoll/agent";
import { type CliIo, COLUMNS } from "@plimsoll/bench/terminal";
import type { Usage } from "@plimsoll/core";
import type { AgentSession } from "./open-session.ts";

interface Status {
  readonly context: ContextUsage;
  readonly usage: Usage | null;
  readonly usd: number | null;
  /** Whether `usd` is all: a request whose size was not reported, or whose model has no price, is missing otherwise. */
  readonly usdIs: "whole" | "a-part";
}

/**
 * One line: a bar, the used tokens, the budget, the window, headroom, the next trigger, cache share, dollars. The provider's figure is shown
 * unchanged; `+` is the part since, and `~` an estimate of the whole, with the newest prompt next to it. It is shorter if the columns are few, and
 * then without its bar.
 */
export function statusLine(status: Status, columns: number = COLUMNS): string {
  const wide = piecesOf(status, WIDE).join(" · ");
  if (wide.length <= columns) return wide;
  const narrow = piecesOf(status, NARROW).join(" ");
  return narrow.length <= columns ? narrow : piecesOf(status, { ...NARROW, barCells: 0 }).join(" ");
}

/** The parts of a line that differ by the room there is: the narrow line of a small window fits 80 columns. */
interface LineForm {
  /** 0: no bar. */
  readonly barCells: number;
  readonly trigger: string;
}

const WIDE: LineForm = { barCells: 10, trigger: "compacts at" };
const NARROW: LineForm = { barCells: 8, trigger: "compacts" };

function piecesOf({ context, usage, usd, usdIs }: Status, { barCells, trigger }: LineForm): readonly string[] {
  const { usedTokens, inputBudgetTokens, windowTokens, headroomTokens, triggerTokens } = context;
  const ratioOf = (tokens: number) => tokens / (inputBudgetTokens ?? 1);
  const triggerRatio = triggerTokens === null ? null : ratioOf(triggerTokens);
  return [
    inputBudgetTokens === null || barCells === 0 ? "" : bar(ratioOf(usedTokens), triggerRatio, barCells),
    `${usedText(context, usage)}${inputBudgetTokens === null ? "" : `/${shortTokens(inputBudgetTokens)}`}`,
    windowTokens === null ? "window unknown" : `window ${shortTokens(windowTokens)}`,
    headroomTokens === null ? "" : headroomText(headroomTokens),
    triggerTokens === null ? "compaction off" : `${trigger} ${shortTokens(triggerTokens)}`,
    usage === null || isReported(context, usage) ? "" : `sent ${exact(usage.input.totalTokens ?? 0)}`,
    cacheShare(usage),
    usd === null ? "" : `${usdIs === "whole" ? "" : "≥"}$${usd.toFixed(usd < 1 ? 4 : 2)}`,
  ].filter((piece) => piece !== "");
}

function headroomText(tokens: number): string {
  return tokens < 0 ? `over by ${shortTokens(-tokens)}` : `free ${shortTokens(tokens)}`;
}

/** True if the newest report still describes the context, with the reply that followed it or without. */
function isReported({ usageTokens }: ContextUsage, { input, output }: Usage): boolean {
  const promptTokens = input.totalTokens ?? 0;
  return promptTokens > 0 && (usageTokens === promptTokens || usageTokens === promptTokens + (output.totalTokens ?? 0));
}

/** Shows the used tokens: as reported, and those that came since. If an estimator does not go by the report, or edits came after it, its own figure. */
function usedText(context: ContextUsage, usage: Usage | null): string {
  if (usage === null || !isReported(context, usage)) return `~${exact(context.usedTokens)}`;
  const sentTokens = usage.input.totalTokens ?? 0;
  return `${exact(sentTokens)}${since(context.usedTokens - sentTokens)}`;
}

function since(tokens: number): string {
  return tokens === 0 ? "" : `${tokens < 0 ? "−" : "+"}${exact(Math.abs(tokens))}`;
}

function exact(tokens: number): string {
  return Math.round(tokens).toLocaleString("en-US");
}

const THOUSAND = 1_000;
const MILLION = 1_000_000;

/** Tokens in at most five characters: `940`, `9.7k`, `24k`, `1.05M`. */
function shortTokens(tokens: number): string {
  if (tokens < THOUSAND) return String(Math.round(tokens));
  const [unit, size, digits] = tokens < MILLION - THOUSAND / 2 ? ["k", tokens / THOUSAND, 1] : ["M", tokens / MILLION, 2];
  const text = size < 100 ? size.toFixed(digits) : size.toFixed(0);
  return `${Number(text)}${unit}`;
}

/** Cells of the budget: used ones full, the one with the trigger marked. */
function bar(usedRatio: number, triggerRatio: number | null, cells: number): string {
  const full = Math.max(0, Math.min(cells, Math.round(usedRatio * cells)));
  const mark = triggerRatio === null ? -1 : Math.min(cells - 1, Math.floor(triggerRatio * cells));
  const drawn = Array.from({ length: cells }, (_, index) => (index < full ? "█" : index === mark ? "┊" : "░"));
  return `[${drawn.join("")}]`;
}

function cacheShare(usage: Usage | null): string {
  const total = usage?.input.totalTokens ?? null;
  const read = usage?.input.cacheReadTokens ?? null;
  return total === null || read === null || total === 0 ? "" : `cache ${Math.round((100 * read) / total)}%`;
}

/** The view of the session that a person sees: nothing until it is open. */
export interface ShownSession {
  open(session: AgentSession): void;
  sessionId(): string | null;
  /** The present status line, for the width of the output; its caller shows it. */
  status(): string;
  /** The status line, shown now; `null` if the one that was shown last says the same. */
  newStatus(): string | null;
}

/** A session that is still to be opened. */
export function createShownSession(output: CliIo["stdout"]): ShownSession {
  let session: AgentSession | null = null;
  let last = "";
  const status = () => {
    if (session !== null) last = statusLine({ context: session.agent.state().context, ...session.spending() }, output.columns);
    return last;
  };
  return {
    open: (opened) => {
      session = opened;
    },
    sessionId: () => session?.agent.sessionId ?? null,
    status,
    newStatus: () => {
      const before = last;
      return status() === before ? null : last;
    },
  };
}
