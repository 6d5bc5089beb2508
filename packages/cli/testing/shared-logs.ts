import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MadeAgent } from "./agent-sessions.ts";

/** Recorded sessions of other people, beside the project; they are no part of it. */
const SHARED = fileURLToPath(new URL("../../../../shared", import.meta.url));

/** A log of each agent, the smallest that was compacted if there is one. */
const LOGS: Readonly<Record<MadeAgent, string>> = {
  "claude-code": "compactions/claude-code/entireio__cli__entire-91b42542f24f-0.jsonl",
  codex: "compactions/codex-rollout/EntityProcess__agentv__entire-335841c2d678-0.jsonl",
  pi: "transcripts/pi-session/entireio__auth-go__entire-7407a21c1092-0.jsonl",
  opencode: "transcripts/opencode-export/savekirk__session-bridge__entire-13dddd416599-0.json",
  gemini: "transcripts/gemini-cli-chat/savekirk__session-bridge__entire-e94f17cdc65d-0.json",
};

/** False where the sessions are not beside the project. */
export const hasSharedLogs: boolean = Object.values(LOGS).every((log) => existsSync(join(SHARED, log)));

const PLACES: Readonly<Record<Exclude<MadeAgent, "opencode">, (copy: number) => string>> = {
  "claude-code": (copy) => `.claude/projects/p${copy}/s${copy}.jsonl`,
  codex: (copy) => `.codex/sessions/2026/03/10/rollout-${copy}.jsonl`,
  pi: (copy) => `.pi/agent/sessions/p${copy}/s${copy}.jsonl`,
  gemini: (copy) => `.gemini/tmp/h${copy}/chats/session-${copy}.json`,
};

/** Puts so many copies of an agent's recorded session below a home folder, where the agent would have written them. */
export function placeSharedLogs(agent: MadeAgent, home: string, copies: number): void {
  const log = join(SHARED, LOGS[agent]);
  for (let copy = 0; copy < copies; copy++) {
    if (agent === "opencode") placeExport(readFileSync(log, "utf8"), join(home, ".local/share/opencode/storage"), copy);
    else {
      const place = join(home, PLACES[agent](copy));
      mkdirSync(dirname(place), { recursive: true });
      copyFileSync(log, place);
    }
  }
}

interface OpenCodeExport {
  readonly info: { readonly id: string };
  readonly messages: readonly { readonly info: { readonly id: string }; readonly parts: readonly { readonly id: string }[] }[];
}

/** An export of OpenCode as the files that it was made of. */
function placeExport(text: string, storage: string, copy: number): void {
  const put = (place: string, value: object) => {
    mkdirSync(dirname(join(storage, place)), { recursive: true });
    writeFileSync(join(storage, `${place}.json`), JSON.stringify(value));
  };
  // Each at a day of its own: copies at one time are one history.
  const dayMs = 86_400_000;
  const dated = text.replaceAll(/\b1[67]\d{11}\b/g, (ms) => String(Number(ms) + copy * dayMs));
  const { info, messages }: OpenCodeExport = JSON.parse(dated);
  const sessionID = `${info.id}${copy}`;
  put(`session/p/${sessionID}`, { ...info, id: sessionID });
  for (const message of messages) {
    const id = `${message.info.id}${copy}`;
    put(`message/${sessionID}/${id}`, { ...message.info, id, sessionID });
    for (const part of message.parts) put(`part/${id}/${part.id}${copy}`, { ...part, id: `${part.id}${copy}` });
  }
}
