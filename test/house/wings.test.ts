// Lower wings never import higher ones, and each feature can be left out. wings.ts holds the order.
import { describe, expect, it } from "vitest";
import { exceptionsFile, readExceptions } from "./exceptions.ts";
import { importsOf, sourceFiles, styleSheets } from "./imports.ts";
import { isInPlan, isWithin, needsMore, whyWrong } from "./wings.ts";

const files = [...sourceFiles(), ...styleSheets()];
const imports = files.flatMap(importsOf);

describe("the wings", () => {
  it("are all in the plan", () => {
    expect(files.filter((file) => !isInPlan(file))).toEqual([]);
  });

  it("import only what is below them, but for the listed exceptions", () => {
    const reasons = new Map<string, string>();
    for (const one of imports) {
      const reason = whyWrong(one);
      if (reason !== undefined) reasons.set(`${one.from} → ${one.to}`, reason);
    }
    const exceptions = readExceptions("imports");
    const unlisted = [...reasons].filter(([line]) => !exceptions.includes(line));
    const needless = exceptions.filter((line) => !reasons.has(line));
    expect([
      ...unlisted.map(([line, reason]) => `${line} is against the order of the wings. ${reason}`),
      ...needless.map((line) => `${line} is wrong no more. Delete its line in ${exceptionsFile("imports")}.`),
    ]).toEqual([]);
  });

  it("load no code that they do not need", () => {
    const wrong = imports.filter((one) => !one.typeOnly && whyWrong(one) === undefined && needsMore(one.from, one.to));
    expect(wrong.map(({ from, to }) => `${from} → ${to}: RUNS_ONLY in test/house/wings.ts does not list it.`)).toEqual(
      [],
    );
  });

  it("start from files that import nothing of the house, since these run before it is loaded", () => {
    const ofBin = imports.filter(({ from }) => isWithin(from, "bin"));
    expect(ofBin.filter(({ to }) => !isWithin(to, "bin"))).toEqual([]);
  });
});

// On a tree without mistakes a rule that forbids nothing would pass as well.
describe("the order", () => {
  it.each([
    ["base/errors/kinds.ts", "template/index.ts"],
    ["language/load.ts", "providers/transport.ts"],
    ["graph/layout.ts", "engine/interpret.ts"],
    ["services/runs/run.ts", "frontends/cli/start.ts"],
    ["services/runs/run.ts", "features/evals/index.ts"],
    ["frontends/cli/start.ts", "features/index.ts"],
    ["frontends/cli/start.ts", "frontends/server/index.ts"],
    ["frontends/page/main.tsx", "frontends/server/app.ts"],
    ["features/evals/index.ts", "features/index.ts"],
    ["features/scenarios/index.ts", "features/history/index.ts"],
    ["features/evals/index.ts", "storage/embedded/store.ts"],
    ["features/evals/index.ts", "storage/rows/columns.ts"],
    ["features/fleet/index.ts", "storage/embedded/store.ts"],
    ["features/evals/index.ts", "main.ts"],
  ])("forbids %s → %s", (from, to) => {
    expect(whyWrong({ from, to })).toMatch(/\.$/);
  });

  it.each([
    ["services/runs/run.ts", "storage/embedded/store.ts"],
    ["frontends/page/main.tsx", "frontends/server/contract/values.ts"],
    ["features/evals/page/index.tsx", "frontends/page/parts/table.tsx"],
    ["features/evals/index.ts", "features/history/index.ts"],
    ["features/evals/index.ts", "features/feature.ts"],
    ["features/evals/index.ts", "storage/store.ts"],
    ["features/fleet/index.ts", "storage/rows/columns.ts"],
    ["features/index.ts", "features/evals/index.ts"],
    ["main.ts", "features/index.ts"],
    ["page.tsx", "features/page.ts"],
  ])("allows %s → %s", (from, to) => {
    expect(whyWrong({ from, to })).toBeUndefined();
  });
});
