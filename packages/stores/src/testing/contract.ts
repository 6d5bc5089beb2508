/** One rule of a port's contract. `run` gets a function that makes an empty subject, and rejects if the rule does not hold. */
export interface ContractCase<Subject> {
  readonly rule: string;
  readonly run: (make: () => Promise<Subject>) => Promise<void>;
}

/** Makes a rule that looks at one subject. */
export function ruled<Subject>(rule: string, holds: (subject: Subject) => Promise<void>): ContractCase<Subject> {
  return { rule, run: async (make) => await holds(await make()) };
}

/** Rejects unless the two have the same JSON. */
export function sameOrThrow(what: string, actual: unknown, expected: unknown): void {
  const [actualJson, expectedJson] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (actualJson !== expectedJson) throw new Error(`${what}: ${actualJson} instead of ${expectedJson}`);
}

/** Rejects unless the work rejects with an error whose `code` is the one given. */
export async function rejectsWith(code: string, work: () => Promise<unknown>): Promise<void> {
  const got = await work().then(
    () => "no error",
    (error: unknown) => (error instanceof Error && "code" in error ? error.code : String(error)),
  );
  sameOrThrow("rejection", got, code);
}
