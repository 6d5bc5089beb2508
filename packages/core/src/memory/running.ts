import { stringsIn } from "../json.ts";
import { type Message, oncePerMessage, type ToolCallPart, type ToolResultMessage, textOf } from "../message/message.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";

/** Something that goes on beside the conversation: a background command, a server, a sub-agent. */
export interface RunningThing {
  /** The name that later calls and notices use, from its start's call or result; `null` if those give none. */
  readonly name: string | null;
  /** The command or task, from the arguments of the call that started it. */
  readonly what: string;
  /** `unknown` if it was asked for and could not be found. */
  readonly state: "running" | "ended" | "unknown";
}

/** Things that are remembered; of more the oldest that ended leave first. Chosen. */
const MOST_THINGS = 60;

/** UTF-16 units of a result in which a thing's state is looked for, and of a thing's name. Chosen. */
const SAID_CHARS = 2_000;
const WHAT_CHARS = 160;

/** Things after the result of a call: one that it starts, or news of those that it names. */
export function withResult(
  things: readonly RunningThing[],
  call: ToolCallPart,
  result: ToolResultMessage,
): readonly RunningThing[] {
  const said = ends(textOf(result));
  const { strings } = readCall(call);
  // By a thing's name as an argument of its own, or as a word of a command.
  const isNamed = (text: string, name: string) =>
    text === name || (hasWord(text, name) && (name.length >= LONG_CHARS || STOPS.test(text)));
  const named = things.filter(({ name, what }) =>
    strings.some((text) => {
      // "pkill -f vite" ends a thing started as "npx vite --port 3000".
      const target = /\b(?:pkill|killall)\b(?:\s+-\S+)*\s+["']?([^"'\s;&|]{3,})/.exec(text)?.[1];
      return (name !== null && isNamed(text, name)) || (target !== undefined && what.includes(target));
    }),
  );
  if (named.length > 0) {
    const stops = STOPS.test(call.toolName) || strings.some((text) => STOPS.test(text));
    return things.map((each) =>
      named.includes(each) ? { ...each, state: stateAfter(each, said, { stops, isError: result.isError }) } : each,
    );
  }
  if (result.isError || !isStart(call, result, said)) return heardIn(things, said);
  const starting = strings.filter((text) => DETACHED_COMMAND.test(text));
  const names = starting.flatMap((text) => /\s(?:--name[ =]|-d?s )["']?([\w.-]{2,80})/.exec(text)?.[1] ?? []);
  const started: RunningThing = { name: names[0] ?? idIn(said), what: whatOf(call), state: "running" };
  const others = things.filter(({ name }) => name === null || name !== started.name);
  if (others.length < MOST_THINGS) return [...others, started];
  const ended = others.findIndex(({ state }) => state === "ended");
  return [...others.toSpliced(Math.max(0, ended), 1), started];
}

/** Things after a message that the agent put in: its notices name a thing, and say that it ended. */
export function withNotice(things: readonly RunningThing[], message: Message): readonly RunningThing[] {
  return heardIn(things, ends(textOf(message)));
}

/** Both ends of each text in a call's arguments, of so many: a command that starts or ends something says so there; and whether its form leaves something behind. Read once. */
const readCall = oncePerMessage(({ argumentsJson, paths }: ToolCallPart) => {
  const strings = stringsIn(argumentsJson).slice(0, MOST_STRINGS).map(ends);
  // An argument that is a file's path is no command's: its other arguments are the file's text.
  const isFileCall = paths.some(({ path }) => strings.includes(path));
  const detaches = DETACHED.test(argumentsJson) || (!isFileCall && strings.some((text) => DETACHED_COMMAND.test(text)));
  return { strings, detaches };
});

/** Texts of a call that are looked at; recorded calls that start something have six at most. Chosen. */
const MOST_STRINGS = 40;

/** Both ends of a text: a thing's state is at one of them. */
function ends(text: string): string {
  return text.length <= 2 * SAID_CHARS ? text : `${text.slice(0, SAID_CHARS)}\n${text.slice(-SAID_CHARS)}`;
}

/** Unasked news of things in a text: only their end counts, in a line that names them or in the fields of a notice. */
function heardIn(things: readonly RunningThing[], said: string): readonly RunningThing[] {
  const named = things.filter(
    ({ name, state }) => state !== "ended" && name !== null && name.length >= LONG_CHARS && hasWord(said, name),
  );
  if (named.length === 0) return things;
  const isEnd = ({ name }: RunningThing) => statusOf(said, { name, isAsked: false }) === "ended";
  return things.map((each) => (named.includes(each) && isEnd(each) ? { ...each, state: "ended" } : each));
}

/** The state by the call's own text; the words of its output say nothing. */
function stateAfter(
  { name, state }: RunningThing,
  said: string,
  { stops, isError }: { readonly stops: boolean; readonly isError: boolean },
): RunningThing["state"] {
  const status = statusOf(said, { name, isAsked: true });
  if (status !== "unknown" && stops && !isError) return "ended";
  return status ?? (isError && state === "running" ? "unknown" : state);
}

/** The state of a thing in a result, outside of the thing's own output: in a field, or in a line about it. `null` if none. */
function statusOf(
  said: string,
  { name, isAsked }: { readonly name: string | null; readonly isAsked: boolean },
): RunningThing["state"] | null {
  const framed = said.replace(OUTPUT, "\n");
  const lines = framed.split("\n").filter((line) => line.trim() !== "");
  // Without a mark of where its output begins only a result's first and last lines may be about the thing.
  const isFramed = framed !== said || /^\s*[<{[]/.test(said);
  const told = isFramed ? lines : [...lines.slice(0, 1), ...lines.slice(1).slice(-1)];
  const names = (line: string) => name !== null && hasWord(line, name);
  const at = name === null || !isFramed ? -1 : framed.indexOf(name);
  const own =
    at < 0 || name === null ? undefined : VALUE.exec(framed.slice(at + name.length, at + name.length + NEAR_CHARS))?.[1];
  const field =
    isAsked || isFramed ? told.map((line) => STATUS.exec(line)?.[1]).find((found) => found !== undefined) : undefined;
  const about = isAsked ? told.filter((line) => names(line) || ABOUT.test(line)) : lines.filter(names);
  const words = [own, field, ...about].map((text) => (text === undefined ? null : stateOf(text)));
  return words.find((state) => state !== null) ?? null;
}

function stateOf(text: string): RunningThing["state"] | null {
  if (NOT_FOUND.test(text)) return "unknown";
  const [ended, runs] = [text.search(ENDED), text.search(RUNS)];
  return ended >= 0 && (runs < 0 || ended < runs) ? "ended" : runs >= 0 ? "running" : null;
}

/** The thing's output in the result of a call that asks for it, as agents mark it. */
const OUTPUT = /<(output|stdout|stderr)>[\s\S]*?(?:<\/\1>|(?![\s\S]))|^(?:output|stdout|logs?):[ \t]*\n[\s\S]*/gim;

/** A field for a state; the value behind a name, within so many units (chosen); a noun for things that run, or a bare state. */
const STATUS =
  /(?:<status>|["']?\b(?:status|state)["']?\s*[:=]\s*["']?|(?=["'<]?exit_?code["'>]?\s*[:=]?\s*-?\d))\s*(\w[\w -]{0,40})/i;
const VALUE = /^["'`)]*\s*[:=]\s*[{[\s]*["']?([a-z_]+)/i;
const NEAR_CHARS = 60;
const ABOUT =
  /\b(?:shell|process|task|agent|command|job|session|server|container|terminal|exit(?:ed)?[ _](?:with )?code)\b|^\W*\w+(?:\W+\w+)?\W*$/i;

/** A shorter name may occur in any text by chance; chosen. */
const LONG_CHARS = 4;

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!/[\w-]/.test(text.charAt(at - 1)) && !/[\w-]/.test(text.charAt(at + word.length))) return true;
  }
  return false;
}

/** By a flag of the call, the command's form, or the result's first line about itself. A call that reads or changes a file starts nothing. */
function isStart(call: ToolCallPart, result: ToolResultMessage, said: string): boolean {
  if (readCall(call).detaches) return true;
  const isAboutFiles = call.paths.length > 0 || result.category === "file-content" || result.category === "match-list";
  return !isAboutFiles && STARTED.test(said.trim().split("\n", 1)[0] ?? "") && !ENDED.test(said);
}

const DETACHED = /"[\w-]{0,40}(?:background|detach|async|daemon)[\w-]{0,40}"\s*:\s*(?:true|"true")/i;
const DETACHED_COMMAND =
  /(?:^|[;&|]\s*)(?:nohup|setsid|disown)\s|[^&>]&\s*$|\b(?:docker|podman)\s+(?:compose\s+)?(?:run|up)\b.*\s(?:-\w*d|--detach)\b|\btmux\s+new(?:-session)?\b.*\s-\w*d/;
const STARTED =
  /^\W*(?:\w+\W+){0,6}(?:running|started|launched|spawned|moved|working|continues?)\s(?:\w+\s){0,4}(?:in|to)\s(?:the\s)?background|\b(?:agent|task|command|process|server|shell|job|session)\b[^\n]{0,40}\b(?:started|launched|spawned|is running|still running)\b|^\s*\{[^{}]*"(?:agent|task|job|process|shell|session|terminal)_?(?:id|path)"\s*:/i;
const ENDED =
  /\b(?:exit(?:ed)?(?:[ _]?code)?|completed|finished|done|failed|killed|stopped|terminated|closed|succeeded|cancell?ed|aborted|shut ?down|shutdown)\b/i;
const RUNS = /(?<!\b(?:not|no longer|isn['’]t) )\b(?:running|runs|in[ _-]progress|pending|started|active|queued|working)\b/i;
const NOT_FOUND = /\b(?:no such|not found|unknown|does not exist|doesn['’]t exist|no (?:process|task|agent|shell))\b/i;
const STOPS =
  /(?:^|[^a-z])(?:kill|pkill|killall|stop|close|cancel|terminate|shutdown|interrupt)|\b(?:docker|podman)\b.*\s(?:rm|down)\b|(?:kill|stop|close|cancel|terminate)(?:shell|bash|task|agent|job|process)/i;

function idIn(said: string): string | null {
  for (const [, name = ""] of said.matchAll(NAMED_ID))
    if (/\d/.test(name) || name.length > 5) return name.replace(/[.:]+$/, "");
  return null;
}

const NAMED_ID =
  /(?:\b(?:[A-Za-z]+[_ -])?(?:id|ID|Id|pid|PID|handle|nickname)|\b[a-z]+I[dD])\b["']?\s*(?:[:=#]|is\b)?\s*["'`(]?([A-Za-z0-9][\w.:-]{0,80})/g;

/** Names a call's started thing: its shortest text of several words, as a description is; else its longest. */
function whatOf({ toolName, argumentsJson }: ToolCallPart): string {
  const texts = stringsIn(argumentsJson).toSorted((a, b) => a.length - b.length);
  const text = texts.find((each) => each.includes(" ")) ?? texts.at(-1) ?? toolName;
  const line = text.trim().split("\n")[0] ?? "";
  return line.length <= WHAT_CHARS ? line : `${line.slice(0, characterBoundaryAtOrBefore(line, WHAT_CHARS - 1))}…`;
}
