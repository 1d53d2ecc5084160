// A run's state as JSON, and back, for a page that goes on folding, and for moments of a replay. Its parts point at one another
// in circles, so they are listed and named by their place; of a node only what is not as in the one before it is said.
import type { Envelope } from "../../errors/index.ts";
import { initialState } from "./fold.ts";
import { newFrame, newGroup, newNode } from "./frames.ts";
import {
  lengthenItems,
  type PackedPlace,
  type PackedRows,
  packPlaces,
  packRows,
  type ShortItem,
  shortenItems,
  unpackPlaces,
  unpackRows,
} from "./packed-rows.ts";
import type {
  FrameState,
  GroupState,
  ItemWay,
  MemberFailure,
  NodeState,
  Outline,
  RunState,
  StepFigures,
  Usage,
} from "./state.ts";

type Index = number;

export interface PackedState {
  readonly version: 2;
  readonly run: PackedRun;
  readonly frames: readonly PackedFrame[];
  readonly nodes: PackedRows;
  readonly groups: readonly PackedGroup[];
  readonly outlines: readonly Outline[];
  readonly errors: readonly Envelope[];
  readonly ways: readonly ItemWay[];
}

type PackedUsage = Omit<Usage, "unpriced" | "estimated"> & {
  readonly unpriced: readonly string[];
  readonly estimated: readonly string[];
};

type PackedRun = Omit<
  RunState,
  "root" | "gates" | "warnings" | "usage" | "usageByModel" | "stepFigures" | "breakers" | "letters"
> & {
  readonly root: Index;
  readonly gates: readonly RunGate[];
  readonly warnings: readonly Entry<RunState["warnings"]>[];
  readonly usage: PackedUsage;
  readonly usageByModel: readonly (readonly [string, PackedUsage])[];
  /** Not in keyframes of 0.3. */
  readonly stepFigures?: readonly (readonly [
    string,
    Omit<StepFigures, "kinds"> & { readonly kinds: readonly string[] },
  ])[];
  readonly breakers: readonly Entry<RunState["breakers"]>[];
  readonly letters: readonly Entry<RunState["letters"]>[];
};
type Entry<M> = M extends Map<infer Key, infer Value> ? readonly [Key, Value] : never;
type RunGate = Entry<RunState["gates"]>;

type PackedFrame = Partial<Omit<FrameState, "slot" | "outline" | "nodes" | "frames" | "byKey" | "metered">> & {
  readonly slot: string | null;
  readonly outline: Index;
  readonly nodes?: readonly (readonly [string, Index])[];
  readonly frames?: readonly (readonly [string, Index])[];
  readonly byKey?: readonly PackedPlace[];
  readonly metered?: readonly string[];
};

/** A node whose neighbours are places. */
type ListedNode = Omit<NodeState, "error" | "usage" | "frame" | "group" | "owner" | "way"> & {
  readonly error: Index | null;
  readonly way: Index | null;
  readonly usage: PackedUsage | null;
  readonly frame: Index | null;
  readonly group: Index | null;
  readonly owner: Index | null;
};

type PackedGroup = Omit<GroupState, "members" | "failures"> & {
  readonly members: readonly PackedPlace[];
  readonly failures: readonly (readonly [string, Omit<MemberFailure, "error"> & { readonly error: Index }])[];
};

/** The state as JSON. It shares its values with the state: a caller that keeps it must serialize it. */
export function packState(state: RunState): PackedState {
  const packing = new Packing();
  const { root, gates, warnings, usage, usageByModel, stepFigures, breakers, letters, ...rest } = state;
  const run: PackedRun = {
    ...rest,
    root: packing.frame(root),
    gates: [...gates],
    warnings: [...warnings],
    usage: packUsage(usage),
    usageByModel: [...usageByModel].map(([model, used]) => [model, packUsage(used)]),
    stepFigures: [...stepFigures].map(([step, figures]) => [step, { ...figures, kinds: [...figures.kinds] }]),
    breakers: [...breakers],
    letters: [...letters],
  };
  return { version: 2, run, ...packing.lists() };
}

/** The state that was packed: `apply` goes on with it as if it had never been JSON. */
export function unpackState(packed: PackedState): RunState {
  const { root, gates, warnings, usage, usageByModel, stepFigures = [], breakers, letters, ...rest } = packed.run;
  return {
    ...initialState(rest.runId),
    ...rest,
    root: new Unpacking(packed).frame(root),
    gates: new Map(gates),
    warnings: new Map(warnings),
    usage: unpackUsage(usage),
    usageByModel: new Map(usageByModel.map(([model, used]) => [model, unpackUsage(used)])),
    stepFigures: new Map(stepFigures.map(([step, figures]) => [step, { ...figures, kinds: new Set(figures.kinds) }])),
    breakers: new Map(breakers),
    letters: new Map(letters),
  };
}

const packUsage = ({ unpriced, estimated, ...usage }: Usage): PackedUsage => ({
  ...usage,
  unpriced: [...unpriced],
  estimated: [...estimated],
});
const unpackUsage = ({ unpriced, estimated, ...usage }: PackedUsage): Usage => ({
  ...usage,
  unpriced: new Set(unpriced),
  estimated: new Set(estimated),
});

/** A list in which each thing stands once, with the place of each. */
class Listed<Thing, Packed> {
  readonly list: Packed[] = [];
  readonly #places = new Map<unknown, Index>();

  /** `pack` may come back here: the place is taken before it is filled. */
  place(thing: Thing, pack: (thing: Thing) => Packed, identity: unknown = thing): Index {
    const known = this.#places.get(identity);
    if (known !== undefined) return known;
    const place = this.list.length;
    this.#places.set(identity, place);
    this.list.push(undefined as Packed);
    this.list[place] = pack(thing);
    return place;
  }
}

const BLANK_NODE: ListedNode = {
  ...newNode("", "", null),
  error: null,
  usage: null,
  frame: null,
  group: null,
  owner: null,
  way: null,
};
const keyOf = ({ key }: NodeState): string | null => key;
/** What a group knows a member by. */
const memberName = ({ itemKey, name }: NodeState): string => itemKey ?? name;
const BLANK_FRAME = newFrame(null);

/** Those fields whose values are not what a new one has. */
const unlike = <Thing extends object>(thing: Thing, blank: Partial<Thing>): Partial<Thing> =>
  Object.fromEntries(
    Object.entries(thing).filter(([name, value]) => value !== blank[name as keyof Thing]),
  ) as Partial<Thing>;

const wayTexts = new WeakMap<ItemWay, string>();

/** A way is never changed, and stands in every keyframe after it. */
function textOf(way: ItemWay): string {
  const text = wayTexts.get(way) ?? JSON.stringify(way);
  wayTexts.set(way, text);
  return text;
}

class Packing {
  readonly #frames = new Listed<FrameState, PackedFrame>();
  readonly #nodes = new Listed<NodeState, ListedNode>();
  readonly #groups = new Listed<GroupState, PackedGroup>();
  readonly #outlines = new Listed<Outline, Outline>();
  readonly #errors = new Listed<Envelope, Envelope>();
  readonly #ways = new Listed<ItemWay, ItemWay>();

  lists(): Omit<PackedState, "version" | "run"> {
    return {
      frames: this.#frames.list,
      nodes: packRows<ShortItem<ListedNode>>(
        shortenItems(this.#nodes.list, (place) => this.#groups.list[place]),
        BLANK_NODE,
      ),
      groups: this.#groups.list,
      outlines: this.#outlines.list,
      errors: this.#errors.list,
      ways: this.#ways.list,
    };
  }

  frame(state: FrameState): Index {
    return this.#frames.place(state, ({ slot, outline, nodes, frames, byKey, metered, ...rest }) => ({
      ...unlike(rest, BLANK_FRAME),
      slot,
      // Each item that calls a file has an outline of it.
      outline: this.#outlines.place(outline, (same) => same, JSON.stringify(outline)),
      ...(nodes.size > 0 ? { nodes: [...nodes].map(([name, node]) => [name, this.node(node)] as const) } : {}),
      ...(frames.size > 0 ? { frames: [...frames].map(([name, inner]) => [name, this.frame(inner)] as const) } : {}),
      ...(byKey.size > 0 ? { byKey: packPlaces(byKey, keyOf, (node) => this.node(node)) } : {}),
      ...(metered.size > 0 ? { metered: [...metered] } : {}),
    }));
  }

  node(state: NodeState): Index {
    const { error, usage, frame, group, owner, itemKey, hash, way } = state;
    return this.#nodes.place(state, (node) => ({
      ...node,
      // No reader of a packed state needs an item's hash, and with many items the hashes would be most of the text.
      hash: itemKey === null ? hash : null,
      // Items go few ways, each of them many times.
      way: way && this.#ways.place(way, (same) => same, textOf(way)),
      error: error && this.#error(error),
      usage: usage && packUsage(usage),
      frame: frame && this.frame(frame),
      group: group && this.#group(group),
      owner: owner && this.#group(owner),
    }));
  }

  #group(state: GroupState): Index {
    return this.#groups.place(state, ({ members, failures, ...rest }) => ({
      ...rest,
      members: packPlaces(members, memberName, (member) => this.node(member)),
      failures: [...failures].map(
        ([name, { node, itemKey, error, isReused }]) =>
          [name, { node, itemKey, error: this.#error(error), isReused }] as const,
      ),
    }));
  }

  readonly #error = (error: Envelope): Index => this.#errors.place(error, (same) => same);
}

class Unpacking {
  readonly #listed: readonly ListedNode[];
  readonly #frames: FrameState[] = [];
  readonly #nodes: NodeState[] = [];
  readonly #groups: GroupState[] = [];

  constructor(private readonly packed: PackedState) {
    this.#listed = lengthenItems<ListedNode>(
      unpackRows<ShortItem<ListedNode>>(packed.nodes, BLANK_NODE),
      (place) => packed.groups[place],
    );
  }

  frame(index: Index): FrameState {
    const known = this.#frames[index];
    if (known) return known;
    const { slot, outline, nodes, frames, byKey, metered, ...rest } = at(this.packed.frames, index);
    const frame = newFrame(slot, at(this.packed.outlines, outline));
    this.#frames[index] = Object.assign(frame, BLANK_FRAME_FIELDS, rest);
    for (const [name, node] of nodes ?? []) frame.nodes.set(name, this.#node(node));
    for (const [name, inner] of frames ?? []) frame.frames.set(name, this.frame(inner));
    for (const [key, node] of unpackPlaces(byKey ?? [], keyOf, this.#node)) frame.byKey.set(key, node);
    for (const name of metered ?? []) frame.metered.add(name);
    return frame;
  }

  readonly #node = (index: Index): NodeState => {
    const known = this.#nodes[index];
    if (known) return known;
    const { error, usage, frame, group, owner, way, ...rest } = at(this.#listed, index);
    const node = newNode("", "", owner === null ? null : this.#group(owner));
    // Its group lists its members, and may have made it.
    const made = this.#nodes[index];
    if (made) return made;
    this.#nodes[index] = Object.assign(node, rest);
    if (error !== null) node.error = at(this.packed.errors, error);
    if (usage) node.usage = unpackUsage(usage);
    if (way !== null) node.way = at(this.packed.ways, way);
    if (frame !== null) node.frame = this.frame(frame);
    if (group !== null) node.group = this.#group(group);
    return node;
  };

  #group(index: Index): GroupState {
    const known = this.#groups[index];
    if (known) return known;
    const { members, failures, ...rest } = at(this.packed.groups, index);
    const group: GroupState = Object.assign(newGroup(newFrame(null), rest.name, rest.kind, rest.key), rest);
    this.#groups[index] = group;
    for (const [name, member] of unpackPlaces(members, memberName, this.#node)) group.members.set(name, member);
    for (const [name, { error, ...failure }] of failures)
      group.failures.set(name, { ...failure, error: at(this.packed.errors, error) });
    return group;
  }
}

/** What a frame is before anything is known of it: a new one takes its name from the outline. */
const BLANK_FRAME_FIELDS = { name: BLANK_FRAME.name, file: BLANK_FRAME.file };

function at<Thing>(list: readonly Thing[], index: Index): Thing {
  const thing = list[index];
  if (thing === undefined) throw new Error(`a packed state speaks of place ${index}, which is not there`);
  return thing;
}
