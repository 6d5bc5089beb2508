import type { RequestShape } from "./request-shape.ts";
import type { KindRule } from "./scenario.ts";

/** The kind of a request that no rule fits. */
export const MAIN_KIND = "main";

/** The first main request, with which later ones are compared. */
export interface KindReference {
  /** The first main request; `null` before it. */
  readonly firstMain: RequestShape | null;
  readonly person: readonly string[];
  /** Main requests so far. */
  readonly mainCount: number;
}

/** The kind that the first fitting rule names; `main` if none fits. */
export function kindOf(shape: RequestShape, rules: readonly KindRule[], reference: KindReference): string {
  return rules.find((rule) => fits(shape, rule, reference))?.kind ?? MAIN_KIND;
}

function fits(shape: RequestShape, { if: wanted }: KindRule, { firstMain, person, mainCount }: KindReference): boolean {
  const facts: { readonly [key: string]: readonly string[] } = {
    tools: [shape.tools.length === 0 ? "none" : "some", ...compared(shape.toolsHash, firstMain?.toolsHash)],
    system: [...(shape.systemText === "" ? ["none"] : []), ...compared(shape.systemText, firstMain?.systemText)],
    model: compared(shape.modelId, firstMain?.modelId),
    newest: [newestOf(shape, person)],
    previous: [shape.items.at(-2)?.role === "result" ? "result" : "other"],
    form: [shape.hasForm ? "given" : "free"],
    place: [mainCount > 1 ? "later" : "first"],
  };
  return Object.entries(wanted).every(([key, value]) => value === undefined || facts[key]?.includes(value) === true);
}

/** Nothing is the same as or other than what is not there yet. */
function compared<T>(value: T, first: T | undefined): readonly string[] {
  if (first === undefined) return [];
  return [value === first ? "same" : "other"];
}

function newestOf({ items }: RequestShape, person: readonly string[]): "person" | "result" | "other" {
  const newest = items.at(-1);
  if (newest === undefined) return "other";
  if (newest.role === "result") return "result";
  return newest.role === "user" && person.some((text) => newest.text.includes(text)) ? "person" : "other";
}
