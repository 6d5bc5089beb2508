import type { Played } from "./play.ts";

/** The most plays of one scenario until one is whole. Chosen: on a busy machine one in five loses an output. */
const MOST_PLAYS = 8;

/**
 * Plays until no output of a command was lost on its way to the model: the question is the program's behaviour at a size, not its shell's losses.
 *
 * @throws Error if every play lost some.
 */
export async function playedWhole<P extends Pick<Played, "lostOutputs">>(name: string, play: () => Promise<P>): Promise<P> {
  for (let plays = 0; plays < MOST_PLAYS; plays++) {
    const played = await play();
    if (played.lostOutputs.length === 0) return played;
  }
  throw new Error(
    `${name}: output of a command was lost in each of ${MOST_PLAYS} plays: run it on a machine that is less busy`,
  );
}
