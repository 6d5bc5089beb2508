import type { Message, SessionEntry } from "@plimsoll/core";
import { messageChars } from "@plimsoll/core/extend";
import {
  calling,
  compaction,
  human,
  replacedHistory,
  reply,
  result,
  sessionStart,
  summaryMessage,
  usageEntry,
} from "@plimsoll/core/testing";
import type { Transcript } from "../src/transcript.ts";

/** A session made for tests: its reports follow an exact rule, so that a model of it can be checked. */
export interface MadeSession {
  readonly turns: number;
  /** Calls of a turn that end in a tool call; one more ends it with a text. */
  readonly toolCallsPerTurn: number;
  readonly resultChars: number;
  /** Characters of the person's words in addition to one sentence; none if left out. */
  readonly humanChars?: number;
  /** Characters of the text that ends a turn, likewise. */
  readonly replyChars?: number;
  readonly overheadTokens: number;
  /** Turns before which the recorded agent put a summary in place of its history. */
  readonly boundaries?: readonly number[];
}

/** Tokens that a made session reports for one message: a quarter of its characters and ten. */
export function madeTokens(message: Message): number {
  return Math.round(messageChars(message) / 4) + 10;
}

/** The transcript of a made session. */
export function madeTranscript(made: MadeSession, name = "made"): Transcript {
  const entries: SessionEntry[] = [sessionStart("You are a test.")];
  let view: Message[] = [];
  const say = (message: Message) => {
    entries.push({ type: "message", message });
    view.push(message);
  };
  const call = (message: Message) => {
    const promptTokens = view.reduce((tokens, each) => tokens + madeTokens(each), made.overheadTokens);
    entries.push(usageEntry(`request-${name}-${message.id}`, view.at(-1)?.id ?? null, promptTokens));
    say(message);
  };
  for (let turn = 0; turn < made.turns; turn++) {
    if (made.boundaries?.includes(turn) === true) {
      const summary = summaryMessage(`summary-${turn}`, `What happened before turn ${turn}. `.repeat(20));
      entries.push(compaction(`boundary-${turn}`, [replacedHistory([summary])]));
      view = [summary];
    }
    say(
      human(
        `human-${turn}`,
        `Please look at src/module-${turn}.ts and mend it.${made.humanChars === undefined ? "" : textOf(made.humanChars, turn)}`,
      ),
    );
    for (let step = 0; step < made.toolCallsPerTurn; step++) {
      const id = `${turn}-${step}`;
      call(calling(`call-${id}`, [`id-${id}`], `Reading src/module-${turn}.ts, part ${step}.`));
      say(result(`result-${id}`, `id-${id}`, textOf(made.resultChars, turn * 31 + step * 7)));
    }
    const words = made.replyChars === undefined ? "" : ` ${textOf(made.replyChars, turn)}`;
    call(reply(`reply-${turn}`, `Mended src/module-${turn}.ts as asked.${words}`));
  }
  return { name, file: name, format: "made", entries, parentName: null, hasUsage: true, notes: [] };
}

/** Text of about the length asked for, a little different for every seed. */
function textOf(chars: number, seed: number): string {
  const line = `value_${seed} = compute(${seed * 17}); // line of part ${seed}\n`;
  return line.repeat(Math.ceil((chars + (seed % 5) * 40) / line.length));
}
