// A project in a place where others can put something: their links lead nothing of ours anywhere.
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { removeWorkshops, Workshop } from "./workshop.ts";

afterAll(removeWorkshops);

const FLOW = "workflow: { name: f, entry_point: a }\nagents: [{ name: a, type: set, value: '1' }]\n";

describe("a segno.yaml that is a link", () => {
  it("is left alone, though what it leads to is ours", async () => {
    const work = new Workshop({ "f.yaml": FLOW, "../elsewhere/segno.yaml": "home: ./h\n" });
    symlinkSync(join(work.dir, "../elsewhere/segno.yaml"), join(work.dir, "segno.yaml"));
    const { code, stderr } = await work.in(".", { SEGNO_HOME: "" }, "run", "f.yaml");
    expect(code).toBe(0);
    expect(stderr).toContain("segno.yaml is a link and is left alone");
    expect(existsSync(join(work.dir, "h"))).toBe(false);
    expect(await work.segno("trust", "--yes")).toMatchObject({ code: 2, stderr: expect.stringContaining("is a link") });
  });

  it("shows nothing of a file that is no project", async () => {
    const work = new Workshop({ "f.yaml": FLOW, "../shadow": "hunter2: x\n" });
    symlinkSync(join(work.dir, "../shadow"), join(work.dir, "segno.yaml"));
    for (const args of [["validate", "f.yaml"], ["runs"], ["trust", "--yes"]]) {
      const { stdout, stderr } = await work.segno(...args);
      expect(stdout + stderr).not.toContain("hunter2");
    }
  });
});

describe("a home that came with the project", () => {
  const homed = (more: Readonly<Record<string, string>> = {}) =>
    new Workshop({ "segno.yaml": "home: ./h\n", "f.yaml": FLOW, "../prey/keep": "", ...more });
  // SEGNO_HOME would be before the project's.
  const run = (work: Workshop) => work.in(".", { SEGNO_HOME: "" }, "run", "f.yaml");
  const untouched = (work: Workshop) => expect(readdirSync(join(work.dir, "../prey"))).toEqual(["keep"]);

  it("is used when nothing in it leads anywhere", async () => {
    const work = homed();
    for (const _ of [1, 2])
      expect(await run(work)).toMatchObject({ code: 0, stderr: expect.not.stringContaining("home of") });
    expect(readdirSync(join(work.dir, "h/runs"))).toHaveLength(2);
  });

  it.each([
    ["h", "../prey", "it leads out of the project"],
    ["h/state.db", "../../prey/v2.db", "h/state.db is a link"],
    ["h/runs", "../../prey", "h/runs is a link"],
    ["h/runs/01M7FQPV52155D2D22D621XZDE", "../../../prey", "01M7FQPV52155D2D22D621XZDE is a link"],
    ["h/runs/01M7FQPV52155D2D22D621XZDE/journal.db", "../../../../prey/j", "journal.db is a link"],
  ])("is not used when %s is a link to %s", async (link, target, why) => {
    const work = homed();
    mkdirSync(join(work.dir, link, ".."), { recursive: true });
    symlinkSync(target, join(work.dir, link));
    const { code, stderr } = await run(work);
    expect(code).toBe(0);
    expect(stderr).toMatch(new RegExp(`home of segno\\.yaml is not used: .*${why}`));
    untouched(work);
    expect(readdirSync(join(work.home, ".segno/runs"))).toHaveLength(1);
  });

  it("is not used when it is a link within the project", async () => {
    const work = homed({ "other/x": "" });
    symlinkSync("other", join(work.dir, "h"));
    expect((await run(work)).stderr).toContain("h is a link");
    expect(readdirSync(join(work.dir, "other"))).toEqual(["x"]);
  });

  it("is not used when it is no folder", async () => {
    const { code, stderr } = await run(homed({ h: "" }));
    expect(stderr).toContain("home of segno.yaml is not used: it cannot be looked into");
    expect(code).toBe(0);
  });

  it("is not used when others may write it", async () => {
    const work = homed({ "h/x": "" });
    chmodSync(join(work.dir, "h"), 0o777);
    expect((await run(work)).stderr).toContain("h can be written by others");
    expect(readdirSync(join(work.dir, "h"))).toEqual(["x"]);
  });

  it.runIf(process.geteuid?.() === 0)("is not used when it is another user's", async () => {
    const work = homed({ "h/x": "" });
    chownSync(join(work.dir, "h"), 65534, 65534);
    expect((await run(work)).stderr).toContain("h belongs to another user");
    expect(readdirSync(join(work.dir, "h"))).toEqual(["x"]);
  });
});

describe("what is trusted", () => {
  const trap = {
    "segno.yaml": "plugins: [./trap.mjs]\n",
    "trap.mjs":
      'import { writeFileSync } from "node:fs";\nwriteFileSync(new URL("./trapped", import.meta.url), "x");\n',
  };
  /** The book as somebody would have to write it, in the project's own folder. */
  const shipped = async () => {
    const work = new Workshop(trap);
    await work.segno("trust", "--yes");
    work.write(".segno/trusted.json", readFileSync(join(work.home, ".segno/trusted.json"), "utf8"));
    expect((await work.segno("trust", "--revoke")).code).toBe(0);
    return work;
  };

  it.each([
    ["SEGNO_HOME", { SEGNO_HOME: ".segno" }],
    ["a relative HOME", { SEGNO_HOME: "", HOME: "." }],
  ])("is not believed of a project's own folder, though %s leads there", async (_, env) => {
    const work = await shipped();
    // Where a relative path leads is up to the folder of the process.
    expect((await work.programIn(".", env, "runs")).stderr).toContain("segno.yaml is not trusted");
    expect(existsSync(join(work.dir, "trapped"))).toBe(false);
  });

  it("is not believed where others may write it", async () => {
    const work = new Workshop(trap);
    await work.segno("trust", "--yes");
    chmodSync(join(work.home, ".segno"), 0o777);
    expect((await work.segno("runs")).stderr).toContain("segno.yaml is not trusted");
    expect(await work.segno("trust", "--yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("others could say there what you trust"),
    });
  });
});
