import { isRecord } from "@plimsoll/core/extend";
import { recordAt, recordsAt, stringAt } from "../fields.ts";

/** Roles of an item: in which it begins, and in which it ends. Items of the agent's own role are outside of turns. */
type Roles = readonly [begins: string, ends: string];

const TURNS: readonly string[] = ["start user", "user assistant", "assistant user", "assistant tool", "tool assistant"];

/**
 * Orders of two roles in the sent items that turns do not have, and that the caller's own array has not either: `user user` for two messages of a
 * user in a row. The agent's declarations are passed over.
 */
export function newRoleOrders(own: readonly unknown[], sent: readonly unknown[]): readonly string[] {
  const known = new Set([...TURNS, ...ordersIn(own)]);
  return ordersIn(sent).filter((order) => !known.has(order));
}

function ordersIn(items: readonly unknown[]): readonly string[] {
  const roles = items.flatMap((item) => rolesOf(item) ?? []);
  const pairs = Array.from({ length: roles.length / 2 }, (_, index) => roles.slice(2 * index, 2 * index + 2));
  return pairs.map(([begins], index) => `${pairs[index - 1]?.[1] ?? "start"} ${begins}`);
}

/** The roles of an item of any of the wires and libraries; `null` for the agent's declarations. */
function rolesOf(item: unknown): Roles | null {
  const role = stringAt(recordAt(item, "info"), "role") ?? stringAt(item, "role") ?? typeOf(item);
  const type = stringAt(item, "type") ?? "message";
  if (["system", "developer"].includes(role)) return null;
  if (["tool", "toolResult"].includes(role) || /_(output|result)$/.test(type)) return ["tool", "tool"];
  if (["user", "human"].includes(role)) return ["user", "user"];
  const hasResults = recordsAt(item, "parts").some((part) => recordAt(part, "state") !== null);
  return ["assistant", hasResults ? "tool" : "assistant"];
}

function typeOf(item: unknown): string {
  const getType = isRecord(item) ? item.getType : null;
  return typeof getType === "function" ? String(getType.call(item)) : "";
}
