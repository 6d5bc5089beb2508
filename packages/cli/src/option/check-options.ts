import { PlimsollError } from "@plimsoll/core";

/** Rules for options without sense, by their long names as keys: the others that one needs, and those that it leaves nothing to do for. */
export interface OptionRules {
  readonly needs?: Readonly<Record<string, readonly string[]>>;
  readonly excludes?: Readonly<Record<string, readonly string[]>>;
}

/** Throws `bad-input` for an option that would do nothing beside the others: what is given is used, or refused before any work. */
export function checkOptions(options: object, { needs = {}, excludes = {} }: OptionRules): void {
  const given = new Set(Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [name])));
  for (const [name, others] of Object.entries(needs))
    if (given.has(name) && !others.some((other) => given.has(other)))
      throw new PlimsollError("bad-input", `${flag(name)} does nothing by itself: it is for ${others.map(flag).join(" or ")}`);
  for (const [name, others] of Object.entries(excludes))
    for (const other of given.has(name) ? others.filter((each) => given.has(each)) : [])
      throw new PlimsollError("bad-input", `${flag(other)} does nothing with ${flag(name)}: leave one of them out`);
}

/** Makes one error of all that is wrong with what was given, a line each. */
export function mistakes(problems: readonly string[]): PlimsollError {
  return new PlimsollError("bad-input", problems.join("; "), { problems });
}

const flag = (name: string) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
