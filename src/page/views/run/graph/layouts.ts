// Layouts by picture and by what is unfolded in it, each made once.
import type { PictureLayout } from "../../../../graph/arrange/placed.ts";
import type { Picture } from "../../../../graph/picture.ts";
import { scriptAddress } from "../../../api/trusted.ts";
import type { LayoutAnswer, LayoutQuestion } from "./layout-worker.ts";

const MOST = 24;
const kept = new Map<string, Promise<PictureLayout>>();
const waiting = new Map<number, (answer: LayoutAnswer) => void>();
let number = 0;
/** Started with the first view that has a graph: it is there when the picture is. */
let worker: Worker | null = start();

/** @param name what the picture is known by: the hash of the definition */
export function layoutFor(name: string, picture: Picture, unfolded: ReadonlySet<string>): Promise<PictureLayout> {
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
