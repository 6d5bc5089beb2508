import type { AgentKnobs } from "./agent-knobs.ts";

/** Qwen Code: its knob is known; its importer has seen no recording, so that nothing is proposed. */
export const QWEN_CODE_KNOBS: AgentKnobs = {
  agent: "qwen-code",
  title: "Qwen Code",
  version: "0.24.4",
  from: null,
  readOn: "2026-11-22",
  standing: "primary",
  place: { form: "json", base: ".qwen", variable: null, names: ["settings.json"] },
  knobs: [
    {
      path: "context.autoCompactThreshold",
      source: "@qwen-code/qwen-code, docs/configuration/settings.md and settings schema in its bundle",
    },
  ],
  nothingToTurn: "no recorded session was available",
  behindProxy: null,
  replay: null,
};
