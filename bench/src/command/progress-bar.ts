import { SingleBar } from "cli-progress";
import type { BenchProgress } from "../replay/run-bench.ts";
import { formatCount, formatNumberOf } from "../show/figures.ts";
import type { Output } from "../terminal/io.ts";
import { shortened, tell } from "../terminal/printable.ts";

/** Shows how far a run is. */
export interface ProgressBar {
  show(progress: BenchProgress): void;
  stop(): void;
}

const BAR_STEPS = 1_000;
const FILE_CHARS = 40;

/** The words beside the bar. */
export interface ProgressWords {
  readonly what: string;
  /** One of the things that are counted. */
  readonly noun: string;
  /** The work that the time left is of, behind a space; nothing for the whole. */
  readonly leftOf: string;
}

/** A bar behind the name of the work if a person looks at the stream live; plain lines if not, so that logs stay readable. */
export function createProgressBar(
  stream: NodeJS.WritableStream & Output,
  { what = "replaying", noun = "file", leftOf = "" }: Partial<ProgressWords> = {},
  nowMs: () => number = performance.now.bind(performance),
): ProgressBar {
  if (stream.isTTY !== true) return createProgressLines(stream, { what, noun, leftOf }, nowMs);
  const bar = new SingleBar({
    stream,
    format: `${what} {bar} {percentage}%  {left}  {place}`,
    barsize: 24,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    hideCursor: true,
    clearOnComplete: true,
    linewrap: false,
  });
  bar.start(BAR_STEPS, 0, { place: "", left: "" });
  const startMs = nowMs();
  return {
    show: ({ file, filesDone, filesTotal, workDone, workTotal }) => {
      const share = workTotal === 0 ? 0 : workDone / workTotal;
      const payload = {
        place: `${noun} ${Math.min(filesDone + 1, filesTotal)} of ${filesTotal}  ${shortened(file, FILE_CHARS)}`,
        left: leftText(share, nowMs() - startMs, leftOf),
      };
      bar.update(Math.floor(share * BAR_STEPS), payload);
    },
    stop: () => bar.stop(),
  };
}

/** The time between lines, and the shortest run that has one (chosen: some six a minute leave a log readable). */
const BETWEEN_LINES_MS = 10_000;

/** Writes plain lines to a log or a pipe where a terminal has a bar: one every ten seconds; none for a shorter run. */
function createProgressLines(output: Output, { what, noun, leftOf }: ProgressWords, nowMs: () => number): ProgressBar {
  const startMs = nowMs();
  let saidMs = startMs;
  let newest: BenchProgress | null = null;
  const show = ({ filesDone, filesTotal, workDone, workTotal }: BenchProgress) => {
    const atMs = nowMs();
    if (atMs - saidMs < BETWEEN_LINES_MS) return;
    saidMs = atMs;
    const elapsedMs = atMs - startMs;
    const left = leftText(workTotal === 0 ? 0 : workDone / workTotal, elapsedMs, leftOf);
    const done = `${formatCount(filesDone)} of ${formatNumberOf(filesTotal, noun)}`;
    const [unit, unitMs] = elapsedMs < MS_PER_MINUTE ? (["s", MS_PER_SECOND] as const) : (["min", MS_PER_MINUTE] as const);
    const parts = [done, `${Math.floor(elapsedMs / unitMs)} ${unit}`, left].filter((part) => part !== "");
    tell({ stderr: output }, `${what}: ${parts.join(", ")}`);
  };
  // A long session is one thing to do.
  const again = setInterval(() => newest !== null && show(newest), BETWEEN_LINES_MS).unref();
  return {
    show: (progress) => {
      newest = progress;
      show(progress);
    },
    stop: () => clearInterval(again),
  };
}

const MS_PER_SECOND = 1_000;
const SECONDS_PER_MINUTE = 60;
const MS_PER_MINUTE = SECONDS_PER_MINUTE * MS_PER_SECOND;

/** How long the rest will take if it goes on as so far. Nothing before anything is done, since nothing is known then. */
export function leftText(share: number, elapsedMs: number, leftOf: string = ""): string {
  if (share <= 0 || elapsedMs <= 0) return "";
  const seconds = Math.ceil((elapsedMs / share - elapsedMs) / MS_PER_SECOND);
  const left = seconds < SECONDS_PER_MINUTE ? `${seconds} s` : `${Math.ceil(seconds / SECONDS_PER_MINUTE)} min`;
  return `${left} left${leftOf}`;
}
