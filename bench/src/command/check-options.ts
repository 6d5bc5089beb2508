import { PlimsollError } from "@plimsoll/core";
import { type CliIo, EXIT_OK, EXIT_USAGE } from "../terminal/io.ts";
import { printable, tell } from "../terminal/printable.ts";

/** Rules for options without sense, by their long names as keys: the others that one needs, and those that it leaves nothing to do for. */
export interface OptionRules {
  readonly needs?: Readonly<Record<string, readonly string[]>>;
  readonly excludes?: Readonly<Record<string, readonly string[]>>;
}

/** Throws `bad-input` for an option that would do nothing beside the others: an option is used, or refused before any work. */
export function checkOptions(options: object, { needs = {}, excludes = {} }: OptionRules): void {
  const given = new Set(Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [name])));
  for (const [name, others] of Object.entries(needs))
    if (given.has(name) && !others.some((other) => given.has(other)))
      throw new PlimsollError("bad-input", `${flag(name)} does nothing by itself: it is for ${others.map(flag).join(" or ")}`);
  for (const [name, others] of Object.entries(excludes))
    for (const other of given.has(name) ? others.filter((each) => given.has(each)) : [])
      throw new PlimsollError("bad-input", `${flag(other)} does nothing with ${flag(name)}: leave one of them out`);
}

/** Makes one error of all mistakes in the arguments, a line each. */
export function mistakes(problems: readonly string[]): PlimsollError {
  return new PlimsollError("bad-input", problems.join("; "), { problems });
}

interface Consent {
  readonly question: string;
  /** Its subject, which the screen shows before it. */
  readonly about?: string;
  /** The participle of the act that needs consent. */
  readonly what: string;
  /** The thing to agree to; left out if the question names it. */
  readonly to?: string;
}

/** Asks for consent, unless it was given by `--yes`: `null` if the person agrees, else the exit code of a command that ends here. */
export async function refusal({ question, about, what, to }: Consent, isAgreed: boolean, io: CliIo): Promise<number | null> {
  if (isAgreed) return null;
  const isThere = io.confirm !== undefined;
  if (await io.confirm?.(`${printable(question)} [y/N] `, about)) return null;
  const agree = ["no one can be asked to agree", ...(to === undefined ? [] : [to])].join(" ");
  tell(io, `nothing was ${what}${isThere ? "" : `: ${agree}; give --yes`}`);
  return isThere ? EXIT_OK : EXIT_USAGE;
}

const flag = (name: string) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
