import { isRecord } from "@plimsoll/core/internal";
import { documentImporter } from "../document.ts";
import { type Fields, recordAt, recordsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { openCodeSession } from "./session.ts";

const FORMAT = "opencode";

/** Sessions of OpenCode as `opencode export` writes them. */
export const openCodeImporter: Importer = documentImporter({
  format: FORMAT,
  description: "OpenCode: the document of `opencode export` (seen: 1.4 to 1.18)",
  numbering: "if-several",
  recognises: ({ firstObjects: [first] }) =>
    recordsAt(first, "messages").slice(0, 1).some(isMessage) && recordAt(first, "info") !== null,
  sessions: (documents) => documents.filter(isRecord).map(openCodeSession),
});

function isMessage(value: Fields): boolean {
  return recordAt(value, "info") !== null && Array.isArray(value.parts);
}
