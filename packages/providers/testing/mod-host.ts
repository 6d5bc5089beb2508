import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { types } from "node:util";
import { createContext, runInContext } from "node:vm";
import { isRecord } from "@plimsoll/core/extend";
import { z } from "zod";
import type { ClaudeCodeOn } from "../src/drop-in/claude-code.ts";
import { type Fields, recordsAt, stringAt } from "../src/fields.ts";

/*
 * A stand-in host for Claude Code mods, cut down to the parts that our mod meets. Its rules were written from the published pages and types by a person without
 * knowledge of the mod: code.claude.com/docs/en/plugins/mods (reference 2.1.289, events, api), anthropics/claude-code mods/types/claude-code.d.ts (2.1.294),
 * issue 95328.
 *
 * Assumed, since nothing is published: auto compaction at 0.8 of the window; tokens as characters by four; that an unknown or repeated handle is refused; the
 * content that Claude Code's own compaction keeps; a resume's effect on messages with handles (both ways, with the faults that authors report).
 */

const toolUse = z.object({ tool_use_id: z.string().min(1), tool: z.string().min(1), input: z.record(z.string(), z.unknown()) });
const toolResult = z.object({ tool_use_id: z.string().min(1), text: z.string(), isError: z.boolean() });
const role = z.enum(["user", "assistant"]);
const blocks = { toolUses: z.array(toolUse), toolResults: z.array(toolResult).default([]) };
const message = z.object({ role, text: z.string(), ...blocks, handle: z.string().optional() });
const size = z.number().optional();
const skipped = z.object({ skip: z.string() });
const compacted = z.object({
  messages: z.array(message).min(1),
  tokensBefore: size,
  tokensAfter: size,
  skip: z.undefined().optional(),
});

/** Published shapes of answers, by event. */
const ANSWERS: Readonly<Record<string, z.ZodType>> = {
  "session.start": z.object({ cwd: z.string() }),
  "session.compact": z.union([skipped, compacted]),
  "prompt.submit": z.union([z.object({ drop: z.string() }), z.object({ text: z.string() })]),
  "command.run": z.object({ text: z.string().optional() }),
  "tool.call": z.union([z.object({ result: z.unknown().nonoptional() }), z.object({ deny: z.string() })]),
};

/** A message of a transcript as the host keeps it. */
type Row = Omit<z.infer<typeof message>, "handle"> & { readonly id: string };

/** A conversation: the session's, or a sub-agent's. */
interface Loop {
  readonly agentId: string | null;
  rows: readonly Row[];
  /** Ids of rows by their handles. */
  handles: ReadonlyMap<string, string>;
  /** The transcript before the newest compaction that a mod made, and the ids that it kept by handle. */
  before: { readonly rows: readonly Row[]; readonly keptIds: readonly string[] } | null;
  /** A compaction made ahead: its input and its result. */
  ahead: { readonly ids: readonly string[]; readonly rows: readonly Row[] } | null;
}

type Trigger = "manual" | "auto" | "plugin" | "precompute";

/** The record of a compaction. */
interface Compaction {
  readonly trigger: Trigger;
  readonly agentId: string | null;
  readonly by: "mod" | "own" | "mod-over-own" | "skip";
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Messages that are sent by their handle. */
  readonly handled: number;
  readonly problems: readonly string[];
}

/** The record of a play. */
interface Report {
  readonly compactions: readonly Compaction[];
  readonly refused: readonly { readonly event: string; readonly reason: string }[];
  readonly problems: readonly string[];
}

interface Call {
  readonly tool: string;
  readonly input: Fields;
  readonly result: string;
}

/** Something that happens in a session. */
export type Step =
  | { readonly kind: "user" | "assistant"; readonly text: string }
  | { readonly kind: "tools"; readonly text: string; readonly calls: readonly Call[] }
  | { readonly kind: "agent"; readonly prompt: string; readonly steps: readonly Extract<Step, { kind: "tools" }>[] }
  | { readonly kind: "compact" | "plugin-compact"; readonly instructions: string | null }
  | { readonly kind: "resume"; readonly handles: string; readonly inProcess: boolean; readonly fault: string };

type Register = (on: ClaudeCodeOn) => void;

/** A mod, and the session that it is loaded in. */
export interface HostOptions {
  /** The folder of a plugin, which is loaded where there is neither Node nor a timer, or the mod itself. */
  readonly mod: { readonly dir: string } | { readonly register: Register };
  readonly contextWindow: number;
  readonly precomputeAt?: number;
  readonly store?: Map<string, string>;
  /** Calls that fail or answer otherwise, by their names on the engine. */
  readonly ops?: { readonly [name: string]: () => unknown };
}

/** Tokens that a request has above its messages. */
const HIDDEN_TOKENS = 3_000;
const AUTO_COMPACT_RATIO = 0.8;
const STORE_BYTES = 4 * 1024 * 1024;
/** Turns of the event loop in which a hook does nothing, after which it hangs: its ten seconds would pass. */
const IDLE_TICKS = 100;
/** Fields that a hook may not change. */
const PINNED: readonly string[] = ["trigger", "agentId"];

type Core = (event: Fields) => Promise<Fields>;
type Hook = Extract<Parameters<ClaudeCodeOn>[1], (...given: never) => unknown>;

/** Loads a mod, and plays sessions with it. */
export class ModHost {
  readonly ui: { readonly text: string }[] = [];
  readonly #options: HostOptions;
  readonly #store: Map<string, string>;
  readonly #main: Loop = newLoop(null);
  readonly #agents: Loop[] = [];
  readonly #compactions: Compaction[] = [];
  readonly #refused: { readonly event: string; readonly reason: string }[] = [];
  #hooks: { readonly event: string; readonly matcher: Fields; readonly hook: Hook }[] = [];
  #parse: typeof JSON.parse = JSON.parse;
  /** Calls of hooks that the host works on. */
  #underWay = 0;
  #sequence = 0;
  #epoch = 0;
  #state: "new" | "idle" | "in-turn" = "new";

  constructor(options: HostOptions) {
    this.#options = options;
    this.#store = options.store ?? new Map();
  }

  /** Plays steps. A user's step begins a turn, which lasts to the next one, a compaction or a resume. */
  async play(steps: readonly Step[]): Promise<Report> {
    if (this.#state === "new") await this.#load();
    for (const step of steps) await this.#play(step);
    this.#state = "idle";
    return { compactions: this.#compactions, refused: this.#refused, problems: requestProblems(this.#main.rows) };
  }

  /** Compacts the session's transcript between turns. */
  compact(trigger: Trigger): Promise<Fields> {
    return this.#compact(trigger, null, this.#main);
  }

  /** Fires `session.compact` over a transcript; its answer takes the transcript's place, unless it is made ahead. */
  async #compact(trigger: Trigger, instructions: string | null, loop: Loop): Promise<Fields> {
    const messages = this.#stamped(loop, loop.rows);
    const tokensBefore = tokensOf(loop.rows);
    const by = { mod: false, own: false };
    const event: Fields = {
      trigger,
      messages,
      ...(loop.agentId !== null && { agentId: loop.agentId }),
      ...(instructions !== null && { instructions }),
    };
    const { ahead } = loop;
    const core: Core = async (given) => {
      by.own = true;
      if (ahead?.ids.every((id, index) => loop.rows[index]?.id === id) === true && trigger !== "precompute")
        return { messages: this.#stamped(loop, [...ahead.rows, ...loop.rows.slice(ahead.ids.length)]) };
      return { messages: ownCompaction(recordsAt(given, "messages"), stringAt(given, "instructions")) };
    };
    const answer = await this.#dispatch("session.compact", event, core, (made) => {
      by.mod = true;
      const handles = recordsAt(made, "messages").flatMap(({ handle }) => (handle === undefined ? [] : [String(handle)]));
      const wrong = handles.find((handle, index) => !loop.handles.has(handle) || handles.indexOf(handle) < index);
      if (wrong !== undefined) throw new Error(`handle ${wrong} is unknown, or given twice`);
    });
    const record = { trigger, agentId: loop.agentId, tokensBefore, tokensAfter: tokensBefore, handled: 0, problems: [] };
    if (answer.skip !== undefined) {
      this.#compactions.push({ ...record, by: "skip" });
      return answer;
    }
    const known = new Map([...loop.rows, ...(ahead?.rows ?? [])].map((row) => [row.id, row]));
    // With a handle a message is whole, and edits are ignored; without one it is built anew.
    const rows = compacted
      .parse(answer)
      .messages.map(
        ({ handle = "", ...made }): Row => known.get(loop.handles.get(handle) ?? "") ?? { ...made, id: this.#newId("m") },
      );
    const kept = rows.filter(({ id }) => known.has(id));
    this.#compactions.push({
      ...record,
      by: by.mod ? (by.own ? "mod-over-own" : "mod") : "own",
      tokensAfter: tokensOf(rows),
      handled: kept.length,
      problems: requestProblems(rows),
    });
    if (trigger === "precompute") loop.ahead = { ids: loop.rows.map(({ id }) => id), rows };
    else {
      loop.before = by.mod ? { rows: loop.rows, keptIds: kept.map(({ id }) => id) } : null;
      loop.rows = rows;
      loop.ahead = null;
    }
    return answer;
  }

  /** Runs a command of the mod's, as a person types it between turns. */
  async runCommand(command: string, args: string): Promise<string | null> {
    const core: Core = async () => ({ text: `Unknown command: /${command}` });
    return stringAt(await this.#dispatch("command.run", { command, args, origin: { kind: "composer" } }, core), "text");
  }

  /** The messages of the session or of a sub-agent, without handles. */
  transcript(agentId: string | null = null): readonly Fields[] {
    return viewOf(this.#agents.find((loop) => loop.agentId === agentId)?.rows ?? this.#main.rows);
  }

  async #load(): Promise<void> {
    this.#hooks = [];
    this.#state = "idle";
    const { mod } = this.#options;
    const on: ClaudeCodeOn = (event, ...rest) => {
      const [matcher, hook] = rest.length === 1 ? [{}, rest[0]] : rest;
      if (this.#hooks.some((each) => each.event === event)) throw new Error(`on(${event}) is registered twice`);
      this.#hooks.push({ event, matcher, hook });
    };
    ("register" in mod ? mod.register : this.#registerIn(mod.dir))(on);
    await this.#dispatch("session.start", { cwd: "/home/me/project" }, async ({ cwd }) => ({ cwd }));
  }

  /** Evaluates a plugin's one module with only the published globals. */
  #registerIn(dir: string): Register {
    const { modules } = JSON.parse(readFileSync(join(dir, "hooks/hooks.json"), "utf8"));
    const source = readFileSync(join(dir, "hooks", modules[0]), "utf8").replace(
      /^export \{ register \};\s*$/m,
      "return register;",
    );
    const realm = createContext({
      TextEncoder,
      TextDecoder,
      AbortController,
      AbortSignal,
      structuredClone,
      crypto,
      performance,
    });
    for (const missing of ["console", "WebAssembly"]) runInContext(`delete globalThis.${missing}`, realm);
    this.#parse = runInContext("JSON.parse", realm);
    return runInContext(`(() => { "use strict";\n${source}\n})()`, realm);
  }

  /** Fires one event: the mod's hook if it has one, the engine's own answer behind it. A hook that fails is left out. */
  async #dispatch(event: string, input: Fields, core: Core, check?: (answer: Fields) => void): Promise<Fields> {
    const isMatch = (matcher: Fields) =>
      Object.entries(matcher).every(([key, of]) => (types.isRegExp(of) ? of.test(String(input[key])) : of === input[key]));
    const found = this.#hooks.find((each) => each.event === event && isMatch(each.matcher));
    if (found === undefined) return await core(input);
    const passed: Fields[] = [];
    const next = (given: Fields) =>
      this.#working(async () => {
        const changed = PINNED.find((key) => given[key] !== undefined && given[key] !== input[key]);
        if (changed !== undefined) throw new Error(`next() changed ${changed}`);
        const answer = await core({ ...plain(given), ...Object.fromEntries(PINNED.map((key) => [key, input[key]])) });
        passed.push(answer);
        return answer;
      });
    const run = async () => await found.hook(this.#engine(), this.#crossed(input), next);
    try {
      const answer = plain(await this.#ended(run()));
      ANSWERS[event]?.parse(answer);
      check?.(answer);
      return answer;
    } catch (error) {
      this.#refused.push({ event, reason: String(error) });
      // If a handler fails behind the engine's own answer, that answer holds.
      return passed.at(-1) ?? (await core(input));
    }
  }

  /** The answer of a hook; rejects if it hangs. */
  async #ended(run: Promise<unknown>): Promise<unknown> {
    const state = { isDone: false };
    const watched = run.finally(() => {
      state.isDone = true;
    });
    watched.catch(() => undefined);
    for (let idle = 0; !state.isDone && idle < IDLE_TICKS; idle = this.#underWay > 0 ? 0 : idle + 1) await tick();
    if (!state.isDone) throw new Error("it ran over its ten seconds");
    return await watched;
  }

  /** Answers a call of a hook, in the hook's own realm. */
  async #working<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return this.#crossed(await work());
    } finally {
      this.#underWay -= 1;
    }
  }

  /** A frozen copy of plain data, made where the mod runs. */
  #crossed<T>(value: T): T;
  #crossed(value: unknown): unknown {
    return value === undefined ? undefined : this.#parse(JSON.stringify(value), (_, each) => Object.freeze(each));
  }

  #engine(): Parameters<Hook>[0] {
    const call = <T>(name: string, own: () => T | Promise<T>): Promise<T> =>
      this.#working(async () => {
        this.#options.ops?.[name]?.();
        return await own();
      });
    const store = this.#store;
    return {
      session: {
        id: () => call("session.id", () => "session-1"),
        usage: () => call("session.usage", () => ({ context: { window: this.#options.contextWindow } })),
        compact: (input = {}) =>
          call("session.compact", () => {
            if (this.#state === "in-turn") throw new Error("session.compact: a turn is running");
            return this.#compact("plugin", input.instructions ?? null, this.#main);
          }),
      },
      store: {
        get: (key) => call("store.get", () => (store.has(key) ? JSON.parse(store.get(key) ?? "") : undefined)),
        set: (key, value) =>
          call("store.set", () => {
            const entries = [...new Map(store).set(key, JSON.stringify(value))];
            const bytes = Buffer.byteLength(`{${entries.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`);
            if (bytes > STORE_BYTES) throw new Error(`$.store.set: the store would hold ${bytes} bytes`);
            store.set(key, JSON.stringify(value));
          }),
        delete: (key) => call("store.delete", () => void store.delete(key)),
        keys: () => call("store.keys", () => [...store.keys()]),
      },
      ui: { log: (text) => void this.ui.push({ text }) },
      tool: { register: () => call("tool.register", () => undefined) },
      command: { register: () => call("command.register", () => undefined) },
    };
  }

  async #play(step: Step): Promise<void> {
    const isWithin = step.kind === "assistant" || step.kind === "tools" || step.kind === "agent";
    if (!isWithin) this.#state = "idle";
    // The mod dropped the request: there is no turn.
    else if (this.#state === "idle") return;
    switch (step.kind) {
      case "user": {
        const event = { text: step.text, origin: { kind: "composer" } };
        const { drop, text } = await this.#dispatch("prompt.submit", event, async (given) => given);
        if (drop !== undefined) return;
        this.#state = "in-turn";
        this.#add(this.#main, { role: "user", text: String(text) });
        return;
      }
      case "assistant":
        return await this.#request(this.#main, step.text);
      case "tools":
        return await this.#tools(this.#main, step);
      case "agent": {
        const toolUse = { tool_use_id: this.#newId("toolu"), tool: "Agent", input: { prompt: step.prompt } };
        await this.#request(this.#main, "I ask a sub-agent.", [toolUse]);
        const loop = newLoop(this.#newId("agent"));
        this.#agents.push(loop);
        this.#add(loop, { role: "user", text: step.prompt });
        for (const each of step.steps) await this.#tools(loop, each);
        await this.#request(loop, "The sub-agent is done.");
        const toolResults = [{ tool_use_id: toolUse.tool_use_id, text: "It is done.", isError: false }];
        return this.#add(this.#main, { role: "user", text: "", toolResults });
      }
      case "compact":
      case "plugin-compact":
        await this.#compact(step.kind === "compact" ? "manual" : "plugin", step.instructions, this.#main);
        return;
      case "resume":
        return await this.#resume(step);
      default:
        return step satisfies never;
    }
  }

  /** Resumes the session from its last compaction on; the store stays. */
  async #resume({ handles, inProcess, fault }: Extract<Step, { kind: "resume" }>): Promise<void> {
    const { before, rows } = this.#main;
    const [old, keptIds] = [before?.rows ?? [], new Set(before?.keptIds)];
    // Reported by authors: the whole earlier history is back, or messages kept by handle are there twice.
    if (fault === "dropped-return" && keptIds.size > 0)
      this.#main.rows = [...old, ...rows.filter(({ id }) => !old.some((row) => row.id === id))];
    if (fault === "duplicates")
      this.#main.rows = [...old.filter(({ id }) => keptIds.has(id)).map((row) => ({ ...row, id: `${row.id}d` })), ...rows];
    if (handles === "anew") {
      this.#epoch += 1;
      this.#main.handles = new Map();
    }
    this.#main.before = null;
    this.#main.ahead = null;
    if (!inProcess) await this.#load();
  }

  /** One request to the model and its answer, behind the compactions that its size asks for. */
  async #request(loop: Loop, text: string, toolUses: Row["toolUses"] = []): Promise<void> {
    const { contextWindow, precomputeAt } = this.#options;
    const isFrom = (ratio: number) => tokensOf(loop.rows) >= ratio * contextWindow;
    if (precomputeAt !== undefined && loop.ahead === null && isFrom(precomputeAt))
      await this.#compact("precompute", null, loop);
    if (isFrom(AUTO_COMPACT_RATIO)) await this.#compact("auto", null, loop);
    if (isFrom(1)) await this.#compact("auto", null, loop);
    if (isFrom(1)) this.#refused.push({ event: "request", reason: `prompt too long: ${tokensOf(loop.rows)} tokens` });
    this.#add(loop, { role: "assistant", text, toolUses });
  }

  async #tools(loop: Loop, { text, calls }: Extract<Step, { kind: "tools" }>): Promise<void> {
    const uses = calls.map(({ tool, input }) => ({ tool_use_id: this.#newId("toolu"), tool, input }));
    await this.#request(loop, text, uses);
    const toolResults: Row["toolResults"] = [];
    for (const [index, { tool_use_id, tool, input }] of uses.entries()) {
      const event = { ...input, tool, tool_use_id, ...(loop.agentId !== null && { agentId: loop.agentId }) };
      const core: Core = async () => ({ result: calls[index]?.result });
      const { result, deny } = await this.#dispatch("tool.call", event, core);
      toolResults.push({ tool_use_id, text: String(deny ?? result), isError: deny !== undefined });
    }
    this.#add(loop, { role: "user", text: "", toolResults });
  }

  #add(loop: Loop, row: Pick<Row, "role" | "text"> & Partial<Row>): void {
    loop.rows = [...loop.rows, { id: this.#newId("m"), toolUses: [], toolResults: [], ...row }];
  }

  /** Rows as a hook reads them, each with its handle. */
  #stamped(loop: Loop, rows: readonly Row[]): readonly Fields[] {
    const handleOf = new Map([...loop.handles].map(([handle, id]) => [id, handle]));
    for (const { id } of rows) if (!handleOf.has(id)) handleOf.set(id, `h${this.#epoch}-${id}`);
    loop.handles = new Map([...handleOf].map(([id, handle]) => [handle, id]));
    return viewOf(rows).map((message, index) => ({ ...message, handle: handleOf.get(rows[index]?.id ?? "") }));
  }

  #newId(kind: string): string {
    this.#sequence += 1;
    return `${kind}-${this.#sequence}`;
  }
}

function newLoop(agentId: string | null): Loop {
  return { agentId, rows: [], handles: new Map(), before: null, ahead: null };
}

/** Rows as a mod reads them: an answered call carries its result's text. */
function viewOf(rows: readonly Row[]): readonly Fields[] {
  const results = new Map(rows.flatMap(({ toolResults }) => toolResults.map((result) => [result.tool_use_id, result])));
  return rows.map(({ role, text, toolUses, toolResults }) => ({
    ...{ role, text, toolUses: toolUses.map((use) => ({ ...use, text: results.get(use.tool_use_id)?.text })) },
    ...(toolResults.length > 0 && { toolResults }),
  }));
}

const SIZES = new WeakMap<Row, number>();

function tokensOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => {
    const size = SIZES.get(row) ?? Math.ceil(JSON.stringify([row.text, row.toolUses, row.toolResults]).length / 4);
    SIZES.set(row, size);
    return sum + size;
  }, HIDDEN_TOKENS);
}

/** A copy of plain data; throws for values that would not cross into the host. */
function plain(value: unknown): Fields {
  const text = JSON.stringify(value, (key, each) => {
    if (typeof each === "function" || types.isPromise(each)) throw new TypeError(`${key} is not plain data`);
    return each;
  });
  const copy: unknown = text === undefined ? null : JSON.parse(text);
  if (!isRecord(copy)) throw new TypeError("nothing was returned");
  return copy;
}

/** Reasons for which Anthropic would refuse the next request. */
function requestProblems(rows: readonly Row[]): readonly string[] {
  const problems = rows[0]?.role === "user" ? [] : ["the first message is not the user's"];
  let open = new Set<string>();
  const used = new Set<string>();
  for (const [index, { role, text, toolUses, toolResults }] of rows.entries()) {
    const answered = new Set(toolResults.map(({ tool_use_id }) => tool_use_id));
    if (text === "" && toolUses.length + toolResults.length === 0) problems.push(`message ${index} is empty`);
    if ((role === "user" ? toolUses : toolResults).length > 0) problems.push(`message ${index}: no such blocks as ${role}`);
    for (const id of open) if (!answered.has(id)) problems.push(`message ${index}: no result of ${id}`);
    for (const id of answered) if (!open.has(id)) problems.push(`message ${index}: no call ${id} before it`);
    for (const { tool_use_id } of toolUses) {
      if (used.has(tool_use_id)) problems.push(`message ${index}: call ${tool_use_id} twice`);
      used.add(tool_use_id);
    }
    open = new Set(toolUses.map(({ tool_use_id }) => tool_use_id));
  }
  return problems;
}

/** A replacement of Claude Code's own compaction: a made summary, and the newest turn. */
function ownCompaction(messages: readonly Fields[], instructions: string | null): readonly Fields[] {
  const keepFrom = messages.findLastIndex(({ role, toolResults }) => role === "user" && toolResults === undefined);
  const prompts = messages.filter(({ role, toolResults }) => role === "user" && toolResults === undefined).slice(-40);
  const asked = prompts.map(({ text }) => `- ${String(text).slice(0, 200)}`).join("\n");
  const text = `This session is being continued from a previous conversation.\n${instructions ?? ""}\nThe user asked:\n${asked}`;
  return [{ role: "user", text, toolUses: [] }, ...messages.slice(keepFrom)];
}

const WORDS = "router session handle budget cache parser ledger queue index branch socket worker";
const ASKS = "Add a retry to the parser.|From now on never touch src/cache.|Why does the router drop the queue?|Continue.";
const RESULT_CHARS = "400 1500 3000 6000";

/** A made session of so many steps, the same for one seed: turns of some steps with one to three calls each, and a compaction by hand now and then. */
export function makeSteps(count: number, seed: number): readonly Step[] {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const pick = (of: string, between = " ") => of.split(between)[below(of.split(between).length)] ?? "";
  const lines = (chars: number) => {
    let text = "";
    while (text.length < chars)
      text += `${below(9_000)}: const ${pick(WORDS)}${below(99)} = ${pick(WORDS)}.${pick(WORDS)}();\n`;
    return text;
  };
  const call = () => {
    const input = { file_path: `src/${pick(WORDS)}/${pick(WORDS)}.ts`, text: lines(100) };
    return { tool: pick("Read Bash Edit Grep"), input, result: lines(Number(pick(RESULT_CHARS))) };
  };
  const calls = () => Array.from({ length: 1 + below(3) }, call);
  const tools = () => ({ kind: "tools", text: pick("|I look.", "|"), calls: calls() }) as const;
  const steps: Step[] = [];
  while (steps.length < count) {
    steps.push({ kind: "user", text: pick(ASKS, "|") }, ...Array.from({ length: 2 + below(7) }, tools));
    if (below(8) === 0)
      steps.push({ kind: "agent", prompt: `Find the ${pick(WORDS)}.`, steps: Array.from({ length: 3 + below(9) }, tools) });
    steps.push({ kind: "assistant", text: `Done: ${lines(200)}` });
    if (below(10) === 0) steps.push({ kind: "compact", instructions: below(2) === 0 ? "the file names" : null });
  }
  return steps;
}
