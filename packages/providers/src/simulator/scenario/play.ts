import type { Fault, SimulatorOptions } from "../options.ts";
import type { ScriptedUsage, SimulatedReply, SimulatedRequest } from "../reply.ts";
import { callParts, textOf } from "./call.ts";
import type { ExchangeFacts } from "./facts.ts";
import { factsOf } from "./facts.ts";
import { kindOf, MAIN_KIND } from "./request-kind.ts";
import type { RequestShape } from "./request-shape.ts";
import { shapeOf } from "./request-shape.ts";
import type { MainStep, OverflowRule, Scenario, ScenarioUsage } from "./scenario.ts";

/** The parts of the simulator's options that a scenario answers for. */
export type ScenarioOptions = Pick<
  SimulatorOptions,
  "contextWindowTokens" | "windowHolds" | "tokenFactorRatio" | "replies" | "faults" | "onRequest" | "onExchange"
>;

/** The state of a play. */
interface Play {
  readonly scenario: Scenario;
  readonly steps: readonly PlainStep[];
  /** The request that is being answered. */
  current: { readonly kind: string; readonly shape: RequestShape } | null;
  toldPromptTokens: number | null;
  firstMain: RequestShape | null;
  /** The newest main request that was not refused as malformed. */
  lastMain: RequestShape | null;
  /** Requests by kind, of any outcome. */
  readonly asked: Map<string, number>;
  mainAnswered: number;
  exchangeCount: number;
  /** Whether the newest answer was to a request of the kind that ends the script, and how many groups of them came. */
  isInEnd: boolean;
  endGroups: number;
  /** Main answers that are left; infinite while nothing has ended the script. */
  mainsLeft: number;
}

/** The text of the last replies. */
export const LAST_REPLY = "The scenario has ended.";

/** The answer to side requests that the scenario does not name. */
const SIDE_REPLY = "Noted.";

/** Plays a scenario: gives the options that a simulator is started with, and tells the facts of each exchange. */
export function playScenario(scenario: Scenario, onFacts: (facts: ExchangeFacts) => void): ScenarioOptions {
  const play: Play = {
    scenario,
    steps: plainSteps(scenario.main),
    current: null,
    toldPromptTokens: null,
    firstMain: null,
    lastMain: null,
    asked: new Map(),
    mainAnswered: 0,
    exchangeCount: 0,
    isInEnd: false,
    endGroups: 0,
    mainsLeft: scenario.atMostMain ?? Number.POSITIVE_INFINITY,
  };
  return {
    ...(scenario.windowTokens === undefined ? {} : { contextWindowTokens: scenario.windowTokens }),
    ...(scenario.windowHolds === undefined ? {} : { windowHolds: scenario.windowHolds }),
    ...(scenario.tokenFactorRatio === undefined ? {} : { tokenFactorRatio: scenario.tokenFactorRatio }),
    onRequest: (wire, body) => {
      const shape = shapeOf(wire, body);
      const { person = [], kinds = [] } = scenario;
      const kind = kindOf(shape, kinds, { firstMain: play.firstMain, person, mainCount: play.asked.get(MAIN_KIND) ?? 0 });
      play.current = { kind, shape };
      play.toldPromptTokens = null;
      play.asked.set(kind, (play.asked.get(kind) ?? 0) + 1);
      if (kind === MAIN_KIND) play.firstMain ??= shape;
    },
    faults: (request) => faultOf(play, request),
    replies: (request) => {
      const reply = play.current?.kind === MAIN_KIND ? mainReply(play, request) : sideReply(play, request);
      play.toldPromptTokens = toldOf(reply.usage, request.promptTokens);
      return reply;
    },
    onExchange: (exchange) => {
      const { current, toldPromptTokens, lastMain } = play;
      if (current === null) return;
      const { probes = [], person = [] } = scenario;
      const source = { index: play.exchangeCount, ...current, mainBefore: lastMain, toldPromptTokens, probes, person };
      play.exchangeCount += 1;
      if (current.kind === MAIN_KIND && exchange.outcome !== "rejected") play.lastMain = current.shape;
      play.current = null;
      onFacts(factsOf(exchange, source));
    },
  };
}

type PlainStep = Exclude<MainStep, { readonly steps: readonly MainStep[] }>;

/** A scenario with more steps than this is a slip of the pen. Chosen. */
const MOST_STEPS = 100_000;

/** The steps one by one, repeated ones as often as they are played. */
function plainSteps(steps: readonly MainStep[]): readonly PlainStep[] {
  const plain: PlainStep[] = [];
  for (const step of steps) {
    const once = "steps" in step ? plainSteps(step.steps) : [step];
    for (let left = step.repeat ?? 1; left > 0 && plain.length < MOST_STEPS; left--) plain.push(...once);
  }
  return plain;
}

function mainReply(play: Play, { toolNames, promptTokens }: SimulatedRequest): SimulatedReply {
  const { scenario, steps, mainAnswered, mainsLeft } = play;
  play.mainAnswered += 1;
  play.mainsLeft -= 1;
  play.isInEnd = false;
  const step = steps[mainAnswered];
  if (mainsLeft <= 0 || step === undefined) return { parts: [{ type: "text", text: LAST_REPLY }], ...missingIn(scenario) };
  const told = usageOf(step.usage ?? scenario.usage ?? "counted", { promptTokens, mainAnswered });
  const usage = told === undefined ? {} : { usage: told };
  if ("say" in step) return { parts: [{ type: "text", text: textOf(step.say) }], ...usage };
  const patterns = scenario.tools ?? [];
  return { parts: callParts(step.call, { patterns, toolNames, callNumber: mainAnswered + 1 }), ...usage };
}

function sideReply(play: Play, { promptTokens }: SimulatedRequest): SimulatedReply {
  const { scenario, current } = play;
  const kind = current?.kind ?? "";
  const { endAfter } = scenario;
  const isEnd = kind === endAfter?.kind;
  if (isEnd && !play.isInEnd) play.endGroups += 1;
  play.isInEnd = isEnd;
  if (isEnd && play.endGroups === (endAfter.times ?? 1)) play.mainsLeft = Math.min(play.mainsLeft, endAfter.mains ?? 0);
  const text = scenario.side?.[kind];
  const isHigh = typeof scenario.usage === "object" && "atLeastTokens" in scenario.usage && play.mainsLeft > 0;
  const told = isHigh && scenario.usage !== undefined ? usageOf(scenario.usage, { promptTokens, mainAnswered: 0 }) : undefined;
  const high = told === undefined ? {} : { usage: told };
  return { parts: [{ type: "text", text: text === undefined ? SIDE_REPLY : textOf(text) }], ...missingIn(scenario), ...high };
}

/** A scenario whose usage is missing tells none with any reply. */
function missingIn({ usage }: Scenario): Pick<SimulatedReply, "usage"> {
  return usage === "missing" ? { usage } : {};
}

/** Makes the usage that a reply reports; nothing if the counts hold. */
function usageOf(
  usage: ScenarioUsage,
  { promptTokens, mainAnswered }: { readonly promptTokens: number; readonly mainAnswered: number },
): ScriptedUsage | undefined {
  if (usage === "counted") return undefined;
  if (usage === "missing") return "missing";
  if ("atLeastTokens" in usage) return { promptTokens: Math.max(promptTokens, usage.atLeastTokens) };
  return { promptTokens: usage.promptTokens + mainAnswered * (usage.growTokens ?? 0) };
}

function toldOf(usage: SimulatedReply["usage"], countedTokens: number): number | null {
  if (usage === "missing") return null;
  return usage === undefined ? countedTokens : usage.promptTokens;
}

function faultOf({ scenario, current, asked }: Play, { promptTokens }: SimulatedRequest): Fault | null {
  const kind = current?.kind ?? MAIN_KIND;
  const isRefused = (scenario.overflow ?? []).some((rule) => refuses(rule, { kind, promptTokens, asked }));
  return isRefused ? { kind: "overflow" } : null;
}

function refuses(
  rule: OverflowRule,
  request: { readonly kind: string; readonly promptTokens: number; readonly asked: ReadonlyMap<string, number> },
): boolean {
  if (rule.kind !== undefined && rule.kind !== request.kind) return false;
  if ("aboveTokens" in rule) return request.promptTokens > rule.aboveTokens;
  const asked =
    rule.kind === undefined ? [...request.asked.values()].reduce((sum, each) => sum + each, 0) : request.asked.get(rule.kind);
  const since = (asked ?? 0) - rule.request;
  return since >= 0 && since < (rule.times ?? 1);
}
