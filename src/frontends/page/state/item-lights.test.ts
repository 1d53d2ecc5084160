// Inside a for_each everything is drawn as it went for the item that is chosen: also what ran in its place.
import { describe, expect, it } from "vitest";
import { error, outline, Story } from "../../../../test/support/engine/test-events.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import { apply, initialState } from "../../../base/events/state/fold.ts";
import { packState, unpackState } from "../../../base/events/state/packed-state.ts";
import { applyTaken, type TakenRoutes } from "../../../base/events/taken-routes.ts";
import { runLights } from "./run-lights.ts";

const plan = outline({ name: "all", type: "for_each", item: { name: "one", type: "script" } }, "mend", "zero", "done");
const GROUP = { key: "all#1", type: "for_each" };

class Items extends Story {
  constructor() {
    super();
    this.started(plan).enter();
  }

  enter(): this {
    const started = { group_name: "all", key: "all#1", item_count: 5, max_concurrent: 1 };
    return this.begin("all", GROUP).add("for_each_started", started as never);
  }

  item(key: string, tell: (options: { key: string; group: string; item: string }) => void): this {
    this.add("for_each_item_started", { group_name: "all", item_key: key, index: Number(key) });
    tell({ key: `all#1[${key}].one`, group: "all", item: key });
    return this;
  }

  ok(key: string, recovered = false): this {
    const more = recovered ? { recovered } : {};
    return this.add("for_each_item_completed", {
      group_name: "all",
      item_key: key,
      index: Number(key),
      elapsed: 1,
      ...more,
    });
  }

  lost(key: string): this {
    const data = { group_name: "all", item_key: key, index: Number(key), elapsed: 1, error: error("one") };
    return this.add("for_each_item_failed", data as never);
  }

  led(from: string, key: string, index: number, action: "to" | "retry", to?: string): this {
    return this.add("error_routed", {
      node: from,
      key: `all#1[${key}].one`,
      kind: "a.b",
      route: { index, table: "step" },
      action,
      group: "all",
      item_key: key,
      ...(to === undefined ? {} : { to }),
    });
  }

  left(failed: number): this {
    const counts = { success_count: 5 - failed, failure_count: failed, elapsed: 1, failed: false };
    return this.add("for_each_completed", { group_name: "all", key: "all#1", ...counts } as never).done("all", GROUP);
  }
}

/** One that went well, one that was lost, one that another step stood in for, one that was mended and tried again. */
function allKinds(): Items {
  const story = new Items();
  story.item("0", (options) => story.ran("one", options).ok("0"));
  story.item("1", (options) => story.begin("one", options).fail("one", error("one"), options).lost("1"));
  story.item("2", (options) => {
    story.begin("one", options).fail("one", error("one"), options).led("one", "2", 0, "to", "zero");
    story.ran("zero", { ...options, key: `${options.key}.zero` }).ok("2", true);
  });
  story.item("3", (options) => {
    story.begin("one", options).fail("one", error("one"), options).led("one", "3", 1, "retry", "mend");
    story.ran("mend", { ...options, key: `${options.key}.mend` });
    story.ran("one", { ...options, key: `${options.key}#2` }).ok("3", true);
  });
  story.item("4", (options) => {
    story.begin("one", options).fail("one", error("one"), options).led("one", "4", 2, "retry");
    story.ran("one", { ...options, attempt: 2 }).ok("4");
  });
  return story.left(1);
}

function lightsFor(events: readonly RunEvent[], item: string | null, isPacked = false) {
  const taken: TakenRoutes = new Map();
  const state = initialState("01RUN");
  for (const event of events) {
    apply(state, event);
    applyTaken(taken, event);
  }
  const shown = isPacked ? unpackState(JSON.parse(JSON.stringify(packState(state)))) : state;
  const lights = runLights({ seq: events.length, state: shown, taken }, new Map(item === null ? [] : [["all", item]]));
  const inside = ["one", "mend", "zero"].flatMap((id) =>
    lights.nodes[id] ? [`${id} ${lights.nodes[id]?.state}`] : [],
  );
  return {
    inside,
    taken: lights.taken.filter((route) => /^(one|mend|zero) \d/.test(route)),
    items: lights.nodes["all"]?.items,
  };
}

describe.each([
  ["that went well", "0", ["one completed"], []],
  ["that no route took", "1", ["one failed"], []],
  ["that another step stood in for", "2", ["one recovered", "zero completed"], ["one 0 zero"]],
  ["that another step mended", "3", ["one recovered", "mend completed"], ["one 1 mend"]],
  ["that was tried again", "4", ["one completed"], ["one 2 again"]],
] as const)("an item %s", (_, item, inside, taken) => {
  it.each([
    ["as it was folded", false],
    ["as a page is given it", true],
  ])("is drawn alone, %s", (_how, isPacked) => {
    expect(lightsFor(allKinds().events, item, isPacked)).toMatchObject({ inside, taken, items: { chosen: item } });
  });
});

it("with no item chosen, the picture has what happened to any of them", () => {
  const { inside, taken, items } = lightsFor(allKinds().events, null);
  expect(inside).toEqual(["one failed", "mend completed", "zero completed"]);
  expect(taken).toEqual(["one 0 zero", "one 1 mend", "one 2 again"]);
  expect(items?.chosen).toBeNull();
});

it("while something runs in an item's place, it runs there and nowhere else", () => {
  const story = new Items();
  for (const key of ["0", "1"])
    story.item(key, (options) => {
      story.begin("one", options).fail("one", error("one"), options).led("one", key, 0, "to", "zero");
      story.begin("zero", { ...options, key: `${options.key}.zero` });
      if (key === "0") story.done("zero", { ...options, key: `${options.key}.zero` }).ok("0", true);
    });
  expect(lightsFor(story.events, "0").inside).toEqual(["one recovered", "zero completed"]);
  expect(lightsFor(story.events, "1").inside).toEqual(["one recovered", "zero running"]);
});

it("a resume keeps the way of what it reuses, and forgets that of what it runs again", () => {
  const story = new Items();
  for (const key of ["0", "1"])
    story.item(key, (options) => {
      story.begin("one", options).fail("one", error("one"), options).led("one", key, 0, "to", "zero");
      story.ran("zero", { ...options, key: `${options.key}.zero` }).ok(key, true);
    });
  story.stopped("Crash", "cut off").resumed(plan).enter();
  story.item("0", (options) => story.reused("one", { ...options, kind: "a.b" }).ok("0", true));
  story.item("1", (options) => story.ran("one", options).ok("1"));
  expect(lightsFor(story.events, "0")).toMatchObject({
    inside: ["one recovered", "zero completed"],
    taken: ["one 0 zero"],
  });
  expect(lightsFor(story.events, "1")).toMatchObject({ inside: ["one completed"], taken: [] });
});

it("ways that many items went take no more room than one", () => {
  const story = new Items();
  for (let index = 0; index < 500; index++)
    story.item(String(index), (options) => {
      story.begin("one", options).fail("one", error("one"), options).led("one", String(index), 0, "to", "zero");
      story.ran("zero", { ...options, key: `${options.key}.zero` }).ok(String(index), true);
    });
  expect(packState(story.events.reduce(apply, initialState("01RUN"))).ways).toHaveLength(1);
});
