import { type SessionEntry, type StateProvider, toolCallsOf } from "@plimsoll/core";
import { type AgentTool, jsonIn } from "@plimsoll/core/extend";
import { z } from "zod";
import { defineTool, output } from "./define-tool.ts";

const itemSchema = z.strictObject({ text: z.string().min(1), status: z.enum(["open", "doing", "done"]) });

type TodoItem = z.infer<typeof itemSchema>;

const MARKS = { open: "[ ]", doing: "[~]", done: "[x]" } as const;

/** The lists of an agent and its sub-agents, and their form for compaction. */
export interface TodoLists {
  readonly tool: AgentTool;
  /** The list of one session, for its `Session`. */
  stateOf(sessionId: string): StateProvider;
  /** Restores the lists from an entry of a resumed session's log; call it entry by entry, oldest first. */
  resume(sessionId: string, entry: SessionEntry): void;
}

const NAME = "todo";

const inputSchema = z.strictObject({ items: z.array(itemSchema) });

/** Makes the tool `todo`, with which the model keeps one list a session. Compaction carries the list over as it is. */
export function createTodoLists(): TodoLists {
  const lists = new Map<string, readonly TodoItem[]>();
  return {
    tool: defineTool({
      name: NAME,
      description: "Keeps the list of what is to be done. Each call gives the whole list; it replaces the one before.",
      category: "generic",
      hint: "the list is as you gave it",
      effect: { kind: "read" },
      input: inputSchema,
      run: async ({ items }, { sessionId }) => {
        lists.set(sessionId, items);
        return output(items.length === 0 ? "The list is empty." : listText(items));
      },
    }),
    resume: (sessionId, entry) => {
      const items = listIn(entry);
      if (items !== null) lists.set(sessionId, items);
    },
    stateOf: (sessionId) => () => {
      const items = lists.get(sessionId) ?? [];
      return items.length === 0 ? null : { title: "To do", text: listText(items) };
    },
  };
}

/** The list of the entry's newest call that has one. */
function listIn(entry: SessionEntry): readonly TodoItem[] | null {
  const calls = entry.type === "message" ? toolCallsOf(entry.message).filter(({ toolName }) => toolName === NAME) : [];
  // A call that was no JSON got an error result: there is no list in it.
  const lists = calls.flatMap(({ argumentsJson }) => inputSchema.safeParse(jsonIn(argumentsJson)).data ?? []);
  return lists.at(-1)?.items ?? null;
}

function listText(items: readonly TodoItem[]): string {
  return items.map(({ text, status }) => `${MARKS[status]} ${text}`).join("\n");
}
