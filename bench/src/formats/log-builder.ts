import type { SessionEntry } from "@plimsoll/core";
import type { SessionStartEntry } from "@plimsoll/core/internal";
import type { ImportNote } from "../transcript.ts";
import { writeBoundary } from "./boundary-writer.ts";
import { createCallBatch } from "./call-batch.ts";
import type { LogItem } from "./log-items.ts";
import { createLogWriter } from "./log-writer.ts";
import { createReplyWriter } from "./reply-writer.ts";

/** A session log made from what an importer read, and what did not fit into it. */
export interface BuiltLog {
  readonly entries: readonly SessionEntry[];
  readonly notes: readonly ImportNote[];
}

/** The session log of a recording: ids given, results joined to their calls, boundaries where they took effect. */
export function buildLog(start: SessionStartEntry, items: readonly LogItem[], file: string): BuiltLog {
  const notes: ImportNote[] = [];
  const writer = createLogWriter(start);
  const batch = createCallBatch(writer, { items, file, notes });
  const writeReply = createReplyWriter(writer);
  for (const item of items) {
    switch (item.kind) {
      case "user":
        batch.takeUser(item);
        break;
      case "result":
        batch.takeResult(item);
        break;
      case "reply":
        batch.close("more");
        batch.open(writeReply(item));
        break;
      case "boundary":
        batch.close("more");
        writeBoundary(writer, item, items);
        break;
      default:
        item satisfies never;
    }
  }
  batch.close("end");
  return { entries: writer.entries, notes };
}
