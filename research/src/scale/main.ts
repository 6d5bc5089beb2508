import { readFileSync } from "node:fs";
import process from "node:process";
import { fixtureSessions } from "@plimsoll/fixtures";
import { numberAbove0, optionsOf } from "../options.ts";
import { sessionSizes, simulateParts } from "./simulate-parts.ts";

const USAGE = `pnpm scale: what a run over very many sessions costs (docs/scale.md), from the
rates of docs/speed.md, this machine's JSON.parse, and a simulation of parts
with skewed sizes

  --sessions N   how many (1000000)
  --bytes N      of a session, on the mean (2000000)
  --sigma N      how skewed their sizes are, of a log-normal distribution (1.5)
  --folder N     sessions in one folder, which is a run of its own (10000)
  --workers N    processors (200)
  --usd N        price of a processor's hour (0.05)
  --parse N      MB a second that JSON.parse reads, in place of measuring`;

const values = optionsOf(USAGE, {
  sessions: { type: "string", default: "1000000" },
  bytes: { type: "string", default: "2000000" },
  sigma: { type: "string", default: "1.5" },
  folder: { type: "string", default: "10000" },
  workers: { type: "string", default: "200" },
  usd: { type: "string", default: "0.05" },
  parse: { type: "string" },
});

const HOUR_SECONDS = 3_600;
const MEGABYTE = 1e6;
/** How long parsing is measured, in processor seconds (chosen). */
const MEASURED_SECONDS = 1.5;
/** What starting a part takes: its place at a scheduler, a container, the program (chosen). */
const START_SECONDS = 5;
/** A part looks into every file of its folder, to know which are sessions: 0.74 ms of processor time each over 4,000 files, measured once. */
const LOOK_SECONDS = 0.000_74;
const PARTS_PER_WORKER = [1, 4, 16];

/** A figure of the first table in docs/speed.md: what a stage takes over all recorded files, as multiples of `JSON.parse`. */
function rateOf(stage: string): number {
  const page = readFileSync(new URL("../../../docs/speed.md", import.meta.url), "utf8");
  const [, , now = ""] =
    page
      .split("\n")
      .find((line) => line.startsWith(`| ${stage} |`))
      ?.split("|") ?? [];
  const rate = Number(now.replaceAll("*", ""));
  if (!(rate > 0)) throw new Error(`docs/speed.md has no row of "${stage}"`);
  return rate;
}

function parsedBytesPerSecond(): number {
  const texts = fixtureSessions().map(({ path }) => readFileSync(path, "utf8"));
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  let parsed = 0;
  const start = process.cpuUsage();
  const seconds = () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
  while (seconds() < MEASURED_SECONDS) {
    for (const text of texts) for (const line of text.split("\n")) if (line !== "") JSON.parse(line);
    parsed += bytes;
  }
  return parsed / seconds();
}

const sessions = numberAbove0("sessions", values.sessions);
const meanBytes = numberAbove0("bytes", values.bytes);
const sigma = numberAbove0("sigma", values.sigma);
const folder = numberAbove0("folder", values.folder);
const workers = numberAbove0("workers", values.workers);
const usd = numberAbove0("usd", values.usd);
const bytesPerSecond = values.parse === undefined ? parsedBytesPerSecond() : numberAbove0("parse", values.parse) * MEGABYTE;
const read = rateOf("import") + rateOf("prepare, with what calls need");
const runs: readonly (readonly [string, number])[] = [
  ["`none`", read + rateOf("replay, `none`")],
  ["`none` and `plimsoll`", read + rateOf("replay, `none`") + rateOf("replay, `plimsoll`")],
  [
    "`none`, `sven`, `pi` and `plimsoll`",
    read + ["none", "sven", "pi", "plimsoll"].reduce((sum, name) => sum + rateOf(`replay, \`${name}\``), 0),
  ],
];
const sizes = sessionSizes(sessions, { meanBytes, sigma, seed: 1 });
const totalBytes = sizes.reduce((sum, bytes) => sum + bytes, 0);
const largest = sizes.reduce((most, bytes) => Math.max(most, bytes), 0);

console.log(
  `${sessions} sessions, ${(totalBytes / 1e12).toFixed(2)} TB, the largest ${Math.round(largest / MEGABYTE)} MB; JSON.parse ${Math.round(bytesPerSecond / MEGABYTE)} MB a second\n`,
);
console.log("| policies, one window | × `JSON.parse` | processor hours | dollars |\n|---|---:|---:|---:|");
for (const [name, rate] of runs) {
  const hours = (totalBytes * rate) / bytesPerSecond / HOUR_SECONDS;
  console.log(`| ${name} | ${rate.toFixed(1)} | ${Math.round(hours)} | ${Math.round(hours * usd)} |`);
}

/** Work grows with a session's bytes, or faster: that of a session of the mean size is the same. */
const SETTINGS: readonly { readonly power: number; readonly folder: number }[] = [
  { power: 1, folder },
  { power: 1.3, folder },
  { power: 1, folder: sessions },
];
console.log(
  `\n${runs[1]?.[0]} on ${workers} processors:\n\n| work grows as bytes to the power of | sessions in a folder | parts | hours | processor hours | longest part, hours | idle % |\n|---:|---:|---:|---:|---:|---:|---:|`,
);
for (const setting of SETTINGS) {
  const secondsOf = (bytes: number) =>
    ((runs[1]?.[1] ?? 0) * meanBytes * (bytes / meanBytes) ** setting.power) / bytesPerSecond;
  const startSeconds = START_SECONDS + setting.folder * LOOK_SECONDS;
  for (const perWorker of PARTS_PER_WORKER) {
    const parts = workers * perWorker;
    const end = simulateParts({ sessionBytes: sizes, parts, workers, secondsOf, startSeconds });
    const cells = [
      ...[setting.power, setting.folder, parts],
      ...[end.elapsedSeconds, end.workSeconds].map((seconds) => (seconds / HOUR_SECONDS).toFixed(2)),
      (end.longestPartSeconds / HOUR_SECONDS).toFixed(2),
      (end.idleRatio * 100).toFixed(0),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
