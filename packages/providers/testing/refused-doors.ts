import { startAgent } from "@plimsoll/agent";
import {
  createDigest,
  createMemoryArtifactStore,
  type ImagePart,
  type ModelClient,
  type ModelLimits,
  type SessionEntry,
  usageOf,
} from "@plimsoll/core";
import { type AgentTool, isRecord } from "@plimsoll/core/extend";
import { createMemorySessionStore } from "@plimsoll/stores";
import type OpenAI from "openai";
import { failureOf } from "../src/client/failure.ts";
import { createChatCompactor } from "../src/drop-in/openai-chat.ts";
import { createChatSession } from "../src/openai-chat/session.ts";
import type { Answered, RefusedSession, ScriptedStep } from "./refused-session.ts";

export const SYSTEM: string = "You sail. ".repeat(40);

/** Sends one step through a door; resolves when it was answered and its results are in. */
export interface Door {
  readonly step: (step: ScriptedStep, isAgain: boolean) => Promise<void>;
  readonly entries: () => Promise<readonly SessionEntry[]>;
}

/** The door of a generated session. */
export async function openDoor(session: RefusedSession, answer: (sent: unknown) => Answered): Promise<Door> {
  switch (session.door) {
    case "agent":
      return await agentDoor(session, answer);
    case "session":
      return await sessionDoor(session, answer);
    default:
      return compactorDoor(session, answer);
  }
}

/** Returns the limits that are believed of a session. */
export const limitsOf = ({
  believedTokens,
  reserveTokens,
}: RefusedSession): ModelLimits & { readonly maxOutputTokens: number } => ({
  contextWindowTokens: believedTokens,
  maxOutputTokens: reserveTokens,
});

/** The result of a call, of so many characters: no two begin alike, as those of tools do not. */
export const resultText = (chars: number): string =>
  `${String(chars).slice(-9)} ${"some words of a tool, ".repeat(Math.ceil(chars / 22))}`.slice(0, Math.ceil(chars));
const documentPart = (tokens: number): ImagePart => ({
  ...{ type: "image", mediaType: "application/pdf", widthPx: null, heightPx: null, sizeBytes: null },
  source: { kind: "url", url: documentUrl(tokens) },
});
/** The address of a document of so many tokens. */
export const documentUrl = (tokens: number): string => `https://example.com/doc-${tokens}.pdf`;

function completionOf(answered: Answered, id: string): OpenAI.ChatCompletion {
  const { text, results, finish, promptTokens, outputTokens } = answered;
  const completion: unknown = {
    id,
    model: "m",
    object: "chat.completion",
    created: 0,
    choices: [
      {
        index: 0,
        finish_reason: finish,
        message: {
          role: "assistant",
          content: text,
          ...(results.length === 0
            ? {}
            : {
                tool_calls: results.map((_, at) => ({
                  id: `${id}-${at}`,
                  type: "function",
                  function: { name: "look", arguments: `{"at":${at}}` },
                })),
              }),
        },
      },
    ],
    ...(promptTokens === null
      ? {}
      : { usage: { prompt_tokens: promptTokens, completion_tokens: outputTokens, total_tokens: promptTokens + outputTokens } }),
  };
  if (!isCompletion(completion)) throw new Error("no completion");
  return completion;
}

const isCompletion = (value: unknown): value is OpenAI.ChatCompletion => isRecord(value);

async function sessionDoor(given: RefusedSession, answer: (sent: unknown) => Answered): Promise<Door> {
  const limits = limitsOf(given);
  const session = await createChatSession({
    policy: given.policy,
    limits,
    system: SYSTEM,
    summarizer: createDigest(),
    request: { model: "m", max_tokens: limits.maxOutputTokens },
  });
  let requests = 0;
  return {
    entries: async () => session.conversation.entries(),
    step: async (step, isAgain) => {
      const { said, documentTokens } = step;
      const document = documentTokens === null ? [] : [documentPart(documentTokens)];
      if (said !== null && !isAgain) session.user([{ type: "text", text: said }, ...document]);
      await session.send(async (body) => completionOf(answer(body.messages), `r${requests++}`));
      for (const [at, call] of session.calls.entries()) session.result(call.callId, resultText(step.resultChars[at] ?? 10));
    },
  };
}

function compactorDoor(given: RefusedSession, answer: (sent: unknown) => Answered): Door {
  const limits = limitsOf(given);
  const compactor = createChatCompactor({ policy: given.policy, limits, summarizer: createDigest() }, "unused");
  const history: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: SYSTEM }];
  let requests = 0;
  const call = async (messages: unknown) => completionOf(answer(messages), `r${requests++}`);
  const byHand = async () => {
    let messages = await compactor.fit(history);
    for (let recovery = 0; ; recovery += 1) {
      try {
        const got = await call(messages);
        await compactor.observe(messages, got);
        return got;
      } catch (error) {
        const again = await compactor.recover(messages, error, recovery);
        if (again === null) throw error;
        messages = again;
      }
    }
  };
  return {
    entries: async () => compactor.conversations()[0]?.entries ?? [],
    step: async ({ said, documentTokens, resultChars }, isAgain) => {
      if (said !== null && !isAgain)
        history.push({
          role: "user",
          content:
            documentTokens === null
              ? said
              : [
                  { type: "text", text: said },
                  { type: "file", file: { file_id: documentUrl(documentTokens) } },
                ],
        });
      const byOwn = given.door === "recover" && given.refusal !== "cut-off";
      const got = byOwn ? await byHand() : await compactor.send(history, call);
      const [choice] = got.choices;
      if (choice === undefined) throw new Error("no choice");
      const { tool_calls: calls } = choice.message;
      history.push({
        role: "assistant",
        content: choice.message.content,
        ...(calls === undefined ? {} : { tool_calls: calls }),
      });
      for (const [at, { id }] of (calls ?? []).entries())
        history.push({ role: "tool", tool_call_id: id, content: resultText(resultChars[at] ?? 10) });
    },
  };
}

async function agentDoor(given: RefusedSession, answer: (sent: unknown) => Answered): Promise<Door> {
  let requests = 0;
  let resultChars: readonly number[] = [];
  const client: ModelClient = {
    complete: () => Promise.reject(new Error("not asked")),
    stream: async function* ({ context }) {
      requests += 1;
      const requestId = `r${requests}`;
      const { text, results, finish, promptTokens, outputTokens } = (() => {
        try {
          return answer([context.system, context.messages.map(({ role, parts }) => ({ role, parts }))]);
        } catch (error) {
          throw failureOf(error, { provider: "test", key: "none" }).error;
        }
      })();
      resultChars = results;
      const calls = results.map(
        (_, at) =>
          ({
            type: "tool-call",
            callId: `${requestId}-${at}`,
            toolName: "look",
            argumentsJson: `{"at":${at}}`,
            paths: [],
          }) as const,
      );
      const parts = [...(text === "" ? [] : [{ type: "text", text } as const]), ...calls];
      const stopReason = finish === "length" ? "length" : calls.length > 0 ? "tool-calls" : "end";
      const usage = usageOf({
        totalInputTokens: promptTokens,
        outputTokens: promptTokens === null ? null : outputTokens,
        reasoningTokens: null,
      });
      const draft = { role: "assistant", origin: "model", parts, modelId: "m", requestId, stopReason, atMs: null } as const;
      yield { type: "reply", reply: { requestId, draft, stopReason, usage } };
    },
  };
  const tool: AgentTool = {
    spec: { name: "look", description: "Looks.", parametersJson: '{"type":"object"}' },
    category: "generic",
    isRerunnable: true,
    hint: null,
    pathsOf: () => [],
    effectOf: () => ({ kind: "read" }),
    run: async (args) => ({ text: resultText(resultChars[isRecord(args) ? Number(args.at) : 0] ?? 10), isError: false }),
  };
  const agent = await startAgent({
    session: { kind: "new", sessionId: "s", system: SYSTEM },
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    model: { client, modelId: "m", limits: limitsOf(given) },
    policy: given.policy,
    summarizer: createDigest(),
    tools: [tool],
    nowMs: () => 0,
  });
  return {
    entries: () => agent.entries(),
    step: async ({ said, documentTokens }, isAgain) => {
      const document = documentTokens === null || isAgain ? [] : [documentPart(documentTokens)];
      const { error } = await agent.submit([{ type: "text", text: isAgain ? "Go on." : (said ?? "Go on.") }, ...document]);
      if (error !== null) throw error;
    },
  };
}
