// Text leaves in few places, and each of them hides what is secret. A write to a stream, an answer to a request or a row of a
// run in another file fails here: it has to go through one of these, or be named with how it hides.
import { expect, it } from "vitest";
import { sourceFiles, textOf } from "./imports.ts";

type Places = Readonly<Record<string, string>>;

const STREAMS: Places = {
  "frontends/cli/start.ts": "hands the streams to Output, and hears when a reader is gone",
  "frontends/cli/commands/events.ts": "hears when a reader is gone",
  "frontends/cli/ask/prompts.ts": "what a person types, and the questions that they are asked",
  "frontends/mcp/stdio.ts": "messages that have passed the exit of a connection; refusals of lines that are no message",
  "features/editor/server/index.ts":
    "messages of the language server: findings and hovers hide, edits are the author's text",
  "features/scenarios/shims.ts": "a program that stands in for another one in a scenario",
  "features/coding-agents/agent-rpc.ts": "reads what an agent prints",
  "features/coding-agents/acp/own-server.ts": "text of a program that an agent starts",
  "services/drive/interpret-run.ts": "the stack of a defect, with SEGNO_DEBUG=1",
  "services/project/open-project.ts": "what plugins print, where no front end takes it",
};

const ANSWERS: Places = {
  "frontends/server/http-server.ts": "every answer in JSON, through the exit of its request; long values of events",
  "frontends/server/app.ts": "the stream of events, files of the page",
  "frontends/server/always-on.ts": "metrics, through the exit of the request",
  "frontends/mcp/http.ts": "refusals in fixed words",
  "features/coding-agents/acp/sandbox.ts": "a proxy for an agent",
  "providers/answer-reader.ts": "answers of models, on their way in",
  "providers/answer-stream.ts": "answers of models, on their way in",
  "providers/mcp/message-cap.ts": "answers of MCP servers, on their way in",
};

const ROWS: Places = {
  "services/drive/port.ts": "events.jsonl",
  "services/drive/open-to-drive.ts": "what a crash kept from the files of a run",
  "services/drive/error-lines.ts": "errors.jsonl",
  "services/drive/to-its-end.ts": "how a run ended",
  "services/runs/run.ts": "a new run in the index",
  "services/runs/cancel.ts": "a cancelled run",
  "services/resilience/store-governance.ts": "dead letters and breakers",
  "features/fleet/work/place.ts": "a run that is placed",
  "features/fleet/cells/fleet.ts": "hands on to a cell",
  "features/fleet/cells/store.ts": "hands on to a cell",
  "engine/guard/guard.ts": "hands on to the guard of the store, or to that in memory",
  "services/runs/resume.ts": "that a run goes on",
  "features/fleet/cells/state.ts": "hands on to a cell",
  "features/fleet/cells/firings.ts": "hands on to a cell",
  "features/fleet/postgres/log.ts": "the store itself",
  "storage/embedded/driven-run.ts": "the store itself",
  "features/resilience-alone/stored-letters.ts": "letters of a program without workflows",
  "features/triggers/fire.ts": "firings, whose reasons hide the delivery",
  "features/triggers/fire-by-hand.ts": "firings by hand",
  "features/triggers/firings.ts": "firings, for the others",
  "features/triggers/scheduled-moments.ts": "moments of a schedule, in words of our own",
  "features/triggers/fired-runs.ts": "how a firing ended",
};

/** Without comments, in which examples stand. */
const codeOf = (file: string): string => textOf(file).replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");

const filesWith = (pattern: RegExp): readonly string[] =>
  sourceFiles()
    .filter((file) => !file.startsWith("frontends/page/") && pattern.test(codeOf(file)))
    .sort();

it.each([
  ["streams", /process\.(?:stdout|stderr)\b|\bconsole\./, STREAMS],
  ["answers to requests", /new Response\(|\bc\.json\(|\.writeHead\(|\bresponse\.end\(/, ANSWERS],
  [
    "rows of runs",
    /\.createRun\(|\brun\.setStatus\(|letters\.put\(|irings\.(?:settle|record)\(|\.(?:exportEvents|appendErrors)\(|fleet\.begin\(/,
    ROWS,
  ],
] as const)("writes %s only in the places that hide secrets", (_, pattern, places) => {
  expect(filesWith(pattern)).toEqual(Object.keys(places).sort());
});

it("builds results, letters and refusals without hiding anything in them: that is done where they leave", () => {
  const builders = sourceFiles().filter(
    (file) =>
      /^base\/results\//.test(file) &&
      !["base/results/build.ts", "base/results/redact-event.ts"].includes(file) &&
      /\bredactor\b/.test(codeOf(file).replace(/readonly redactor: Redactor;/g, "")),
  );
  expect(builders).toEqual([]);
  for (const file of ["services/dead-letters/view.ts", "services/gates/rules.ts", "services/workflows/describe.ts"])
    expect(codeOf(file)).not.toMatch(/redactor/i);
});
