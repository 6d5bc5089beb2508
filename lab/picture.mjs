/**
 * Makes docs/inspect.png, the picture in README: a bundled session compacted by `plimsoll` in a window of 48k tokens, as `plimsoll inspect` shows it.
 * `pnpm picture`; needs chromium.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { createDigest, createSession, decodeLog, encodeLog, PLIMSOLL_POLICY } from "../packages/core/src/index.ts";
import { root, runNode } from "../scripts/tool.mjs";

const source = join(root, "fixtures/sessions/tour-and-feature.jsonl");
const model = { contextWindowTokens: 48_000, maxOutputTokens: 4_000 };
let nowMs = 0;
const open = () => createSession({ policy: PLIMSOLL_POLICY, summarizer: createDigest(), nowMs: () => nowMs });
const [session, whole] = [open(), open()];
const size = (/** @type {typeof session} */ { context }) => JSON.stringify(context()).length;
for (const entry of decodeLog(readFileSync(source, "utf8"), source).entries) {
  nowMs = entry.type === "message" ? (entry.message.atMs ?? nowMs) : nowMs;
  if (entry.type === "usage") {
    await session.fit({ gate: "before-step", pending: [], model }, AbortSignal.timeout(60_000));
    // The recorded prompt, by the share of its text that is still sent.
    const totalTokens = Math.round(((entry.usage.input.totalTokens ?? 0) * size(session)) / size(whole));
    const input = { ...entry.usage.input, totalTokens, uncachedTokens: totalTokens };
    const usage = { ...entry.usage, input, billed: { ...entry.usage.billed, inputTokens: totalTokens } };
    await session.report(session.view(), { ...entry, usage, atMs: entry.atMs ?? nowMs });
  } else session.append(entry);
  whole.append(entry);
}

const folder = mkdtempSync(join(tmpdir(), "plimsoll-picture-"));
const [log, page] = [join(folder, "session.jsonl"), join(folder, "session.html")];
writeFileSync(log, encodeLog(session.entries()));
await runNode([join(root, "packages/cli/bin/plimsoll.js"), "inspect", "session.jsonl", "--html", page], {
  output: "hold",
  cwd: folder,
});
const { chromium } = createRequire(join(root, "bench/package.json"))("playwright-core");
const browser = await chromium.launch({
  executablePath: process.env.PLIMSOLL_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const view = await browser.newPage({ viewport: { width: 1280, height: 860 } });
await view.goto(pathToFileURL(page).href);
await view.screenshot({ path: join(root, "docs/inspect.png") });
await browser.close();
rmSync(folder, { recursive: true });
