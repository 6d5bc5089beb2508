/** A broken rule of the engine, in words; the property fails with it. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

/** Receives each broken rule. */
export type Report = (rule: string, detail: string) => void;
