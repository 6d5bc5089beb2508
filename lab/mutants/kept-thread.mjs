import { resolve } from "node:path";
import { Worker } from "node:worker_threads";

/** A thread serves so many runs; each leaves a listener behind. Chosen. */
const MOST_RUNS = 200;

/** A thread, how often it was taken, and the end of its last run. @typedef {{ readonly thread: Worker, runs: number, finished: Promise<void> }} HeldThread */

/**
 * Keeps the thread of one run of tests for the next: what it imported stays, test files and setup files aside. A mutant is switched on while tests
 * run, so most need no module anew; for those that do, and to see what a test reaches, a thread of its own is started.
 * @returns {import("vitest/config").Plugin}
 */
export function keptThread() {
  /** @type {HeldThread | null} */
  let idle = null;
  /** @param {import("vitest/node").PoolOptions} options @returns {import("vitest/node").PoolWorker} */
  const createPoolWorker = ({ project, distPath, execArgv, env }) => {
    const context = project.getProvidedContext();
    const isKept = Reflect.get(context, "mode") === "mutant" && Reflect.get(context, "mutantActivation") === "runtime";
    /** @type {HeldThread | null} */
    let held = null;
    /** @type {Map<string, Set<(arg: any) => void>>} */
    const listeners = new Map();
    const threadOf = () => {
      if (held === null) throw new Error("the thread has not started");
      return held.thread;
    };
    return {
      name: "kept-thread",
      start: async () => {
        if (held !== null) return;
        const taken = isKept ? idle : null;
        if (taken !== null) idle = null;
        held = taken ?? {
          thread: new Worker(resolve(distPath, "workers/threads.js"), { env, execArgv }),
          runs: 0,
          finished: Promise.resolve(),
        };
        held.runs += 1;
      },
      send: (message) => {
        const type = Reflect.get(message, "type");
        if (type === "run" && held !== null) held.finished = finishedRun(held.thread);
        if (!isKept || type !== "stop") return threadOf().postMessage(message);
        // A run that was called off at the first failure still ends in its own time.
        held?.finished.then(() => {
          for (const listener of [...(listeners.get("message") ?? [])])
            listener({ type: "stopped", __vitest_worker_response__: true });
        });
      },
      on: (event, callback) => {
        listeners.set(event, (listeners.get(event) ?? new Set()).add(callback));
        threadOf().on(event, callback);
      },
      off: (event, callback) => {
        listeners.get(event)?.delete(callback);
        held?.thread.off(event, callback);
      },
      deserialize: (data) => data,
      stop: async () => {
        const ended = held;
        held = null;
        if (ended === null) return;
        for (const [event, callbacks] of listeners) for (const callback of callbacks) ended.thread.off(event, callback);
        if (isKept && idle === null && ended.runs < MOST_RUNS) idle = ended;
        else await ended.thread.terminate();
      },
    };
  };
  return {
    name: "kept-thread",
    configureVitest: ({ project, vitest }) => {
      Reflect.set(project.config, "pool", "kept-thread");
      project.config.poolRunner = { name: "kept-thread", createPoolWorker };
      vitest.onClose(async () => {
        await idle?.thread.terminate();
      });
    },
  };
}

/** @param {Worker} thread @returns {Promise<void>} when what it is told to run next has ended */
function finishedRun(thread) {
  return new Promise((done) => {
    /** @param {unknown} message */
    const listen = (message) => {
      if (typeof message !== "object" || message === null || Reflect.get(message, "type") !== "testfileFinished") return;
      thread.off("message", listen);
      done();
    };
    thread.on("message", listen);
  });
}
