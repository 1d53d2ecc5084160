// Whether a list keeps its end in sight as more comes, until the user scrolls up.
import type { RowsHandle } from "../../../parts/rows.tsx";

type Sight = Pick<RowsHandle, "scrollOffset" | "scrollSize" | "viewportSize">;

/** @param slack so much may be out of sight */
export const isEndInSight = ({ scrollOffset, scrollSize, viewportSize }: Sight, slack: number): boolean =>
  scrollOffset + viewportSize >= scrollSize - slack;

/**
 * After the list moved. Only scrolling up is the user's wish: where more came, or the list got smaller, before the
 * scroll event arrived, the end is out of sight without one.
 */
export const goesOnFollowing = (
  before: { readonly isFollowing: boolean; readonly offset: number },
  now: Sight,
  slack: number,
): boolean => isEndInSight(now, slack) || (before.isFollowing && now.scrollOffset >= before.offset);
