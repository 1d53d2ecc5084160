import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dominatorsOf } from "./graph.ts";

const graph = fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 20 });

describe("dominatorsOf", () => {
  it("agrees with taking the node out and looking whether the other can still be reached", () => {
    fc.assert(
      fc.property(graph, fc.nat(7), fc.nat(7), (edges, by, node) => {
        const next = (from: string): string[] => edges.filter(([a]) => String(a) === from).map(([, b]) => String(b));
        const reach = (without?: number): ReadonlySet<string> => {
          const seen = new Set<string>();
          const queue = without === 0 ? [] : ["0"];
          for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
            if (seen.has(at) || at === String(without)) continue;
            seen.add(at);
            queue.push(...next(at));
          }
          return seen;
        };
        const { dominates, isReachable } = dominatorsOf("0", next);
        const [name, dominator] = [String(node), String(by)];
        expect(isReachable(name)).toBe(reach().has(name));
        expect(dominates(dominator, name)).toBe(reach().has(name) && reach().has(dominator) && !reach(by).has(name));
      }),
    );
  });
});
