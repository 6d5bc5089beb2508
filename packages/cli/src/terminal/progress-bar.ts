import type { BenchProgress } from "@plimsoll/bench";
import { SingleBar } from "cli-progress";
import type { Output } from "../io.ts";
import { shortened } from "./printable.ts";

/** Shows how far a run is. */
export interface ProgressBar {
  show(progress: BenchProgress): void;
  stop(): void;
}

/** Steps of the bar: finer than a terminal shows. */
const BAR_STEPS = 1_000;
const FILE_CHARS = 40;

/** A bar if a person looks at the stream live, behind what is being done; silence if not, so that logs stay readable. */
export function createProgressBar(
  stream: NodeJS.WritableStream & Output,
  what = "replaying",
  nowMs: () => number = performance.now.bind(performance),
): ProgressBar {
  if (stream.isTTY !== true) return { show: () => {}, stop: () => {} };
  const bar = new SingleBar({
    stream,
    format: `${what} {bar} {percentage} %  {left}  file {number} of {total_files}  {file}`,
    barsize: 24,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    hideCursor: true,
    clearOnComplete: true,
    linewrap: false,
  });
  bar.start(BAR_STEPS, 0, { number: 0, total_files: 0, file: "", left: "" });
  const startMs = nowMs();
  return {
    show: ({ file, filesDone, filesTotal, workDone, workTotal }) => {
      const share = workTotal === 0 ? 0 : workDone / workTotal;
      const payload = {
        number: Math.min(filesDone + 1, filesTotal),
        total_files: filesTotal,
        file: shortened(file, FILE_CHARS),
        left: leftText(share, nowMs() - startMs),
      };
      bar.update(Math.floor(share * BAR_STEPS), payload);
    },
    stop: () => bar.stop(),
  };
}

const MS_PER_SECOND = 1_000;
const SECONDS_PER_MINUTE = 60;

/** How long the rest will take if it goes on as so far; nothing before anything is done, since nothing is known then. */
export function leftText(share: number, elapsedMs: number): string {
  if (share <= 0 || elapsedMs <= 0) return "";
  const seconds = Math.ceil((elapsedMs * (1 - share)) / share / MS_PER_SECOND);
  if (seconds < SECONDS_PER_MINUTE) return `${seconds} s left`;
  return `${Math.ceil(seconds / SECONDS_PER_MINUTE)} min left`;
}
