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
export function createProgressBar(stream: NodeJS.WritableStream & Output, what = "replaying"): ProgressBar {
  if (stream.isTTY !== true) return { show: () => {}, stop: () => {} };
  const bar = new SingleBar({
    stream,
    format: `${what} {bar} {percentage} %  {eta_formatted} left  file {number} of {total_files}  {file}`,
    barsize: 24,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    hideCursor: true,
    clearOnComplete: true,
    linewrap: false,
  });
  bar.start(BAR_STEPS, 0, { number: 0, total_files: 0, file: "" });
  return {
    show: ({ file, filesDone, filesTotal, workDone, workTotal }) => {
      const share = workTotal === 0 ? 0 : workDone / workTotal;
      const payload = {
        number: Math.min(filesDone + 1, filesTotal),
        total_files: filesTotal,
        file: shortened(file, FILE_CHARS),
      };
      bar.update(Math.floor(share * BAR_STEPS), payload);
    },
    stop: () => bar.stop(),
  };
}
