// The name of a step that asks a person something: the one that is shown everywhere and can be copied, and the others
// that are understood. A key is exact but full of counts that users do not need.
import { callerOfSlot } from "./key.ts";
import { typeable } from "./typeable.ts";

/** A frame of a key: what stands between two slashes, items' ids aside. */
const FRAMES = /(?:\[[^\]]*\]|[^/[])+/g;
const FRAME = /^([^#[]*)(?:#\d+)?(?:~\d+)?(?:\[([^\]]*)\])?(?:\.(.*))?$/s;

interface Frame {
  /** `each[eu]`, or the step. */
  readonly name: string;
  readonly step: string;
  readonly group?: string;
  /** Which of its questions an agent asks: `permission1`. The agent's name is the gate's, and this one is understood. */
  readonly question?: string;
}

const QUESTION = /(?:^|\.)(dialog|permission)(\d+)$/;

function framesOf(key: string): readonly Frame[] {
  return (key.match(FRAMES) ?? []).map((text): Frame => {
    const [, node = text, item, inner = ""] = FRAME.exec(text) ?? [];
    const steps = inner
      .replace(QUESTION, "")
      .replace(/[#~]\d+/g, "")
      .split(".")
      .filter((step) => step !== "");
    const step = steps.at(-1) ?? node;
    const [, kind, number] = QUESTION.exec(inner) ?? [];
    const question = kind === "permission" ? { question: `${kind}${number}` } : {};
    if (item === undefined) return { name: step, step, ...question };
    const handler = steps.length > 1 ? `.${step}` : "";
    return { name: `${node}[${unescaped(item)}]${handler}`, step, group: node, ...question };
  });
}

const unescaped = (item: string): string => item.replace(/%5D/g, "]").replace(/%25/g, "%");

const joined = (frames: readonly Frame[]): string => frames.map(({ name }) => name).join("/");

/** `each[eu]`, `release/approve`: as the lines of a run call it. */
export const askerName = (key: string): string => joined(framesOf(key));

/** All that the asker may be called, the exact key first. Whether a name is enough depends on who else waits. */
export const askerNames = (key: string): readonly string[] => namesOf(key, true);

/** All that an attempt may be called. The name of a group is the group's alone, and not its items'. */
export const attemptNames = (key: string): readonly string[] => namesOf(key, false);

function namesOf(key: string, byGroup: boolean): readonly string[] {
  const frames = framesOf(key);
  const last = frames.at(-1);
  if (!last) return [key];
  const { name, step, group, question } = last;
  const asked = question === undefined ? [] : [question, `${name}/${question}`, `${name}.${question}`];
  const here = [
    ...new Set([name, `${name}.${step}`, step, ...(byGroup && group !== undefined ? [group] : []), ...asked]),
  ];
  const outside = frames.slice(0, -1);
  const prefixes = ["", ...outside.map((_, from) => `${joined(outside.slice(from))}/`)];
  const unnumbered = outside.map(({ name: slot }) => callerOfSlot(slot)).join("/");
  if (outside.length > 0) prefixes.push(`${unnumbered}/`);
  return [...new Set([key, ...prefixes.flatMap((prefix) => here.map((one) => `${prefix}${one}`))])];
}

/** The steps and groups that such a name speaks of: `release/each[eu].ask` has three. */
export const stepsNamedIn = (name: string): readonly string[] =>
  (name.match(FRAMES) ?? []).flatMap((frame) => {
    const [, node = frame, , inner = ""] = FRAME.exec(frame) ?? [];
    return [node, ...inner.split(".")].map((step) => step.replace(/[#~]\d+/g, "")).filter((step) => step !== "");
  });

/** A name for each key that no other of them has, and that can be typed; the key itself where two would be called the same. */
export function distinctAskerNames(keys: readonly string[]): ReadonlyMap<string, string> {
  const names = keys.map(askerName);
  const isShared = (name: string): boolean => names.indexOf(name) !== names.lastIndexOf(name);
  return new Map(
    keys.map((key, index) => [key, typeable(isShared(names[index] ?? key) ? key : (names[index] ?? key))]),
  );
}
