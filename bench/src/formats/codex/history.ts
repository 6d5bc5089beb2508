import { messageChars } from "@plimsoll/core/extend";
import type { ImportNote } from "../../transcript.ts";
import { type Fields, numberAt, parseRecord, recordAt, stringAt } from "../fields.ts";
import type { FileSource } from "../importer.ts";
import type { LogItem } from "../log-items.ts";

/**
 * Reads the beginning of a fork, or of a thread that went back, from another rollout (from 0.145): `history_base` names it by the last id of its
 * file's name and says where it ends, in lines and in bytes of the unpacked text (codex-rs/thread-store/src/local/rollout_lineage.rs). That one may
 * go on from another again. The lines are the oldest first; `missing` is the rollout that could not be found.
 */
export async function historyBefore(
  source: FileSource,
  meta: Fields | null,
  seen: readonly string[] = [],
): Promise<{ readonly lines: readonly Fields[]; readonly missing: string | null }> {
  const base = recordAt(meta, "history_base");
  const id = stringAt(base, "thread_id");
  if (id === null || id === "") return { lines: [], missing: null };
  const path = seen.includes(id) ? null : await rolloutPath(source, id);
  const text = path === null ? null : await source.beside(path);
  if (text === null) return { lines: [], missing: id };
  const endBytes = numberAt(base, "end_byte_offset");
  const kept = endBytes === null ? text : Buffer.from(text).subarray(0, endBytes).toString();
  const objects = kept.split("\n").flatMap((line): readonly Fields[] => [parseRecord(line) ?? []].flat());
  const before = await historyBefore(source, recordAt(objects[0], "payload"), [...seen, id]);
  const end = Number(base?.end_ordinal_exclusive ?? Number.POSITIVE_INFINITY);
  const own = objects.filter((value) => value.type !== "session_meta" && (numberAt(value, "ordinal") ?? 0) < end);
  return { lines: [...before.lines, ...own], missing: before.missing };
}

/** Looks for a rollout beside the given one, then in the folders of all days and among the archived ones. */
async function rolloutPath(source: FileSource, id: string): Promise<string | null> {
  const folders = source.path.split(/[\\/]/).slice(0, -1);
  const top = folders.findLastIndex((name) => name === "sessions" || name === "archived_sessions");
  const home = "../".repeat(folders.length - top);
  const places = top < 0 ? ["."] : [".", `${home}sessions`, `${home}archived_sessions`];
  for (const place of places) {
    const found = await rolloutBelow(source, id, place);
    if (found !== null) return found;
  }
  return null;
}

async function rolloutBelow(source: FileSource, id: string, folder: string): Promise<string | null> {
  const names = await source.namesIn(folder);
  // Plain text comes before its packed copy.
  const own = names.find((name) => name.endsWith(`${id}.jsonl`) || name.endsWith(`${id}.jsonl.zst`));
  if (own !== undefined) return `${folder}/${own}`;
  for (const name of names.filter((each) => /^\d+$/.test(each)).toReversed()) {
    const found = await rolloutBelow(source, id, `${folder}/${name}`);
    if (found !== null) return found;
  }
  return null;
}

const CHARS_PER_TOKEN = 4;

/** Names the missing rollout and estimates its share of the context: the first prompt less the known tokens before it. */
export function missingHistory(file: string, id: string, log: { items: readonly LogItem[]; system: string }): ImportNote {
  const first = log.items.findIndex((item) => item.kind === "reply" && item.usage !== null);
  const reply = log.items[first];
  const prompt = reply?.kind === "reply" ? (reply.usage?.input.totalTokens ?? null) : null;
  const here = log.items.slice(0, first).reduce((sum, item) => sum + charsOf(item), log.system.length) / CHARS_PER_TOKEN;
  const much = prompt === null ? "" : `: about ${Math.max(0, Math.round(prompt - here))} tokens of its context are missing`;
  const text = `${file}: goes on from the rollout ${id}, which is not here${much}`;
  return { code: "missing-history", line: null, text };
}

function charsOf(item: LogItem): number {
  if (!("parts" in item)) return 0;
  return item.parts.reduce(
    (sum, part) => sum + (part.type === "compaction" ? part.summary.length : messageChars({ parts: [part] })),
    0,
  );
}
