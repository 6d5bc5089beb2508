/** What the process says when it ends. */
export const EXIT_OK = 0;
/** Nothing could be done: every input failed. */
export const EXIT_FAILED = 1;
/** The command line itself was wrong: an unknown option, policy or value. */
export const EXIT_USAGE = 2;
