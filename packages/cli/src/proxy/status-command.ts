import { join } from "node:path";
import { formatTokens } from "@plimsoll/bench/extend";
import { PlimsollError } from "@plimsoll/core";
import { readSmallFile, suggestion } from "@plimsoll/core/node";
import { z } from "zod";
import { type CliIo, EXIT_OK } from "../io.ts";
import { lineFor, printable } from "../terminal/printable.ts";
import { placesOf } from "./proxy-options.ts";
import { OWN_PATH } from "./proxy-server.ts";
import { ADDRESS_FILE } from "./proxy-state.ts";
import { fullWords } from "./proxy-status.ts";

/** Actions of `plimsoll proxy status`, with what each is about. */
const ACTIONS = { preview: "id", undo: "id", pause: "id", resume: "id", forget: "model" } as const;

/** The action that a person typed, and the id or model that it is about. */
export interface StatusOptions {
  readonly state?: string;
  readonly action?: string;
  readonly name?: string;
}

const went = {
  kinds: z.array(z.object({ what: z.string(), parts: z.number(), tokens: z.number() })),
  paths: z.array(z.string()),
  yours: z.array(z.string()),
};
const statusSchema = z.object({
  upstream: z.string(),
  policy: z.string(),
  isPaused: z.boolean(),
  limits: z.array(z.string()),
  storedCount: z.number(),
  conversations: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      modelId: z.string().nullable(),
      state: z.enum(["running", "paused", "undone"]),
      askedMs: z.number(),
      usedTokens: z.number(),
      budgetTokens: z.number().nullable(),
      nextCutTokens: z.number().nullable(),
      cuts: z.array(
        z.object({
          atMs: z.number().nullable(),
          reason: z.string(),
          isUndone: z.boolean(),
          tokensBefore: z.number(),
          tokensAfter: z.number(),
          cost: z.string(),
          ...went,
        }),
      ),
    }),
  ),
});
const previewSchema = z.object({
  id: z.string(),
  outcome: z.string(),
  ...went,
  messages: z.array(z.object({ who: z.string(), chars: z.number(), text: z.string() })),
});

/** Shows what a running proxy does, or has it do something. Throws `bad-input` if none runs on the state. */
export async function proxyStatus({ state, action, name }: StatusOptions, io: CliIo): Promise<number> {
  const { folder } = placesOf(state === undefined ? {} : { state }, io);
  const found = readSmallFile(join(folder, ADDRESS_FILE), { within: folder, maximumBytes: MAXIMUM_ADDRESS_BYTES });
  const url = found.kind === "text" ? found.text.trim() : "";
  if (!/^http:\/\/[^\s/]+\/[\w-]+$/.test(url))
    throw new PlimsollError("bad-input", `no proxy runs on ${folder}: start one by plimsoll proxy --upstream URL`);
  const say = (line: string) => void io.stdout.write(lineFor(io.stdout, printable(line)));
  if (action === "preview") {
    const at = `${url}${OWN_PATH}/preview?form=json&id=${encodeURIComponent(name ?? "")}`;
    const { outcome, messages, ...gone } = await asked(at, previewSchema);
    for (const line of [outcome, ...wentLines(gone), "the model would then be sent:"]) say(line);
    for (const { who, chars, text } of messages)
      say(`  ${who}, ${chars} characters: ${text.slice(0, SHOWN_CHARS).split(/\s+/).join(" ")}`);
    return EXIT_OK;
  }
  if (action !== undefined) {
    if (!isAction(action))
      throw new PlimsollError(
        "bad-input",
        `status cannot ${action}: ${suggestion(action, Object.keys(ACTIONS)).replace(/^known:/, "it can")}`,
      );
    const form = new URLSearchParams(name === undefined ? {} : { [ACTIONS[action]]: name });
    const { done } = await asked(`${url}${OWN_PATH}/${action}`, z.object({ done: z.string() }), form);
    say(done);
    return EXIT_OK;
  }
  const status = await asked(`${url}${OWN_PATH}/status`, statusSchema);
  say(`plimsoll proxy for ${status.upstream}, policy ${status.policy}${status.isPaused ? ", all cuts are paused" : ""}`);
  say(`page: ${url}${OWN_PATH}`);
  for (const conversation of status.conversations) {
    say(`${conversation.id}  ${conversation.modelId ?? "no model named"}  ${fullWords(conversation)}  ${conversation.title}`);
    for (const { tokensBefore, tokensAfter, reason, isUndone, cost, ...gone } of conversation.cuts) {
      say(
        `  cut (${reason})${isUndone ? ", undone" : ""}: ${formatTokens(tokensBefore)} to ${formatTokens(tokensAfter)} tokens; ${cost}`,
      );
      for (const line of wentLines(gone)) say(`    ${line}`);
    }
  }
  if (status.conversations.length === 0) say("no agent has asked since the proxy was started");
  if (status.storedCount > 0) say(`${status.storedCount} more from before are on the disk (plimsoll proxy sessions)`);
  for (const line of status.limits) say(`learned limit: ${line}`);
  return EXIT_OK;
}

/** An address is one line. Chosen. */
const MAXIMUM_ADDRESS_BYTES = 1_000;

/** Characters of each message that a preview shows on a terminal: the page has more. Chosen. */
const SHOWN_CHARS = 100;

function isAction(text: string): text is keyof typeof ACTIONS {
  return text in ACTIONS;
}

function wentLines({
  kinds,
  paths,
  yours,
}: Pick<z.infer<typeof previewSchema>, "kinds" | "paths" | "yours">): readonly string[] {
  return [
    ...kinds.map(({ what, parts, tokens }) => `no longer sent: ${what}, ${parts} (${formatTokens(tokens)} tokens)`),
    ...yours.map((text) => `your message, quoted or shortened: ${text}`),
    ...(paths.length === 0 ? [] : [`files of calls that went: ${paths.join(", ")}`]),
  ];
}

async function asked<T>(url: string, schema: z.ZodType<T>, form?: URLSearchParams): Promise<T> {
  const headers = { accept: "application/json" };
  const answer = await fetch(url, form === undefined ? { headers } : { method: "POST", headers, body: form }).catch(
    (error: unknown) => {
      throw new PlimsollError(
        "bad-input",
        "the proxy does not answer: it may have ended without removing its address",
        {},
        error,
      );
    },
  );
  const body: unknown = await answer.json().catch(() => null);
  const read = schema.safeParse(body);
  if (answer.ok && read.success) return read.data;
  const refused = z.object({ error: z.object({ message: z.string() }) }).safeParse(body);
  throw new PlimsollError("bad-input", refused.success ? refused.data.error.message : `the proxy answered ${answer.status}`);
}
