// Dead letters of groups: of one that failed as a whole and was handled, of items that a route handles in a retry, and what
// kind a letter has in the end.
import { expect, test } from "vitest";
import { listLetters } from "../../src/services/dead-letters/letters.ts";
import { answerGate } from "../../src/services/gates/gates.ts";
import { Workshop } from "./workshop.ts";

/** Items that fail with the kind that the file `kind` has, as long as there is no file `up-ITEM`. */
const flow = (routes: string, itemRoutes = "", more = ""): string => `
workflow: { name: w, entry_point: each, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: [api.down] } } }
steps:
  - { name: cope, type: script, command: sh, args: [-c, "echo cope >> log"], routes: [{ to: $end }] }
  ${more}
for_each:
  - name: each
    type: for_each
    source: "{{ ['x', 'y', 'z'] }}"
    as: n
    failure_mode: continue_on_error
    agent:
      name: call
      type: script
      command: sh
      args: [-c, 'echo "$1" >> log; test -e "up-$1" || { printf "{\\"kind\\":\\"%s\\",\\"message\\":\\"no\\"}" $(cat kind) > "$SEGNO_ERROR_OUT"; exit 1; }', sh, "{{ n }}"]
      raises: [api.down, api.gone]
      routes: [${itemRoutes}]
    routes: [${routes}]
output: { done: "{{ each.succeeded }}" }
`;

const open = async (shop: Workshop) => (await shop.letters()).map(({ item, kind }) => [item, kind]).sort();
const messages = ({ warnings }: { readonly warnings: readonly { readonly message: string }[] }) =>
  warnings.map(({ message }) => message);

test("a group that failed as a whole keeps its letters also when a route took its error, and a retry gets its items back", async () => {
  const shop = new Workshop({ kind: "api.down", "main.yaml": flow("{ to: $end }, { on_error: true, to: cope }") });
  const result = await shop.run();
  expect(result).toMatchObject({ status: "completed", output: { done: 0 } });
  expect(messages(result)).toContainEqual(expect.stringMatching(/^3 dead letters are kept/));
  expect(await open(shop)).toEqual(["x", "y", "z"].map((item) => [item, "api.down"]));
  shop.write({ "up-x": "", "up-y": "" });
  expect(await shop.retry({ kind: "*" })).toMatchObject({ status: "degraded", output: { done: 2 } });
  expect(await open(shop)).toEqual([["z", "api.down"]]);
  shop.write({ "up-z": "" });
  const last = await shop.retry({ kind: "*" });
  expect(last).toMatchObject({ status: "completed", output: { done: 3 } });
  expect(messages(last)).toEqual([]);
  expect(shop.read("log").trim().split("\n").sort()).toEqual(["cope", ..."xxyyzzz"]);
});

test("a run that ended by itself after the outage stays as it ended, and its items are retried alone", async () => {
  const stop = "- { name: stop, type: terminate, status: failed, reason: all are down }";
  const routes = "{ to: cope }, { on_error: true, to: stop }";
  const shop = new Workshop({ kind: "api.down", "main.yaml": flow(routes, "", stop) });
  expect((await shop.run()).status).toBe("terminated");
  shop.write({ "up-x": "", "up-y": "" });
  const first = await shop.retry({ kind: "*" });
  expect(first).toMatchObject({ status: "terminated", success: false });
  expect(messages(first).filter((message) => message === "no")).toHaveLength(1);
  expect(await open(shop)).toEqual([["z", "api.down"]]);
  shop.write({ "up-z": "" });
  expect(await shop.retry({ kind: "*" })).toMatchObject({ status: "terminated", success: true });
  expect(await open(shop)).toEqual([]);
});

test("an item that a route handles is resolved at once, also when the run then pauses, and does not run again", async () => {
  const ask = '- { name: ask, type: human_gate, prompt: "Go on?", options: [{ value: yes, route: $end }] }';
  const shop = new Workshop({
    kind: "api.down",
    "up-z": "",
    "main.yaml": flow("{ to: ask }", "{ on_error: api.gone, to: cope }", ask),
  });
  const paused = await shop.run();
  expect(paused.status).toBe("paused");
  const [letter] = (await shop.letters()).filter(({ item }) => item === "y");
  shop.write({ kind: "api.gone" });
  expect((await shop.retry({ ids: [letter?.id ?? ""] })).letters).toMatchObject([{ status: "resolved" }]);
  expect(await open(shop)).toEqual([["x", "api.down"]]);
  expect((await shop.retry({ kind: "*" })).letters).toMatchObject([{ status: "resolved" }]);
  expect(await open(shop)).toEqual([]);
  const answer = { run: paused.run_id ?? "", value: "yes", inputs: {} };
  const ended = await answerGate(shop.session, answer);
  expect(ended).toMatchObject({ status: "completed", output: { done: 3 } });
  // One warning for each of the two items: how each was handled in the end.
  expect(ended.warnings.map(({ kind }) => kind)).toEqual(["api.gone", "api.gone"]);
  expect(shop.read("log").trim().split("\n").sort()).toEqual(["cope", "cope", ..."xxyyz"]);
});

test("a letter has its last kind and message, is found by it, and has each failure in its history", async () => {
  const shop = new Workshop({ kind: "api.down", "up-x": "", "up-z": "", "main.yaml": flow("{ to: $end }") });
  await shop.run();
  shop.write({ kind: "api.gone" });
  // A kind that would not be kept by itself.
  expect((await shop.retry({ kind: "api.down" })).letters).toMatchObject([{ status: "open", kind: "api.gone" }]);
  const kinds = async (kind: string) => (await listLetters(shop.session, { kind })).letters;
  expect(await kinds("api.down")).toEqual([]);
  expect(await kinds("api.gone")).toMatchObject([{ count: 2, attempts: 2, item: "y" }]);
  shop.write({ kind: "api.down" });
  expect((await shop.retry({ kind: "api.gone" })).letters).toMatchObject([{ kind: "api.down", count: 3, attempts: 3 }]);
});
