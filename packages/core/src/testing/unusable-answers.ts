/** An answer that a port may not give: its name, the answer, and the words about it. */
type UnusableAnswer = readonly [name: string, answer: () => unknown, said: string];

/** A promise that never settles. */
export const never = (): Promise<never> => new Promise<never>(() => undefined);
/** A promise that is rejected. */
export const rejected = (): Promise<never> => Promise.reject(new Error("disk full"));
/** An error that is thrown. */
export const thrown = (): never => {
  throw new Error("disk full");
};

const thenable = {};
Reflect.set(thenable, "then", () => undefined);

/** Unusable answers: of any port, of a port without a text, of a synchronous one, and of an asynchronous one. */
export const UNUSABLE_ANSWERS: { readonly [of in "any" | "texts" | "promises" | "late"]: readonly UnusableAnswer[] } = {
  any: [
    ["NaN", () => Number.NaN, "answered with NaN"],
    ["a negative number", () => -1, "answered with -1"],
    ["undefined", () => undefined, "answered with undefined"],
    ["true", () => true, "answered with true"],
    ["a list of nothing", () => [null], "answered with"],
    ["an object with missing fields", () => ({ entries: [{}] }), "answered with"],
    ["a thrown error", thrown, "failed: disk full"],
  ],
  texts: [
    ["a text", () => "12", 'answered with "12"'],
    ["an empty text", () => "", 'answered with ""'],
  ],
  promises: [
    ["a promise", async () => 12, "answered with a promise"],
    ["a rejected promise", rejected, "answered with a promise"],
    ["a promise that never settles", never, "answered with a promise"],
  ],
  late: [
    ["a rejected promise", rejected, "failed: disk full"],
    ["a promise that never settles", never, "gave no answer within"],
    ["a thenable that never settles", () => thenable, "gave no answer within"],
  ],
};

/** A malformed value, as JavaScript can pass it. */
export const given = <Value extends object>(value: Value, garbage: Partial<Record<keyof Value, unknown>>): Value =>
  Object.assign({}, value, garbage);
