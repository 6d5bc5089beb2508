import { expect, test } from "vitest";
import type { ImagePart, Message } from "../message/message.ts";
import { messageChars } from "../message/size.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { calling, human, logOf, never, result, usageEntry } from "../testing/builders.ts";
import { createSession } from "./open-session.ts";

const WINDOW = { contextWindowTokens: 100_000, maxOutputTokens: null } as const;
const TRUE_TOKENS = 75_000;

/** A part of whose size nothing is said. */
const documentAt = (mediaType: string): ImagePart => ({
  ...{ type: "image", mediaType, widthPx: null, heightPx: null, sizeBytes: null },
  source: { kind: "url", url: "https://example.com/a.pdf" },
});

const trueTokens = (messages: readonly Message[]) =>
  messages.reduce(
    (sum, message) =>
      sum + messageChars(message) / 4 + TRUE_TOKENS * message.parts.filter(({ type }) => type === "image").length,
    2000,
  );

/** Eighty steps of 3,000 tokens, after a question about a document of unknown size, and another question. */
async function played(documentPlace: number, mediaType: string) {
  const manager = createSession({
    policy: PLIMSOLL_POLICY,
    summarizer: () => Promise.reject(new Error("not asked")),
    entries: logOf([]),
  });
  const views: (readonly Message[])[] = [];
  let overflows = 0;
  const append = (message: Message) => manager.append({ type: "message", message });
  for (let step = 0; step < 80; step += 1) {
    const asked = human(`u${step}`, `question ${step} of the person`);
    if (step <= 5) append(step === documentPlace ? { ...asked, parts: [...asked.parts, documentAt(mediaType)] } : asked);
    const fitted = await manager.fit({ gate: "before-step", pending: [], model: WINDOW, nowMs: null }, never);
    const { messages } = manager.context();
    views.push(...(fitted.kind === "compacted" ? [messages] : []));
    const promptTokens = Math.round(trueTokens(messages));
    overflows += promptTokens > WINDOW.contextWindowTokens ? 1 : 0;
    manager.append(usageEntry(`q${step}`, messages.at(-1)?.id ?? null, promptTokens));
    append(calling(`a${step}`, [`c${step}`]));
    append(result(`r${step}`, `c${step}`, "some words of a tool ".repeat(570)));
  }
  return { views, overflows };
}

test.each([
  ["the first message", 0, "application/pdf"],
  ["a later message", 2, "application/pdf"],
  ["a message, if it is a film", 2, "video/mp4"],
])("a document of unknown size in %s gives way to a stub at the first cut, and the words stay", async (_, place, mediaType) => {
  const { views, overflows } = await played(place, mediaType);
  expect(views.length).toBeLessThanOrEqual(4);
  expect(overflows).toBe(0);
  const asked = views[0]?.find(({ id }) => id === `u${place}`);
  expect(asked?.parts[0]).toEqual({ type: "text", text: `question ${place} of the person` });
  expect(asked?.parts[1]).toEqual({ type: "text", text: `[${mediaType} cleared: 0 characters; handle u${place}#1]` });
});
