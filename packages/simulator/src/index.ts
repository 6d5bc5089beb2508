export type { Exchange, Fault, SimulatorOptions } from "./options.ts";
export type { SimulatedPart, SimulatedReply, SimulatedRequest } from "./reply.ts";
export { repliesOfTranscript } from "./reply.ts";
export type { SimulatedRules } from "./rules.ts";
export type { ExchangeFacts } from "./scenario/facts.ts";
export { factsLine } from "./scenario/facts.ts";
export { LAST_REPLY, playScenario } from "./scenario/play.ts";
export type {
  KindRule,
  MainStep,
  OverflowRule,
  Probe,
  Scenario,
  ScenarioText,
  ToolPattern,
} from "./scenario/scenario.ts";
export { scenarioSchema } from "./scenario/scenario.ts";
export type { Simulator } from "./simulator.ts";
export { startSimulator } from "./simulator.ts";
export type { SwitchableRule } from "./switchable-rules.ts";
export { SWITCHABLE_RULES } from "./switchable-rules.ts";
