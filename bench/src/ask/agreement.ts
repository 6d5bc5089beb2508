import { isRecord, namedPath, toolShapeOf } from "@plimsoll/core/extend";

/** The next action of an agent: the first tool call of a reply, or none. */
export interface Action {
  /** `null` for a reply without a call. */
  readonly toolName: string | null;
  readonly argumentsJson: string;
}

/** How far two actions agree. */
export interface Agreement {
  /** The same tool's name, or no call in both. */
  readonly tool: boolean;
  /** The same main path after normalising, whatever the tools; `null` if neither names one. */
  readonly path: boolean | null;
  /** The same tool with arguments that are equal after normalising. */
  readonly arguments: boolean;
}

/** The action of a reply by its calls. */
export function actionOf(calls: readonly { readonly toolName: string; readonly argumentsJson: string }[]): Action {
  const [{ toolName, argumentsJson } = { toolName: null, argumentsJson: "{}" }] = calls;
  return { toolName, argumentsJson };
}

/** Compares two actions. It does not matter which is which. Linear in their arguments. */
export function agreementOf(one: Action, other: Action): Agreement {
  const tool = one.toolName === other.toolName;
  const [ownPath, otherPath] = [mainPath(one), mainPath(other)];
  return {
    tool,
    path: ownPath === null && otherPath === null ? null : isSamePath(ownPath, otherPath),
    arguments: tool && canonical(comparedArguments(one)) === canonical(comparedArguments(other)),
  };
}

/** The file that a call is about: the one that it reads or changes, a command shows, or a search is limited to; `null` if there is none. */
export function mainPath({ toolName, argumentsJson }: Action): string | null {
  if (toolName === null) return null;
  const args = argumentsOf(argumentsJson);
  const [accessed] = toolShapeOf({}, toolName, args).paths;
  const path = accessed?.path ?? namedPath(args);
  return path === undefined ? null : normalisedPath(path);
}

/** The path with `/` between its parts, without `.`, `..` and empty parts if they can be resolved. */
export function normalisedPath(path: string): string {
  const text = path.trim().replaceAll("\\", "/");
  const parts: string[] = [];
  for (const part of text.split("/")) {
    const last = parts.at(-1);
    if (part === "" || part === ".") continue;
    if (part === ".." && last !== undefined && last !== "..") parts.pop();
    else parts.push(part);
  }
  return `${text.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}

/** Equal, or one is absolute and ends with the other: a call may name a file from the root or from the working folder. */
function isSamePath(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return false;
  if (isAbsolute(one) === isAbsolute(other)) return one === other;
  const [whole, end] = isAbsolute(one) ? [one, other] : [other, one];
  return end !== "" && whole.endsWith(`/${end}`);
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:/.test(path);
}

/** Arguments by name. */
export type Fields = Readonly<Record<string, unknown>>;

/** The arguments as an object; a text that is none, as some tools take and a call that was cut off has, is one argument. */
export function argumentsOf(argumentsJson: string): Fields {
  try {
    const parsed: unknown = JSON.parse(argumentsJson);
    return isRecord(parsed) ? parsed : { input: parsed };
  } catch {
    // Tools of free form take a text that is no JSON.
    return { input: argumentsJson };
  }
}

/** Arguments that tell a person why. They are left out if there are others: they change nothing that is done. */
const EXPLANATIONS: ReadonlySet<string> = new Set(["description", "explanation", "justification", "thought", "reason"]);

function comparedArguments({ argumentsJson }: Action): Fields {
  const given = Object.entries(argumentsOf(argumentsJson)).filter(([, value]) => value !== null);
  const done = given.filter(([name]) => !EXPLANATIONS.has(name));
  return Object.fromEntries((done.length > 0 ? done : given).map(([name, value]) => [name, comparedValue(value)]));
}

/** Nobody's tools nest deeper; what does is left out, so that no recording can exhaust the stack. Chosen. */
const DEEPEST = 64;

/** Numbers and texts of them are the same; texts without white space at the ends of lines. */
function comparedValue(value: unknown, depth = 0): unknown {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return comparedText(value);
  if (depth >= DEEPEST) return null;
  if (Array.isArray(value)) return value.map((inner) => comparedValue(inner, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, comparedValue(inner, depth + 1)]));
}

function comparedText(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

/** JSON with keys in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner) && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
