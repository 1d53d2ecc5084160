import { describe, expect, it } from "vitest";
import { goesOnFollowing, isEndInSight } from "./describe.ts";

const SLACK = 20;
const at = (scrollOffset: number, viewportSize = 600, scrollSize = 1600) => ({
  scrollOffset,
  viewportSize,
  scrollSize,
});

describe("the end of a list", () => {
  it.each([
    [1000, true],
    [980, true],
    [979, false],
    [0, false],
  ])("scrolled to %i: in sight %s", (offset, isInSight) => {
    expect(isEndInSight(at(offset), SLACK)).toBe(isInSight);
  });

  it("is in sight of a list that needs no scrolling", () => {
    expect(isEndInSight(at(0, 600, 600), SLACK)).toBe(true);
  });
});

describe("a list that is followed", () => {
  const followed = { isFollowing: true, offset: 900 };

  it("is until somebody goes up", () => {
    expect(goesOnFollowing(followed, at(700), SLACK)).toBe(false);
  });

  it("still is when more came, or it got smaller, before it was heard that it had moved down", () => {
    expect(goesOnFollowing(followed, at(1000, 600, 2600), SLACK)).toBe(true);
    expect(goesOnFollowing(followed, at(1000, 300), SLACK)).toBe(true);
    expect(goesOnFollowing(followed, at(900, 300), SLACK)).toBe(true);
  });

  it("still is when it got larger, and so had to move up to its end", () => {
    expect(goesOnFollowing(followed, at(800, 800), SLACK)).toBe(true);
  });

  it("is again as soon as one is at its end, and not before", () => {
    const left = { isFollowing: false, offset: 300 };
    expect(goesOnFollowing(left, at(500), SLACK)).toBe(false);
    expect(goesOnFollowing(left, at(1000), SLACK)).toBe(true);
  });
});
