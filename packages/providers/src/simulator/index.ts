export type { Exchange, Fault, SimulatorOptions } from "./options.ts";
export type { SimulatedPart, SimulatedReply, SimulatedRequest } from "./reply.ts";
export { repliesOfTranscript } from "./reply.ts";
export type { ExchangeFacts, RoleCounts, SinceMain } from "./scenario/facts.ts";
export { factsLine } from "./scenario/facts.ts";
export type { ScenarioOptions } from "./scenario/play.ts";
export { LAST_REPLY, playScenario } from "./scenario/play.ts";
export type {
  KindRule,
  MainStep,
  OverflowRule,
  Probe,
  Scenario,
  ScenarioCall,
  ScenarioEnd,
  ScenarioText,
  ScenarioUsage,
  ToolPattern,
} from "./scenario/scenario.ts";
export { scenarioSchema } from "./scenario/scenario.ts";
export type { Simulator } from "./simulator.ts";
export { startSimulator } from "./simulator.ts";
