export type { Exchange } from "./exchange.ts";
export type { Fault } from "./fault.ts";
export type { SimulatedCacheRules, SimulatorOptions } from "./options.ts";
export { DEFAULT_CACHE_RULES } from "./options.ts";
export type { SimulatedPart, SimulatedReply, SimulatedRequest, WireName } from "./reply.ts";
export { repliesOfTranscript, SCRIPT_END } from "./reply.ts";
export type { Simulator } from "./simulator.ts";
export { startSimulator } from "./simulator.ts";
