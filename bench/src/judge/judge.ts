import { RECORDED_POLICY } from "@plimsoll/core/extend";
import { METRICS, type RunMetrics } from "../metrics/registry.ts";
import { policyRunBy } from "../peers/running-agents.ts";
import type { BenchReport } from "../results.ts";
import { answersAmong, type WindowAnswer } from "./answer.ts";
import { actingIn, type Compared, comparedIn } from "./compare.ts";
import { fillingOwnRules } from "./kept-by-rules.ts";
import { type ModelSummaries, modelSummaries } from "./model-summaries.ts";
import { type PolicySummary, summarizePolicies, windowLabels } from "./policy-summary.ts";
import type { Standing } from "./standing.ts";

/** A report, judged: made once, and all that any output says or draws of it is taken from here. */
export interface Judgement {
  readonly windows: readonly WindowJudgement[];
  readonly asking: ReadonlyMap<string, ModelSummaries>;
  /** Policies whose summaries a vendor would write, at a price that a replay does not know: never chosen. */
  readonly unpriced: ReadonlySet<string>;
}

/** A window of a report, judged. */
export interface WindowJudgement extends Compared {
  readonly summaries: readonly PolicySummary[];
  /** One, or two if only some policies pay for a model's summaries; recommendable policies before nearest ones. */
  readonly answers: readonly WindowAnswer[];
  /** The answer: the policies that its sentence names and its picture rings, the one to use first. None if there is no answer. */
  readonly named: readonly Standing[];
  /** The policy that the person runs now; `null` if the run does not have it. */
  readonly now: Standing | null;
}

/** Judges every window of a report. Give the metrics that its run had. */
export function judge(report: BenchReport, metrics: RunMetrics = METRICS): Judgement {
  const summaries = summarizePolicies(report, metrics);
  const asking = modelSummaries(report);
  const isUnpriced = ({ policy: { strategies } }: BenchReport["policies"][number]) =>
    strategies.some((spec) => "writer" in spec && spec.writer === "vendor");
  const unpriced = new Set(report.policies.filter(isUnpriced).map(({ name }) => name));
  const acting = new Set([...actingIn(report)].filter((name) => !unpriced.has(name)));
  const filling = fillingOwnRules(report);
  const windows = windowLabels(report).map((label): WindowJudgement => {
    const compared = comparedIn(report, label);
    const unfirm = ({ choice }: WindowAnswer) => ({ ...choice, recommended: [] });
    const answers = answersAmong(compared, acting, new Set(asking.keys()))
      .map((answer) => (filling.has(answer.choice.pick?.policy ?? "") ? { ...answer, choice: unfirm(answer) } : answer))
      .toSorted((a, b) => Number(isFirm(b)) - Number(isFirm(a)));
    return {
      ...compared,
      summaries: summaries.filter(({ windowLabel }) => windowLabel === label),
      answers,
      named: namedBy(answers),
      now: runningNow(report, compared),
    };
  });
  return { windows, asking, unpriced };
}

function isFirm({ choice }: WindowAnswer): boolean {
  return choice.recommended.length > 0;
}

/** The first pick, and that among the policies with the other kind of summaries unless it costs as much and keeps no more. */
function namedBy(answers: readonly WindowAnswer[]): readonly Standing[] {
  const [first, ...others] = answers.flatMap(({ choice }) => choice.pick ?? []);
  if (first === undefined) return [];
  const isBeaten = (pick: Standing) => pick.costPercent >= first.costPercent && (pick.gain ?? 0) <= (first.gain ?? 0);
  return [first, ...others.filter((pick) => !isBeaten(pick))];
}

/** The recorded policy, if the run has it in each compared session; else the policy in the likeness of the one agent that wrote them all. */
function runningNow({ sessions }: BenchReport, { units, standings }: Compared): Standing | null {
  const recorded = standings.get(RECORDED_POLICY.name);
  if (recorded !== undefined) return recorded;
  const compared = new Set(units.map(({ session }) => session));
  const likenesses = new Set(sessions.flatMap((each) => (compared.has(each.session) ? [policyRunBy(each)] : [])));
  const [likeness] = likenesses;
  return likenesses.size === 1 ? (standings.get(likeness ?? "") ?? null) : null;
}
