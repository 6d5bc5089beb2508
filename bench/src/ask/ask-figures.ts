import { meanOf, unitOf } from "../statistics.ts";
import { type Action, type Agreement, actionOf, agreementOf } from "./agreement.ts";
import type { AskOutcome } from "./ask-model.ts";
import {
  ASKED_CONTEXTS,
  type AskedAnswer,
  type AskedCall,
  type AskedContext,
  type AskedContextFigures,
  type AskedPolicy,
  type AskReport,
  type Comparison,
  type ContextDifference,
  type MissingReason,
  type OpenPolicy,
} from "./ask-report.ts";
import { differenceOf, shareOf } from "./ask-statistics.ts";
import type { AskPlan, PlannedCall } from "./plan-ask.ts";

/** The sides that are compared: each context with the recording, then the contexts with each other, first the same one asked twice. */
const COMPARED: readonly (readonly [AskedContext, AskedContext | "recorded"])[] = [
  ["full", "recorded"],
  ["compacted", "recorded"],
  ["again", "recorded"],
  ["tail", "recorded"],
  ["compacted", "again"],
  ["compacted", "full"],
  ["tail", "full"],
  ["compacted", "tail"],
];

/** Makes the report of a plan from the outcomes of its requests, by request key. A request without an outcome counts as not asked. */
export function askReport(plan: AskPlan, outcomes: ReadonlyMap<string, AskOutcome>): AskReport {
  const { model, window, callsAPolicy, sessions } = plan;
  const calls = plan.calls.map((planned) => answeredCall(planned, outcomes));
  return {
    model: `${model.host}:${model.modelId}`,
    window,
    callsAPolicy,
    sessions,
    policies: plan.policies.map((open) =>
      askedPolicy(
        open,
        calls.filter(({ planned }) => planned.policy === open.policy),
      ),
    ),
    calls: calls.map(askedCall),
  };
}

/** A call with what each side did; `null` for an answer that is missing. */
interface AnsweredCall {
  readonly planned: PlannedCall;
  readonly outcomes: Readonly<Record<AskedContext, AskOutcome>>;
  readonly actions: Readonly<Record<AskedContext | "recorded", Action | null>>;
}

function answeredCall(planned: PlannedCall, outcomes: ReadonlyMap<string, AskOutcome>): AnsweredCall {
  const of = (context: AskedContext): AskOutcome =>
    outcomes.get(planned.requests[context].key) ?? { kind: "missing", why: "not-asked" };
  const own = eachContext(of);
  const done = (outcome: AskOutcome) => (outcome.kind === "missing" ? null : actionOf(outcome.answer.calls ?? []));
  const actions = { ...eachContext((context) => done(own[context])), recorded: planned.recorded };
  return { planned, outcomes: own, actions };
}

function askedPolicy(open: OpenPolicy, calls: readonly AnsweredCall[]): AskedPolicy {
  return {
    ...open,
    drawnCalls: calls.length,
    drawnSessions: new Set(calls.map(({ planned }) => planned.session)).size,
    contexts: ASKED_CONTEXTS.map((context) => contextFigures(context, calls)),
    comparisons: COMPARED.map(([of, other]) => comparison(calls, of, other)),
    differences: [contextDifference(calls, "full"), contextDifference(calls, "tail")],
  };
}

function contextFigures(context: AskedContext, calls: readonly AnsweredCall[]): AskedContextFigures {
  const missing = new Map<MissingReason, number>();
  for (const { outcomes } of calls) {
    const outcome = outcomes[context];
    if (outcome.kind === "missing") missing.set(outcome.why, (missing.get(outcome.why) ?? 0) + 1);
  }
  return {
    context,
    meanPromptTokens: meanOf(calls.map(({ planned }) => planned.requests[context].promptTokens)),
    answered: calls.filter(({ outcomes }) => outcomes[context].kind === "answered").length,
    missing: [...missing].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([why, count]) => ({ why, calls: count })),
  };
}

function comparison(calls: readonly AnsweredCall[], of: AskedContext, other: AskedContext | "recorded"): Comparison {
  const agreements = calls.flatMap(({ actions }) => {
    const [one, two] = [actions[of], actions[other]];
    return one === null || two === null ? [] : [agreementOf(one, two)];
  });
  return {
    of,
    with: other,
    calls: agreements.length,
    tool: shareOf(agreements.map(({ tool }) => tool)),
    path: shareOf(agreements.flatMap(({ path }) => path ?? [])),
    arguments: shareOf(agreements.map((agreement) => agreement.arguments)),
  };
}

function contextDifference(calls: readonly AnsweredCall[], minus: AskedContext): ContextDifference {
  const pairs = calls.flatMap(({ planned, actions: { compacted, again, recorded, [minus]: other } }) => {
    if (compacted === null || other === null || recorded === null) return [];
    const own = agreementOf(compacted, recorded);
    return { unit: unitOf(planned), own, other: agreementOf(other, recorded), again: again && agreementOf(again, recorded) };
  });
  const difference = (agrees: (agreement: Agreement) => boolean | null) =>
    differenceOf(
      pairs.flatMap(({ unit, ...pair }) => {
        const [own, other] = [agrees(pair.own), agrees(pair.other)];
        const again = pair.again === null ? null : agrees(pair.again);
        return own === null || other === null ? [] : [{ ...unit, own, other, again }];
      }),
    );
  return {
    of: "compacted",
    minus,
    tool: difference(({ tool }) => tool),
    path: difference(({ path }) => path),
    arguments: difference((agreement) => agreement.arguments),
  };
}

function askedCall({ planned, outcomes, actions }: AnsweredCall): AskedCall {
  const { session, policy, call, recorded } = planned;
  const answer = (context: AskedContext): AskedAnswer => {
    const [outcome, action] = [outcomes[context], actions[context]];
    if (outcome.kind === "missing" || action === null)
      return { kind: "missing", why: outcome.kind === "missing" ? outcome.why : "not-asked" };
    return { kind: "answered", toolName: action.toolName, agreement: agreementOf(action, recorded) };
  };
  return { session, policy, call, recordedTool: recorded.toolName, answers: eachContext(answer) };
}

function eachContext<Value>(of: (context: AskedContext) => Value): Readonly<Record<AskedContext, Value>> {
  return { full: of("full"), compacted: of("compacted"), again: of("again"), tail: of("tail") };
}
