// A picture that can be moved, zoomed and clicked. It knows nothing of runs: lights and choice are given.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { PictureLayout } from "../../../../../graph/arrange/placed.ts";
import type { Lights } from "../../../../../graph/lights.ts";
import { ARROWS, paintPicture } from "../../../../../graph/paint/index.ts";
import type { GroupShape } from "../../../../../graph/paint/shape.ts";
import { serverNow } from "../../../api/clock.ts";
import { IconButton } from "../../../parts/button.tsx";
import { waitText } from "../../../text.ts";
import type { Camera } from "./camera.ts";
import { FindingMarks, type NodeFinding, PaintedGroup, unchanged } from "./shape.tsx";
import { beginningOf, drawnOf, focusOf, followedIn } from "./walk.ts";

/** One of the cells of a for_each: when there are many items, it stands for several of them. */
export interface StripCell {
  readonly index: number;
  readonly cells: number;
}

interface CanvasProps {
  readonly layout: PictureLayout;
  readonly lights: Lights | null;
  readonly camera: Camera;
  readonly chosen: string | null;
  readonly findings: readonly NodeFinding[];
  /** It goes on now. */
  readonly isLive: boolean;
  /** The picture follows what runs or asks, until it is moved by hand or a step is chosen. */
  readonly isFollowed: boolean;
  readonly asked: readonly string[];
  readonly matter: string | null;
  readonly choose: (node: string, cell: StripCell | null) => void;
  readonly unfold: (node: string) => void;
  readonly children?: ComponentChildren;
}

/** Further than this a press is a drag, not a click. */
const DRAG = 4;

export function Canvas(props: CanvasProps) {
  const { layout, lights, camera, chosen, matter, findings, isFollowed, choose, unfold, children } = props;
  const svg = useRef<SVGSVGElement>(null);
  const layer = useRef<SVGGElement>(null);
  const before = useRef(new Map<string, { text: string; shape: GroupShape }>());
  useLayoutEffect(() => {
    camera.on(svg.current, layer.current);
    if (!camera.isOwn) camera.begin(layout, beginningOf(layout), focusOf(layout, { lights, chosen, matter }));
  }, [camera, layout]);
  camera.isHeld = !isFollowed;
  useFollowing(props);
  const looked = useRef({ lights, chosen, matter });
  looked.current = { lights, chosen, matter };
  useEffect(() => {
    const element = svg.current;
    if (!element) return;
    // A banner that says more while the run goes on takes from the height: it must not move what is looked at elsewhere.
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      const focus = focusOf(layout, looked.current);
      if (!camera.isOwn && element.clientWidth !== width) camera.begin(layout, beginningOf(layout), focus);
      else camera.settle(layout, focus);
      width = element.clientWidth;
    });
    observer.observe(element);
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const lines = event.deltaMode === 1 ? 18 : 1;
      camera.zoom(
        Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0015)),
        event.clientX - left,
        event.clientY - top,
      );
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener("wheel", onWheel);
    };
  }, [camera, layout]);
  const shapes = unchanged(before.current, paintPicture(layout, lights));
  return (
    <div class="graph">
      <svg
        ref={svg}
        role="img"
        aria-label={`Graph of ${layout.title}. The story says the same in words.`}
        onPointerDown={(event) => press(event, camera, choose)}
        onDblClick={(event) => {
          const node = nodeUnder(event.target);
          if (node !== null) unfold(node);
        }}
      >
        <defs>
          {ARROWS.map((name) => (
            <marker
              id={`arrow-${name}`}
              key={name}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="9"
              markerHeight="9"
              markerUnits="userSpaceOnUse"
              orient="auto"
            >
              <path class={`arrow-${name}`} d="M0 0.5L8 4L0 7.5Z" />
            </marker>
          ))}
        </defs>
        <g ref={layer}>
          {shapes.map((shape) => (
            <PaintedGroup shape={shape} isChosen={"node" in shape.of && shape.of.node === chosen} key={shape.id} />
          ))}
          {lights && <Countdowns layout={layout} lights={lights} />}
          <FindingMarks layout={layout} findings={findings} />
        </g>
      </svg>
      <div class="graph-tools">
        {children}
        <IconButton is="" icon="plus" label="Nearer" title="Nearer (+)" onClick={() => camera.zoomInMiddle(1.3)} />
        <IconButton
          is=""
          icon="minus"
          label="Further"
          title="Further (-)"
          onClick={() => camera.zoomInMiddle(1 / 1.3)}
        />
        <IconButton is="" icon="fit" label="Fit" title="Fit (f)" onClick={() => camera.fit(layout)} />
      </div>
    </div>
  );
}

/** Brings what asks or runs into sight, and what failed at last; a run that had ended before is left as it is. */
function useFollowing({ layout, lights, camera, isLive, asked }: CanvasProps): void {
  const wasLive = useRef(false);
  const hasEnded = wasLive.current && !isLive;
  wasLive.current = isLive;
  const asking = drawnOf(layout, asked);
  const going = lights && (isLive || hasEnded) ? followedIn(layout, lights, hasEnded) : [];
  const followed = asking.length > 0 ? asking : going;
  useEffect(() => {
    camera.follow(followed, layout, matchMedia("(prefers-reduced-motion: reduce)").matches);
  }, [camera, layout, camera.isHeld, followed.map(({ id }) => id).join("\n")]);
}

const nodeUnder = (target: EventTarget | null): string | null =>
  (target instanceof Element ? target.closest("[data-node]")?.getAttribute("data-node") : null) ?? null;

function cellUnder(target: EventTarget | null): StripCell | null {
  if (!(target instanceof Element) || !target.classList.contains("cell")) return null;
  const cells = [...(target.parentElement?.querySelectorAll(":scope > .cell") ?? [])];
  return { index: cells.indexOf(target), cells: cells.length };
}

function press(event: PointerEvent, camera: Camera, choose: CanvasProps["choose"]): void {
  if (event.button !== 0) return;
  const svg = event.currentTarget as SVGSVGElement;
  const { target } = event;
  let [x, y, far] = [event.clientX, event.clientY, 0];
  const onMove = (moved: PointerEvent): void => {
    far += Math.abs(moved.clientX - x) + Math.abs(moved.clientY - y);
    if (far > DRAG) {
      svg.setPointerCapture(event.pointerId);
      svg.classList.add("dragging");
      camera.isOwn = true;
      camera.move(moved.clientX - x, moved.clientY - y);
    }
    [x, y] = [moved.clientX, moved.clientY];
  };
  const onUp = (): void => {
    svg.removeEventListener("pointermove", onMove);
    svg.removeEventListener("pointerup", onUp);
    svg.removeEventListener("pointercancel", onUp);
    svg.classList.remove("dragging");
    const node = nodeUnder(target);
    if (far <= DRAG && node !== null) choose(node, cellUnder(target));
  };
  svg.addEventListener("pointermove", onMove);
  svg.addEventListener("pointerup", onUp);
  svg.addEventListener("pointercancel", onUp);
}

/** How long until a step is tried again, on the step, by the server's clock. */
const Countdowns = ({ layout, lights }: { readonly layout: PictureLayout; readonly lights: Lights }) => (
  <>
    {layout.nodes.map(({ id, x, y, width, height }) => {
      const until = lights.nodes[id]?.retryAt;
      return until && <Countdown x={x + width / 2} y={y + height + 12} until={until} key={id} />;
    })}
  </>
);

const Countdown = ({ x, y, until }: { readonly x: number; readonly y: number; readonly until: string }) => (
  <text class="countdown" x={x} y={y} text-anchor="middle">
    {`again ${waitText(until, serverNow.value)}`}
  </text>
);
