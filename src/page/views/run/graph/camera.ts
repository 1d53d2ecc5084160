// Where one looks: a shift and a scale, put on the drawing directly, since a render for every pixel would be too slow.

export interface Box {
  readonly width: number;
  readonly height: number;
}

const NEAREST = 3;
const FARTHEST = 0.04;
const AIR = 28;
/** A small graph is not blown up. */
const FIT_AT_MOST = 1.25;

export class Camera {
  x = 0;
  y = 0;
  scale = 1;
  /** Somebody has moved it: from then on only they do. */
  isOwn = false;
  #layer: SVGGElement | null = null;
  #svg: SVGSVGElement | null = null;

  on(svg: SVGSVGElement | null, layer: SVGGElement | null): void {
    this.#svg = svg;
    this.#layer = layer;
    this.show();
  }

  show(): void {
    this.#layer?.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`);
    this.#svg?.setAttribute("data-detail", this.scale < 0.25 ? "least" : this.scale < 0.45 ? "less" : "all");
  }

  fit(picture: Box): void {
    const room = this.#svg?.getBoundingClientRect();
    if (!room || room.width === 0 || picture.width === 0) return;
    const wanted = Math.min((room.width - 2 * AIR) / picture.width, (room.height - 2 * AIR) / picture.height);
    this.scale = Math.max(FARTHEST, Math.min(FIT_AT_MOST, wanted));
    this.x = (room.width - picture.width * this.scale) / 2;
    this.y = Math.max(AIR, (room.height - picture.height * this.scale) / 2);
    this.show();
  }

  move(dx: number, dy: number): void {
    this.x += dx;
    this.y += dy;
    this.show();
  }

  /** What is under the point stays under it. */
  zoom(factor: number, atX: number, atY: number): void {
    const next = Math.max(FARTHEST, Math.min(NEAREST, this.scale * factor));
    const ratio = next / this.scale;
    this.x = atX - (atX - this.x) * ratio;
    this.y = atY - (atY - this.y) * ratio;
    this.scale = next;
    this.isOwn = true;
    this.show();
  }

  zoomInMiddle(factor: number): void {
    const room = this.#svg?.getBoundingClientRect();
    if (room) this.zoom(factor, room.width / 2, room.height / 2);
  }

  /** Moves just as far as it takes to see it. */
  reveal(rect: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }): void {
    const seen = this.#svg?.getBoundingClientRect();
    if (!seen) return;
    const [left, top] = [rect.x * this.scale + this.x, rect.y * this.scale + this.y];
    const shift = (from: number, size: number, room: number): number =>
      from < AIR ? AIR - from : from + size > room - AIR ? Math.max(room - AIR - from - size, AIR - from) : 0;
    this.move(shift(left, rect.width * this.scale, seen.width), shift(top, rect.height * this.scale, seen.height));
  }
}
