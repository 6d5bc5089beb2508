import { isAgentsRole } from "../drop-in/wire-array.ts";
import { type Fields, listAt } from "../fields.ts";
import type { BodyFacts, ProxyWire } from "./wires.ts";

/**
 * The part that a request plays for a conversation.
 * - `vendors`: its history is kept or compacted by the vendor; never touched
 * - `side`: a title, a check, a classification: it goes on with nothing
 * - `on-top`: asks something about a known conversation, mostly for a summary: fitted as the conversation is, and remembered nowhere
 * - `main`: goes on with its conversation
 */
export type RequestKind = "vendors" | "side" | "on-top" | "main";

/** Signs by which the kind of a request is told. */
export interface RequestSigns {
  readonly wire: Pick<ProxyWire, "isModels">;
  readonly facts: BodyFacts;
  readonly items: readonly Fields[];
  readonly path: string;
  /** Whether a conversation begins as it does. */
  readonly isKnown: boolean;
}

/** True for an item that brings the agent's tools, as requests do that have none beside their history. */
function declaresTools(item: Fields): boolean {
  return isAgentsRole(item.role) && listAt(item, "tools").length > 0;
}

/** True for a request that declares tools, beside its history or in it. */
export function hasTools({ tools }: Pick<BodyFacts, "tools">, items: readonly Fields[]): boolean {
  return tools.length > 0 || items.some(declaresTools);
}

/** Tells a request's kind. */
export function requestKind({ wire, facts, items, path, isKnown }: RequestSigns): RequestKind {
  if (facts.isVendors) return "vendors";
  const isAboutHistory = isKnown && items.some(wire.isModels);
  if (isAboutHistory && (path.endsWith("/compact") || items.at(-1)?.type === "compaction_trigger")) return "on-top";
  if (facts.form === "given") return "side";
  if (hasTools(facts, items)) return "main";
  if (isAboutHistory) return "on-top";
  return items.some(wire.isModels) ? "main" : "side";
}
