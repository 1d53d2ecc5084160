import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { type FindingsView, type ShownFinding, showFindings } from "./show-findings.ts";

const colors = picocolors.createColors(false);
const at = (line: number, column: number, file = "release.yaml") => ({ location: { file, line, column } });
const finding = (rule: string, message: string, place: object, suggestions: readonly string[] = []): ShownFinding =>
  ({ rule, message, suggestions, ...place }) as ShownFinding;

const shown = (view: Partial<FindingsView> & { text?: string }) =>
  showFindings({ errors: [], warnings: [], colors, width: 80, read: () => view.text ?? "", ...view });

const RELEASE = `agents:
  - name: publish
    comand: npm
    routes:
      - { on_error: external.npm.drft, to: other }
`;

describe("findings for people", () => {
  it("quotes the line, points at the place and says what was meant", () => {
    const text = shown({
      text: RELEASE,
      errors: [
        finding(
          "on-error-undeclared",
          "publish does not raise external.npm.drft. Correct the name, or add it to raises.",
          at(5, 21),
          ["external.npm.drift"],
        ),
        finding("unknown-key", "A script step has no field comand.", at(3, 5), ["command", "commands"]),
      ],
      warnings: [finding("error-unhandled", "publish may raise external.npm.gone, and nothing routes it.", at(2, 11))],
    });
    expect(text).toBe(`warning  error-unhandled  release.yaml:2:11
  publish may raise external.npm.gone, and nothing routes it.

  2 │   - name: publish
    │           ^~~~~~~

error  unknown-key  release.yaml:3:5
  A script step has no field comand.

  3 │     comand: npm
    │     ^~~~~~

  did you mean command or commands?

error  on-error-undeclared  release.yaml:5:21
  publish does not raise external.npm.drft. Correct the name, or add it to
  raises.

  5 │       - { on_error: external.npm.drft, to: other }
    │                     ^~~~~~~~~~~~~~~~~

  did you mean external.npm.drift?

2 errors, 1 warning in release.yaml
`);
  });

  it("keeps the caret under the place behind tabs and wide characters", () => {
    const text = shown({ text: "\t漢字: wrong", errors: [finding("r", "m", at(1, 6))] });
    expect(text).toContain("  1 │     漢字: wrong\n    │           ^~~~~");
  });

  it("cuts a long line around the place", () => {
    const text = shown({
      width: 40,
      text: `${"a".repeat(60)} here ${"b".repeat(60)}`,
      errors: [finding("r", "m", at(1, 62))],
    });
    expect(text).toContain("  1 │ …aaaaaaaaa here bbbbbbbbbbbbbbbb…\n    │            ^~~~");
  });

  it("underlines a quoted string whole", () => {
    expect(shown({ text: 'when: "a b == 1"', errors: [finding("r", "m", at(1, 7))] })).toContain(
      "│       ^~~~~~~~~~\n",
    );
  });

  it("says the way to a finding in a sub-workflow", () => {
    const text = shown({ errors: [finding("r", "m", { ...at(1, 1, "sub/child.yaml"), via: ["plan", "build"] })] });
    expect(text).toContain("  reached by way of plan → build\n");
  });

  it("does without a quote when the file cannot be read, and without a place when there is none", () => {
    expect(shown({ read: () => undefined, errors: [finding("file-not-found", "There is no file a.yaml.", {})] })).toBe(
      "error  file-not-found\n  There is no file a.yaml.\n\n1 error\n",
    );
  });

  it("quotes nothing of a dataset, which can be any file that an eval names", () => {
    const errors = [finding("dataset", "This line is no JSON.", at(1, 1, "key.jsonl"))];
    expect(shown({ text: "hunter2\n", errors })).not.toContain("hunter2");
  });

  it("does not repeat what the message says, and shows texts to write as they are", () => {
    const errors = [finding("r", "Did you mean `command`?", at(1, 1), ["command", "- { on_error: a.b, to: … }"])];
    expect(shown({ errors })).toContain("Did you mean `command`?\n\n  try - { on_error: a.b, to: … }\n");
  });

  it("counts files when there are several", () => {
    const errors = [finding("r", "m", at(1, 1, "a.yaml")), finding("r", "m", at(1, 1, "b.yaml"))];
    expect(shown({ errors })).toMatch(/\n2 errors in 2 files\n$/);
  });

  it("never lets a file move the cursor", () => {
    expect(shown({ text: "a: \u001b[2Jb\u0007", errors: [finding("r", "m", at(1, 1))] })).toContain("│ a: ·[2Jb·");
  });

  it("has nothing to say when nothing was found", () => {
    expect(shown({})).toBe("");
  });

  it("keeps names of files on one line, so that none begins a line of its own", () => {
    const planted = "a\n::error file=x::planted.yaml";
    const text = shown({
      errors: [{ ...finding("unknown-step", "There is none.", at(1, 1, planted), [planted]), via: [planted] }],
    });
    expect(text.split("\n").filter((line) => line.trimStart().startsWith("::"))).toEqual([]);
    expect(text).toContain("error  unknown-step  a ::error file=x::planted.yaml:1:1\n");
  });
});
