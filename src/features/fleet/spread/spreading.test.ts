import { expect, it } from "vitest";
import type { RunEvent } from "../../../base/events/registry.ts";
import { sharesOf } from "../postgres/queue/spreads.ts";
import { inOrderOfTime, type StreamNews } from "./spreading.ts";

const news = (stream: string, ...seconds: readonly number[]): StreamNews => ({
  stream,
  taken: 0,
  events: seconds.map(
    (second, at) =>
      ({ seq: at + 1, ts: new Date(second * 1000).toISOString(), type: "warning" }) as unknown as RunEvent,
  ),
});

const order = (...streams: readonly StreamNews[]): string =>
  inOrderOfTime(streams)
    .map(({ stream, event }) => `${stream}${event.seq}`)
    .join(" ");

it("puts the events of several streams in order of time", () => {
  expect(order(news("a", 1, 4, 5), news("b", 2, 3, 6))).toBe("a1 b1 b2 a2 a3 b3");
});

it("never turns round what one stream says, also when its clock was set back", () => {
  expect(order(news("a", 10, 11, 2, 3, 12), news("b", 1, 11.5))).toBe("b1 a1 a2 a3 a4 b2 a5");
});

it("leaves what has one time as it came", () => {
  expect(order(news("b", 1, 1), news("a", 1))).toBe("b1 b2 a1");
});

it("divides the members that may run at once among the shares, and lets there be no more", () => {
  expect(sharesOf(7, 3)).toEqual([3, 2, 2]);
  expect(sharesOf(2, 3)).toEqual([1, 1, 0]);
});
