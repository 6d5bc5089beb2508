import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDigest, type Policy, presetNamed, type SessionStore } from "@plimsoll/core";
import { createFileSessionStore, createMemorySessionStore } from "@plimsoll/stores";
import { expect, test } from "vitest";
import { DROP_INS, type DropInKind } from "../../testing/array-drop-ins.ts";
import { markedHistory } from "../../testing/marked-history.ts";

/** Larger figures for longer runs. */
const STEPS = Number(process.env.PLIMSOLL_RESUME_STEPS ?? 200);
const limits = { contextWindowTokens: 8_000, maxOutputTokens: 500 };
const MINUTE_MS = 60_000;

/** The requests of one run, and their price. */
interface Run {
  readonly sent: readonly string[];
  readonly summaries: number;
}

interface Row {
  readonly kind: DropInKind;
  readonly policy: Policy;
  readonly steps: number;
  /**
   * Characters by which requests may differ if only the letters of handles do, which are hashes. A model's summary that came back too long is cut in proportion to
   * its tokens, and letters count for more or fewer of these.
   */
  readonly mostApartChars: number;
  readonly store: () => SessionStore;
  /** The store as a new process finds it. */
  readonly handedOver: (store: SessionStore) => Promise<SessionStore>;
}

/** Plays all steps; `isKilled` says before which of them everything in memory is thrown away. */
async function play(
  { kind, policy, steps, store, handedOver }: Row,
  isKilled: (step: number) => boolean,
  idOf: (step: number) => string = (step) => `resumed_${step}`,
): Promise<Run> {
  const turns = markedHistory({ marker: "resumed", turns: steps, resultChars: 900 }).map((turn, at) =>
    turn.kind === "human" ? turn : { ...turn, callId: idOf(at) },
  );
  const sent: string[] = [];
  let summaries = 0;
  let step = 0;
  const nowMs = () => (step + 30 * Math.floor(step / 16)) * MINUTE_MS;
  const digest = createDigest();
  const open = (sessions: SessionStore) =>
    kind.open({
      policy,
      limits,
      sessions,
      // A long pause every 16 steps.
      nowMs,
      summarizer: (request, signal) => {
        summaries += 1;
        return digest(request, signal);
      },
    });
  let sessions = store();
  let dropIn = open(sessions);
  for (; step < turns.length; step++) {
    if (isKilled(step)) {
      if (handedOver === inFiles.handedOver) await dropIn.close();
      sessions = await handedOver(sessions);
      dropIn = open(sessions);
    }
    const provider = async (json: string) => {
      sent.push(json);
      const tokens = Math.ceil(json.length / 3);
      if (tokens > limits.contextWindowTokens)
        throw Object.assign(new Error(`400 prompt is too long: ${tokens} tokens > 8000 maximum`), { status: 400 });
      return tokens;
    };
    await dropIn.send({ turns: turns.slice(0, step + 1), provider, key: "resumed" });
  }
  return { sent, summaries };
}

/** Copies the logs that the first process left into a store whose writers are gone. */
async function survivors(store: SessionStore): Promise<SessionStore> {
  const next = createMemorySessionStore();
  for (const { sessionId } of await store.list()) {
    const [start, ...rest] = (await store.read(sessionId))?.entries ?? [];
    if (start?.type !== "session") throw new Error("a log begins with its session");
    const writer = await next.create(start);
    await writer.append(rest);
    await writer.close();
  }
  return next;
}

const PRESETS = ["plimsoll", "plimsoll-model", "sven", "pi", "opal", "klaude-code"];
const policyOf = (name: string): Policy => presetNamed(name) ?? expect.fail(`no preset ${name}`);

const inMemory = { store: createMemorySessionStore, handedOver: survivors };

/** Files are let go by closing: a process that is killed leaves a lock that the next one sees to be dead, which the store's own tests show. */
const inFiles = {
  store: () => {
    const folder = mkdtempSync(join(tmpdir(), "plimsoll-resume-"));
    return createFileSessionStore({ folder, sync: "on-close" });
  },
  handedOver: async (store: SessionStore) => store,
};

/** Every drop-in with the preset that pays for summaries at full length, the other pairs a fifth of it. */
const rows: readonly [string, string, Row][] = [
  ...PRESETS.flatMap((name) =>
    DROP_INS.map((kind): [string, string, Row] => {
      const [steps, mostApartChars] = name === "plimsoll-model" ? [STEPS, 24] : [Math.max(40, STEPS / 5), 0];
      return [kind.name, name, { kind, policy: policyOf(name), steps, mostApartChars, ...inMemory }];
    }),
  ),
  ...DROP_INS.map((kind): [string, string, Row] => {
    const policy = policyOf("plimsoll-model");
    return [
      kind.name,
      "plimsoll-model, in files",
      { kind, policy, steps: Math.max(40, STEPS / 5), mostApartChars: 0, ...inFiles },
    ];
  }),
];

test.each(rows)(
  "%s, %s: a run that is killed before every step sends the same and pays nothing twice",
  { timeout: 600_000 },
  async (_, __, row) => {
    const whole = await play(row, () => false);
    expect(await play(row, (step) => step > 0)).toEqual(whole);
    expect(whole.sent.length).toBeGreaterThan(row.steps - 1);
    expect(whole.sent.some((json, at) => json.length < (whole.sent[at - 1]?.length ?? 0))).toBe(true);
  },
);

/** Steps that a server runs before it starts again and numbers its calls from zero. */
const RUN_STEPS = 20;

test.each(rows.filter(([, name]) => name !== "plimsoll-model, in files"))(
  "%s, %s: a server that numbers its calls anew at each restart is sent as much as one whose ids are unique",
  { timeout: 600_000 },
  async (_, __, row) => {
    const numbered = (step: number) => `functions.look:${String(step).padStart(3, "0")}`;
    const short = { ...row, steps: 4 * RUN_STEPS };
    const isKilled = (step: number) => step > 0 && step % RUN_STEPS === 0;
    const unique = await play(short, isKilled, numbered);
    const anew = await play(short, isKilled, (step) => numbered(step % RUN_STEPS));
    const apart = anew.sent.map((json, at) => Math.abs(json.length - (unique.sent[at]?.length ?? 0)));
    expect(anew.sent).toHaveLength(unique.sent.length);
    expect(Math.max(...apart)).toBeLessThanOrEqual(row.mostApartChars);
    expect(anew.summaries).toBe(unique.summaries);
  },
);
