export { madeTranscript } from "./made-session.ts";
