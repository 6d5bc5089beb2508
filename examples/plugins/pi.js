/** For pi in a clone that was built: `pi -e examples/plugins/pi.js`. */
import { createPiExtension } from "../../packages/providers/dist/drop-in/pi.js";

// biome-ignore lint/style/noDefaultExport: pi takes the default export of a file.
export default createPiExtension();
