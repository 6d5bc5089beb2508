import { createHash } from "node:crypto";
import { type EnginePolicy, encodingsOf, type Kinds, type Tokenizers } from "@plimsoll/core/extend";
import { createTokenizerLoader, type ModelCatalog } from "@plimsoll/providers";
import { type Cell, cellOf, type WindowRequest } from "../replay/cell.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { SummarySource } from "../replay/summary-source.ts";
import type { InSession } from "../statistics.ts";
import { callsAfterCuts, contextsAt } from "./after-cuts.ts";
import type { Action } from "./agreement.ts";
import type { AskedContext, AskedSession, CallPlace, OpenPolicy } from "./ask-report.ts";
import { type AskedModel, createRequestMaker, MOST_REPLY_TOKENS, type PlannedRequest } from "./ask-request.ts";
import { setupsOf } from "./offered-tools.ts";

/** The session and the contexts that a model is asked about. */
export interface AskInput {
  readonly sources: readonly AskSource[];
  readonly policies: readonly EnginePolicy[];
  readonly window: WindowRequest;
  readonly model: AskedModel;
  /** How many calls are drawn for each policy. */
  readonly callsAPolicy: number;
  readonly catalog: ModelCatalog;
  readonly kinds: Kinds;
  /** Who writes the policies' summaries. */
  readonly summaries: SummarySource;
  readonly onProgress?: (progress: AskProgress) => void;
}

/** A file of sessions. It is loaded twice, so that memory follows the largest. */
interface AskSource {
  readonly file: string;
  load(): Promise<readonly PreparedSession[]>;
}

/** How far the preparation is: files are looked through once, and the drawn ones again. */
interface AskProgress {
  readonly file: string;
  readonly done: number;
  readonly total: number;
}

/** The drawn calls of each policy, and the requests that ask a model for their next action. Nothing has been sent. */
export interface AskPlan {
  readonly model: AskedModel;
  readonly window: WindowRequest;
  readonly callsAPolicy: number;
  readonly policies: readonly OpenPolicy[];
  /** The sessions of the drawn calls. */
  readonly sessions: readonly AskedSession[];
  /** Of each policy in the order of the run, by session and call. */
  readonly calls: readonly PlannedCall[];
}

/** A call with its requests. */
export interface PlannedCall extends CallPlace, InSession {
  readonly policy: string;
  readonly recorded: Action;
  readonly requests: Readonly<Record<AskedContext, PlannedRequest>>;
}

/** The full history must leave room for a reply, and for the difference between the recorded model's tokens and the asked one's (chosen). */
const ROOM_RATIO = 0.9;

/**
 * Draws the calls that a model is asked about and makes the requests; sends nothing. Deterministic: the same sessions, policies and model give the same
 * requests. Files that cannot be read are left out; the run's own report says so.
 */
export async function planAsk(input: AskInput): Promise<AskPlan> {
  const { model, policies, callsAPolicy, window } = input;
  const tokenizers = await createTokenizerLoader()(policies.flatMap((policy) => encodingsOf(policy, input.kinds)));
  const cell: CellFor = (session, policy) => cellFor(session, policy, { ...input, tokenizers });
  const open = await lookThrough(input, cell);
  const drawn = drawCalls(open.calls, callsAPolicy);
  const files = new Set([...drawn.values()].flat().flatMap(({ session }) => open.fileOf.get(session) ?? []));
  const sessions: AskedSession[] = [];
  const calls: PlannedCall[] = [];
  for (const [done, source] of [...files].entries()) {
    input.onProgress?.({ file: source.file, done, total: files.size });
    for (const session of await sessionsOf(source)) {
      const made = await plannedCalls(session, { drawn, cell, model });
      if (made.length > 0) sessions.push(askedSession(session));
      calls.push(...made);
    }
  }
  return {
    model,
    window,
    callsAPolicy,
    policies: policies.map((policy) => ({
      policy: policy.name,
      openCalls: open.calls.get(policy)?.length ?? 0,
      tooLongCalls: open.tooLong.get(policy) ?? 0,
    })),
    sessions,
    calls: policies.flatMap(({ name }) => calls.filter(({ policy }) => policy === name)),
  };
}

type CellFor = (session: PreparedSession, policy: EnginePolicy) => Cell;

/** The calls of all sessions that can be asked about. */
interface OpenCalls {
  readonly calls: ReadonlyMap<EnginePolicy, readonly CallPlace[]>;
  readonly tooLong: ReadonlyMap<EnginePolicy, number>;
  readonly fileOf: ReadonlyMap<string, AskSource>;
}

async function lookThrough({ sources, policies, model, catalog, onProgress }: AskInput, cell: CellFor): Promise<OpenCalls> {
  const windowTokens = catalog.contextWindowOf(model.modelId);
  const mostTokens = windowTokens === null ? null : ROOM_RATIO * windowTokens - MOST_REPLY_TOKENS;
  const open = new Map<EnginePolicy, CallPlace[]>(policies.map((policy) => [policy, []]));
  const tooLong = new Map<EnginePolicy, number>();
  const fileOf = new Map<string, AskSource>();
  for (const [done, source] of sources.entries()) {
    onProgress?.({ file: source.file, done, total: sources.length });
    for (const session of await sessionsOf(source)) {
      fileOf.set(session.transcript.name, source);
      for (const policy of policies) {
        const { calls, tooLongCount } = await openCalls(session, cell(session, policy), mostTokens);
        open.get(policy)?.push(...calls.map((call) => ({ session: session.transcript.name, call })));
        tooLong.set(policy, (tooLong.get(policy) ?? 0) + tooLongCount);
      }
    }
  }
  return { calls: open, tooLong, fileOf };
}

async function sessionsOf(source: AskSource): Promise<readonly PreparedSession[]> {
  // What cannot be read is said by the replay of the run.
  return await source.load().catch(() => []);
}

type CellParts = Pick<AskInput, "window" | "catalog" | "kinds" | "summaries"> & { readonly tokenizers: Tokenizers };

function cellFor(session: PreparedSession, policy: EnginePolicy, parts: CellParts): Cell {
  const { window, catalog, kinds, summaries, tokenizers } = parts;
  return cellOf(session, { policy, window, catalog, kinds, summaries, tokenizers });
}

async function openCalls(session: PreparedSession, cell: Cell, mostTokens: number | null) {
  return cell.why === null ? await callsAfterCuts(session, cell, mostTokens) : { calls: [], tooLongCount: 0 };
}

interface Drawn {
  readonly drawn: ReadonlyMap<EnginePolicy, readonly CallPlace[]>;
  readonly cell: CellFor;
  readonly model: AskedModel;
}

/** The drawn calls of one session, under all policies. What two policies ask with the same context is one request. */
async function plannedCalls(session: PreparedSession, { drawn, cell, model }: Drawn): Promise<readonly PlannedCall[]> {
  const { name, lineage } = session.transcript;
  const requestFor = createRequestMaker(model, setupsOf(session.entries));
  const planned: PlannedCall[] = [];
  for (const [policy, places] of drawn) {
    const wanted = new Set(places.flatMap(({ session: own, call }) => (own === name ? [call] : [])));
    if (wanted.size === 0) continue;
    for (const contexts of await contextsAt(session, cell(session, policy), wanted)) {
      const { call, recorded } = contexts;
      const requests = {
        full: requestFor(contexts, "full"),
        compacted: requestFor(contexts, "compacted"),
        again: requestFor(contexts, "again"),
        tail: requestFor(contexts, "tail"),
      };
      planned.push({
        session: name,
        ...(lineage === undefined ? {} : { lineage }),
        policy: policy.name,
        call,
        recorded,
        requests,
      });
    }
  }
  return planned;
}

function askedSession({ transcript, entries }: PreparedSession): AskedSession {
  const [first] = setupsOf(entries);
  return {
    session: transcript.name,
    toolsFrom: first?.toolsFrom ?? "nowhere",
    hasSystem: first !== undefined && first.system !== "",
  };
}

/** Another value draws other calls. */
const SEED = "plimsoll bench --ask 1";

/**
 * Draws so many calls for each policy, from those that can be asked about under it. Sessions take turns, so that none counts for more than it
 * must; calls that can be asked about under many policies come first, so that policies share their calls as far as possible; everything else is
 * decided by a hash. The same calls in any order give the same sample, which is in the order of sessions and calls.
 */
export function drawCalls<Policy>(
  open: ReadonlyMap<Policy, readonly CallPlace[]>,
  callsAPolicy: number,
): ReadonlyMap<Policy, readonly CallPlace[]> {
  const policiesAt = new Map<string, number>();
  for (const places of open.values())
    for (const place of places) policiesAt.set(keyOf(place), (policiesAt.get(keyOf(place)) ?? 0) + 1);
  const rankOf = (place: CallPlace): Rank => ({ policies: policiesAt.get(keyOf(place)) ?? 0, lot: lotOf(keyOf(place)) });
  return new Map([...open].map(([policy, places]) => [policy, drawn(places, { callsAPolicy, rankOf })]));
}

/** Among calls or sessions: more policies first, then by lot. */
interface Rank {
  readonly policies: number;
  readonly lot: string;
}

interface Draw {
  readonly callsAPolicy: number;
  readonly rankOf: (place: CallPlace) => Rank;
}

function drawn(places: readonly CallPlace[], { callsAPolicy, rankOf }: Draw): readonly CallPlace[] {
  const bySession = new Map<string, { readonly place: CallPlace; readonly rank: Rank }[]>();
  for (const place of places) {
    const own = bySession.get(place.session) ?? [];
    bySession.set(place.session, own);
    own.push({ place, rank: rankOf(place) });
  }
  for (const own of bySession.values()) own.sort((a, b) => byRank(a.rank, b.rank));
  const sessions = [...bySession].map(([session, calls]) => ({
    calls,
    rank: { policies: calls[0]?.rank.policies ?? 0, lot: lotOf(session) },
  }));
  sessions.sort((a, b) => byRank(a.rank, b.rank));
  const taken: CallPlace[] = [];
  const longest = Math.max(0, ...sessions.map(({ calls }) => calls.length));
  for (let turn = 0; turn < longest && taken.length < callsAPolicy; turn++) {
    const next = sessions.flatMap(({ calls }) => calls[turn]?.place ?? []);
    taken.push(...next.slice(0, callsAPolicy - taken.length));
  }
  return taken.toSorted((a, b) => byText(a.session, b.session) || a.call - b.call);
}

function byRank(one: Rank, other: Rank): number {
  return other.policies - one.policies || byText(one.lot, other.lot);
}

function byText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function keyOf({ session, call }: CallPlace): string {
  return `${session}\n${call}`;
}

function lotOf(name: string): string {
  return createHash("sha256").update(`${SEED}\n${name}`).digest("hex");
}
