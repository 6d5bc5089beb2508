import { isRecord } from "@plimsoll/core/internal";
import { type DocumentSession, documentImporter, toolSpecs } from "../document.ts";
import { type Fields, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { eventItems } from "./events.ts";

const FORMAT = "openhands";

/** Lists of OpenHands events: one session a file. */
export const openHandsImporter: Importer = documentImporter({
  format: FORMAT,
  description: "OpenHands: a list of events (seen: 0.20)",
  numbering: "if-several",
  recognises: ({ firstObjects: [first] }) => first !== undefined && isEvent(first),
  sessions: (documents) => documents.filter(Array.isArray).map((events) => sessionOf({ history: events })),
});

/** The output of a benchmark, with a session on each line: numbered always. */
export const openHandsOutputImporter: Importer = documentImporter({
  format: FORMAT,
  description: "OpenHands: output.jsonl of a benchmark (seen: 0.35)",
  numbering: "always",
  recognises: ({ firstObjects: [first] }) => recordsAt(first, "history").slice(0, 1).some(isEvent),
  sessions: (documents) => documents.filter(isRecord).map(sessionOf),
});

function isEvent(value: Fields): boolean {
  return value.source !== undefined && typeof value.timestamp === "string" && ("action" in value || "observation" in value);
}

function sessionOf(output: Fields): DocumentSession {
  const events = recordsAt(output, "history");
  const args = recordAt(
    events.find((event) => event.action === "system"),
    "args",
  );
  const id = stringAt(output, "instance_id");
  const start = {
    ...(id === null ? {} : { id }),
    createdMs: timeMsAt(events[0], "timestamp"),
    system: stringAt(args, "content") ?? "",
    tools: toolSpecs(args?.tools),
    agent: { name: FORMAT, version: stringAt(args, "openhands_version") },
  };
  return { start, items: eventItems(events) };
}
