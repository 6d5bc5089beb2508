import type { AgentTool } from "@plimsoll/core/extend";
import { z } from "zod";
import { defineTool, output } from "./define-tool.ts";

/** `hand_off`: the model asks that its history be summarised before its next step, and gives the summary's focus. */
export function handOffTool(): AgentTool {
  return defineTool({
    name: "hand_off",
    description:
      "Ends this stretch of work: before your next step the history is put into a summary, and you go on from it. Use it when a part of the task is done and its details are no longer needed.",
    category: "generic",
    effect: { kind: "read" },
    input: z.strictObject({
      focus: z.string().min(1).describe("what the summary must hold: the goal, what is done, what is next"),
    }),
    run: async ({ focus }, { requestHandOff }) => {
      requestHandOff(focus);
      return output("The history is summarised before your next step.");
    },
  });
}
