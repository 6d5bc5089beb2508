/**
 * What encoding puts before the first message where a wire must begin with the user: the one place for its words, so that it can be
 * counted. Chosen: it says what happened and asks for nothing.
 */
export const FIRST_MESSAGE_NOTICE = "[The conversation continues from an earlier point.]";
