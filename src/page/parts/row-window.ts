// Which rows of a very long list are in sight. A browser draws no element that is higher than some millions of pixels: then
// the scroll bar is a scale, and a wheel still moves row by row.

/** Every browser draws elements as high as this. */
export const HIGHEST = 8_000_000;

export interface RowWindow {
  /** How high the list pretends to be. */
  readonly height: number;
  readonly first: number;
  readonly last: number;
  /** Where the first row is drawn. */
  readonly top: number;
  /** How many pixels of rows one pixel of scrolling is. */
  readonly scale: number;
}

export function rowWindow(count: number, row: number, viewport: number, scrolled: number): RowWindow {
  const whole = count * row;
  const height = Math.min(whole, HIGHEST);
  const scale = height === whole || height <= viewport ? 1 : (whole - viewport) / (height - viewport);
  const offset = Math.max(0, Math.min(scrolled * scale, whole - viewport));
  const first = Math.max(0, Math.floor(offset / row));
  const last = Math.min(count - 1, Math.ceil((offset + viewport) / row));
  return { height, first, last, top: scrolled - (offset - first * row), scale };
}

/** How far to scroll so that a row stands in the middle. */
export function scrollTo(index: number, count: number, row: number, viewport: number): number {
  const { scale } = rowWindow(count, row, viewport, 0);
  return Math.max(0, (index * row - (viewport - row) / 2) / scale);
}
