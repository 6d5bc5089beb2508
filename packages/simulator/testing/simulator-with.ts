import { onTestFinished } from "vitest";
import { stringAt } from "../src/fields.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../src/index.ts";

/** A simulator that says "well" unless the options say otherwise, for one test. */
export async function simulatorWith(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const simulator = await startSimulator({ replies: () => ({ parts: [{ type: "text", text: "well" }] }), ...options });
  onTestFinished(() => simulator.close());
  return simulator;
}

/** Headers that the Messages and the OpenAI wires take together. */
export const KEYS: Readonly<Record<string, string>> = {
  "anthropic-version": "2023-06-01",
  "x-api-key": "key",
  authorization: "Bearer key",
};

interface Asked {
  readonly status: number;
  readonly answer: unknown;
  /** The words of the answer's error. */
  readonly error: string | null;
}

/** Posts a body as it is to a path below `/v1/`. */
export async function ask(
  { url }: Pick<Simulator, "url">,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = KEYS,
): Promise<Asked> {
  const response = await fetch(`${url}/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const answer: unknown = await response.json();
  return { status: response.status, answer, error: stringAt(Object(answer).error, "message") };
}
