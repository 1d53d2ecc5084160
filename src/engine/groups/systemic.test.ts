import { expect, it } from "vitest";
import { systemicKind } from "./run-group.ts";

const many = (kind: string, count: number): string[] => Array.from({ length: count }, () => kind);

it.each([
  { kinds: many("a.b", 9), finished: 9, kind: undefined, when: "before the 10th item" },
  { kinds: many("a.b", 6), finished: 10, kind: "a.b", when: "more than half failed alike" },
  { kinds: many("a.b", 5), finished: 10, kind: undefined, when: "exactly half did" },
  { kinds: [...many("a.b", 5), ...many("c.d", 5)], finished: 10, kind: undefined, when: "they failed for two reasons" },
  { kinds: [...many("a.b", 5), ...many("c.d", 6)], finished: 11, kind: "c.d", when: "one reason prevails" },
])("is $kind when $when", ({ kinds, finished, kind }) => expect(systemicKind(kinds, finished)).toBe(kind));
