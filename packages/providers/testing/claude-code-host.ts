import type { ClaudeCodeEngine, ClaudeCodeHook, ClaudeCodeOn } from "../src/drop-in/claude-code.ts";

type Item = { readonly [key: string]: unknown };

/** A message as the host keeps it: what a mod is shown, and thinking that no mod sees. */
interface Own {
  readonly item: Item;
  readonly thinking: string | null;
}

/** One compaction that the host ran. */
export interface HostCompaction {
  readonly trigger: string;
  readonly agentId: string | null;
  readonly by: "mod" | "core" | "skipped";
  readonly kept: number;
  readonly built: number;
}

/** A program that loads a mod and plays sessions as the published types say. */
export interface ClaudeCodeHost {
  start(): Promise<void>;
  /** One step of a loop: a call and its result; compacts by itself at the threshold. */
  step(text: string, result: string, agentId?: string): Promise<void>;
  say(text: string, agentId?: string): Promise<string | null>;
  compact(trigger: string, agentId?: string, instructions?: string): Promise<HostCompaction>;
  command(args: string): Promise<string>;
  recall(handle: string, agentId?: string): Promise<string>;
  /** Ends the process and resumes: the mod is loaded anew. `twice`: messages that stayed are in the transcript a second time. */
  resume(how: "once" | "twice", register: (on: ClaudeCodeOn) => void): Promise<void>;
  transcript(agentId?: string): readonly Item[];
  /** Thinking blocks that are still sent. */
  thinkingCount(agentId?: string): number;
  readonly compactions: readonly HostCompaction[];
  readonly log: readonly string[];
  readonly problems: readonly string[];
}

/** Threshold, in characters, at which the host compacts by itself. */
const THRESHOLD_CHARS = 400_000;
const WINDOW_TOKENS = 200_000;

/** A host over mods/types/claude-code.d.ts and the pages on mods: chains of hooks, frozen events, handles that are made anew for each dispatch. */
export function createClaudeCodeHost(
  register: (on: ClaudeCodeOn) => void,
  { failing = () => false }: { readonly failing?: (count: number) => boolean } = {},
): ClaudeCodeHost {
  const transcripts = new Map<string, Own[]>();
  const stored = new Map<string, string>();
  const compactions: HostCompaction[] = [];
  const log: string[] = [];
  const problems: string[] = [];
  let hooks: { readonly event: string; readonly matcher: Item; readonly hook: ClaudeCodeHook }[] = [];
  let serial = 0;
  const load = (given: (on: ClaudeCodeOn) => void) => {
    hooks = [];
    given((event, ...rest) => {
      const [first, second] = rest;
      hooks.push(
        typeof first === "function"
          ? { event, matcher: {}, hook: first }
          : { event, matcher: first, hook: second ?? (async (_, e, next) => next(e)) },
      );
    });
  };
  load(register);
  const of = (agentId = "") => {
    const known = transcripts.get(agentId) ?? [];
    transcripts.set(agentId, known);
    return known;
  };
  const matches = (matcher: Item, event: Item) =>
    Object.entries(matcher).every(([key, want]) =>
      want instanceof RegExp ? want.test(String(event[key])) : want === event[key],
    );
  const engine: ClaudeCodeEngine = {
    session: {
      id: async () => "session-1",
      usage: async () => ({ context: { window: WINDOW_TOKENS } }),
      compact: async () => compact("plugin"),
    },
    // What is stored is JSON, and nothing else.
    store: {
      get: async (key) => JSON.parse(stored.get(key) ?? "null") ?? undefined,
      set: async (key, value) => void stored.set(key, JSON.stringify(value)),
    },
    ui: { log: (text) => void log.push(text) },
    tool: { register: async ({ name }) => ({ tool: `mcp__plimsoll__${String(name)}` }) },
    command: { register: async () => ({}) },
  };
  const dispatch = async (
    name: string,
    event: Item,
    core: (event: Item) => Promise<unknown>,
    isSound: (result: unknown) => string | null,
  ) => {
    const chain = hooks.filter((each) => each.event === name && matches(each.matcher, event));
    const run = async (at: number, given: Item): Promise<unknown> => {
      const link = chain[at];
      if (link === undefined) return core(given);
      let last: unknown = null;
      const next = async (e: Item) => {
        last = await run(at + 1, e);
        return last;
      };
      try {
        const result = await link.hook(engine, frozen(given), next);
        const wrong = result === last ? null : isSound(result);
        if (wrong === null) return result;
        problems.push(`${name}: ${wrong}`);
      } catch (error) {
        problems.push(`${name} threw: ${error instanceof Error ? error.message : String(error)}`);
      }
      return last ?? run(at + 1, given);
    };
    return run(0, event);
  };
  const compact = async (trigger: string, agentId?: string, instructions?: string): Promise<HostCompaction> => {
    const own = of(agentId);
    serial += 1;
    const shown = own.map(({ item }, index) => ({ ...item, handle: `h${serial}-${index}` }));
    const byHandle = new Map(shown.map(({ handle }, index) => [handle, own[index]]));
    let isCore = false;
    const core = async (event: Item) => {
      isCore = true;
      const list = itemsOf(event.messages);
      return {
        messages: [
          { role: "user", text: "This session continues: a summary by the model.", toolUses: [] },
          ...pairedTail(list),
        ],
      };
    };
    const event: Item = {
      trigger,
      ...(agentId === undefined ? {} : { agentId }),
      ...(instructions === undefined ? {} : { instructions }),
      messages: shown,
    };
    const breaks = failing(serial);
    if (breaks) stored.set("broken", "1");
    const answer = await dispatch(
      "session.compact",
      breaks ? { ...event, messages: null } : event,
      (e) => core({ ...e, messages: e.messages ?? shown }),
      (result) => messagesProblem(result, byHandle),
    );
    const isSkipped = typeof (answer as Item).skip === "string";
    const messages = isSkipped ? shown : itemsOf((answer as Item).messages);
    const next = messages.map((item): Own => {
      const kept = typeof item.handle === "string" ? byHandle.get(item.handle) : undefined;
      if (kept !== undefined) return kept;
      const { handle: _, ...built } = item;
      return { item: built, thinking: null };
    });
    const kept = next.filter((each) => own.includes(each)).length;
    const done: HostCompaction = {
      trigger,
      agentId: agentId ?? null,
      by: isSkipped ? "skipped" : isCore ? "core" : "mod",
      kept,
      built: next.length - kept,
    };
    compactions.push(done);
    if (trigger !== "precompute") transcripts.set(agentId ?? "", next);
    return done;
  };
  const say = async (text: string, agentId?: string): Promise<string | null> => {
    const answer = await dispatch(
      "prompt.submit",
      { text, wait: false, origin: { kind: "composer" } },
      async (e) => ({ text: e.text }),
      () => null,
    );
    const { drop, text: given } = answer as Item;
    if (typeof drop === "string") return drop;
    of(agentId).push({ item: { role: "user", text: String(given), toolUses: [] }, thinking: null });
    return null;
  };
  const host: ClaudeCodeHost = {
    start: async () =>
      void (await dispatch(
        "session.start",
        { cwd: "/work", surface: null, isInteractive: false },
        async () => ({ cwd: "/work" }),
        () => null,
      )),
    say,
    step: async (text, result, agentId) => {
      const own = of(agentId);
      if (own.reduce((sum, { item }) => sum + JSON.stringify(item).length, 0) > THRESHOLD_CHARS) {
        await compact("precompute", agentId);
        await compact("auto", agentId);
      }
      serial += 1;
      const id = `toolu_${serial}`;
      of(agentId).push(
        {
          item: {
            role: "assistant",
            text,
            toolUses: [{ tool_use_id: id, tool: "Bash", input: { command: `look ${serial}` } }],
          },
          thinking: `thought ${serial}`,
        },
        {
          item: { role: "user", text: "", toolUses: [], toolResults: [{ tool_use_id: id, text: result, isError: false }] },
          thinking: null,
        },
      );
    },
    compact,
    command: async (args) =>
      String(
        (
          (await dispatch(
            "command.run",
            { command: "plimsoll", args },
            async () => ({ text: "" }),
            () => null,
          )) as Item
        ).text,
      ),
    recall: async (handle, agentId) =>
      String(
        (
          (await dispatch(
            "tool.call",
            { tool: "mcp__plimsoll__recall", input: { handle }, ...(agentId === undefined ? {} : { agentId }) },
            async () => ({ result: "core" }),
            () => null,
          )) as Item
        ).result,
      ),
    resume: async (how, given) => {
      if (how === "twice")
        for (const [agent, own] of transcripts)
          transcripts.set(agent, [
            ...own,
            ...own
              .filter(({ thinking }) => thinking !== null || own.length < 3)
              .slice(-2)
              .flatMap((each) => [each, ...own.filter((_, i) => own[i - 1] === each)]),
          ]);
      load(given);
      await host.start();
    },
    transcript: (agentId) => of(agentId).map(({ item }) => item),
    thinkingCount: (agentId) => of(agentId).filter(({ thinking }) => thinking !== null).length,
    compactions,
    log,
    problems,
  };
  return host;
}

/** An event cannot be changed by a hook. */
function frozen(event: Item): Item {
  for (const value of Object.values(event)) if (Array.isArray(value)) for (const each of value) Object.freeze(each);
  return Object.freeze({ ...event });
}

function itemsOf(value: unknown): Item[] {
  return Array.isArray(value) ? value : [];
}

/** The newest messages from an assistant's on, with their results. */
function pairedTail(list: readonly Item[]): readonly Item[] {
  const from = list.findLastIndex(({ role }) => role === "assistant");
  return from < 0 ? [] : list.slice(from);
}

/** The fault of an answer to `session.compact`; `null` if it can be installed. */
function messagesProblem(result: unknown, byHandle: ReadonlyMap<unknown, unknown>): string | null {
  const { messages, skip } = (result ?? {}) as Item;
  if (typeof skip === "string") return null;
  if (!Array.isArray(messages) || messages.length === 0) return "no messages";
  const handles = messages.flatMap(({ handle }) => (handle === undefined ? [] : [handle]));
  if (handles.some((handle) => !byHandle.has(handle))) return "a handle that the host did not give";
  if (new Set(handles).size < handles.length) return "a handle twice";
  const open = new Set<unknown>();
  for (const { role, text, toolUses, toolResults = [] } of messages) {
    if ((role !== "user" && role !== "assistant") || typeof text !== "string" || !Array.isArray(toolUses))
      return "a message of another form";
    const answered = toolResults.map(({ tool_use_id }: Item) => tool_use_id);
    if (answered.some((id: unknown) => !open.has(id))) return "a result without its call";
    if (open.size > 0 && answered.length < open.size) return "a call without its result";
    open.clear();
    for (const { tool_use_id } of toolUses) open.add(tool_use_id);
  }
  return messages[0].role === "user" ? null : "it begins with the model";
}
