import type { Message } from "@plimsoll/core";
import { calling, human, reply, result } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { createSentPrefixes } from "./encode.ts";

/** A task, and steps of a call with its result each. */
const session: readonly Message[] = [
  human("h", "go"),
  ...Array.from({ length: 6 }, (_, index) => [
    calling(`a${index}`, [`c${index}`]),
    result(`r${index}`, `c${index}`, "text"),
  ]).flat(),
];
/** The messages with those of the given ids cleared: new objects. */
const cleared = (messages: readonly Message[], ...ids: readonly string[]): readonly Message[] =>
  messages.map((message) =>
    ids.includes(message.id) && message.role === "tool-result"
      ? { ...message, parts: [{ type: "text", text: "cleared" }] }
      : message,
  );
const summarised = (keep: number): readonly Message[] => [human("s", "summary"), ...session.slice(-keep)];

const firstEdit = cleared(session, "r0", "r1");
const secondEdit = cleared(firstEdit, "r2", "r3");

test.each<[string, readonly (readonly Message[])[], unknown]>([
  ["a first request", [session], null],
  ["one that only grew", [session.slice(0, 3), session.slice(0, 5), session], null],
  ["the same again", [session, session], null],
  [
    "an edit: what ended an earlier request before it is there, and its own end is settled, with the reply behind it",
    [session.slice(0, 1), session.slice(0, 3), session.slice(0, 5), session.slice(0, 7), cleared(session.slice(0, 7), "r1")],
    { readable: 3, settled: 6 },
  ],
  ["an edit of all that was sent", [session, firstEdit], { readable: null, settled: 6 }],
  ["a second edit reads what the first one settled", [session, firstEdit, secondEdit], { readable: 6, settled: 10 }],
  ["nothing is left at the beginning", [session, summarised(4)], { readable: null, settled: 2 }],
  ["another session", [session, [human("x", "other")]], null],
  [
    "a session goes on after another's request",
    [session.slice(0, 1), session.slice(0, 3), [human("x", "other"), reply("y", "so")], cleared(session, "r1")],
    null,
  ],
])("%s", (_, requests, places) => {
  const prefixes = createSentPrefixes();
  expect(requests.map((messages) => prefixes.placesOf(messages)).at(-1)).toEqual(places);
});

test("of many sessions the newest are told apart", () => {
  const prefixes = createSentPrefixes();
  const other = (index: number) => [human(`other-${index}`, "go")];
  prefixes.placesOf(session);
  for (const index of [1, 2, 3]) prefixes.placesOf(other(index));
  expect(prefixes.placesOf(firstEdit)).not.toBeNull();
  for (const index of [4, 5, 6, 7]) prefixes.placesOf(other(index));
  expect(prefixes.placesOf(secondEdit)).toBeNull();
});
