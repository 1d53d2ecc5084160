import { describe, expect, it } from "vitest";
import { LARGEST_ANSWER, shortenToFit, sizeOf } from "./shorten.ts";

const URI = "segno://runs/01RUN/result";
const error = (more: object = {}) => ({
  kind: "http.status",
  node_id: "post",
  message: "refused",
  fixable: true,
  ...more,
});
const result = (errors: readonly object[], more: object = {}) => ({ success: false, output: null, errors, ...more });

describe("an answer that is too large", () => {
  it("keeps every error, and says of what was cut how long it is and where the rest is", () => {
    const raw_response = { message: "no", rows: "x".repeat(60_000) };
    const given = result([error({ raw_response, shell_stderr: "short" }), error({ node_id: "other" })]);
    const { object, cut } = shortenToFit(given, URI);
    expect(sizeOf(object)).toBeLessThanOrEqual(LARGEST_ANSWER);
    expect(object.errors).toMatchObject([
      {
        kind: "http.status",
        node_id: "post",
        message: "refused",
        raw_response: { message: "no" },
        shell_stderr: "short",
      },
      { node_id: "other" },
    ]);
    expect(cut).toEqual({ "errors/0/raw_response/rows": 60_002 });
    const [first] = object.errors as { raw_response: { rows: string } }[];
    expect(first?.raw_response.rows).toMatch(
      /^x{16000} … \(60002 characters, all in segno:\/\/runs\/01RUN\/result\/errors\/0\/raw_response\/rows\)$/,
    );
  });

  it("loses the longest first", () => {
    const given = result([error({ shell_stdout: "o".repeat(90_000), shell_stderr: "e".repeat(9000) })]);
    const { object, cut } = shortenToFit(given, URI);
    expect(Object.keys(cut)).toEqual(["errors/0/shell_stdout"]);
    expect(object.errors).toMatchObject([{ shell_stderr: "e".repeat(9000) }]);
  });

  it("gives up its list of steps before a short error does", () => {
    const steps = Array.from({ length: 2000 }, (_, index) => ({ node_id: `step_${index}`, status: "completed" }));
    const { object, cut } = shortenToFit(result([error()], { execution: { nodes_total: 2000, steps } }), URI);
    expect(object.errors).toEqual([error()]);
    expect(object.execution).toMatchObject({ nodes_total: 2000 });
    expect(Object.keys(cut)).toEqual(["execution/steps"]);
  });

  it("keeps the types of an output: what is no text is taken out", () => {
    const { object } = shortenToFit(
      { success: true, errors: [], output: { rows: [..."x".repeat(40_000)], note: "n" } },
      URI,
    );
    expect(object.output).toMatchObject({ rows: expect.any(Array), note: "n" });
    expect(sizeOf(object)).toBeLessThanOrEqual(LARGEST_ANSWER);
  });

  it("counts hundreds of errors by kind, with the items they are of", () => {
    const errors = Array.from({ length: 5000 }, (_, index) =>
      error({ kind: index % 2 ? "a.b" : "c.d", group: "each", item_key: `k${index}`, message: "m".repeat(300) }),
    );
    const { object } = shortenToFit(result(errors), URI);
    expect(sizeOf(object)).toBeLessThanOrEqual(LARGEST_ANSWER);
    const shown = object.errors as { count?: number; item_keys?: string[]; hint?: string }[];
    const total = shown.reduce((sum, { count = 1 }) => sum + count, 0);
    expect(total).toBe(5000);
    expect(shown.at(-1)?.item_keys?.length).toBeGreaterThan(0);
    expect(shown.at(-1)?.hint).toContain(`${URI}/errors`);
  });
});

it("a small answer is left as it is", () => {
  const given = result([error({ raw_response: "x".repeat(2000) })]);
  expect(shortenToFit(given, URI)).toEqual({ object: given, cut: {} });
});
