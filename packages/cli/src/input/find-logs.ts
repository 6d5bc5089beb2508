import { sep } from "node:path";
import { LOCATED_AGENTS, type LocatedAgent, locateLogs, usualPlaces } from "@plimsoll/bench/internal";
import { PlimsollError } from "@plimsoll/core";
import type { CliIo } from "../io.ts";
import { suggestion } from "../option/nearest-name.ts";
import { parseSince } from "../option/replay-options.ts";
import type { FoundInputs } from "./find-inputs.ts";
import { isSessionFile } from "./find-inputs.ts";

/** Logs of each agent that are replayed unless another number is asked for: a first look takes seconds (chosen). */
export const DEFAULT_LOG_LIMIT = 20;

/** Which logs to look for, as the options give it. */
export interface LogOptions {
  readonly agents: readonly string[];
  readonly since?: string | undefined;
  readonly limit?: string | undefined;
}

/** The user's own logs, newest first. Throws `bad-input` for an agent, time or count that cannot be read. */
export async function findLogs({ agents, since, limit }: LogOptions, io: CliIo): Promise<FoundInputs> {
  const chosen = agents.map(parseAgent);
  const query = {
    homeFolder: io.homeFolder,
    limit: limit === undefined ? DEFAULT_LOG_LIMIT : parseLimit(limit),
    ...(since === undefined ? {} : { sinceMs: parseSince(since, io.nowMs()) }),
  };
  const found = await Promise.all(chosen.map(async (agent) => ({ agent, logs: await locateLogs({ agent, ...query }) })));
  const places = (agent: LocatedAgent) => usualPlaces(agent, io.homeFolder).map((place) => homeName(place, io.homeFolder));
  const files = found.flatMap(({ logs }) => logs.map(({ path }) => ({ path, displayName: homeName(path, io.homeFolder) })));
  const areSessions = await Promise.all(files.map(({ path }) => isSessionFile(path)));
  return {
    files: files.filter((_, index) => areSessions[index] === true),
    missing: found
      .filter(({ logs }) => logs.length === 0)
      .map(({ agent }) => ({
        file: `--from ${agent}`,
        reason: `--from ${agent}: no logs${since === undefined ? "" : ` since ${since}`} in ${places(agent).join(", ")}`,
      })),
    notSessions: files.filter((_, index) => areSessions[index] !== true).map(({ displayName }) => displayName),
  };
}

function parseAgent(name: string): LocatedAgent {
  const agent = LOCATED_AGENTS.find((known) => known === name);
  if (agent === undefined) throw new PlimsollError("bad-input", `--from ${name}: ${suggestion(name, LOCATED_AGENTS)}`);
  return agent;
}

function parseLimit(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new PlimsollError("bad-input", `--limit ${text}: give a whole number from 1`);
  return Number(text);
}

/** A path below the home folder as people write it. */
function homeName(path: string, homeFolder: string): string {
  return path.startsWith(homeFolder + sep) ? `~${path.slice(homeFolder.length)}` : path;
}
