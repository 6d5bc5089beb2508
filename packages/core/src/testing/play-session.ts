import { budgetOf } from "../budget.ts";
import { applyEdits } from "../edit/apply-edits.ts";
import type { FitInput, FitOutcome } from "../engine/fit-input.ts";
import type { CompactionEntry, Gate, ModelLimits, SessionEntry } from "../entry.ts";
import { checkMessages, STRICT_WIRE_RULES } from "../message/check.ts";
import type { Message } from "../message/message.ts";
import { isHuman } from "../message/message.ts";
import { coverageOf } from "../message/size.ts";
import type { Summarizer } from "../ports.ts";
import { decodeLog, encodeLog } from "../session/codec.ts";
import type { ContextManager } from "../session/context-manager.ts";
import { createContextManager } from "../session/context-manager.ts";
import { foldEntries } from "../session/view.ts";
import { createEstimator } from "../tokens/estimator.ts";
import { createWorkCounter } from "../tokens/work.ts";
import type { SessionAct, SessionScenario, SummarizerBehaviour } from "./arbitrary-session.ts";
import { humanOf, messagesOfStep } from "./arbitrary-session.ts";
import { sessionStart, usageEntry } from "./builders.ts";
import { floorTokens } from "./floor.ts";

/** A broken rule of the engine, in words; the property fails with it. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

/** What playing a scenario came to. */
export interface Played {
  readonly violations: readonly Violation[];
  readonly log: string;
  readonly compactions: number;
}

/**
 * Plays a generated session on the shipped engine and checks DESIGN's rules after every fit: sendable, under the budget or
 * irreducible for a reason, the last human message literal, nothing lost, untouched identity, progress, nothing where nothing is new,
 * handles that find the original, the log's fold equal to the live view.
 */
export async function playSession(scenario: SessionScenario): Promise<Played> {
  const violations: Violation[] = [];
  const report = (rule: string, detail: string) => violations.push({ rule, detail });
  let compactions = 0;
  let limits = scenario.limits;
  const summarizer = scriptedSummarizer(scenario.summarizer);
  const open = (entries: readonly SessionEntry[]) =>
    createContextManager({ policy: scenario.policy, summarizer: summarizer.summarize, entries });
  let manager = open([sessionStart(scenario.system)]);

  const fitAt = async (gate: Gate, pending: readonly Message[], extra: Partial<FitInput> = {}): Promise<FitOutcome | null> => {
    const before = manager.view().messages.slice();
    const logBefore = manager.entries().length;
    const input: FitInput = { gate, pending, model: limits, nowMs: null, ...extra };
    const controller = new AbortController();
    summarizer.use(controller);
    try {
      const outcome = await manager.fit(input, controller.signal);
      if (outcome.kind === "compacted") {
        compactions += 1;
        checkCompaction({ manager, before, entry: outcome.entry, input, scenario, report });
        const again =
          input.now === undefined && gate !== "on-overflow" ? await manager.fit(input, new AbortController().signal) : null;
        if (again !== null && again.kind !== "unchanged")
          report("nothing happens when nothing is new", `${again.kind} right after a compaction`);
      } else if (manager.entries().length !== logBefore) report("a fit that did not compact appends nothing", outcome.kind);
      if (outcome.kind === "irreducible") checkIrreducible({ manager, outcome, input, scenario, report });
      if (outcome.kind === "unchanged") checkUnchanged({ manager, before, report });
      return outcome;
    } catch (error) {
      if (!controller.signal.aborted) report("no exception reaches the caller", String(error));
      if (manager.entries().length !== logBefore) report("an aborted fit appends nothing", String(error));
      return null;
    }
  };

  for (const [index, act] of scenario.acts.entries()) {
    const id = `m${index}`;
    switch (act.act) {
      case "human": {
        const message = humanOf(act, id);
        await fitAt("before-submit", [message]);
        manager.append({ type: "message", message });
        break;
      }
      case "inject":
        manager.append({
          type: "message",
          message: { role: "user", id, origin: "injected", parts: [{ type: "text", text: act.text }], atMs: null },
        });
        break;
      case "step":
        await playStep(act, id, { manager: () => manager, fitAt });
        break;
      case "crash": {
        const { reply, results } = messagesOfStep({ ...act, act: "step", text: "", reasoning: null, usageRatio: 1 }, id);
        const kept = [reply, ...results.slice(0, act.answered)];
        manager = open([...manager.entries(), ...kept.map((message) => ({ type: "message", message }) as const)]);
        const [violation] = checkMessages(manager.view().messages.slice(), { ...STRICT_WIRE_RULES, lastMessage: "any" });
        if (violation !== undefined) report("a resumed session is sendable", violation.code);
        break;
      }
      case "compact":
        await fitAt("before-submit", [], {
          now: { reason: "manual", keep: act.keepMessages === null ? null : { messages: act.keepMessages } },
        });
        break;
      case "overflow":
        for (let recovery = 0; recovery < act.recoveries; recovery++) await fitAt("on-overflow", [], { recovery });
        break;
      case "revert":
        if (manager.view().activeCompactions.length > 0) manager.revert(null);
        break;
      case "reload":
        manager = open(decodeLog(encodeLog(manager.entries()), "log").entries);
        break;
      case "switch":
        limits = act.limits;
        await manager
          .switchModel(
            { modelId: `model-${index}`, limits },
            { gate: "before-step", pending: [], model: limits, nowMs: null },
            new AbortController().signal,
          )
          .catch((error: unknown) => report("no exception reaches the caller", String(error)));
        break;
      default:
        act satisfies never;
    }
    checkFold(manager, report);
  }
  return { violations, log: encodeLog(manager.entries()), compactions };
}

type Report = (rule: string, detail: string) => void;

async function playStep(
  act: SessionAct & { readonly act: "step" },
  id: string,
  session: { manager: () => ContextManager; fitAt: (gate: Gate, pending: readonly Message[]) => Promise<FitOutcome | null> },
): Promise<void> {
  const { reply, results } = messagesOfStep(act, id);
  if (session.manager().view().messages.size === 0) return;
  await session.fitAt("before-step", []);
  const manager = session.manager();
  const { expectedTokens } = manager.predict();
  manager.append(
    usageEntry(`request-${id}`, manager.view().messages.at(-1)?.id ?? null, Math.ceil(expectedTokens * act.usageRatio)),
  );
  manager.append({ type: "message", message: reply });
  for (const message of results) manager.append({ type: "message", message });
  if (results.length > 0) await session.fitAt("after-tool-batch", []);
}

interface CompactionCheck {
  readonly manager: ContextManager;
  readonly before: readonly Message[];
  readonly entry: CompactionEntry;
  readonly input: FitInput;
  readonly scenario: SessionScenario;
  readonly report: Report;
}

function checkCompaction({ manager, before, entry, input, scenario, report }: CompactionCheck): void {
  const after = manager.view().messages.slice();
  const [violation] = checkMessages(after, { ...STRICT_WIRE_RULES, lastMessage: "any" }).filter(
    (each) => each.code !== "no-messages",
  );
  const wasInvalid = checkMessages(before, { ...STRICT_WIRE_RULES, lastMessage: "any" }).length > 0;
  if (violation !== undefined && !wasInvalid) report("sendable", `${violation.code} at ${violation.index}`);
  const budget = budgetOf(input.model);
  const estimator = createEstimator(scenario.policy.estimator, createWorkCounter());
  const pendingTokens = Math.floor(
    input.pending.reduce((sum, message) => sum + estimator.messageTokens(message, manager.ledger()), 0),
  );
  const expectedTokens = manager.predict().expectedTokens;
  if (budget !== null && expectedTokens + pendingTokens > budget.inputBudgetTokens)
    report("fits", `${expectedTokens} + ${pendingTokens} of ${budget.inputBudgetTokens}`);
  const human = before.findLast(isHuman);
  if (human !== undefined && !after.includes(human)) report("the last human message is literal", human.id);
  const known = new Set(before);
  for (const message of after)
    if (!known.has(message) && !isEngineMade(message, entry)) report("untouched messages keep their identity", message.id);
  checkCoverage(before, entry, report);
  for (const edit of entry.edits) {
    if (edit.kind !== "replace-part") continue;
    const recalled = manager.recall(edit.handle, { startChar: 0, maximumChars: 50 });
    const part = before.find((message) => message.id === edit.messageId)?.parts[edit.partIndex];
    if (part?.type === "text" && recalled === null) report("a handle finds the original", edit.handle);
  }
  const visitBound = 40 * (before.length + 1) + 40;
  if (entry.record.work.messagesVisited > visitBound)
    report("work is bounded", `${entry.record.work.messagesVisited} visits for ${before.length} messages`);
}

function isEngineMade(message: Message, entry: CompactionEntry): boolean {
  if (message.role !== "tool-result" && (message.origin === "summary" || message.origin === "notice")) return true;
  return entry.edits.some((edit) => edit.kind === "replace-part" && edit.messageId === message.id);
}

/** What left the view is exactly what the edits' spans cover, and their counts say so. */
function checkCoverage(before: readonly Message[], entry: CompactionEntry, report: Report): void {
  let view = before;
  for (const edit of entry.edits) {
    const next = applyEdits(view, [edit]);
    if (edit.kind === "summarize" || edit.kind === "drop") {
      const spans = edit.kind === "drop" ? [edit] : edit.spans;
      const covered = spans.flatMap((span) =>
        view.slice(
          view.findIndex((message) => message.id === span.from),
          view.findIndex((message) => message.id === span.through) + 1,
        ),
      );
      const gone = view.filter((message) => !next.some((each) => each.id === message.id));
      if (gone.length !== covered.length || gone.some((message, index) => message !== covered[index]))
        report("nothing is lost silently", edit.kind);
      if (JSON.stringify(coverageOf(covered)) !== JSON.stringify(edit.covered))
        report("coverage is counted exactly", edit.kind);
    }
    view = next;
  }
}

function checkIrreducible({
  manager,
  outcome,
  input,
  scenario,
  report,
}: {
  manager: ContextManager;
  outcome: FitOutcome & { readonly kind: "irreducible" };
  input: FitInput;
  scenario: SessionScenario;
  report: Report;
}): void {
  const budget = budgetOf(input.model);
  if (budget === null) return;
  const least = floorTokens(manager, scenario.policy, input.pending);
  if (least <= budget.inputBudgetTokens)
    report(
      "irreducible only below the floor",
      `floor ${least} of ${budget.inputBudgetTokens}: ${JSON.stringify(outcome.steps)}`,
    );
}

function checkUnchanged({
  manager,
  before,
  report,
}: {
  manager: ContextManager;
  before: readonly Message[];
  report: Report;
}): void {
  const after = manager.view().messages.slice();
  if (after.length !== before.length || after.some((message, index) => message !== before[index]))
    report("unchanged means unchanged", "");
}

function checkFold(manager: ContextManager, report: Report): void {
  const folded = foldEntries(manager.entries()).messages.slice();
  const live = manager.view().messages.slice();
  if (folded.length !== live.length || folded.some((message, index) => message.id !== live[index]?.id))
    report("the fold of the log is the live view", `${folded.length} and ${live.length} messages`);
}

/** A summariser that behaves as scripted, call after call. `aborted` hangs until the caller gives up, which it does at once. */
function scriptedSummarizer(script: readonly SummarizerBehaviour[]): {
  summarize: Summarizer;
  use: (controller: AbortController) => void;
} {
  let calls = 0;
  let controller = new AbortController();
  const summarize: Summarizer = async (request, signal) => {
    const behaviour = script[calls % script.length] ?? "works";
    calls += 1;
    switch (behaviour) {
      case "works":
        return {
          text: `Summary of ${request.parts.reduce((sum, part) => sum + part.messages.length, 0)} messages.`,
          usage: null,
          stopReason: "end",
        };
      case "fails":
        throw new Error("the model is overloaded");
      case "empty":
        return { text: " \n", usage: null, stopReason: "end" };
      case "cut-off":
        return { text: "Half a summ", usage: null, stopReason: "length" };
      case "huge":
        return { text: "much longer than what it replaces ".repeat(3000), usage: null, stopReason: "end" };
      case "aborted":
        controller.abort();
        signal.throwIfAborted();
        throw new Error("unreachable unless another signal was given");
      default:
        return behaviour satisfies never;
    }
  };
  return {
    summarize,
    use: (next) => {
      controller = next;
    },
  };
}

/** Limits of a scenario's first model, for tests that need them. */
export function limitsOf(scenario: SessionScenario): ModelLimits {
  return scenario.limits;
}
