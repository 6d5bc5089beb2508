import type { ToolCallPart, ToolResultMessage, UserMessage } from "@plimsoll/core";
import { admitToolResult, createMemoryArtifactStore, PlimsollError } from "@plimsoll/core";
import { recallArtifact } from "@plimsoll/core/internal";
import { fullWindow } from "../client/failure.ts";
import { createToolNames } from "../wire/identifiers.ts";
import type { OpenSession } from "./open-session.ts";
import { alone, behind, prepare, sent, written } from "./open-session.ts";
import { awaited, NOTHING_YET, replied, resulted } from "./progress.ts";
import type { OpenCall } from "./reply-draft.ts";
import { replyDraft } from "./reply-draft.ts";
import type { Session, SessionOptions } from "./session.ts";
import { openSessionLog } from "./session-log.ts";
import type { SessionWire } from "./session-wire.ts";
import { decodedBy } from "./session-wire.ts";

const NEVER_ABORTED = new AbortController().signal;

/** Opens a session on a wire. The vendors' entries say what it needs. */
export async function createSession<Request, Answer>(
  wire: SessionWire<Request>,
  options: SessionOptions,
): Promise<Session<Request, Answer>> {
  const { artifacts = createMemoryArtifactStore(), categoryOf = () => "generic", pathsOf = () => [] } = options;
  const log = await openSessionLog(wire, options);
  const { sessionId, conversation, nowMs } = log;
  const renamed = createToolNames(wire.maximumToolNameChars);
  const session: OpenSession<Request> = { log, wire, artifacts, renamed, progress: NOTHING_YET };
  const reply = (answer: Answer) => answeredBy(session, answer, pathsOf);
  return {
    sessionId,
    conversation,
    get calls() {
      return session.progress.open.map(({ call }) => call);
    },
    user: (input) => {
      const draft = userDraft(input, nowMs());
      session.progress = { ...session.progress, waiting: [...session.progress.waiting, draft] };
    },
    request: (signal = NEVER_ABORTED) =>
      alone(session, async () => {
        await prepare(session, signal);
        return written(session);
      }),
    reply,
    result: (callId, output, { isError = false, hint = null } = {}) => {
      const { progress, call } = resulted(session.progress, callId);
      session.progress = progress;
      const { callId: id, toolName } = call.call;
      const names = { role: "tool-result", id, callId: id, toolName, isError, category: categoryOf(toolName) } as const;
      const parts = typeof output === "string" ? textParts(output) : output;
      behind(session, () => admit(session, call, { message: { ...names, parts, atMs: nowMs() }, hint }));
    },
    send: (call, signal = NEVER_ABORTED) =>
      alone(session, async () => {
        await prepare(session, signal);
        const send = async (request: Request) => {
          const answer = await call(request);
          reply(answer);
          return answer;
        };
        return await sent(session, send, signal);
      }),
    recall: async (handle, range) =>
      (await conversation.manager.recall(handle, range)) ?? (await recallArtifact(handle, range, artifacts)),
    close: conversation.close,
  };
}

/** Takes the answer to the newest request: what it measured, and the reply. Gives the calls. */
function answeredBy<Request>(
  session: OpenSession<Request>,
  answer: unknown,
  pathsOf: NonNullable<SessionOptions["pathsOf"]>,
): readonly ToolCallPart[] {
  const { log, wire } = session;
  const { conversation } = log;
  const view = awaited(session.progress);
  const reply = decodedBy(wire, answer);
  const { lastMessageId } = conversation.manager.state();
  const { draft, calls } = replyDraft(reply, { lastMessageId, hasCall: conversation.hasCall, pathsOf });
  if (draft === null && reply.isWindowFull) throw fullWindow();
  session.progress = replied(session.progress, calls);
  behind(session, async () => {
    await conversation.report(view, { requestId: reply.requestId, modelId: wire.modelId, usage: reply.usage });
    if (draft !== null) await conversation.say(draft);
  });
  return calls.map(({ call }) => call);
}

/** Appends a result, cut to the policy's cap. One that cannot be kept is not cut: its call waits for it again. */
async function admit<Request>(
  session: OpenSession<Request>,
  call: OpenCall,
  { message: given, hint }: { readonly message: ToolResultMessage; readonly hint: string | null },
): Promise<void> {
  const { artifacts, log } = session;
  const admitted = admitToolResult(given, { policy: log.policy, artifacts, hint, truncations: log.kinds.truncations }).catch(
    (error: unknown) => {
      session.progress = { ...session.progress, open: [...session.progress.open, call] };
      throw error;
    },
  );
  const { id: _, ...draft } = (await admitted).message;
  await log.conversation.say(draft);
}

function textParts(text: string): ToolResultMessage["parts"] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function userDraft(input: string | UserMessage["parts"], atMs: number): Omit<UserMessage, "id"> {
  const given = typeof input === "string" ? textParts(input) : input;
  const parts = given.filter((part) => part.type !== "text" || part.text.trim() !== "");
  if (parts.length === 0) throw new PlimsollError("bad-input", "a message needs text or an image");
  return { role: "user", origin: "human", parts, atMs };
}
