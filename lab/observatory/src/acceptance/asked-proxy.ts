import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { SimulatorOptions } from "@plimsoll/simulator";
import { startSimulator } from "@plimsoll/simulator";
import { z } from "zod";
import type { ProxyProcess, ProxyStart, Taken } from "../proxy-process.ts";
import { sentOn, startProxy, startRelay } from "../proxy-process.ts";

/** A proxy that is asked things while a program runs under it, and how many of the answers were right. */
export interface AskedProxy extends ProxyProcess {
  asked(): { readonly right: number; readonly of: number };
}

/** The wire of the program: its name for `POST /compact`, and where a request holds the history. */
export interface AskedWire {
  readonly wire: "anthropic" | "openai-chat" | "openai-responses" | "gemini";
  readonly itemsKey: "messages" | "input" | "contents";
}

/** The person's words that the proxy answers by itself. */
export const TYPED_WORDS = "plimsoll: what did you drop?";

/** The requests after which the page is looked at first: some results are there by then. Chosen. */
const LOOK_AFTER = 10;

/** The window in which the last request is refused, so that a limit is learned: smaller than any history here. Chosen. */
const REFUSING_TOKENS = 30_000;

const conversation = z.object({ id: z.string(), usedTokens: z.number(), cuts: z.array(z.object({ isUndone: z.boolean() })) });
const statusSchema = z.object({ isPaused: z.boolean(), conversations: z.array(conversation), limits: z.array(z.string()) });
const previewSchema = z.object({ outcome: z.string(), messages: z.array(z.unknown()) });
const compactSchema = z.object({ outcome: z.literal("compacted"), items: z.array(z.unknown()), version: z.literal(1) });

/** Starts a proxy with a person beside it: looks, undoes the first cut, pauses and goes on while the program works; then has its last history compacted, and a limit learned and forgotten. */
export async function startAskedProxy(start: ProxyStart, { wire, itemsKey }: AskedWire): Promise<AskedProxy> {
  const proxy = await startProxy(start);
  const answers = new Map<string, boolean>();
  const check = async (name: string, isRight: () => Promise<boolean>) => {
    const right = answers.get(name) === true || (await isRight().catch(() => false));
    answers.set(name, right);
    if (!right) process.stderr.write(`${wire}: ${name}: answered wrongly\n`);
  };
  const command = (folder: string, ...args: readonly string[]) =>
    run(start.project, ["proxy", "status", ...args, "--state", folder]);
  const status = async () => statusSchema.parse(await (await fetch(`${proxy.url}/plimsoll/status`)).json());
  const press = (action: string) =>
    fetch(`${proxy.url}/plimsoll/${action}`, { method: "POST", body: new URLSearchParams(), redirect: "manual" });
  let [count, isCutSeen] = [0, false];
  let last: Taken | null = null;
  const beside = async () => {
    count += 1;
    if (count < LOOK_AFTER || isCutSeen) return;
    const { conversations } = await status();
    const [{ id = "", cuts = [], usedTokens = 0 } = {}] = conversations;
    if (count === LOOK_AFTER) {
      await check("page", async () => (await (await fetch(`${proxy.url}/plimsoll`)).text()).includes(id));
      await check(
        "status",
        async () => conversations.length === 1 && usedTokens > 0 && (await command(start.folder)).includes(id),
      );
      await check("preview", async () => {
        const { outcome, messages } = previewSchema.parse(
          await (await fetch(`${proxy.url}/plimsoll/preview?form=json&id=${id}`)).json(),
        );
        return (
          outcome !== "" &&
          messages.length > 0 &&
          (await command(start.folder, "preview", id)).includes("the model would then receive:")
        );
      });
    }
    if (cuts.length === 0) return;
    isCutSeen = true;
    await check("undo", async () => {
      const said = await command(start.folder, "undo", id);
      return said.includes("the last cut was undone") && (await status()).conversations[0]?.cuts[0]?.isUndone === true;
    });
    await check("pause", async () => (await press("pause")).status === 303 && (await status()).isPaused);
    await check("resume", async () => (await press("resume")).status === 303 && !(await status()).isPaused);
  };
  const relay = await startRelay(async (taken) => {
    await beside();
    const answer = await sentOn(proxy.url, taken);
    const items = itemsOf(taken.body, itemsKey);
    // Gemini CLI asks without tools which model is to answer; Codex declares them among the items; pi puts a system message without text behind the words.
    const isMeant = wire !== "gemini" || fieldsOf(taken.body).tools !== undefined;
    const isTyped = isMeant && JSON.stringify(items.slice(-2)).includes(TYPED_WORDS);
    if (!isTyped && items.length > itemsOf(last?.body ?? "{}", itemsKey).length) last = taken;
    if (!isTyped) return answer;
    const text = await answer.text();
    await check("typed words", async () => saidIn(text).includes("The newest cut took"));
    return new Response(text, { status: answer.status, headers: answer.headers });
  });
  const afterwards = async (taken: Taken) => {
    const items = itemsOf(taken.body, itemsKey);
    await check("POST /compact", async () => {
      const asked = JSON.stringify({ wire, items, window_tokens: start.windowTokens });
      const made = compactSchema.parse(await (await fetch(`${proxy.url}/compact`, { method: "POST", body: asked })).json());
      const body = JSON.stringify({ ...fieldsOf(taken.body), [itemsKey]: made.items });
      const isTaken = await withSimulator({}, async (url) => (await sentOn(url, { ...taken, body })).status === 200);
      return made.items.length < items.length && isTaken;
    });
    await check("forget", () =>
      withSimulator({ contextWindowTokens: REFUSING_TOKENS, windowHolds: "prompt" }, async (upstream) => {
        const folder = join(start.folder, "forgetful");
        mkdirSync(folder);
        const other = await startProxy({ ...start, upstream, windowTokens: null, folder });
        try {
          await (await sentOn(other.url, { ...taken, body: taken.body.replace('"simulated-model"', '"gpt-4.1"') })).text();
          const learned = (await command(folder)).includes("learned limit:");
          const forgot = (await command(folder, "forget")).includes("learned limits were forgotten");
          return learned && forgot && !(await command(folder)).includes("learned limit:");
        } finally {
          await other.close();
        }
      }),
    );
  };
  return {
    url: relay.url,
    lines: proxy.lines,
    asked: () => ({ right: [...answers.values()].filter(Boolean).length, of: QUESTIONS }),
    close: async () => {
      if (last !== null) await afterwards(last);
      relay.close();
      await proxy.close();
    },
  };
}

/** Page, status, preview, undo, pause, resume, typed words, `POST /compact`, forget. */
const QUESTIONS = 9;

/** Uses a simulator of its own, which ends after any outcome. */
async function withSimulator<T>(options: Partial<SimulatorOptions>, use: (url: string) => Promise<T>): Promise<T> {
  const simulator = await startSimulator({ ...options, replies: () => ({ parts: [{ type: "text", text: "ok" }] }) });
  try {
    return await use(simulator.url);
  } finally {
    await simulator.close();
  }
}

/** The words of an answer, streamed or whole. */
function saidIn(text: string): string {
  return Array.from(text.matchAll(/"(?:content|text|delta)":"((?:[^"\\]|\\.)*)"/g), ([, words]) => words).join("");
}

const fieldsSchema = z.record(z.string(), z.unknown());

function fieldsOf(body: string): Readonly<Record<string, unknown>> {
  const parsed = fieldsSchema.safeParse(body.startsWith("{") ? JSON.parse(body) : {});
  return parsed.success ? parsed.data : {};
}

function itemsOf(body: string, key: string): readonly unknown[] {
  const items = fieldsOf(body)[key];
  return Array.isArray(items) ? items : [];
}

function run(project: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const command = [join(project, "node_modules/plimsoll/bin/plimsoll.js"), ...args];
    execFile(process.execPath, command, { encoding: "utf8" }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
}
