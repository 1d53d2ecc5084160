import { expect, it } from "vitest";
import { envelope, raised } from "../../../base/errors/index.ts";
import { followUp, letterOf } from "./dead-letter.ts";

const error = envelope(raised("http.unavailable", "503"), { workflow: "w", node: "call", attempt: 2 });
const workflow = { name: "w", file: "/w.yaml", digest: "abc" };

it("keeps the place, the item, the inputs, the envelope and every attempt", () => {
  const first = envelope(raised("http.network", "cut"), { workflow: "w", node: "call", attempt: 1 });
  const member = { group: "each", item_key: "3" };
  const at = { key: "each#1[3].call", workflow, node: "call", type: "http", path: ["plan"], member, item: { id: 3 } };
  expect(letterOf({ ...at, inputs: { url: "u" }, error, errors: [first, error] })).toEqual({
    place: "each#1[3].call",
    workflow: "w",
    node: "call",
    kind: "http.unavailable",
    body: {
      type: "http",
      path: ["plan"],
      group: "each",
      item_key: "3",
      item: { id: 3 },
      inputs: { url: "u" },
      envelope: error,
      attempts: [
        { attempt: 1, kind: "http.network", message: "cut" },
        { attempt: 2, kind: "http.unavailable", message: "503" },
      ],
      file: "/w.yaml",
      definition_hash: "abc",
    },
  });
});

it("has no item for a step that stands alone", () => {
  const { body } = letterOf({ key: "a#1", workflow, node: "a", type: "script", path: [], error, errors: [error] });
  expect(body).not.toHaveProperty("item");
  expect(body).not.toHaveProperty("group");
});

it("has the error of the last call, however many attempts an open breaker refused after it", () => {
  const at = { key: "a#1", workflow, node: "a", type: "http", path: [] };
  const open = envelope(raised("circuit.open", "refused"), { workflow: "w", node: "a", attempt: 3 });
  const letter = letterOf({ ...at, error: open, errors: [error, open] });
  expect(letter).toMatchObject({
    kind: "http.unavailable",
    body: {
      envelope: { kind: "http.unavailable", message: "503", attempts: 3 },
      attempts: [{ kind: "http.unavailable" }, { kind: "circuit.open" }],
    },
  });
  expect(letterOf({ ...at, error: open, errors: [open] }).kind).toBe("circuit.open");
});

it("has its last error, and all of them in its attempts", () => {
  const at = { key: "a#1", workflow, node: "a", type: "http", path: [] };
  const other = envelope(raised("http.rejected", "422"), { workflow: "w", node: "a", attempt: 1 });
  const refused = envelope(raised("circuit.open", "refused"), { workflow: "w", node: "a", attempt: 1 });
  const never = letterOf({ ...at, error: refused, errors: [refused] });
  const again = followUp(never, letterOf({ ...at, error: other, errors: [other] }));
  expect(again).toMatchObject({
    kind: "http.rejected",
    body: { envelope: { message: "422" }, attempts: [{ kind: "circuit.open" }, { kind: "http.rejected" }] },
  });
});

it("keeps its error when a later try only meets an open breaker, which is added", () => {
  const at = { key: "a#1", workflow, node: "a", type: "http", path: [] };
  const open = envelope(raised("circuit.open", "refused"), { workflow: "w", node: "a", attempt: 1 });
  const first = letterOf({ ...at, error, errors: [error] });
  const again = letterOf({ ...at, workflow: { ...workflow, digest: "new" }, error: open, errors: [open] });
  expect(followUp(first, again)).toMatchObject({
    kind: "http.unavailable",
    body: {
      envelope: error,
      attempts: [{ kind: "http.unavailable" }, { kind: "circuit.open" }],
      definition_hash: "new",
    },
  });
});
