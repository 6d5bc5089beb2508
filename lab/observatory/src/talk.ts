import { createInterface } from "node:readline";
import { type Ended, type Running, type Surroundings, startCommand } from "./run-command.ts";

/**
 * Starts a program that speaks the Agent Client Protocol (agentclientprotocol.com) and says the person's messages to it, one after the other, in one
 * session. What it asks leave for is allowed.
 */
export async function talk(command: readonly string[], prompts: readonly string[], surroundings: Surroundings): Promise<Ended> {
  const running = startCommand(command, surroundings);
  const heard: string[] = [];
  const talked = sayAll(running, prompts, { work: surroundings.work, heard }).then(() => running.child.stdin.end());
  // A program that ends before it has answered leaves the talk waiting; its end is the answer.
  await Promise.race([talked, running.ended]);
  const timer = setTimeout(() => running.child.kill("SIGKILL"), GRACE_MS);
  const { exitCode } = await running.ended;
  clearTimeout(timer);
  return { exitCode, output: heard.join("") };
}

/** The time in which a program has to end after the last answer. Chosen. */
const GRACE_MS = 2_000;

interface Session {
  readonly work: string;
  /** The person's screen is added to it: the model's words, and errors. */
  readonly heard: string[];
}

async function sayAll({ child }: Running, prompts: readonly string[], { work, heard }: Session): Promise<void> {
  const waiting = new Map<number, (result: unknown) => void>();
  let nextId = 0;
  const write = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (method: string, params: object) =>
    new Promise<unknown>((resolve) => {
      nextId += 1;
      waiting.set(nextId, resolve);
      write({ id: nextId, method, params });
    });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = recordIn(line);
    if (typeof message.method === "string" && message.id !== undefined) {
      write({ id: message.id, result: { outcome: { outcome: "selected", optionId: allowing(message.params) } } });
      return;
    }
    const update = fieldOf(message.params, "update");
    if (fieldOf(update, "sessionUpdate") === "agent_message_chunk")
      heard.push(String(fieldOf(fieldOf(update, "content"), "text")));
    if (message.error !== undefined) heard.push(`error ${String(fieldOf(message.error, "message"))}`);
    if (typeof message.id === "number") waiting.get(message.id)?.(message.result);
  });
  await ask("initialize", {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  const session = await ask("session/new", { cwd: work, mcpServers: [] });
  const sessionId = fieldOf(session, "sessionId");
  for (const text of prompts) await ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
}

function allowing(params: unknown): unknown {
  const options = fieldOf(params, "options");
  const list: readonly unknown[] = Array.isArray(options) ? options : [];
  const allowed = list.find((option) => String(fieldOf(option, "kind")).startsWith("allow"));
  return fieldOf(allowed ?? list[0], "optionId");
}

function recordIn(line: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // A line that is no message: programs print others.
    return {};
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(key) : undefined;
}
