import type { Message, Part, SessionEntry } from "@plimsoll/core";
import { textSource } from "../src/formats/file-source.ts";
import { importSource } from "../src/formats/registry.ts";
import type { Transcript } from "../src/transcript.ts";

/** The transcripts of a log given as one object a line, through the registry. */
export function importObjects(objects: readonly unknown[]): Promise<readonly Transcript[]> {
  return importSource(textSource(objects.map((object) => JSON.stringify(object)).join("\n"), "log"));
}

/** The transcripts of a document. */
export function importDocument(document: unknown): Promise<readonly Transcript[]> {
  return importSource(textSource(JSON.stringify(document, null, 1), "log"));
}

/** A log as one short line an entry, for tests that compare importers' results. */
export function describeLog(transcript: Transcript | undefined): readonly string[] {
  return (transcript?.entries ?? []).map(describeEntry);
}

function describeEntry(entry: SessionEntry): string {
  switch (entry.type) {
    case "session":
      return `session ${entry.id}`;
    case "setup-change":
      return `setup ${entry.tools.length} tools`;
    case "message":
      return describeMessage(entry.message);
    case "usage": {
      const { totalTokens, cacheReadTokens, cacheWriteTokens } = entry.usage.input;
      return `usage ${totalTokens} (read ${cacheReadTokens}, write ${cacheWriteTokens}) out ${entry.usage.output.totalTokens}`;
    }
    case "model-change":
      return `model ${entry.modelId} window ${entry.limits?.contextWindowTokens ?? null}`;
    case "compaction":
      return `compaction ${entry.record.messagesBefore} -> ${entry.record.messagesAfter}: ${entry.edits.map(describeEdit).join(", ")}`;
    case "attempt":
      return `attempt ${entry.outcome}`;
    case "context-call":
      return `${entry.tool} ${entry.outcome}`;
    case "revert":
      return "revert";
    default:
      return entry satisfies never;
  }
}

function describeEdit(edit: Extract<SessionEntry, { type: "compaction" }>["edits"][number]): string {
  if (edit.kind === "replace-spans")
    return `${edit.by} of ${edit.covered.messages}${edit.message === null ? "" : ` as ${describeMessage(edit.message)}`}`;
  if (edit.kind === "replace-history")
    return `replace ${edit.covered.messages} by [${edit.messages.map(describeMessage).join("; ")}]`;
  return edit.kind;
}

function describeMessage(message: Message): string {
  const parts = message.parts.map(describePart).join(" | ");
  if (message.role === "user") return `${message.origin}: ${parts}`;
  if (message.role === "assistant") return `model: ${parts}`;
  return `result ${message.callId} (${message.toolName}, ${message.category}${message.isError ? ", error" : ""}): ${parts}`;
}

function describePart(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
      return `<${part.mediaType} ${part.sizeBytes}>`;
    case "reasoning":
      return `(${part.text})`;
    case "tool-call":
      return [
        `call ${part.callId} ${part.toolName} ${part.argumentsJson}`,
        ...part.paths.map(({ path, access }) => `${access} ${path}`),
      ].join(" ");
    default:
      return part satisfies never;
  }
}
