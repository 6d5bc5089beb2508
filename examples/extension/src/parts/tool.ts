import type { AgentTool } from "@plimsoll/core/extend";
import { defineTool, output } from "@plimsoll/tools";
import { z } from "zod";

/** Writes a poem of so many lines; its output is cut as its category says. */
export const WRITE_POEM: AgentTool = defineTool({
  name: "write_poem",
  description: "Writes a poem.",
  input: z.strictObject({ lines: z.int().positive() }),
  category: "poem",
  effect: { kind: "read" },
  run: async ({ lines }) => output("Roses are red.\n".repeat(lines)),
});
