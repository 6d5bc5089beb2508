/**
 * Replaces Claude Code, which is not open source and is not run: it asks on its wire, keeps a log in its form, compacts by a summary without a word of the history,
 * and starts the plugin's hooks with payloads made from its reference (code.claude.com/docs/en/hooks, read in November 2026).
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const [url, hooksFile, command, prompt, compactAtTokens] = process.argv.slice(2);
const home = process.env.HOME ?? "";
const log = join(home, "session.jsonl");
const tools = ["Read", "Bash"].map((name) => ({ name, description: name, input_schema: { type: "object" } }));
const { hooks } = JSON.parse(readFileSync(hooksFile, "utf8"));

let lines = 0;
const append = (line) => {
  const parentUuid = lines === 0 || line.subtype === "compact_boundary" ? null : `u${lines - 1}`;
  const own = { uuid: `u${lines}`, parentUuid, isSidechain: false, sessionId: "s", version: "2.1.0", cwd: process.cwd() };
  appendFileSync(log, `${JSON.stringify({ ...own, timestamp: "2026-11-23T00:00:00Z", ...line })}\n`);
  lines += 1;
};

async function ask(messages, withTools) {
  const body = { model: "claude-simulated", max_tokens: 2_000, cache_control: { type: "ephemeral" }, messages };
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": "simulated", "anthropic-version": "2023-06-01", "content-type": "application/json" },
    body: JSON.stringify(withTools ? { ...body, tools } : body),
  });
  const reply = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(reply));
  return reply;
}

/** Starts the hooks of an event whose matcher fits, and gives their additions to the context. */
function startHooks(event, more, matched) {
  const payload = {
    session_id: "s",
    transcript_path: log,
    cwd: process.cwd(),
    permission_mode: "default",
    hook_event_name: event,
  };
  const groups = (hooks[event] ?? []).filter(
    ({ matcher = "" }) => matcher === "" || new RegExp(`^(${matcher})$`).test(matched),
  );
  return groups.flatMap((group) =>
    group.hooks.map((hook) => {
      const [file, ...args] = hook.command
        .split(" ")
        .flatMap((word) => (word === "plimsoll" ? [process.execPath, command] : [word]));
      const printed = execFileSync(file, args, { input: JSON.stringify({ ...payload, ...more }), encoding: "utf8" });
      if (printed === "") return "";
      appendFileSync(join(home, "put-back.jsonl"), printed);
      return JSON.parse(printed).hookSpecificOutput.additionalContext;
    }),
  );
}

/** A compaction as the program makes one: the history becomes a summary, and hooks may add to it. */
async function compacted(messages) {
  startHooks("PreCompact", { trigger: "auto", custom_instructions: "" }, "auto");
  const { content } = await ask([...messages, { role: "user", content: "Sum up." }], false);
  append({ type: "system", subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 0 } });
  append({ type: "user", isCompactSummary: true, message: { role: "user", content: content[0].text } });
  const added = startHooks("SessionStart", { source: "compact", model: "claude-simulated" }, "compact");
  const texts = [content[0].text, ...added].filter((text) => text !== "");
  return [{ role: "user", content: texts.map((text) => ({ type: "text", text })) }];
}

const run = ({ name, input }) =>
  name === "Read" ? readFileSync(input.file_path, "utf8") : execFileSync("sh", ["-c", input.command], { encoding: "utf8" });

let messages = [{ role: "user", content: prompt }];
append({ type: "user", message: messages[0] });
for (;;) {
  const reply = await ask(messages, true);
  append({ type: "assistant", requestId: reply.id, message: reply });
  messages.push({ role: "assistant", content: reply.content });
  const calls = reply.content.filter(({ type }) => type === "tool_use");
  if (calls.length === 0) break;
  const results = calls.map((call) => ({ type: "tool_result", tool_use_id: call.id, content: run(call) }));
  messages.push({ role: "user", content: results });
  append({ type: "user", message: messages.at(-1) });
  const { input_tokens: plain, cache_read_input_tokens: read = 0, cache_creation_input_tokens: written = 0 } = reply.usage;
  if (plain + read + written > Number(compactAtTokens)) messages = await compacted(messages);
}
process.stdout.write(messages.at(-1).content[0].text);
