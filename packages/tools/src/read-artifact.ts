import { type AgentTool, MAXIMUM_RECALL_CHARS } from "@plimsoll/core/extend";
import { z } from "zod";
import { defineTool, failure, output } from "./define-tool.ts";

/** `read_artifact`: gives a piece of the text that a handle names: output that was cut, or a message that was cleared or summarised. */
export function readArtifactTool(): AgentTool {
  return defineTool({
    name: "read_artifact",
    description: "Reads a piece of what a handle names: the notices in place of omitted or cleared text give handles.",
    category: "file-content",
    isRerunnable: true,
    hint: "use start and length to see other pieces",
    effect: { kind: "read" },
    input: z.strictObject({
      handle: z.string().min(1),
      start: z.int().nonnegative().optional().describe("first character, from 0"),
      length: z.int().positive().max(MAXIMUM_RECALL_CHARS).optional(),
    }),
    run: async ({ handle, start = 0, length = MAXIMUM_RECALL_CHARS }, { recall }) => {
      const piece = await recall(handle, { startChar: start, maximumChars: length });
      if (piece === null) return failure(`Nothing is known under the handle ${handle}.`);
      const end = piece.startChar + piece.text.length;
      return output(`[characters ${piece.startChar} to ${end} of ${piece.totalChars}]\n${piece.text}`);
    },
  });
}
