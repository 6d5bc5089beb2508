/** A text that stands beside a mark, and how large it is. All numbers are those of the picture. */
export interface WantedLabel {
  readonly mark: { readonly x: number; readonly y: number };
  /** Between the mark's middle and the text. */
  readonly gap: number;
  readonly width: number;
  readonly height: number;
}

/** Where a label stands: the end of its text that is near its mark, and its middle. */
export interface LabelPlace {
  readonly x: number;
  readonly y: number;
  readonly side: "right" | "left";
}

/** The room that labels must not leave. */
export interface LabelRoom {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Half of what is kept free around a mark that a label does not belong to. */
const MARK_REACH = 5;
/** Places are tried so far apart, and so often, upwards and downwards (chosen). */
const STEP = 3;
const MOST_STEPS = 60;

/**
 * Places labels in their order beside their marks, on the right if there is room: none covers another label or a foreign mark as long as there is
 * room above or below.
 */
export function placeLabels(wanted: readonly WantedLabel[], room: LabelRoom): readonly LabelPlace[] {
  const taken: Box[] = [];
  return wanted.map((label) => {
    const marks = wanted
      .filter(({ mark }) => mark.x !== label.mark.x || mark.y !== label.mark.y)
      .map(({ mark }) => around(mark));
    const isFree = (place: LabelPlace) => ![...taken, ...marks].some((box) => overlaps(box, boxOf(label, place)));
    const candidates = placesOf(label, room);
    const place = candidates.find(isFree) ?? candidates[0] ?? { x: label.mark.x, y: label.mark.y, side: "right" };
    taken.push(boxOf(label, place));
    return place;
  });
}

/** Near places before far ones; of each the right side first. None leaves the room, if it is wide enough. */
function placesOf({ mark, gap, width, height }: WantedLabel, room: LabelRoom): readonly LabelPlace[] {
  const sides = [
    ...(mark.x + gap + width <= room.right ? [{ side: "right", x: mark.x + gap } as const] : []),
    ...(mark.x - gap - width >= room.left ? [{ side: "left", x: mark.x - gap } as const] : []),
  ];
  const isRight = mark.x > (room.left + room.right) / 2;
  const wider = isRight ? ({ side: "left", x: mark.x - gap } as const) : ({ side: "right", x: mark.x + gap } as const);
  const shifts = Array.from({ length: MOST_STEPS }, (_, step) => (step % 2 === 0 ? step / 2 : -(step + 1) / 2) * STEP);
  return shifts.flatMap((shift) => {
    const y = mark.y + shift;
    if (y - height / 2 < room.top || y + height / 2 > room.bottom) return [];
    return (sides.length === 0 ? [wider] : sides).map((side) => ({ ...side, y }));
  });
}

function boxOf({ width, height }: WantedLabel, { x, y, side }: LabelPlace): Box {
  const left = side === "right" ? x : x - width;
  return { left, right: left + width, top: y - height / 2, bottom: y + height / 2 };
}

function around({ x, y }: WantedLabel["mark"]): Box {
  return { left: x - MARK_REACH, right: x + MARK_REACH, top: y - MARK_REACH, bottom: y + MARK_REACH };
}

function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
