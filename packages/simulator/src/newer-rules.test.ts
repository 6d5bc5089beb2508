import { describe, expect, test } from "vitest";
import { ask, simulatorWith } from "../testing/simulator-with.ts";
import { recordsAt } from "./fields.ts";
import type { SimulatorOptions } from "./index.ts";

/** A simulator with a function that asks it. */
async function asking(options: Partial<SimulatorOptions> = {}) {
  const simulator = await simulatorWith(options);
  return (path: string, body: unknown) => ask(simulator, path, body);
}

const go = { role: "user", content: "go" };
const yes = { role: "assistant", content: "yes" };
const system = { role: "system", content: "be brief" };
const effort = { role: "system", content: [], output_config: { effort: "low" } };

describe("a system message in the middle of a Messages request", () => {
  test.each<[string, string, readonly unknown[], SimulatorOptions["rules"], number]>([
    ["is the last", "claude-opus-4-8", [go, system], {}, 200],
    ["stands before a reply", "claude-fable-5-2", [go, system, yes, go], {}, 200],
    ["is refused by an older model", "claude-opus-4-7", [go, system], {}, 400],
    ["is refused by an older model with a date", "claude-sonnet-4-20250514", [go, system], {}, 400],
    ["is refused at the beginning", "claude-opus-5", [system, go], {}, 400],
    ["is refused behind a reply", "claude-opus-5", [go, yes, system], {}, 400],
    ["is refused before the user", "claude-opus-5", [go, system, go], {}, 400],
    ["is refused beside another", "claude-opus-5", [go, system, system], {}, 400],
    ["sets the effort alone behind a reply", "claude-fable-5-1", [go, yes, effort, go], {}, 200],
    ["sets the effort alone at the end, and twice", "claude-opus-5-5", [go, effort, effort, yes, go, effort], {}, 200],
    ["sets nothing and says nothing", "claude-opus-5-5", [go, { ...effort, output_config: {} }], {}, 400],
    ["sets the effort beside one with content in a wrong place", "claude-opus-5-5", [go, yes, effort, system, go], {}, 400],
    ["is taken by every model if the rule says so", "claude-opus-4-5", [go, system], { systemMessages: "every-model" }, 200],
    ["is refused by all if the rule says so", "claude-opus-5", [go, system], { systemMessages: "refused" }, 400],
  ])("%s", async (_, model, messages, rules, status) => {
    const ask = await asking({ ...(rules === undefined ? {} : { rules }) });
    expect((await ask("messages", { model, max_tokens: 100, messages })).status).toBe(status);
  });
});

describe("redacted thinking", () => {
  const REQUEST = { model: "claude-fable-5-2", max_tokens: 100, messages: [go] };

  test("goes back as it came, and is bound to what stands before it", async () => {
    const ask = await asking({ reasoning: "every-reply-redacted" });
    const first = recordsAt((await ask("messages", REQUEST)).answer, "content");
    expect(first.map(({ type }) => type)).toEqual(["redacted_thinking", "text"]);
    const messages = [go, { role: "assistant", content: first }, go];
    expect((await ask("messages", { ...REQUEST, messages })).status).toBe(200);
    expect((await ask("messages", { ...REQUEST, messages, system: "other" })).error).toContain("a different conversation");
    const [thinking, text] = first;
    const changed = [{ ...thinking, data: "changed" }, text];
    const told = await ask("messages", { ...REQUEST, messages: [go, { role: "assistant", content: changed }, go] });
    expect(told.error).toContain("Invalid `data` in `redacted_thinking` block");
  });
});

describe("/responses/compact", () => {
  const input = [{ role: "developer", content: "rules" }, go, { role: "assistant", content: "yes" }, go];

  test("leaves the user's messages and one item, which is the next input", async () => {
    const ask = await asking();
    const { answer } = await ask("responses/compact", { model: "gpt-6.2", input });
    const output = recordsAt(answer, "output");
    expect(output.map(({ type, role }) => type ?? role)).toEqual(["user", "user", "compaction"]);
    expect((await ask("responses", { model: "gpt-6.2", input: [...output, go] })).status).toBe(200);
    const changed = output.map((item) => ("type" in item ? { ...item, encrypted_content: "other" } : item));
    expect((await ask("responses", { model: "gpt-6.2", input: [...changed, go] })).status).toBe(400);
  });

  test("is not there if the rule is off", async () => {
    const ask = await asking({ rules: { compactEndpoint: "off" } });
    expect((await ask("responses/compact", { model: "gpt-6.2", input })).status).toBe(404);
  });
});
