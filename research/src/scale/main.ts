import { readFileSync } from "node:fs";
import { numberAbove0, optionsOf } from "../options.ts";
import { sessionSizes, simulateParts } from "./simulate-parts.ts";
import { wholeRunRate } from "./whole-run-rate.ts";

const USAGE = `pnpm scale: what a run over very many sessions costs (docs/scale.md), from what
whole runs took (docs/speed.md), and a simulation of parts with skewed sizes

  --sessions N   how many (1000000)
  --bytes N      of a session, on the mean (2000000)
  --sigma N      how skewed their sizes are, of a log-normal distribution (1.5)
  --folder N     sessions in one folder, which is a run of its own (10000)
  --workers N    processors (200)
  --usd N        price of a processor's hour (0.05)`;

const values = optionsOf(USAGE, {
  sessions: { type: "string", default: "1000000" },
  bytes: { type: "string", default: "2000000" },
  sigma: { type: "string", default: "1.5" },
  folder: { type: "string", default: "10000" },
  workers: { type: "string", default: "200" },
  usd: { type: "string", default: "0.05" },
});

const HOUR_SECONDS = 3_600;
const MEGABYTE = 1e6;
const GIGABYTE = 1e9;
/** What starting a part takes: its place at a scheduler and a container (chosen); what the program takes is in its rate. */
const START_SECONDS = 5;
/** A part looks into every file of its folder, to know which are sessions: 0.74 ms of processor time each over 4,000 files, measured once. */
const LOOK_SECONDS = 0.000_74;
const PARTS_PER_WORKER = [1, 4, 16];

/** Sets of policies that whole runs were measured with. */
const SETS: readonly (readonly string[])[] = [["none"], ["none", "plimsoll"], ["none", "sven", "pi", "plimsoll"]];
/** The set whose parts are simulated. */
const SIMULATED = 1;

const counted = (count: number): string => count.toLocaleString("en-US");
const sessions = numberAbove0("sessions", values.sessions);
const meanBytes = numberAbove0("bytes", values.bytes);
const sigma = numberAbove0("sigma", values.sigma);
const folder = numberAbove0("folder", values.folder);
const workers = numberAbove0("workers", values.workers);
const usd = numberAbove0("usd", values.usd);
const page = readFileSync(new URL("../../../docs/speed.md", import.meta.url), "utf8");
const runs = SETS.map((policies) => ({
  name: policies.map((policy) => `\`${policy}\``).join(", "),
  secondsAGigabyte: wholeRunRate(page, policies),
}));
const simulated = runs[SIMULATED];
if (simulated === undefined) throw new Error("no set of policies is simulated");
const sizes = sessionSizes(sessions, { meanBytes, sigma, seed: 1 });
const totalBytes = sizes.reduce((sum, bytes) => sum + bytes, 0);
const largest = sizes.reduce((most, bytes) => Math.max(most, bytes), 0);

console.log(
  `${counted(sessions)} sessions, ${(totalBytes / 1e12).toFixed(2)} TB, the largest ${counted(Math.round(largest / MEGABYTE))} MB\n`,
);
console.log("| policies, one window | processor seconds a GB | processor hours | dollars |\n|---|---:|---:|---:|");
for (const { name, secondsAGigabyte } of runs) {
  const hours = ((totalBytes / GIGABYTE) * secondsAGigabyte) / HOUR_SECONDS;
  console.log(`| ${name} | ${secondsAGigabyte} | ${Math.round(hours)} | ${(hours * usd).toFixed(1)} |`);
}

/** Work grows with a session's bytes, or faster: that of a session of the mean size is the same. */
const SETTINGS: readonly { readonly power: number; readonly folder: number }[] = [
  { power: 1, folder },
  { power: 1.3, folder },
  { power: 1, folder: sessions },
];
console.log(
  `\n${simulated.name} on ${workers} processors:\n\n| work grows as bytes to the power of | sessions in a folder | parts | hours | processor hours | longest part, hours | idle % |\n|---:|---:|---:|---:|---:|---:|---:|`,
);
for (const setting of SETTINGS) {
  const meanSeconds = (simulated.secondsAGigabyte * meanBytes) / GIGABYTE;
  const secondsOf = (bytes: number) => meanSeconds * (bytes / meanBytes) ** setting.power;
  const startSeconds = START_SECONDS + setting.folder * LOOK_SECONDS;
  for (const perWorker of PARTS_PER_WORKER) {
    const parts = workers * perWorker;
    const end = simulateParts({ sessionBytes: sizes, parts, workers, secondsOf, startSeconds });
    const cells = [
      ...[setting.power, setting.folder, parts].map(counted),
      (end.elapsedSeconds / HOUR_SECONDS).toFixed(2),
      Math.round(end.workSeconds / HOUR_SECONDS),
      (end.longestPartSeconds / HOUR_SECONDS).toFixed(2),
      (end.idleRatio * 100).toFixed(0),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
