import type { ContextManager, Message, ToolSpec } from "@plimsoll/core";
import { overheadHash } from "@plimsoll/core";
import type { FiledGroup } from "./array-items.ts";
import { fileGroups, itemsOf } from "./array-items.ts";
import type { ObservedAnswer, WireArray } from "./wire-array.ts";

/** What a request sends besides its array: counted, never changed. */
export interface RequestOverhead {
  readonly system?: string;
  readonly tools?: readonly ToolSpec[];
}

/** A session log that follows an array. */
export interface ArrayLog<Item> {
  /** Matches the array to the log and gives the messages that are new; an array that does not begin as the log does begins a new one. */
  take(items: readonly Item[], overhead: RequestOverhead): readonly Message[];
  /** Appends a message of the array; `admitted` is how it enters history where that is not as the array has it. */
  append(message: Message, admitted?: Message): void;
  /** Notes what the newest request measured; the next reply that is appended is its reply. */
  report(answer: ObservedAnswer): void;
  /** The view as the array that is to be sent. */
  current(): Item[];
  manager(): ContextManager;
}

/** An array's log over context managers made by `begin`. */
export function createArrayLog<Item, Answer>(wire: WireArray<Item, Answer>, begin: () => ContextManager): ArrayLog<Item> {
  let manager = begin();
  let loggedIds: string[] = [];
  let untouched = new Set<Message>();
  let filed: readonly FiledGroup<Item>[] = [];
  let systemItems: readonly Item[] = [];
  let overheadKey: string | null = null;
  let answered: ObservedAnswer | null = null;

  const restart = () => {
    manager = begin();
    loggedIds = [];
    untouched = new Set();
    overheadKey = null;
    answered = null;
  };
  const noteOverhead = (system: string, tools: readonly ToolSpec[]) => {
    const key = overheadHash(system, tools);
    if (key === overheadKey) return;
    overheadKey = key;
    const facts = { version: 1, id: "array", createdMs: null, parent: null, agent: null } as const;
    manager.append({ type: "session", ...facts, system, tools });
  };
  return {
    manager: () => manager,
    take: (items, overhead) => {
      const system = wire.systemOf(items);
      systemItems = system.items;
      filed = fileGroups(wire.groups(items.slice(system.items.length)), filed);
      const messages = filed.flatMap((group) => group.messages);
      if (!loggedIds.every((id, index) => id === messages[index]?.id)) restart();
      noteOverhead([system.text, overhead.system ?? ""].filter((text) => text !== "").join("\n"), overhead.tools ?? []);
      return messages.slice(loggedIds.length);
    },
    append: (message, admitted = message) => {
      const isReply = admitted.role === "assistant";
      const own = isReply && answered !== null ? { ...admitted, requestId: answered.requestId } : admitted;
      if (isReply) answered = null;
      manager.append({ type: "message", message: own });
      loggedIds.push(message.id);
      if (admitted === message) untouched.add(own);
    },
    report: (answer) => {
      const { messages, system, tools, viewHash } = manager.view();
      manager.append({
        type: "usage",
        ...answer,
        throughMessageId: messages.at(messages.size - 1)?.id ?? null,
        overheadHash: overheadHash(system, tools),
        viewHash,
        atMs: null,
      });
      answered = answer;
    },
    current: () => {
      const items = itemsOf([...manager.view().messages], { filed, untouched, encode: wire.encode });
      return [...systemItems, ...wire.joined(items)];
    },
  };
}
