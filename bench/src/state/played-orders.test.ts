import { textOf } from "@plimsoll/core";
import { expect, test } from "vitest";
import { madeSession } from "./made-session.ts";

const turnOf = (id: string | null) => (id === null ? null : Number(/\d+/.exec(id)?.[0]));

test("the observatory plays the orders of a made session", async () => {
  const { transcript, truth } = madeSession({ seed: 3001, turns: 70, resultChars: 0, pastedChars: 0 });
  const prompts = transcript.entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "user" ? [textOf(entry.message)] : [],
  );
  const orders = truth.orders.map(({ text, revoke, given, revoked }) => {
    return { text, revoke, given: turnOf(given), revoked: turnOf(revoked) };
  });
  const things = truth.things.map(({ name, started, ended }) => ({ name, started: turnOf(started), ended: turnOf(ended) }));
  const file = "../../../lab/observatory/orders/made-3001.json";
  await expect(`${JSON.stringify({ prompts, orders, things }, null, 2)}\n`).toMatchFileSnapshot(file);
});
