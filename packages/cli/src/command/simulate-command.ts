import { appendFile } from "node:fs/promises";
import { resolve } from "node:path";
import { importFile } from "@plimsoll/bench";
import { type CliIo, EXIT_OK, printable, programOf, tokensOf, wholeNumber } from "@plimsoll/bench/terminal";
import { type Message, PlimsollError } from "@plimsoll/core";
import { isRecord, jsonIn } from "@plimsoll/core/extend";
import { catalogLimits } from "@plimsoll/providers";
import {
  type Exchange,
  type ExchangeFacts,
  factsLine,
  playScenario,
  repliesOfTranscript,
  type Scenario,
  type SimulatedReply,
  type SimulatorOptions,
  SWITCHABLE_RULES,
  scenarioSchema,
  startSimulator,
} from "@plimsoll/simulator";
import { checkOutput, readSmallFile } from "@plimsoll/stores";
import type { Command } from "commander";
import { aborted, untilTold } from "../io.ts";

const LARGEST_PORT = 65_535;

interface SimulateOptions {
  readonly port: string;
  readonly window: string;
  readonly facts?: string;
  readonly rules?: boolean;
}

/** Adds `plimsoll simulate`, which serves until it is interrupted. */
export function defineSimulateCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .argument("[session]", "a session log whose replies are played, or a scenario; without it every reply is one line")
    .option("-p, --port <port>", "port to listen on, 0 for a free one", "8484")
    .option("-w, --window <tokens>", "context window, such as 32k or 200k", "200k")
    .option("--facts <file>", "add a line of JSON for each exchange of the scenario: sizes, roles and hashes, never text")
    .option("--rules", "print the switchable rules, with dates and sources, and exit")
    .action(async (session: string | undefined, options: SimulateOptions) =>
      options.rules === true
        ? void io.stdout.write(`${SWITCHABLE_RULES.map(ruleText).join("\n\n")}\n`)
        : onExit(await untilTold((signal) => simulate({ session: session ?? null, ...options }, io, signal))),
    );
}

const ruleText = ({ rule, wire, since, meaning, option, source }: (typeof SWITCHABLE_RULES)[number]) =>
  [`${rule} (${wire}, since ${since})`, `  ${meaning}`, `  ${option}`, `  ${source}`].join("\n");

/** Serves until the signal aborts. The first line names the address; every further one reports a request's outcome. */
export async function simulate(
  { session, port, window, facts }: SimulateOptions & { readonly session: string | null },
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const scenario = session === null ? null : scenarioIn(resolve(io.cwd, session), session);
  if (scenario === null && facts !== undefined)
    throw new PlimsollError(
      "bad-input",
      `--facts works only with a scenario; ${session === null ? "add a scenario file" : "name one instead of a session"}`,
    );
  if (facts !== undefined) checkOutput(resolve(io.cwd, facts));
  const onFacts = (each: ExchangeFacts) => {
    if (facts !== undefined) written = written.then(() => appendFile(resolve(io.cwd, facts), `${factsLine(each)}\n`));
  };
  let written = Promise.resolve();
  const played = scenario === null ? null : playScenario(scenario, onFacts);
  const simulator = await startSimulator({
    replies: session === null || played !== null ? echoReply : await repliesOf(resolve(io.cwd, session), session),
    contextWindowTokens: tokensOf("--window", window),
    maximumOutputTokens: (modelId) => catalogLimits(modelId)?.maxOutputTokens ?? null,
    port: wholeNumber("--port", port, [0, LARGEST_PORT]),
    ...played,
    onExchange: (exchange) => {
      played?.onExchange?.(exchange);
      io.stdout.write(`${exchangeLine(exchange)}\n`);
    },
  }).catch((error: Error) => {
    // A port that is taken is the one thing that a start fails at.
    throw new PlimsollError("bad-input", error.message, { port: wholeNumber("--port", port, [0, LARGEST_PORT]) }, error);
  });
  io.stdout.write(
    [
      `${simulator.url} serves the APIs Anthropic Messages and Gemini (baseURL of createAnthropic: ${simulator.url}/v1)`,
      `${simulator.openAiUrl} serves the APIs Chat Completions and Responses (also the baseURL of createOpenAI)`,
      `in another terminal: ANTHROPIC_BASE_URL=${simulator.url} ${programOf(io)} run "say hello"`,
      "",
    ].join("\n"),
  );
  await aborted(signal);
  await simulator.close();
  await written;
  return EXIT_OK;
}

const MAXIMUM_SCENARIO_BYTES = 10_000_000;

/** The scenario in a file that is one: JSON with the answers to main requests. `null` for a session log; throws `bad-input` with the first place that is wrong. */
function scenarioIn(path: string, displayName: string): Scenario | null {
  const found = readSmallFile(path, { maximumBytes: MAXIMUM_SCENARIO_BYTES });
  const value = found.kind === "text" ? jsonIn(found.text) : null;
  if (!isRecord(value) || !("main" in value)) return null;
  const parsed = scenarioSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  throw new PlimsollError("bad-input", `scenario ${displayName}${place}: ${issue?.message ?? "is not a scenario"}`);
}

const echoReply: SimulatorOptions["replies"] = ({ replyIndex, promptTokens }) => ({
  parts: [{ type: "text", text: `Reply ${replyIndex + 1} to a prompt of ${promptTokens} tokens.` }],
});

async function repliesOf(path: string, displayName: string): Promise<readonly SimulatedReply[]> {
  const [transcript] = await importFile(path, displayName);
  const messages = (transcript?.entries ?? []).flatMap((entry): Message[] => (entry.type === "message" ? [entry.message] : []));
  return repliesOfTranscript(messages);
}

function exchangeLine({ wire, outcome, status, error, promptTokens, cacheReadTokens, cacheWriteTokens }: Exchange): string {
  const sizes = promptTokens === null ? [] : [`${promptTokens} tokens`];
  const cache = cacheReadTokens === null ? [] : [`${cacheReadTokens} read, ${cacheWriteTokens ?? 0} written`];
  const words = error === null ? [] : [printable(error)];
  return [`${wire} ${outcome} ${status}`, ...sizes, ...cache, ...words].join("; ");
}
