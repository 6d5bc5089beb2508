import type { PendingCall } from "@plimsoll/agent";
import { type CliIo, COLUMNS, escaped } from "@plimsoll/bench/terminal";
import { openTypedLines, type TypedInput, type TypedLines } from "../terminal/typed-lines.ts";
import { type AllowRule, alwaysRule } from "./allow-rule.ts";
import { type CallRow, callRows, cutRows, headlineOf } from "./call-rows.ts";
import type { Answer, AskPerson } from "./permissions.ts";

/** Asks a person by lines that are typed. */
export interface LineAsker {
  readonly ask: AskPerson;
  isOpen(): boolean;
  /** Takes a line as the answer; one that is none is said to be none, and the question stays. */
  answer(line: string): void;
  remind(): void;
}

/** Where questions are written. */
export interface QuestionScreen {
  readonly output: CliIo["stdout"];
  readonly colours: "colours" | "plain";
  /** The session that the person sees: calls of others are a sub-agent's. `null` until it is open. */
  readonly sessionId: () => string | null;
}

const LEAST_COLUMNS = 20;
const ROW_START = "  │ ";
const CONTINUED_START = "  ┆ ";
/** Rows that are shown without being asked for: a screen and a half, its ends; chosen. */
const HEAD_ROWS = 28;
const TAIL_ROWS = 8;

/** An asker for one question at a time. */
export function createLineAsker({ output, colours, sessionId }: QuestionScreen): LineAsker {
  let open: { readonly call: PendingCall; readonly resolve: (answer: Answer) => void } | null = null;
  const write = (lines: readonly string[]) => void output.write(`${lines.join("\n")}\n`);
  const columns = () => Math.max(LEAST_COLUMNS, output.columns ?? COLUMNS) - ROW_START.length - 1;
  const shown = (rows: readonly CallRow[]) =>
    rows.map(
      (row) => `${row.isContinued === true ? CONTINUED_START : ROW_START}${colours === "plain" ? row.text : coloured(row)}`,
    );
  const prompt = () => void output.write("allow? ");
  const remind = () => {
    if (open !== null) prompt();
  };
  return {
    isOpen: () => open !== null,
    remind,
    ask: (call, signal) =>
      new Promise((resolve, reject) => {
        const close = () => {
          open = null;
          reject(new Error("the question is void"));
        };
        signal.addEventListener("abort", close, { once: true });
        open = {
          call,
          resolve: (answer) => {
            signal.removeEventListener("abort", close);
            open = null;
            resolve(answer);
          },
        };
        const who = sessionId() === null || call.sessionId === sessionId() ? "" : "a sub-agent wants to ";
        const headline = cutRows(escaped(`${who}${headlineOf(call)}`), columns());
        write([`? ${headline.join("\n  ")}`, ...shownEnds(callRows(call, columns()), shown), choicesFor(call)]);
        prompt();
      }),
    answer: (line) => {
      if (open === null) return;
      const said = answerIn(line);
      // Some calls have no "always": a person who answers so has not read the question.
      const answer = said !== "show" && said?.kind === "always" && alwaysRule(open.call) === null ? null : said;
      if (answer === "show") write(shown(callRows(open.call, columns())));
      else if (answer === null) write([choicesFor(open.call)]);
      else open.resolve(answer);
      remind();
    },
  };
}

/** An asker that reads the answers itself, from the first question on until it is closed. Lines typed before a question do not answer it. */
export function openLineAsker(
  screen: QuestionScreen,
  input: TypedInput,
): { readonly ask: AskPerson; readonly close: () => void } {
  const asker = createLineAsker(screen);
  const ended = new AbortController();
  let lines: TypedLines | null = null;
  return {
    ask: async (call, signal) => {
      // The input has ended: the open question is void, and so are later ones.
      lines ??= openTypedLines(input, { onLine: asker.answer, onClose: () => ended.abort() });
      const isVoid = AbortSignal.any([signal, ended.signal]);
      await lines.forget();
      isVoid.throwIfAborted();
      // The next output does not belong behind the question.
      isVoid.addEventListener("abort", () => asker.isOpen() && screen.output.write("\n"), { once: true });
      return await asker.ask(call, isVoid);
    },
    close: () => {
      lines?.close();
      // An input that is still open would keep the process alive.
      if (lines !== null) input.pause();
    },
  };
}

/** All rows, or the first and the last of them with the number of those between. */
function shownEnds(rows: readonly CallRow[], shown: (rows: readonly CallRow[]) => readonly string[]): readonly string[] {
  const left = rows.length - HEAD_ROWS - TAIL_ROWS;
  if (left <= 1) return shown(rows);
  return [...shown(rows.slice(0, HEAD_ROWS)), `  ⋮ ${left} more rows: s shows them`, ...shown(rows.slice(-TAIL_ROWS))];
}

function choicesFor(call: PendingCall): string {
  const rule = alwaysRule(call);
  const always = rule === null ? "" : ` · a always: ${ALWAYS[rule.kind]}`;
  return `y once${always} · n no, or n and why · s show all`;
}

const ALWAYS: { readonly [Kind in AllowRule["kind"]]: string } = {
  all: "everything",
  commands: "all commands",
  writes: "all changes of files",
  command: "exactly this command",
  tool: "this tool",
  server: "this server",
};

/** Reads the answer in a line; `null` for a line that is no answer. Words that only begin like one are none. */
function answerIn(line: string): Answer | "show" | null {
  const text = line.trim();
  switch (text.toLowerCase()) {
    case "y":
    case "yes":
      return { kind: "once" };
    case "a":
    case "always":
      return { kind: "always" };
    case "s":
    case "show":
      return "show";
    default: {
      const no = /^(?:n|no)(?:[\s,:.]+(.*))?$/is.exec(text);
      if (no === null) return null;
      const words = (no[1] ?? "").trim();
      return { kind: "no", words: words === "" ? null : words };
    }
  }
}

const SGR: { readonly [Kind in CallRow["kind"]]: string } = { text: "", removed: "31", added: "32", note: "2" };

function coloured({ kind, text }: CallRow): string {
  return SGR[kind] === "" ? text : `\u001b[${SGR[kind]}m${text}\u001b[0m`;
}
