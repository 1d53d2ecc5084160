import { expect, test } from "vitest";
import type { PublishDiagnosticsParams } from "vscode-languageserver/node";
import { SourceText } from "../text.ts";
import { Desk } from "./desk.ts";
import { Publisher } from "./publish.ts";

const URI = "file:///w/flow.yaml";
const BROKEN = "workflow: { name: flow, entry_point: b }\nsteps: [{ name: a, type: set, value: 1 }]\n";

test("diagnostics name the version that they are of, and nothing where the file has been closed", () => {
  const desk = new Desk({ cwd: "/w", env: {} }, [], true);
  const sent: PublishDiagnosticsParams[] = [];
  const due: (() => void)[] = [];
  const publisher = new Publisher(
    desk,
    (params) => sent.push(params),
    (_, work) => {
      due.push(work);
      return () => due.splice(due.indexOf(work), 1);
    },
    (problem) => {
      throw problem;
    },
  );
  const settle = (): void => {
    while (due.length > 0) due.shift()?.();
  };
  publisher.touch(desk.put("/w/flow.yaml", new SourceText(BROKEN), { uri: URI, version: 3 }));
  settle();
  expect(sent).toEqual([{ uri: URI, version: 3, diagnostics: [expect.objectContaining({ code: "unknown-step" })] }]);
  // The same again is no news.
  publisher.touch(["/w/flow.yaml"]);
  settle();
  expect(sent).toHaveLength(1);
  desk.close("/w/flow.yaml");
  publisher.close("/w/flow.yaml");
  settle();
  expect(sent.slice(1)).toEqual([{ uri: URI, diagnostics: [] }]);
});
