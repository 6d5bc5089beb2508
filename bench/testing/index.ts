export { exampleReport } from "./example-report.ts";
export { madeTranscript } from "./made-session.ts";
