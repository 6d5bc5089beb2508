import type { ContextCallEntry, SessionEntry } from "../entry.ts";
import { shortHash } from "../text.ts";
import type { SessionView } from "./view.ts";

/** A passage that the model pinned: the entry's id, and the newest compaction that was active then. */
interface PinnedPassage {
  readonly id: string;
  readonly text: string;
  readonly behind: string | null;
}

/** Pinned passages, and the focus of a compaction that the model asked for; `null` if it asked for none. */
export interface ContextWishes {
  readonly pins: readonly PinnedPassage[];
  readonly asked: { readonly focus: string | null } | null;
}

/** The wishes after one more entry. A request for a compaction ends with the next one, tried or made. */
export function foldWishes(before: ContextWishes, entry: SessionEntry, behind: string | null): ContextWishes {
  const { pins, asked } = before;
  if (entry.type === "compaction" || entry.type === "attempt") return asked === null ? before : { pins, asked: null };
  if (entry.type !== "context-call" || entry.outcome !== "answered") return before;
  const { tool, id, text } = entry;
  if (tool === "pin") return { pins: [...pins, { id, text, behind }], asked };
  if (tool === "unpin") return { pins: pins.filter((pin) => pin.id !== text), asked };
  return tool === "compact" ? { pins, asked: { focus: text === "" ? null : text } } : before;
}

/** The entry that takes back the newest pin, if nothing that can be undone is newer; `null` for none. Only an undo makes it. */
export function unpinEntry(
  { pins }: ContextWishes,
  { activeCompactions, lastEntryId }: Pick<SessionView, "activeCompactions" | "lastEntryId">,
  atMs: number | null,
): ContextCallEntry | null {
  const pin = pins.at(-1);
  if (pin === undefined) return null;
  const active = activeCompactions.map(({ id }) => id);
  const isNewest = pin.behind === (active.at(-1) ?? null) || (pin.behind !== null && !active.includes(pin.behind));
  if (!isNewest) return null;
  const id = shortHash(`unpin\n${pin.id}\n${lastEntryId ?? ""}`);
  return { type: "context-call", id, tool: "unpin", text: pin.id, outcome: "answered", atMs };
}
