import type { FitInput } from "../engine/fit-input.ts";
import type { Gate, SessionEntry } from "../entry.ts";
import { isPlimsollError } from "../error.ts";
import { checkMessages, STRICT_WIRE_RULES } from "../message/check.ts";
import type { Message } from "../message/message.ts";
import { decodeLog, encodeLog } from "../session/codec.ts";
import { createSession } from "../session/open-session.ts";
import type { Session } from "../session/session.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import { sessionStart, usageEntry } from "./builders.ts";
import { checkAccount, checkSameSession, createBindingCheck, createUndoCheck } from "./check-log.ts";
import { type CheckedFit, checkedFit, ENDS, type FitResult, NOTHING_EDITED } from "./checked-fit.ts";
import { estimatorOf } from "./floor.ts";
import { KEPT_STATE, scriptedHook, scriptedOffer, scriptedSummarizer, scriptedTime, variedPriors } from "./scripted-ports.ts";
import { humanOf, injected, messagesOfCrash, messagesOfStep, promptTokensOf } from "./session-messages.ts";
import type { CrashAct, PrepareAct, Report, SessionAct, SessionScenario, StepAct, Violation } from "./session-scenario.ts";

/** The record of a scenario that was played. */
export interface Played {
  readonly violations: readonly Violation[];
  readonly log: string;
  readonly compactions: number;
}

/**
 * Plays a generated session on the shipped engine and checks the engine's rules after every fit, undo and reload. It folds the whole log again before each reload and at
 * the end, where an error could hide.
 */
export async function playSession(scenario: SessionScenario): Promise<Played> {
  const violations: Violation[] = [];
  const report: Report = (rule, detail) => violations.push({ rule, detail });
  const time = scriptedTime();
  const hook = scriptedHook(scenario.hook, time.pass);
  const summarizer = scriptedSummarizer(scenario.summarizer, time.pass);
  const work = createWorkCounter();
  const undo = createUndoCheck(report);
  const binding = createBindingCheck(report);
  const isBound = scenario.reasoning === "bound";
  const estimator = estimatorOf(scenario);
  const unfinished: string[] = [];
  let started: ReturnType<CheckedFit["before"]> | null = null;
  const offer = scriptedOffer();
  let compactions = 0;
  let limits = scenario.limits;

  const open = (entries: readonly SessionEntry[]): Session =>
    createSession({
      policy: scenario.policy,
      ...(scenario.kinds === undefined ? {} : { kinds: scenario.kinds }),
      summarizer: summarizer.summarize,
      entries,
      work,
      wait: time.wait,
      prepared: offer.prepared,
      modelPriors: variedPriors,
      ...(isBound ? { isBoundReasoning: () => true } : {}),
      ...(hook === null ? {} : { beforeCompaction: hook }),
      ...(scenario.hasKeptState ? KEPT_STATE : {}),
      onEvent: (event) => {
        if (event.type === "compaction-start") {
          unfinished.push(event.reason);
          started = state();
        } else if (ENDS.includes(event.type)) unfinished.pop();
      },
    });
  let manager = open([
    sessionStart(scenario.system),
    { type: "model-change", id: "first-model", modelId: "test/model", limits, atMs: null },
  ]);
  const state = () => ({ view: manager.view().messages.slice(), ledger: manager.state().ledger });

  const fit = async (input: FitInput, more: Partial<CheckedFit> = {}): Promise<FitResult> => {
    const now = state();
    started = null;
    const before = () => started ?? now;
    const run: CheckedFit["run"] = (live, signal) => live.fit(input, signal);
    const { policy } = scenario;
    const fitted = await checkedFit({
      manager,
      scenario,
      estimator,
      policy,
      before,
      summarizer,
      work,
      input,
      nextModelId: null,
      run,
      report,
      preparedChars: offer.chars(),
      ...more,
    });
    if (unfinished.splice(0).length > 0) report("each start has its end", input.gate);
    if (fitted.outcome?.entry === undefined) return fitted;
    compactions += 1;
    undo.remember(fitted.outcome.entry.id);
    return fitted;
  };
  /** A fit, and the same once more: a finished or impossible compaction is not repeated before something new arrives. */
  const fitTwice = async (gate: Gate, pending: readonly Message[], more: Partial<FitInput> = {}) => {
    const input: FitInput = { gate, pending, model: limits, nowMs: null, ...more };
    undo.before(manager);
    const { outcome, arrived } = await fit(input);
    if (
      arrived.length > 0 ||
      outcome === null ||
      outcome.kind === "unchanged" ||
      gate === "on-overflow" ||
      input.now !== undefined
    )
      return;
    undo.before(manager);
    const { outcome: again } = await fit(input);
    // Behind a cut that was not enough it says so again, and does nothing.
    const isSaid = again?.kind === "irreducible" && again.steps.length === 0;
    if (again === null || again.kind === "unchanged" || isSaid) return;
    const reason = again.kind === "compacted" ? again.entry.record.reason : again.reason;
    if (outcome.entry !== undefined || reason !== "over-budget")
      report("nothing happens when nothing is new", `${again.kind} (${reason}) right after ${outcome.kind}`);
  };
  const append = (message: Message) => manager.append({ type: "message", message });
  const reopen = (entries: readonly SessionEntry[]) => {
    manager = open(entries);
    const [violation] = checkMessages(manager.view().messages.slice(), { ...STRICT_WIRE_RULES, lastMessage: "any" });
    if (violation !== undefined && violation.code !== "no-messages") report("a resumed session is sendable", violation.code);
  };
  const reread = (): string => {
    const before = manager;
    const log = encodeLog(before.entries());
    reopen(decodeLog(log, "log").entries);
    checkSameSession(before, manager, report);
    checkAccount(manager, report);
    return log;
  };
  const playStep = async (act: StepAct, id: string) => {
    if (manager.view().messages.size === 0) return;
    const { reply, results } = messagesOfStep(act, id);
    await fitTwice("before-step", []);
    const promptTokens = promptTokensOf(act, scenario, manager);
    binding.sent(reply.id, manager);
    manager.append(usageEntry(`request-${id}`, manager.view().messages.at(-1)?.id ?? null, promptTokens));
    for (const message of [reply, ...results]) append(message);
    if (results.length > 0) await fitTwice("after-tool-batch", []);
  };
  const playPrepare = async ({ lateBy }: PrepareAct) => {
    const input: FitInput = { gate: "before-step", pending: [], model: limits, nowMs: null };
    const prepared = async (live: Session, signal: AbortSignal) => offer.put(await live.prepare(input, signal), lateBy);
    await fit(input, { run: (live, signal) => prepared(live, signal).then(() => NOTHING_EDITED) });
  };
  const playCrash = (act: CrashAct, id: string) => {
    const left = messagesOfCrash(act, id);
    reopen([...manager.entries(), ...left.map((message) => ({ type: "message", message }) as const)]);
  };
  const playUndo = async (act: SessionAct & { readonly act: "revert" | "redo" }) => {
    const latest = manager.view().activeCompactions.at(-1);
    if (latest === undefined) return;
    const input: FitInput = { gate: "before-submit", pending: [], model: limits, nowMs: null };
    const undone =
      act.act === "revert" ? null : { ...input, focus: act.focus, ...(act.policy === null ? {} : { policy: act.policy }) };
    if (latest.record.reason === "repair") {
      const entries = manager.entries().length;
      const refused = await (async () => {
        if (undone === null) await manager.undo();
        else await manager.redo(undone, new AbortController().signal);
      })().catch((error: unknown) => error);
      if (!isPlimsollError(refused, "bad-input") || manager.entries().length !== entries)
        report("a repair is not undone", String(refused));
      return;
    }
    // The redo's own undo is looked at first, on a session of its own.
    const twin = open(manager.entries());
    await twin.undo();
    undo.check(latest.id, twin);
    if (undone === null) {
      await manager.undo();
      checkSameSession(twin, manager, report);
      return;
    }
    undo.before(twin);
    const now = { reason: "manual", keep: null } as const;
    await fit(
      { ...undone, now },
      { run: (live, signal) => live.redo(undone, signal), policy: undone.policy ?? scenario.policy },
    );
  };

  const playAct = async (act: SessionAct, index: number): Promise<void> => {
    const id = `m${index}`;
    switch (act.act) {
      case "human": {
        const message = humanOf(act, id);
        await fitTwice("before-submit", [message]);
        return append(message);
      }
      case "inject":
        return append(injected(id, act.text));
      case "step":
        return playStep(act, id);
      case "crash":
        return playCrash(act, id);
      case "prepare":
        return playPrepare(act);
      case "compact": {
        const keep = act.keepMessages === null ? null : { messages: act.keepMessages };
        return fitTwice("before-submit", [], { now: { reason: "manual", keep }, focus: act.focus });
      }
      case "overflow": {
        const window = limits.contextWindowTokens ?? 4000;
        const observedLimitTokens = act.limitRatio === null ? null : Math.max(2, Math.floor(window * act.limitRatio));
        for (let recovery = 0; recovery < act.recoveries; recovery++)
          await fitTwice("on-overflow", [], { recovery, observedLimitTokens });
        return;
      }
      case "revert":
      case "redo":
        return playUndo(act);
      case "reload":
        reread();
        return;
      case "switch": {
        const input: FitInput = { gate: "before-step", pending: [], model: act.limits, nowMs: null };
        const to = { modelId: `model-${index}`, limits: act.limits };
        undo.before(manager);
        await fit(
          { ...input, now: { reason: "downshift", keep: null } },
          { nextModelId: to.modelId, run: (live, signal) => live.switchModel(to, input, signal) },
        );
        limits = act.limits;
        return;
      }
      default:
        act satisfies never;
    }
  };
  for (const [index, act] of scenario.acts.entries()) {
    await playAct(act, index);
    if (isBound) binding.check(manager);
  }
  return { violations, log: reread(), compactions };
}
