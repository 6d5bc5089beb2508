import { PlimsollError } from "@plimsoll/core";
import type { Fault, SimulatorOptions } from "@plimsoll/providers/simulator";

const KINDS: ReadonlyMap<string, Fault> = new Map<string, Fault>([
  ["429", { kind: "status", status: 429 }],
  ["500", { kind: "status", status: 500 }],
  ["529", { kind: "status", status: 529 }],
  ["cut", { kind: "cut-stream", afterEvents: 3 }],
  ["error", { kind: "stream-error" }],
  ["empty", { kind: "empty-reply" }],
  ["truncate", { kind: "silent-truncation" }],
  ["no-usage", { kind: "no-usage" }],
]);

/** Reads faults such as `429@3`: the kind, and which request it happens to, counted from 1. Throws `bad-input` for everything else. */
export function faultsFrom(texts: readonly string[]): NonNullable<SimulatorOptions["faults"]> {
  const faults = new Map(texts.map(parseFault));
  return ({ index }) => faults.get(index + 1) ?? null;
}

function parseFault(text: string): readonly [number, Fault] {
  const at = text.lastIndexOf("@");
  const fault = KINDS.get(text.slice(0, at));
  const request = text.slice(at + 1);
  if (fault !== undefined && /^[1-9]\d{0,6}$/.test(request)) return [Number(request), fault];
  throw new PlimsollError(
    "bad-input",
    `--fault ${text}: give a kind and the number of a request, as 429@3; kinds are ${[...KINDS.keys()].join(", ")}`,
  );
}
