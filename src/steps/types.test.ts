// What no type may forget to say of itself: nothing else notices.
import { describe, expect, it } from "vitest";
import { KINDS } from "../base/errors/kinds.ts";
import { ANY, type StepType } from "./step-type.ts";
import { STEP_TYPES } from "./types.ts";

const ALL = Object.entries(STEP_TYPES) as unknown as readonly (readonly [string, StepType])[];

describe.each(ALL)("the type %s", (_, type) => {
  it("names every field that its schema calls a template", () => {
    const described = Object.entries(type.schema().shape)
      .filter(([, field]) =>
        /\b(A template|be a template|Templates\.|are templates)\b/.test(
          (field as { description?: string }).description ?? "",
        ),
      )
      .map(([name]) => name);
    const named = (type.templates ?? []).map((path) => path.split(".")[0]);
    expect(described.filter((name) => !named.includes(name))).toEqual([]);
  });

  it("raises only kinds of the registry", () => {
    const raises =
      type.raises?.({} as never, { raisesOnExit: true, raisesSchemaViolation: true, hasTools: true }) ?? [];
    expect(raises.filter((kind) => kind !== ANY && !KINDS.has(kind))).toEqual([]);
  });
});
