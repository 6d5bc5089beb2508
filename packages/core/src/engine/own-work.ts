import type { WorkCount } from "../entry.ts";
import type { GiveWay } from "../pace.ts";
import type { WorkCounter } from "../tokens/work.ts";
import { workBetween } from "../tokens/work.ts";

/** The work of one fit, without what others did while it rested. */
export interface OwnWork {
  /** Gives way, and takes note of what is done meanwhile; `null` if the fit never rests. */
  readonly giveWay: GiveWay | null;
  /** The fit's own work so far. */
  sinceStart(): WorkCount;
}

/** Counts from now on. */
export function ownWork(work: WorkCounter, giveWay: GiveWay | null): OwnWork {
  let start = work.total();
  return {
    giveWay:
      giveWay === null
        ? null
        : async () => {
            const own = workBetween(start, work.total());
            await giveWay();
            // From here it goes on as if it had begun later, with as much done.
            start = workBetween(own, work.total());
          },
    sinceStart: () => workBetween(start, work.total()),
  };
}
