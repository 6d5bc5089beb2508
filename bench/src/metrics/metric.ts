import type { ReplayedCall } from "../replay/replayed-call.ts";

/** One family of figures over a replay: sees each call once, in order. */
export interface Metric<Result> {
  add(call: ReplayedCall): void;
  result(): Result;
}
