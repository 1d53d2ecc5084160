// The graph of a run: the picture of its file, lit by the moment that is shown.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { keepInPlace, type PictureLayout } from "../../../../../graph/arrange/placed.ts";
import type { Lights } from "../../../../../graph/lights.ts";
import { type Picture, unfoldedAtFirst } from "../../../../../graph/picture.ts";
import { scriptAddress } from "../../../api/stream.ts";
import { Button } from "../../../parts/button.tsx";
import { PaneTrouble } from "../../../parts/pane.tsx";
import { change, query } from "../../../state/address.ts";
import { useKeys } from "../../../state/keys.ts";
import { messageOf } from "../../../text.ts";
import { Camera } from "./camera.ts";
import { Canvas, type StripCell } from "./canvas.tsx";
import type { LayoutAnswer, LayoutQuestion } from "./layout-worker.ts";
import type { NodeFinding } from "./shape.tsx";
import { type Arrow, isStep, nextNode } from "./walk.ts";

interface GraphProps {
  /** What the picture is known by. */
  readonly name: string;
  /** While this is the same, another picture is seen from where the user has moved to; the name when left out. */
  readonly place?: string;
  readonly picture: Picture;
  readonly lights: Lights | null;
  readonly chosen: string | null;
  readonly findings?: readonly NodeFinding[];
  readonly isLive?: boolean;
  /** The steps at which a person is asked now: they come into sight by themselves. */
  readonly asked?: readonly string[];
  /** What is in sight at first, where nothing waits, failed or runs. */
  readonly matter?: string | null;
  /** @param cell which of the cells of a for_each was meant */
  readonly choose: (node: string, cell: StripCell | null) => void;
  readonly nextItem?: (node: string) => void;
}

const NO_STEPS: readonly string[] = [];
const NO_FINDINGS: readonly NodeFinding[] = [];

export function GraphView(props: GraphProps) {
  const { name, place = name, picture, lights, chosen, isLive = false, asked = NO_STEPS, choose, nextItem } = props;
  const camera = useMemo(() => new Camera(), [place]);
  const { isFollowed, follow } = useFollow(camera, asked, chosen);
  const layout = useSignal<PictureLayout | null>(null);
  const problem = useSignal<string | null>(null);
  const unfolded = useUnfolded(picture);
  /** The node that was clicked to unfold it: it stays where it is. */
  const anchor = useRef<string | null>(null);
  useEffect(() => {
    let isGone = false;
    layoutFor(name, picture, unfolded).then(
      (next) => {
        if (isGone) return;
        const before = layout.peek();
        if (before && anchor.current !== null) {
          const { dx, dy } = keepInPlace(before, next, anchor.current);
          camera.isOwn = true;
          camera.move(dx * camera.scale, dy * camera.scale);
        }
        anchor.current = null;
        problem.value = null;
        layout.value = next;
      },
      (error: unknown) => {
        if (!isGone) problem.value = messageOf(error);
      },
    );
    return () => {
      isGone = true;
    };
  }, [name, [...unfolded].join()]);

  const laid = layout.value;
  const unfold = (node: string | null): void => {
    if (node === null || !isSubworkflow(picture, node)) return;
    anchor.current = node;
    const next = new Set(unfolded);
    if (!next.delete(node)) next.add(node);
    change({ open: [...next].join(",") || "none" });
  };
  const walk = (arrow: Arrow): void => {
    if (!laid) return;
    const taken = new Set(lights?.taken);
    const next = nextNode(laid, chosen, arrow, (route) => taken.has(route));
    const node = laid.nodes.find(({ id }) => id === next);
    if (!node) return;
    choose(node.id, null);
    camera.reveal({ ...node, height: Math.min(node.height, 80) });
  };
  useKeys("graph", {
    down: () => walk("ArrowDown"),
    up: () => walk("ArrowUp"),
    left: () => walk("ArrowLeft"),
    right: () => walk("ArrowRight"),
    fit: () => laid && camera.fit(laid),
    nearer: () => camera.zoomInMiddle(1.3),
    further: () => camera.zoomInMiddle(1 / 1.3),
    unfold: () => unfold(chosen),
    nextItem: () => {
      const all = forEachesIn(picture);
      const meant = chosen ?? (all.length === 1 ? all[0] : undefined);
      if (meant !== undefined) nextItem?.(meant);
    },
  });
  if (problem.value) return <PaneTrouble message={`The graph: ${problem.value}`} />;
  if (!laid) return <p class="quiet">Laying out the graph …</p>;
  return (
    <Canvas
      layout={laid}
      lights={lights}
      camera={camera}
      chosen={chosen}
      findings={props.findings ?? NO_FINDINGS}
      isLive={isLive}
      isFollowed={isFollowed}
      asked={asked}
      matter={props.matter ?? null}
      unfold={unfold}
      choose={(node, cell) => {
        const found = laid.nodes.find(({ id }) => id === node);
        if (found && isStep(found)) choose(node, cell);
      }}
    >
      {isLive && (
        <Button
          label="Follow the run"
          aria-pressed={isFollowed}
          title="Keep in sight what runs, until you move the picture or choose a step"
          onClick={() => follow(!isFollowed)}
        />
      )}
    </Canvas>
  );
}

/**
 * Whether the picture follows the run. It does when the user turned that on; and by itself to a step at which a person
 * is asked, since nothing goes on before they have seen it. Until they move the picture or choose a step.
 */
function useFollow(camera: Camera, asked: readonly string[], chosen: string | null) {
  const isWanted = useComputed(() => query.value["follow"] !== undefined).value;
  const isMoved = useSignal(false);
  camera.madeOwn = () => {
    isMoved.value = true;
    if (query.peek()["follow"] !== undefined) change({ follow: null });
  };
  const follow = (isToFollow: boolean): void => {
    isMoved.value = !isToFollow;
    camera.isOwn = false;
    change(isToFollow ? { follow: 1, step: null, item: null } : { follow: null });
  };
  return { isFollowed: chosen === null && (isWanted || (asked.length > 0 && !isMoved.value)), follow };
}

function useUnfolded(picture: Picture): ReadonlySet<string> {
  const open = useComputed(() => query.value["open"]).value;
  return useMemo(() => {
    if (open === undefined) return unfoldedAtFirst(picture);
    return new Set(open === "none" ? [] : open.split(","));
  }, [open, picture]);
}

const forEachesIn = ({ items }: Pick<Picture, "items">): readonly string[] =>
  items.flatMap((item) =>
    item.kind === "box" ? [...(item.of === "for_each" ? [item.id] : []), ...forEachesIn(item)] : [],
  );

const isSubworkflow = ({ items }: Pick<Picture, "items">, id: string): boolean =>
  items.some((item) => item.kind === "box" && ((item.of === "workflow" && item.id === id) || isSubworkflow(item, id)));

const MOST = 24;
const kept = new Map<string, Promise<PictureLayout>>();
const waiting = new Map<number, (answer: LayoutAnswer) => void>();
let number = 0;
/** Started with the first view that has a graph: it is there when the picture is. */
let worker: Worker | null = start();

/**
 * Layouts by picture and by what is unfolded in it, each made once. @param name what the picture is known by: the hash
 * of the definition
 */
function layoutFor(name: string, picture: Picture, unfolded: ReadonlySet<string>): Promise<PictureLayout> {
  const ids = [...unfolded].sort();
  const key = `${name}\n${ids.join("\n")}`;
  const known = kept.get(key);
  if (known) return known;
  const made = lay(picture, ids);
  kept.set(key, made);
  made.catch(() => kept.delete(key));
  const [oldest] = kept.keys();
  if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
  return made;
}

function lay(picture: Picture, unfolded: readonly string[]): Promise<PictureLayout> {
  worker ??= start();
  const question: LayoutQuestion = { number: number++, picture, unfolded };
  return new Promise((done, fail) => {
    waiting.set(question.number, ({ layout, problem }) =>
      layout ? done(layout) : fail(new Error(problem ?? "The graph could not be laid out.")),
    );
    worker?.postMessage(question);
  });
}

function start(): Worker {
  const started = new Worker(scriptAddress(__LAYOUT_WORKER__), { type: "module" });
  started.onmessage = ({ data }: MessageEvent<LayoutAnswer>) => {
    waiting.get(data.number)?.(data);
    waiting.delete(data.number);
  };
  started.onerror = () => {
    for (const [id, answer] of waiting)
      answer({ number: id, problem: "The part that lays out graphs could not be started." });
    waiting.clear();
    worker = null;
  };
  return started;
}
