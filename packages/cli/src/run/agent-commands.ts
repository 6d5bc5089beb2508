import type { Command } from "commander";
import { addChatCommand } from "../chat/chat-command.ts";
import { addCompactCommand } from "../compact/compact-command.ts";
import { addConfigCommand } from "../config/config-command.ts";
import { addInitCommand } from "../init/init-command.ts";
import { addInspectCommand } from "../inspect/inspect-command.ts";
import type { CliIo } from "../io.ts";
import { addModelsCommand } from "../models/models-command.ts";
import { addServeCommand } from "../serve/serve-command.ts";
import { addUndoCommand } from "../undo/undo-command.ts";
import { addRunCommand } from "./run-command.ts";

/** Adds the commands that work with sessions: those that run the agent, and those that look at its logs. */
export function addAgentCommands(program: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  addChatCommand(program, io, onExit);
  addRunCommand(program, io, onExit);
  addServeCommand(program, io, onExit);
  addInspectCommand(program, io, onExit);
  addCompactCommand(program, io, onExit);
  addUndoCommand(program, io, onExit);
  addModelsCommand(program, io, onExit);
  addConfigCommand(program, io, onExit);
  addInitCommand(program, io, onExit);
}
