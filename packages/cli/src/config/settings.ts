import type { Policy } from "@plimsoll/core";
import { sizeOf } from "@plimsoll/core/extend";
import { z } from "zod";
import { type McpServer, mcpServersSchema } from "../mcp/mcp-server.ts";

/** A number of tokens, or a size as people write it: `24k`. Other values are refused as no number. */
const size = z.preprocess((value) => (typeof value === "string" ? (sizeOf(value) ?? value) : value), z.int().positive());

/** The schema of settings; policy keys are read apart. */
export const settingsSchema = z.strictObject({
  model: z.string().min(1).optional(),
  context_window: size.optional(),
  max_output_tokens: size.optional(),
  max_steps: z.int().positive().optional(),
  timeout_seconds: z.number().positive().optional(),
  lint: z.string().min(1).optional(),
  sessions: z.string().min(1).optional(),
  hand_off: z.boolean().optional(),
  pass_env: z.string().min(1).optional(),
});

/** Settings of a person, in addition to the policy. An unset key is absent. */
export type Settings = z.infer<typeof settingsSchema>;

/** A key of the settings. */
export type SettingKey = keyof Settings;

/** The schema of a file's settings. */
export const fileSettingsSchema = settingsSchema.extend({ mcpServers: mcpServersSchema.optional() });

/** Settings of a file: those of a person, and MCP servers by name. */
export type FileSettings = z.infer<typeof fileSettingsSchema>;

/** Every key, with its default. */
export const SETTING_KEYS: readonly { readonly key: SettingKey; readonly fallback: string }[] = [
  { key: "model", fallback: "sonnet" },
  { key: "context_window", fallback: "the model's known limits" },
  { key: "max_output_tokens", fallback: "the model's known limits" },
  { key: "max_steps", fallback: "200" },
  { key: "timeout_seconds", fallback: "120" },
  { key: "lint", fallback: "none" },
  { key: "sessions", fallback: ".plimsoll/sessions" },
  { key: "hand_off", fallback: "false" },
  { key: "pass_env", fallback: "none" },
];

/** A value with where it was set: a file and line, a variable, a flag, or `default`. */
interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/** A server with its source and that source's owner: a server in a project's file starts only if the person allows it. */
export interface SetServer extends Sourced<McpServer> {
  readonly owner: ConfigOwner;
}

/** A file's owner: the project's comes with a clone and may be anyone's, the one in the home folder is the person's own. */
export type ConfigOwner = "project" | "person";

/** A policy with where it was chosen, and where each of its values comes from. */
export interface ChosenPolicy extends Sourced<Policy> {
  originOf(path: readonly PropertyKey[]): string;
  /** Lines about words of an earlier version in its file. */
  readonly notes?: readonly string[];
}

/** The settings that hold, each value with its source. */
export interface EffectiveConfig {
  readonly settings: { readonly [Key in SettingKey]?: Sourced<NonNullable<Settings[Key]>> };
  readonly policy: ChosenPolicy;
  readonly mcpServers: ReadonlyMap<string, SetServer>;
}
