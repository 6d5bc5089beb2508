import { expect, test } from "vitest";
import { createQueue } from "../port-door.ts";

test("work runs one after the other, and a failure stays with its caller", async () => {
  const queue = createQueue();
  const order: string[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = queue.run(async () => {
    order.push("first begins");
    await gate;
    order.push("first ends");
    throw new Error("first failed");
  });
  const second = queue.run(async () => {
    order.push("second");
    return 2;
  });
  expect(queue.pendingCount()).toBe(2);
  open();
  await expect(first).rejects.toThrow("first failed");
  expect(await second).toBe(2);
  expect(order).toEqual(["first begins", "first ends", "second"]);
  expect(queue.pendingCount()).toBe(0);
});
