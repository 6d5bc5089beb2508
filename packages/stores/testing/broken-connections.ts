import { isPlimsollError, type SessionEntry, type SessionStore } from "@plimsoll/core";
import { human, sessionStart } from "@plimsoll/core/testing";
import { sameOrThrow } from "../src/testing/contract.ts";
import type { Cut, CuttingRelay } from "./cutting-relay.ts";

const startOf = (id: string): Extract<SessionEntry, { readonly type: "session" }> => ({ ...sessionStart("system"), id });
const said = (id: string): SessionEntry => ({ type: "message", message: human(id, `text of ${id}`) });
const [FIRST, SECOND, THIRD] = [said("h1"), said("h2"), said("h3")];

/** A store behind a relay, the id of a new session, and a function that begins the fault. */
interface Attempt {
  readonly sessions: SessionStore;
  readonly id: string;
  readonly cut: () => void;
  readonly heal: () => unknown;
}

/** Does it, and goes on if it was rejected. There is no other writer, so it may not be a conflict. */
async function orElse<T>({ heal }: Attempt, work: () => Promise<T>, goOn: () => Promise<T>): Promise<T> {
  const done = await work().then(
    (value) => ({ value }),
    (error: unknown) => {
      if (isPlimsollError(error, "bad-session")) return null;
      throw error;
    },
  );
  heal();
  return done === null ? await goOn() : done.value;
}

const repeated = <T>(attempt: Attempt, work: () => Promise<T>): Promise<T> => orElse(attempt, work, work);

/** A log, as it was written and held by no writer. */
async function closedLog({ sessions, id }: Attempt, entries: readonly SessionEntry[]): Promise<void> {
  const writer = await sessions.create(startOf(id));
  await writer.append(entries);
  await writer.close();
}

/** An operation that can be under way when a connection breaks. */
export type Operation =
  | "create"
  | "append, repeated"
  | "append, given up for another one"
  | "append, repeated by a new writer"
  | "branch"
  | "open"
  | "close";

/** Operations of a caller while its connection breaks, and its next ones. Each answers with the entries that the log must have then. */
export const OPERATIONS: Readonly<Record<Operation, (attempt: Attempt) => Promise<readonly SessionEntry[]>>> = {
  create: async (attempt) => {
    attempt.cut();
    const writer = await repeated(attempt, () => attempt.sessions.create(startOf(attempt.id)));
    await writer.append([FIRST]);
    await writer.close();
    return [startOf(attempt.id), FIRST];
  },
  "append, repeated": async (attempt) => {
    const writer = await attempt.sessions.create(startOf(attempt.id));
    attempt.cut();
    await repeated(attempt, () => writer.append([FIRST, SECOND]));
    await writer.append([THIRD]);
    await writer.close();
    return [startOf(attempt.id), FIRST, SECOND, THIRD];
  },
  "append, given up for another one": async (attempt) => {
    const writer = await attempt.sessions.create(startOf(attempt.id));
    attempt.cut();
    const isIn = await orElse(
      attempt,
      () => writer.append([FIRST, SECOND]).then(() => true),
      async () => false,
    );
    await writer.append([THIRD]);
    await writer.close();
    return [startOf(attempt.id), ...(isIn ? [FIRST, SECOND] : []), THIRD];
  },
  "append, repeated by a new writer": async (attempt) => {
    const { sessions, id } = attempt;
    const writer = await sessions.create(startOf(id));
    attempt.cut();
    const last = await orElse(
      attempt,
      () => writer.append([FIRST, SECOND]).then(() => writer),
      async () => {
        await writer.close();
        const opened = await sessions.open(id);
        await opened.writer.append([FIRST, SECOND]);
        return opened.writer;
      },
    );
    await last.close();
    return [startOf(id), FIRST, SECOND];
  },
  branch: async (attempt) => {
    const source = `${attempt.id}-source`;
    await closedLog({ ...attempt, id: source }, [FIRST, SECOND, THIRD]);
    attempt.cut();
    const branch = { sessionId: source, throughEntryId: "h2", newSessionId: attempt.id, nowMs: 7 };
    const { writer } = await repeated(attempt, () => attempt.sessions.branch(branch));
    await writer.append([THIRD]);
    await writer.close();
    return [{ ...startOf(attempt.id), createdMs: 7 }, FIRST, SECOND, THIRD];
  },
  open: async (attempt) => {
    await closedLog(attempt, [FIRST]);
    attempt.cut();
    const { writer, entries } = await repeated(attempt, () => attempt.sessions.open(attempt.id));
    sameOrThrow("opened", entries, [startOf(attempt.id), FIRST]);
    await writer.append([SECOND]);
    await writer.close();
    return [startOf(attempt.id), FIRST, SECOND];
  },
  close: async (attempt) => {
    const writer = await attempt.sessions.create(startOf(attempt.id));
    attempt.cut();
    await repeated(attempt, () => writer.close());
    await (await attempt.sessions.open(attempt.id)).writer.close();
    return [startOf(attempt.id)];
  },
};

const EVERY_PLACE: readonly Pick<Cut, "direction" | "passes">[] = (["to-server", "to-client"] as const).flatMap((direction) =>
  (["nothing", "half", "all"] as const).map((passes) => ({ direction, passes })),
);

/** The places of a packet at which a connection is cut: all of them with PLIMSOLL_EVERY_CUT, else those that differ most. */
const PLACES: Readonly<Record<Cut["network"], typeof EVERY_PLACE>> = process.env.PLIMSOLL_EVERY_CUT
  ? { up: EVERY_PLACE, down: EVERY_PLACE }
  : {
      up: [
        { direction: "to-server", passes: "half" },
        { direction: "to-client", passes: "nothing" },
      ],
      down: [{ direction: "to-client", passes: "nothing" }],
    };

/** More packets than any operation has. */
const MOST_PACKETS = 200;

/** Plays an operation once for each place where its connection can be cut. Answers with how many there were; rejects if an entry is lost, or there twice. */
export async function brokenAtEachStep(
  { sessions, relay }: { readonly sessions: SessionStore; readonly relay: CuttingRelay },
  { operation, network }: { readonly operation: Operation; readonly network: Cut["network"] },
): Promise<number> {
  let made = 0;
  for (const place of PLACES[network])
    for (let atPacket = 1; ; atPacket++) {
      const id = `${operation.replaceAll(/\W/g, "")}-${place.direction}-${place.passes}-${network}-${atPacket}`;
      const cut = () => relay.cut({ ...place, atPacket, network });
      const expected = await OPERATIONS[operation]({ sessions, id, cut, heal: relay.heal }).catch((cause: unknown) => {
        throw new Error(`${id}: ${String(cause)}`, { cause });
      });
      const wasMade = relay.heal();
      sameOrThrow(id, (await sessions.read(id))?.entries, expected);
      if (!wasMade) break;
      if (atPacket > MOST_PACKETS) throw new Error(`${id}: no end of packets`);
      made += 1;
    }
  return made;
}

/** Appends while the server is killed and starts again, and repeats rejected appends. Rejects if an entry is lost, or there twice. */
export async function appendsOverRestart(sessions: SessionStore, restart: () => Promise<void>): Promise<void> {
  const writer = await sessions.create(startOf("restarted"));
  const written: SessionEntry[] = [];
  let isRestarting = true;
  const append = async () => {
    const entries = [said(`a${written.length}`), said(`b${written.length}`)];
    for (let isIn = false; !isIn; )
      isIn = await writer.append(entries).then(
        () => true,
        (error: unknown) => {
          if (isPlimsollError(error, "bad-session")) return false;
          throw error;
        },
      );
    written.push(...entries);
  };
  await append();
  const restarted = restart().finally(() => {
    isRestarting = false;
  });
  while (isRestarting) await append();
  await restarted;
  await append();
  await writer.close();
  sameOrThrow("log", (await sessions.read("restarted"))?.entries, [startOf("restarted"), ...written]);
}
