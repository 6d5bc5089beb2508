import type { ImportNote, Transcript } from "../../transcript.ts";
import { type Fields, parseRecord, stringAt, timeMsAt } from "../fields.ts";
import type { FileSource, Importer } from "../importer.ts";
import { readObjects } from "../json-lines.ts";
import { chainTranscripts, MAIN } from "../log-builder.ts";
import type { LogItem } from "../log-items.ts";
import { rewoundNotes, rewoundPrompts, withRollBacks } from "../rewound-prompts.ts";
import { type ChainReader, createChainReader } from "./chain.ts";

const FORMAT = "claude-code";
const inFull = (count: number) => count.toLocaleString("en-US");

/** Sessions of Claude Code, with the sidechains in the same file. */
export const claudeCodeImporter: Importer = {
  format: FORMAT,
  description:
    "Claude Code: ~/.claude/projects/**/*.jsonl, subagents included, and iFlow: ~/.iflow/projects (seen: 1.0.98 to 2.1.300)",
  newestSeen: "2.1.300",
  recognises: ({ firstObjects }) => firstObjects.some(isLine),
  read: readClaudeCode,
};

/** The first lines may be bookkeeping; a line of the conversation or a title identifies the format. */
function isLine(value: Fields): boolean {
  const isEntry = typeof value.sessionId === "string" && "parentUuid" in value && typeof value.isSidechain === "boolean";
  return isEntry || (value.type === "summary" && typeof value.leafUuid === "string");
}

async function readClaudeCode(source: FileSource): Promise<readonly Transcript[]> {
  const file = source.displayName;
  const notes: ImportNote[] = [];
  const chains = new Map<string, ChainReader>();
  const chainOfUuid = new Map<string, string>();
  const entries: Fields[] = [];
  await readObjects(source, notes, ({ line, value }) => {
    if (entries.length === 0 && stringAt(value, "uuid") !== null && stringAt(value, "sessionId") !== null) entries.push(value);
    const key = chainKeyOf(value, chainOfUuid);
    const chain = chains.get(key) ?? createChainReader();
    chains.set(key, chain);
    chain.take(value, line);
  });
  const [first] = entries;
  const agent = { name: agentOf(first), version: stringAt(first, "version") };
  const start = { id: stringAt(first, "sessionId") ?? file, createdMs: timeMsAt(first, "timestamp"), agent };
  const contents = [...chains].map(([key, chain]) => ({ key, ...chainContent(chain, file) }));
  const main = chains.get(MAIN)?.items() ?? [];
  const hasMain = main.some((item) => item.kind === "reply" || item.kind === "user");
  const callOfPrompt = chains.size > 1 ? callsByPrompt(main) : new Map<string, string>();
  const told = contents
    .filter(({ key }) => key !== MAIN || hasMain)
    .sort((a, b) => Number(a.key !== MAIN) - Number(b.key !== MAIN))
    .map((chain) => {
      const prompt = chain.items.find((item) => item.kind === "user")?.parts;
      const text = prompt?.map((part) => (part.type === "text" ? part.text : "")).join("\n");
      return { ...chain, callId: callOfPrompt.get(text ?? "") ?? null };
    });
  const session = { file, format: FORMAT, start, cwd: stringAt(first, "cwd"), notes };
  return chainTranscripts(session, told);
}

/** iFlow writes Claude Code's lines under versions and session ids of its own (`session-…`): no rule for versions of Claude Code holds for it. */
function agentOf(line: Fields | undefined): string {
  return stringAt(line, "sessionId")?.startsWith("session-") === true ? "iflow" : FORMAT;
}

/** Which chain a line belongs to: the main one, or a sidechain by its agent or by the first line of its chain of parents. */
function chainKeyOf(value: Fields, chainOfUuid: Map<string, string>): string {
  if (value.isSidechain !== true) return MAIN;
  const uuid = stringAt(value, "uuid") ?? "";
  const inherited = chainOfUuid.get(stringAt(value, "parentUuid") ?? "");
  const key = stringAt(value, "agentId") ?? inherited ?? uuid;
  chainOfUuid.set(uuid, key);
  return key;
}

function chainContent(chain: ChainReader, file: string): { items: readonly LogItem[]; notes: readonly ImportNote[] } {
  const rewound = rewoundPrompts(chain.nodes());
  const repeatedCount = chain.repeatedUsageCount();
  const repeated = `${file}: ${repeatedCount} ${repeatedCount === 1 ? "line repeats" : "lines repeat"} the usage of a call; each call was counted once`;
  const notes: ImportNote[] = repeatedCount === 0 ? [] : [{ code: "duplicate-usage", line: null, text: repeated }];
  const unfinished = chain.unfinished();
  if (unfinished !== null) {
    const { replies, tokens, chars } = unfinished;
    const said = replies === 1 ? "1 reply" : `${replies} replies`;
    const text = `${file}: the log counts ${inFull(tokens)} output ${tokens === 1 ? "token" : "tokens"} for ${inFull(chars)} characters of ${said}: dollars are too low`;
    notes.push({ code: "unfinished-output", line: null, text });
  }
  notes.push(...rewoundNotes(file, chain.nodes(), rewound));
  return { items: withRollBacks(chain.items(), rewound), notes };
}

/** The calls of the main chain by the prompt that they gave to a subagent. */
function callsByPrompt(items: readonly LogItem[]): ReadonlyMap<string, string> {
  const calls = items.flatMap((item) => (item.kind === "reply" ? item.parts : [])).filter((part) => part.type === "tool-call");
  return new Map(
    calls.flatMap((call) => {
      const prompt = call.argumentsJson.includes('"prompt"') ? stringAt(parseRecord(call.argumentsJson), "prompt") : null;
      return prompt === null ? [] : [[prompt, call.callId] as const];
    }),
  );
}
