import { onTestFinished } from "vitest";
import { type Simulator, type SimulatorOptions, startSimulator } from "../src/index.ts";

/** A simulator that says "well" unless the options say otherwise, for one test. */
export async function simulatorWith(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const simulator = await startSimulator({ replies: () => ({ parts: [{ type: "text", text: "well" }] }), ...options });
  onTestFinished(() => simulator.close());
  return simulator;
}
