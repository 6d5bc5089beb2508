import { PlimsollError } from "@plimsoll/core";

/** More workers than this only wait for each other's memory (chosen). */
const MOST_JOBS = 64;

/** Reads `--jobs`. Throws `bad-input` for anything but a whole number from 1 to 64. */
export function parseJobs(text: string): number {
  const jobs = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (jobs < 1 || jobs > MOST_JOBS) {
    throw new PlimsollError("bad-input", `--jobs ${text}: give a whole number from 1 to ${MOST_JOBS}`);
  }
  return jobs;
}
