import type { StateProvider } from "@plimsoll/core";
import type { AgentTool } from "@plimsoll/core/agent";
import { z } from "zod";
import { defineTool, output } from "./define-tool.ts";

const itemSchema = z.strictObject({ text: z.string().min(1), status: z.enum(["open", "doing", "done"]) });

type TodoItem = z.infer<typeof itemSchema>;

const MARKS = { open: "[ ]", doing: "[~]", done: "[x]" } as const;

/** The lists of an agent and its sub-agents, and what compaction is told of them. */
export interface TodoLists {
  readonly tool: AgentTool;
  /** The list of one session, for its context manager. */
  stateOf(sessionId: string): StateProvider;
}

/** `todo`: a list that the model keeps, one a session. Compaction carries it over as it is. */
export function createTodoLists(): TodoLists {
  const lists = new Map<string, readonly TodoItem[]>();
  return {
    tool: defineTool({
      name: "todo",
      description: "Keeps the list of what is to be done. Each call gives the whole list; it replaces the one before.",
      hint: "the list is as you gave it",
      input: z.strictObject({ items: z.array(itemSchema) }),
      run: async ({ items }, { sessionId }) => {
        lists.set(sessionId, items);
        return output(items.length === 0 ? "The list is empty." : listText(items));
      },
    }),
    stateOf: (sessionId) => () => {
      const items = lists.get(sessionId) ?? [];
      return items.length === 0 ? null : { title: "To do", text: listText(items) };
    },
  };
}

function listText(items: readonly TodoItem[]): string {
  return items.map(({ text, status }) => `${MARKS[status]} ${text}`).join("\n");
}
