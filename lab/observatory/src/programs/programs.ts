import type { Program } from "../program.ts";
import { CLINE } from "./cline.ts";
import { CODEX } from "./codex.ts";
import { GEMINI } from "./gemini.ts";
import { OPENCODE } from "./opencode.ts";
import { PI_NEW, PI_OLD } from "./pi.ts";
import { QWEN } from "./qwen.ts";

/** All programs that are watched. */
export const PROGRAMS: readonly Program[] = [CODEX, OPENCODE, GEMINI, QWEN, PI_OLD, PI_NEW, CLINE];
