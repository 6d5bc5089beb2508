import type { z } from "zod";
import { isThenable, PlimsollError, shown } from "./error.ts";
import { isPlain } from "./json.ts";

/** A kind in a policy (an estimator, a strategy, a keep rule): its name, and its settings as plain JSON. */
export interface KindSpec {
  readonly kind: string;
}

const given = new WeakSet<object>();

/** The data frozen in place, all but `opaque` values: a part of the caller's own that it is given to fails if it changes it. */
export function frozen<Value>(data: Value): Value {
  if (typeof data !== "object" || data === null || given.has(data) || !(Array.isArray(data) || isPlain(data))) return data;
  given.add(Object.freeze(data));
  for (const [key, each] of Object.entries(data)) if (key !== "opaque") frozen(each);
  return data;
}

/**
 * The answer of a part of the caller's own that is not waited for. The rejection of a promise ends no process.
 *
 * @throws PlimsollError `bad-input` naming the part, for a promise or a list of them.
 */
export function atOnce<Answer>(part: string, answer: Answer): Answer {
  if (typeof answer !== "object" || answer === null) return answer;
  const promises = (Array.isArray(answer) ? answer : [answer]).filter(isThenable);
  if (promises.map(shown).length === 0) return answer;
  throw new PlimsollError("bad-input", `${part} must not be async: it answered with a promise`, { part });
}

/** Takes a listener's answer. It may be async: nothing waits for its promise, and a rejection is ignored, so that it ends no process. */
export function heard(answer: unknown): void {
  if (isThenable(answer)) answer.then(undefined, () => {});
}

/** The part, whose functions answer at once: see {@link atOnce}. */
export function answeringAtOnce<Part extends object>(of: string, part: Part): Part {
  const ask =
    (each: (...given: never[]) => unknown) =>
    (...given: readonly unknown[]): unknown =>
      atOnce(of, Reflect.apply(each, part, given));
  const guarded = Object.entries(part).map(([name, each]) => [name, typeof each === "function" ? ask(each) : each]);
  return Object.assign({}, part, Object.fromEntries(guarded));
}

/**
 * The kind of that name. `what` names the sort of thing that was looked for, in the error's line.
 *
 * @throws PlimsollError `bad-policy` naming the kinds that are there.
 */
export function kindNamed<K extends KindSpec>(kinds: readonly K[], name: string, what: string): K {
  const found = kinds.find(({ kind }) => kind === name);
  if (found !== undefined) return found;
  const there = kinds.map(({ kind }) => kind).join(", ");
  throw new PlimsollError("bad-policy", `unknown ${what} kind ${JSON.stringify(name)}: known: ${there}`, {
    kind: name,
  });
}

/**
 * The settings of a kind, as its own schema reads them.
 *
 * @throws PlimsollError `bad-policy` for settings that the schema refuses.
 */
export function parseSpec<S extends KindSpec>(schema: z.ZodType<S>, spec: KindSpec): S {
  const parsed = schema.safeParse(spec);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = [spec.kind, ...(issue?.path ?? [])].join(".");
  throw new PlimsollError("bad-policy", `${place}: ${issue?.message ?? "unknown shape"}`, { kind: spec.kind });
}
