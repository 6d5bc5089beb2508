import type { Fields } from "../fields.ts";
import { stringAt } from "../fields.ts";

/** An error that a provider reported inside an answer with a good status, in the shape of one that came with a bad one. */
export class ReportedError extends Error {
  readonly error: Fields;
  readonly code: string | null;

  constructor(error: Fields) {
    super(stringAt(error, "message") ?? "the provider reported an error");
    this.error = error;
    this.code = stringAt(error, "code");
  }
}
