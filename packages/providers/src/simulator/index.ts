export type { Exchange, Fault, SimulatorOptions } from "./options.ts";
export type { SimulatedPart, SimulatedReply, SimulatedRequest } from "./reply.ts";
export { repliesOfTranscript } from "./reply.ts";
export type { Simulator } from "./simulator.ts";
export { startSimulator } from "./simulator.ts";
