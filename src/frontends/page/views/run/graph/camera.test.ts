// What is looked at while the room around it changes.
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Camera } from "./camera.ts";

/** A camera before a room that can be made higher and lower. */
function cameraBefore(picture: { width: number; height: number }, focus: Parameters<Camera["begin"]>[2] = null) {
  const room = { width: 1000, height: 600 };
  const svg = { getBoundingClientRect: () => ({ ...room }), setAttribute: () => {} } as unknown as SVGSVGElement;
  const camera = new Camera();
  camera.on(svg, null);
  camera.begin(picture, null, focus);
  const seenAt = (): { x: number; y: number; scale: number } => ({ x: camera.x, y: camera.y, scale: camera.scale });
  const grow = (by: number): void => {
    room.height -= by;
    camera.settle(picture, focus);
  };
  return { camera, room, seenAt, grow };
}

describe("a banner that takes from the height of the room", () => {
  it("leaves a picture alone that is still all in sight", () => {
    const { seenAt, grow } = cameraBefore({ width: 300, height: 300 });
    const first = seenAt();
    grow(40);
    grow(-40);
    expect(seenAt()).toEqual(first);
  });

  it("moves a picture up that it would cut, at the same size", () => {
    const { seenAt, grow } = cameraBefore({ width: 300, height: 540 });
    const first = seenAt();
    grow(40);
    const { x, y, scale } = seenAt();
    expect({ x, scale }).toEqual({ x: first.x, scale: first.scale });
    expect(y).toBeLessThan(first.y);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + 540 * scale).toBeLessThanOrEqual(560);
  });

  it("makes a picture smaller only when it has no room otherwise", () => {
    const { seenAt, grow } = cameraBefore({ width: 300, height: 540 });
    grow(54);
    expect(seenAt().scale).toBe(cameraBefore({ width: 300, height: 540 }).seenAt().scale);
    grow(3);
    expect(seenAt().scale).toBeLessThan(1);
  });

  it("moves a picture that is larger than the room just as far as it takes to see what is chosen", () => {
    const chosen = { x: 100, y: 430, width: 100, height: 40 };
    const { seenAt, grow } = cameraBefore({ width: 300, height: 4000 }, chosen);
    const first = seenAt();
    grow(20);
    expect(seenAt()).toEqual(first);
    grow(300);
    const { x, y, scale } = seenAt();
    expect({ x, scale }).toEqual({ x: first.x, scale: first.scale });
    expect(y + (chosen.y + chosen.height) * scale).toBe(280 - 28);
  });

  it("never moves what somebody has moved", () => {
    const { camera, seenAt, grow } = cameraBefore({ width: 300, height: 540 });
    camera.zoom(1.1, 500, 300);
    const own = seenAt();
    grow(200);
    expect(seenAt()).toEqual(own);
  });
});

describe("a run that goes on", () => {
  const picture = { width: 300, height: 4000 };
  const stepAt = (y: number) => ({ x: 100, y, width: 100, height: 40 });

  it("is followed to a step below the room, with room left for the next ones", () => {
    const { camera, seenAt } = cameraBefore(picture);
    camera.isHeld = false;
    camera.follow([stepAt(1500)], picture, true);
    expect(seenAt().y + 1500 * seenAt().scale).toBe(200);
  });

  it("is followed to where it is now, also while the picture is still on its way to an earlier step", () => {
    const due: FrameRequestCallback[] = [];
    vi.stubGlobal("requestAnimationFrame", (callback: FrameRequestCallback) => due.push(callback));
    onTestFinished(() => void vi.unstubAllGlobals());
    const frame = (now: number): void => {
      for (const callback of due.splice(0)) callback(now);
    };
    const { camera, seenAt } = cameraBefore(picture);
    camera.isHeld = false;
    camera.follow([stepAt(1500)], picture, false);
    frame(performance.now() + 10);
    camera.follow([stepAt(3000)], picture, false);
    for (const end = performance.now() + 60_000; due.length > 0; ) frame(end);
    expect(seenAt().y + 3000 * seenAt().scale).toBe(200);
  });

  it("moves nothing while one of the steps that run is in sight", () => {
    const { camera, seenAt } = cameraBefore(picture);
    camera.isHeld = false;
    const first = seenAt();
    camera.follow([stepAt(1500), stepAt(300)], picture, true);
    expect(seenAt()).toEqual(first);
  });

  it("is not followed once somebody has moved the picture or chosen a step", () => {
    for (const act of [(camera: Camera) => camera.zoom(1.1, 500, 300), (camera: Camera) => (camera.isHeld = true)]) {
      const { camera, seenAt } = cameraBefore(picture);
      camera.isHeld = false;
      act(camera);
      const own = seenAt();
      camera.follow([stepAt(1500)], picture, true);
      expect(seenAt()).toEqual(own);
    }
  });
});
