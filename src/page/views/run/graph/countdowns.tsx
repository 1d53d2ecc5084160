// How long until a step is tried again, on the step, by the server's clock.
import type { PictureLayout } from "../../../../graph/arrange/placed.ts";
import type { Lights } from "../../../../graph/lights.ts";
import { durationText } from "../../../parts/text.ts";
import { serverNow } from "../../../state/clock.ts";

export function Countdowns({ layout, lights }: { readonly layout: PictureLayout; readonly lights: Lights }) {
  const waiting = layout.nodes.flatMap((node) => {
    const until = lights.nodes[node.id]?.retryAt;
    return until ? [{ node, until: Date.parse(until) }] : [];
  });
  return (
    <>
      {waiting.map(({ node, until }) => (
        <Countdown x={node.x + node.width / 2} y={node.y + node.height + 12} until={until} key={node.id} />
      ))}
    </>
  );
}

function Countdown({ x, y, until }: { readonly x: number; readonly y: number; readonly until: number }) {
  // What is written stands for half a second: rounded so that it is never wrong by more than one.
  const seconds = Math.max(0, Math.floor((until - serverNow.value) / 1000 + 0.25));
  return (
    <text class="countdown" x={x} y={y} text-anchor="middle">
      {seconds === 0 ? "again now" : `again in ${durationText(seconds * 1000)}`}
    </text>
  );
}
