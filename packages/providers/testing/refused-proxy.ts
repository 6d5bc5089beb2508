import { createDigest } from "@plimsoll/core";
import { isRecord, recoveriesOf } from "@plimsoll/core/extend";
import { type Fields, parseRecord } from "../src/fields.ts";
import { createAnswerReader } from "../src/proxy/answer-reader.ts";
import { proxyInMemory } from "./proxy-in-memory.ts";
import {
  type Answered,
  documentUrl,
  limitsOf,
  type RefusedSession,
  resultText,
  type StepDoor,
  SYSTEM,
} from "./refused-session.ts";
import { callIdOf, type KeptTurn, REFUSED_WIRES, type RefusedWire } from "./refused-wires.ts";
import { bodyOf, pathOf } from "./wire-bodies.ts";

/** An answer as it comes over HTTP. */
export interface PostedAnswer {
  readonly status: number;
  readonly form: "events" | "whole";
  readonly text: string;
}

/** Sends a body to a place, and resolves with its answer. */
export type Post = (path: string, bodyText: string) => Promise<PostedAnswer>;

/** A server that is asked over a wire, and the answer that it gave last. */
export interface RefusedUpstream {
  readonly wire: RefusedWire;
  readonly form: PostedAnswer["form"];
  readonly post: Post;
  readonly newest: () => { readonly id: string; readonly answered: Answered } | null;
}

/** Texts of a summary that the server is asked for: it is no step of the session. */
const SUMMARY: Answered = {
  ...{ text: "The person sails, and the model looks at what it was asked about.", results: [], finish: "stop" },
  ...{ promptTokens: null, outputTokens: 20 },
};

/** The server of a session behind a proxy. The seed chooses the wire, and whether it streams. */
export function refusedUpstream({ seed, steps }: RefusedSession, answer: (sent: unknown) => Answered): RefusedUpstream {
  const wire = REFUSED_WIRES[seed % REFUSED_WIRES.length] ?? REFUSED_WIRES[0];
  const form = Math.floor(seed / REFUSED_WIRES.length) % 2 === 0 ? "whole" : "events";
  const begins = new Set(steps.flatMap(({ said }) => (said === null ? [] : [said.slice(0, SIGN_CHARS)])));
  let requests = 0;
  let newest: ReturnType<RefusedUpstream["newest"]> = null;
  const answeredBy = (body: Fields): Answered => {
    const asked = wire.newestIn(body);
    const isStep = /"tool"|tool_result|function_call_output/.test(asked) || [...begins].some((begin) => asked.includes(begin));
    return isStep ? answer(wire.countedIn(body)) : SUMMARY;
  };
  return {
    wire,
    form,
    newest: () => newest,
    post: async (_, bodyText) => {
      requests += 1;
      const id = `r${requests}`;
      try {
        const body = parseRecord(bodyText) ?? {};
        const form = body.stream === true ? "events" : "whole";
        const answered = answeredBy(body);
        if (answered !== SUMMARY) newest = { id, answered };
        if (form === "whole") return { status: 200, form, text: JSON.stringify(wire.wholeOf(answered, id)) };
        const events = wire.eventsOf(answered, id).map((event) => `${named(event)}data: ${JSON.stringify(event)}\n\n`);
        return { status: 200, form, text: `${events.join("")}${wire.name === "openai-chat" ? "data: [DONE]\n\n" : ""}` };
      } catch (error) {
        if (!isRecord(error) || typeof error.status !== "number") throw error;
        const text = error.error === undefined ? "" : JSON.stringify({ error: error.error });
        return { status: error.status, form: "whole", text };
      }
    },
  };
}

const SIGN_CHARS = 12;

function named({ type }: Fields): string {
  return typeof type === "string" ? `event: ${type}\n` : "";
}

/** A program that keeps its history and resends it whole to a proxy. */
export function proxyDoor(
  given: RefusedSession,
  upstream: RefusedUpstream,
  proxy: { readonly post: Post; readonly entries: StepDoor["entries"] },
): StepDoor {
  const { wire, form } = upstream;
  const { reserveTokens: replyTokens } = given;
  const kept: KeptTurn[] = [];
  return {
    entries: proxy.entries,
    step: async ({ said, documentTokens, resultChars }, isAgain) => {
      const url = documentTokens === null ? null : documentUrl(documentTokens);
      if (said !== null && !isAgain) kept.push({ kind: "said", text: said, documentUrl: url });
      const body = bodyOf(wire.name, kept.flatMap(wire.itemsOf), { system: SYSTEM, replyTokens });
      const sent = form === "events" ? { ...body, stream: true } : body;
      const { status, text } = await proxy.post(pathOf(wire.name), JSON.stringify(sent));
      const newest = upstream.newest();
      if (status >= 400 || newest === null) throw new Error(`${status} ${text}`);
      kept.push({ kind: "answered", ...newest });
      const results = newest.answered.results.map((_, at) => ({
        callId: callIdOf(newest.id, at),
        text: resultText(resultChars[at] ?? 10),
      }));
      if (results.length > 0) kept.push({ kind: "results", results });
    },
  };
}

const isOfTheMoment = (status: number): boolean => status === 408 || status > 502;

/** Repetitions of a request by vendors' SDKs after a status of a fault of the moment, by default. */
const REPETITIONS = 2;

/** A program whose SDK repeats requests that a fault of the moment refused. */
export function repeating(post: Post): Post {
  return async (path, bodyText) => {
    let answer = await post(path, bodyText);
    for (let again = 0; again < REPETITIONS && isOfTheMoment(answer.status); again += 1) answer = await post(path, bodyText);
    return answer;
  };
}

const NEVER = new AbortController().signal;

/** A proxy in this process, which sends again as the one that listens does. */
export function proxyPost(
  given: RefusedSession,
  upstream: Post,
): { readonly post: Post; readonly entries: StepDoor["entries"] } {
  const compaction = proxyInMemory({
    ...{ policy: given.policy, limits: limitsOf(given), summarizer: createDigest(), nowMs: () => 0 },
  });
  return {
    entries: async () => compaction.conversations()[0]?.entries ?? [],
    post: async (path, bodyText) => {
      let prepared = await compaction.prepare({ path, headers: { session_id: "one" }, bodyText, signal: NEVER });
      for (let recovery = 0; ; recovery += 1) {
        const answer = await upstream(path, prepared?.bodyText ?? bodyText);
        if (prepared === null) return answer;
        const { status, form, text } = answer;
        const cutOff = form === "events" ? await prepared.cutOffStream(text) : prepared.cutOff(parseRecord(text) ?? {});
        const failure = status >= 400 ? { status, bodyText: text } : cutOff;
        const next =
          failure !== null && recovery < recoveriesOf(given.policy) ? await prepared.recover(failure, recovery) : null;
        if (next === null && status < 400) {
          const reader = createAnswerReader(prepared.wire, form);
          reader.take(text);
          const { answer: told } = reader.end();
          if (told !== null) await prepared.observe(told);
        }
        if (next === null) return answer;
        prepared = next;
      }
    },
  };
}
