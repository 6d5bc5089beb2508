import { isRecord } from "../fields.ts";
import type { Fault, SimulatorOptions } from "../options.ts";
import type { ScriptedUsage, SimulatedPart, SimulatedReply, SimulatedRequest } from "../reply.ts";
import { type ExchangeFacts, factsOf } from "./facts.ts";
import { type RequestShape, shapeOf } from "./request-shape.ts";
import type {
  KindRule,
  MainStep,
  OverflowRule,
  Scenario,
  ScenarioCall,
  ScenarioText,
  ScenarioUsage,
  ToolPattern,
} from "./scenario.ts";

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

/** The text of replies to main requests after the scenario's last step. */
export const LAST_REPLY = "The scenario has ended.";

/** The answer to side requests that the scenario does not name. */
const SIDE_REPLY = "Noted.";

/** Makes the options with which {@link startSimulator} plays a scenario, and calls `onFacts` after each exchange. They hold the scenario's state: use them for one simulator. */
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

/** A scenario without usage reports none with any reply. */
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

/** Characters a token, as the simulator counts by default. */
const CHARS_PER_TOKEN = 4;

/** The parts of a reply that calls one of the request's tools; says so in text if the patterns fit none of them. */
function callParts(
  { outputTokens, text, use }: ScenarioCall,
  { patterns, toolNames, callNumber }: CallSurroundings,
): readonly SimulatedPart[] {
  const said: readonly SimulatedPart[] = text === undefined ? [] : [{ type: "text", text }];
  for (const pattern of patterns.filter((each) => each.use === use)) {
    const toolName = toolNames.find((name) => isNamed(name, pattern.name));
    if (toolName === undefined) continue;
    const given = filled(pattern.arguments, { n: String(callNumber), chars: String(outputTokens * CHARS_PER_TOKEN) });
    const call: SimulatedPart =
      typeof given === "string"
        ? { type: "tool-call", toolName, argumentsJson: given, form: "text" }
        : { type: "tool-call", toolName, argumentsJson: JSON.stringify(given) };
    return [...said, call];
  }
  const wanted = use === undefined ? "" : ` for a step with "use": ${JSON.stringify(use)}`;
  return [...said, { type: "text", text: `The request has no tool that the scenario can call${wanted}.` }];
}

/** Facts that a call is made from. */
interface CallSurroundings {
  readonly patterns: readonly ToolPattern[];
  readonly toolNames: readonly string[];
  /** Counted from 1. */
  readonly callNumber: number;
}

function isNamed(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** The value with the places in its texts filled. */
function filled(value: unknown, values: { readonly [place: string]: string }): unknown {
  if (typeof value === "string")
    return value
      .split(/\{(n|chars)\}/)
      .map((piece, index) => (index % 2 === 0 ? piece : (values[piece] ?? "")))
      .join("");
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, values));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, values)]));
}

/** A text of a scenario. One of a size is made of numbered sentences, so that no line comes twice. */
function textOf(text: ScenarioText): string {
  if ("text" in text) return text.text;
  const chars = text.tokens * CHARS_PER_TOKEN;
  const lines: string[] = [];
  for (let length = 0; length < chars; length += (lines.at(-1)?.length ?? 0) + 1)
    lines.push(`This is line ${lines.length + 1}.`);
  return lines.join("\n").slice(0, chars);
}

/** The kind of a request that no rule fits. */
const MAIN_KIND = "main";

/** The first main request, with which later ones are compared. */
interface KindReference {
  /** The first main request; `null` before it. */
  readonly firstMain: RequestShape | null;
  readonly person: readonly string[];
  /** Main requests so far. */
  readonly mainCount: number;
}

/** The kind that the first fitting rule names; `main` if none fits. The vendor's own summary is no step, and has its own. */
function kindOf(shape: RequestShape, rules: readonly KindRule[], reference: KindReference): string {
  if (shape.asksSummary) return "vendor-summary";
  return rules.find((rule) => fits(shape, rule, reference))?.kind ?? MAIN_KIND;
}

function fits(shape: RequestShape, { if: wanted }: KindRule, { firstMain, person, mainCount }: KindReference): boolean {
  const facts: { readonly [key: string]: readonly string[] } = {
    tools: [shape.tools.length === 0 ? "none" : "some", ...compared(shape.toolsHash, firstMain?.toolsHash)],
    system: [...(shape.systemText === "" ? ["none"] : []), ...compared(shape.systemText, firstMain?.systemText)],
    model: compared(shape.modelId, firstMain?.modelId),
    newest: [newestOf(shape, person)],
    previous: [shape.items.at(-2)?.role === "result" ? "result" : "other"],
    form: [shape.hasForm ? "given" : "free"],
    place: [mainCount > 1 ? "later" : "first"],
  };
  return Object.entries(wanted).every(([key, value]) => value === undefined || facts[key]?.includes(value) === true);
}

/** A missing first value is neither the same nor other. */
function compared<T>(value: T, first: T | undefined): readonly string[] {
  if (first === undefined) return [];
  return [value === first ? "same" : "other"];
}

function newestOf({ items }: RequestShape, person: readonly string[]): "person" | "result" | "other" {
  const newest = items.at(-1);
  if (newest === undefined) return "other";
  if (newest.role === "result") return "result";
  return newest.role === "user" && person.some((text) => newest.text.includes(text)) ? "person" : "other";
}
