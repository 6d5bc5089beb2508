/** For OpenCode in a clone that was built: docs/use-in/opencode.md has the command. */
import { createOpenCodePlugin } from "../../packages/providers/dist/drop-in/opencode.js";

export const Plimsoll = createOpenCodePlugin();
