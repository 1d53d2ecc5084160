// Several streams as one. What a stream says comes in its own order, whatever its times are: a clock may have been set back
// in the middle, or another machine went on with it.
import type { RunEvent } from "../events/registry.ts";
import type { StreamNews } from "./spreading.ts";

export interface Placed extends Pick<StreamNews, "stream" | "taken"> {
  readonly event: RunEvent;
}

export function inOrderOfTime(streams: readonly StreamNews[]): readonly Placed[] {
  const timed = streams.flatMap(({ stream, taken, events }) => {
    let at = "";
    return events.map((event) => {
      if (event.ts > at) at = event.ts;
      return { at, placed: { stream, taken, event } };
    });
  });
  timed.sort((one, two) => (one.at < two.at ? -1 : one.at > two.at ? 1 : 0));
  return timed.map(({ placed }) => placed);
}
