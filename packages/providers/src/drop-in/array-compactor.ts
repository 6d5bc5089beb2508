import type {
  ContextListener,
  ContextManager,
  FitInput,
  Message,
  ModelLimits,
  Policy,
  SessionEntry,
  Summarizer,
  ToolSpec,
} from "@plimsoll/core";
import { createContextManager, createDigest, isHuman, overheadHash, withId } from "@plimsoll/core";
import { failureOf } from "../client/failure.ts";
import type { ItemGroup, ObservedAnswer, WireArray } from "./wire-array.ts";

/** What a drop-in is made of. */
export interface CompactorOptions {
  readonly policy: Policy;
  readonly limits: ModelLimits;
  /** Writes the summaries; the deterministic digest, which asks no model, where it is left out. */
  readonly summarizer?: Summarizer;
  readonly onEvent?: ContextListener;
}

/** What a request sends besides its array: counted, never changed. */
export interface RequestOverhead {
  readonly system?: string;
  readonly tools?: readonly ToolSpec[];
}

/** Compacts an array that its caller keeps whole and resends at each call. */
export interface ArrayCompactor<Item, Answer> {
  /** The array to send in place of the whole one. Items that nothing was done to are the caller's own. */
  fit(items: readonly Item[], overhead?: RequestOverhead, signal?: AbortSignal): Promise<Item[]>;
  /** Tells what the newest request measured. */
  observe(answer: Answer): void;
  /**
   * Fits, calls, observes; where the vendor says that the prompt does not fit, compacts further and calls again as often as the policy lets it.
   * Every other error reaches the caller as it came.
   */
  send(items: readonly Item[], call: (items: Item[]) => Promise<Answer>, overhead?: RequestOverhead): Promise<Answer>;
  /** The session log so far. */
  entries(): readonly SessionEntry[];
}

/** Groups with their messages. */
interface Filed<Item> extends ItemGroup<Item> {
  readonly messages: readonly Message[];
}

const NEVER_ABORTED = new AbortController().signal;

/**
 * A compactor over one kind of array. It files the array's messages in a log by chain hash, so that the same array is matched to it at each
 * call, whoever made its objects; an array that was edited or rewound begins a new log.
 */
export function createArrayCompactor<Item, Answer>(
  wire: WireArray<Item, Answer>,
  options: CompactorOptions,
): ArrayCompactor<Item, Answer> {
  const begin = (): ContextManager =>
    createContextManager({
      policy: options.policy,
      summarizer: options.summarizer ?? createDigest(),
      ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
    });
  let manager = begin();
  let logged: Message[] = [];
  let filed: readonly Filed<Item>[] = [];
  let systemItems: readonly Item[] = [];
  let overheadKey: string | null = null;
  let answered: ObservedAnswer | null = null;

  const append = (message: Message) => {
    const joinsReport = message.role === "assistant" && message.requestId === null && answered !== null;
    const own = joinsReport ? { ...message, requestId: answered?.requestId ?? null } : message;
    if (message.role === "assistant") answered = null;
    manager.append({ type: "message", message: own });
    logged.push(own);
  };
  const noteOverhead = (system: string, tools: readonly ToolSpec[]) => {
    const key = overheadHash(system, tools);
    if (key === overheadKey) return;
    overheadKey = key;
    const facts = { version: 1, id: "array", createdMs: null, parent: null, agent: null } as const;
    manager.append({ type: "session", ...facts, system, tools });
  };
  const take = (items: readonly Item[], overhead: RequestOverhead): readonly Message[] => {
    const system = wire.systemOf(items);
    systemItems = system.items;
    filed = fileGroups(wire.groups(items.slice(system.items.length)), filed);
    const messages = filed.flatMap((group) => group.messages);
    if (!logged.every((message, index) => message.id === messages[index]?.id)) {
      manager = begin();
      logged = [];
      overheadKey = null;
      answered = null;
    }
    noteOverhead([system.text, overhead.system ?? ""].filter((text) => text !== "").join("\n"), overhead.tools ?? []);
    return messages.slice(logged.length);
  };
  const inputAt = (gate: FitInput["gate"], pending: readonly Message[] = []): FitInput => ({
    gate,
    pending,
    model: options.limits,
    nowMs: null,
  });
  const current = (): Item[] => {
    const groupOf = new Map(
      filed.flatMap((group) => group.messages.slice(0, 1).map((message) => [message.id, group] as const)),
    );
    const untouched = new Map(logged.map((message) => [message.id, message]));
    return [...systemItems, ...wire.joined(itemsOf([...manager.view().messages], { groupOf, untouched, encode: wire.encode }))];
  };
  const fit = async (items: readonly Item[], overhead: RequestOverhead = {}, signal = NEVER_ABORTED): Promise<Item[]> => {
    const fresh = take(items, overhead);
    const last = fresh.at(-1);
    const submitted = last !== undefined && isHuman(last) ? [last] : [];
    for (const message of fresh.slice(0, fresh.length - submitted.length)) append(message);
    const gate = submitted.length > 0 ? "before-submit" : "after-tool-batch";
    await manager.fit(inputAt(gate, submitted), signal);
    for (const message of submitted) append(message);
    await manager.fit(inputAt("before-step"), signal);
    return current();
  };
  const observe = (answer: Answer) => {
    const told = wire.observed(answer);
    if (told === null) return;
    const { messages, system, tools, viewHash } = manager.view();
    manager.append({
      type: "usage",
      ...told,
      throughMessageId: messages.at(messages.size - 1)?.id ?? null,
      overheadHash: overheadHash(system, tools),
      viewHash,
      atMs: null,
    });
    answered = told;
  };
  const recovered = async (thrown: unknown, recovery: number): Promise<boolean> => {
    const { error, class: failureClass } = failureOf(thrown, { provider: "provider", key: NO_KEY });
    if (failureClass !== "context-overflow") return false;
    const limit = error.details.limitTokens;
    const observedLimitTokens = typeof limit === "number" ? limit : null;
    const outcome = await manager.fit({ ...inputAt("on-overflow"), observedLimitTokens, recovery }, NEVER_ABORTED);
    return outcome.kind === "compacted";
  };
  return {
    fit,
    observe,
    entries: () => manager.entries(),
    send: async (items, call, overhead) => {
      let sent = await fit(items, overhead);
      for (let recovery = 0; ; recovery++) {
        try {
          const answer = await call(sent);
          observe(answer);
          return answer;
        } catch (error) {
          // An overflow is the engine's to mend; what it cannot mend, and everything else, is the caller's.
          if (!(await recovered(error, recovery))) throw error;
          sent = current();
        }
      }
    },
  };
}

/** Stands where no key is known: a text that no message holds. */
const NO_KEY = "\u0000";

/** The groups with ids by chain hash. Groups whose items are the very objects of before keep their messages without a new hash. */
function fileGroups<Item>(groups: readonly ItemGroup<Item>[], before: readonly Filed<Item>[]): readonly Filed<Item>[] {
  let previousId: string | null = null;
  let isSame = true;
  return groups.map((group, index) => {
    const known = before[index];
    isSame &&= known !== undefined && isSameItems(group.items, known.items);
    const messages: Message[] = [];
    for (const draft of group.drafts) {
      const message: Message | undefined = isSame ? known?.messages[messages.length] : undefined;
      messages.push(message ?? withId(draft, previousId));
      previousId = messages.at(-1)?.id ?? previousId;
    }
    return { ...group, messages };
  });
}

function isSameItems<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

interface Emission<Item> {
  readonly groupOf: ReadonlyMap<string, Filed<Item>>;
  readonly untouched: ReadonlyMap<string, Message>;
  readonly encode: (messages: readonly Message[]) => readonly Item[];
}

/** The view as items: whole groups that nothing was done to as the caller's own, everything else encoded. */
function itemsOf<Item>(view: readonly Message[], { groupOf, untouched, encode }: Emission<Item>): Item[] {
  const items: Item[] = [];
  let made: Message[] = [];
  for (let index = 0; index < view.length; ) {
    const message = view[index];
    if (message === undefined) break;
    const group = groupOf.get(message.id);
    const isWhole = group?.messages.every((each, offset) => {
      const viewed = view[index + offset];
      return viewed !== undefined && viewed.id === each.id && untouched.get(each.id) === viewed;
    });
    if (group === undefined || isWhole !== true) {
      made.push(message);
      index += 1;
      continue;
    }
    items.push(...encode(made), ...group.items);
    made = [];
    index += group.messages.length;
  }
  return [...items, ...encode(made)];
}
