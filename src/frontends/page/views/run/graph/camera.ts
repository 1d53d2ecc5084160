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
/** Smaller than this, names cannot be read well: then a part of the picture is shown at first, not all of it. */
const READABLE = 0.9;
/** What is too high for the room is as wide as it can be, within reason: its names are read, and one scrolls. */
const NARROWEST = 0.75;
/** Below a step stands how long until it is tried again. */
const COUNTDOWN = 18;
const GLIDE_MS = 140;

interface Place {
  readonly x: number;
  readonly y: number;
}
interface Rect extends Box, Place {}

export class Camera {
  x = 0;
  y = 0;
  scale = 1;
  madeOwn: () => void = () => {};
  #isOwn = false;
  /** It does not follow the run: following is off, or a step is chosen. */
  isHeld = true;
  #layer: SVGGElement | null = null;
  #svg: SVGSVGElement | null = null;
  /** The room as it was when the picture was last put into it. */
  #before: Box | undefined;
  /** Counts its ways from place to place: a new one ends the one before. */
  #glides = 0;

  /** The user has moved it: from then on nothing else does. */
  get isOwn(): boolean {
    return this.#isOwn;
  }

  set isOwn(isOwn: boolean) {
    const isNew = isOwn && !this.#isOwn;
    this.#isOwn = isOwn;
    if (isNew) this.madeOwn();
  }

  on(svg: SVGSVGElement | null, layer: SVGGElement | null): void {
    this.#svg = svg;
    this.#layer = layer;
    this.show();
  }

  show(): void {
    this.#layer?.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`);
    this.#svg?.setAttribute("data-detail", this.scale < 0.25 ? "least" : this.scale < 0.45 ? "less" : "all");
  }

  /** All of it, however small. The user asked for it: it stays. */
  fit(picture: Box): void {
    const room = this.#room();
    if (!room || picture.width === 0) return;
    this.isOwn = true;
    this.scale = Math.max(FARTHEST, whole(room, picture));
    this.#center(room, picture);
  }

  /** All of it if that can be read; else the beginning, or the place that matters. */
  begin(picture: Box, entry: Rect | null, focus: Rect | null): void {
    const room = this.#room();
    this.#before = room;
    if (!room || picture.width === 0) return;
    const all = whole(room, picture);
    this.scale = all >= READABLE ? all : Math.max(NARROWEST, Math.min(1, (room.width - 2 * AIR) / picture.width));
    this.#center(room, picture);
    if (entry && picture.width * this.scale > room.width - 2 * AIR)
      this.x = room.width / 2 - (entry.x + entry.width / 2) * this.scale;
    if (focus && !this.#isInSight(focus, room)) {
      this.x = room.width / 2 - (focus.x + focus.width / 2) * this.scale;
      this.y = room.height / 2 - (focus.y + Math.min(focus.height, 80) / 2) * this.scale;
      this.#leaveNoRoomUnused(room, picture);
    }
    this.show();
  }

  /**
   * The room has become higher or lower, as when the banner says more or a panel opens below. What is all in sight stays
   * put, at the same size; what would be hidden moves no further than it takes to see it.
   */
  settle(picture: Box, focus: Rect | null): void {
    const [before, room] = [this.#before, this.#room()];
    this.#before = room;
    if (!room || !before || picture.width === 0 || this.isOwn) return;
    const shown = picture.height * this.scale;
    if (shown <= room.height) {
      const air = Math.min(AIR, (room.height - shown) / 2);
      if (this.y < 0 || this.y + shown > room.height) this.move(0, room.height - shown - air - this.y);
    } else if (whole(room, picture) >= READABLE) {
      this.scale = whole(room, picture);
      this.#center(room, picture);
    } else if (focus && this.#isInSight(focus, before) && !this.#isInSight(focus, room)) {
      this.reveal({ ...focus, height: Math.min(focus.height, 80) });
    }
  }

  /**
   * What runs is brought into sight, with room below for what comes next, so that the picture moves seldom. As long as one
   * of them is in sight, and once the user has chosen where to look, nothing moves.
   */
  follow(running: readonly Rect[], picture: Box, isStill: boolean): void {
    const room = this.#room();
    const [first] = running;
    if (!room || !first || this.isOwn || this.isHeld) return;
    if (running.some((rect) => this.#isInSight(rect, room, COUNTDOWN))) return;
    const from = { x: this.x, y: this.y };
    const left = first.x * this.scale + this.x;
    if (left < 0 || left + first.width * this.scale > room.width)
      this.x = room.width / 2 - (first.x + first.width / 2) * this.scale;
    this.y = room.height / 3 - first.y * this.scale;
    this.#leaveNoRoomUnused(room, picture);
    if (isStill) this.show();
    else this.#glide(from, { x: this.x, y: this.y });
  }

  /** From one place to the other, unless something else moves it meanwhile. */
  #glide(from: Place, to: Place): void {
    const began = performance.now();
    const own = ++this.#glides;
    this.x = from.x;
    this.y = from.y;
    let last = from;
    const step = (now: number): void => {
      if (own !== this.#glides || this.isOwn || this.x !== last.x || this.y !== last.y) return;
      const done = Math.min(1, Math.max(0, now - began) / GLIDE_MS);
      const eased = 1 - (1 - done) ** 2;
      last = { x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased };
      this.x = last.x;
      this.y = last.y;
      this.show();
      if (done < 1) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  /** Near an end of a picture that is larger than the room there would be nothing but ground. */
  #leaveNoRoomUnused(room: Box, picture: Box): void {
    const within = (at: number, size: number, seen: number): number =>
      size <= seen - 2 * AIR ? (seen - size) / 2 : Math.min(AIR, Math.max(seen - AIR - size, at));
    this.x = within(this.x, picture.width * this.scale, room.width);
    this.y = within(this.y, picture.height * this.scale, room.height);
  }

  #room(): Box | undefined {
    const room = this.#svg?.getBoundingClientRect();
    return room && room.width > 0 ? room : undefined;
  }

  #center(room: Box, picture: Box): void {
    this.x = (room.width - picture.width * this.scale) / 2;
    this.y = Math.max(AIR, (room.height - picture.height * this.scale) / 2);
    this.show();
  }

  #isInSight({ x, y, width, height }: Rect, room: Box, below = 0): boolean {
    const [left, top] = [x * this.scale + this.x, y * this.scale + this.y];
    const [right, bottom] = [left + width * this.scale, top + (Math.min(height, 80) + below) * this.scale];
    return left >= 0 && top >= 0 && right <= room.width && bottom <= room.height;
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
  reveal(rect: Rect): void {
    const seen = this.#svg?.getBoundingClientRect();
    if (!seen) return;
    const [left, top] = [rect.x * this.scale + this.x, rect.y * this.scale + this.y];
    const shift = (from: number, size: number, room: number): number =>
      from < AIR ? AIR - from : from + size > room - AIR ? Math.max(room - AIR - from - size, AIR - from) : 0;
    this.move(shift(left, rect.width * this.scale, seen.width), shift(top, rect.height * this.scale, seen.height));
  }
}

const whole = (room: Box, picture: Box): number =>
  Math.min(FIT_AT_MOST, (room.width - 2 * AIR) / picture.width, (room.height - 2 * AIR) / picture.height);
