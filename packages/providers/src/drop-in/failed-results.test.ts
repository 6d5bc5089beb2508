import { PLIMSOLL_POLICY, type SessionEntry } from "@plimsoll/core";
import { createMemorySessionStore } from "@plimsoll/stores";
import { expect, test } from "vitest";
import { type FormName, ITEM_FORMS, stepItems } from "../../testing/item-forms.ts";
import { COMPACTORS } from "../../testing/kept-items.ts";
import type { ConversationLog } from "./array-conversations.ts";

const limits = { contextWindowTokens: 200_000, maxOutputTokens: 2_000 };
const FAILED = "Exit code 1\nno such file";

const historyOf = (name: FormName): object[] => [
  Object(ITEM_FORMS[name].said("go")),
  ...stepItems(name, { id: "a", name: "run", result: FAILED }),
];

function failures(logs: readonly ConversationLog[]): readonly boolean[] {
  const entries = logs.flatMap((log): readonly SessionEntry[] => log.entries);
  return entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "tool-result" ? [entry.message.isError] : [],
  );
}

test.each<[string, FormName]>([
  ["Chat Completions", "openai-chat"],
  ["Responses", "openai-responses"],
])("a result of %s that failed is logged as one", async (_, name) => {
  const compactor = COMPACTORS[name]({ policy: PLIMSOLL_POLICY, limits });
  expect(await compactor.fit(historyOf(name))).toEqual(historyOf(name));
  expect(failures(compactor.conversations())).toEqual([true]);
});

test("where a wire says which results failed, its word counts", async () => {
  const compactor = COMPACTORS.anthropic({ policy: PLIMSOLL_POLICY, limits });
  await compactor.fit(historyOf("anthropic"));
  expect(failures(compactor.conversations())).toEqual([false]);
});

test("a conversation that is taken up sends a failed result as it came", async () => {
  const options = { policy: PLIMSOLL_POLICY, limits, sessions: createMemorySessionStore() };
  const own = historyOf("openai-chat");
  const first = COMPACTORS["openai-chat"](options);
  await first.fit(own, { conversation: "c" });
  await first.close();
  const second = COMPACTORS["openai-chat"](options);
  const sent = await second.fit(own, { conversation: "c" });
  expect(sent.every((item, place) => item === own[place])).toBe(true);
});
