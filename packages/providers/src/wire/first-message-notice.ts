/**
 * What encoding puts where the user has to speak before the assistant can go on, as at the beginning: the one place for its words, so that it can be
 * counted. Chosen: it says what happened and asks for nothing.
 */
export const FIRST_MESSAGE_NOTICE = "[The conversation continues from an earlier point.]";

/** What encoding puts between results and the user where a server wants the assistant's answer there. Chosen: it claims nothing. */
export const RESULTS_NOTICE = "[Results received.]";
