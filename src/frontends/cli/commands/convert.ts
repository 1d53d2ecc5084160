// Commands that make something else of a workflow file: a drawing (or a page that follows the file), types for TypeScript, YAML
// of one that is code; and the schema of all files.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { head } from "../../../base/results/index.ts";
import type { Head } from "../../../base/results/result.ts";
import type { GraphDepth, GraphFormat } from "../../../services/workflows/graph.ts";
import type { Call } from "../command.ts";
import { writeFindings } from "../show-findings.ts";
import { plain } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";
import { answerWith, UsageError } from "../usage-error.ts";
import { served } from "./faces.ts";

export async function graph(call: Call): Promise<number> {
  const { asked } = call;
  const depth = asked.text("depth");
  const isFollowed = asked.flag("watch");
  if (isFollowed && existsSync(resolve(asked.cwd, asked.required(0)))) return follow(call);
  if (!isFollowed && (asked.flag("open") || asked.number("port") !== undefined))
    throw new UsageError("--open and --port are of the page: give --watch with them.");
  const { drawGraph } = await import("../../../services/workflows/graph.ts");
  const answer = await drawGraph(asked.session, {
    file: asked.required(0),
    format: (asked.text("format") ?? "mermaid") as GraphFormat,
    run: asked.text("run"),
    depth: depth === undefined ? undefined : depthOf(depth),
  });
  return answerOrFindings(answer, call, () => answer.graph);
}

/** Findings in a file are shown at their places; any other answer is handed over. */
function answerOrFindings(answer: Head, call: Call, text: () => string): number {
  if (call.output.format !== "text" || answer.errors.every(({ rule }) => rule === undefined))
    return answerWith(answer, call.output, text);
  writeFindings(answer, call);
  return answer.exit_code ?? 2;
}

async function follow({ asked, output, faces }: Call): Promise<number> {
  const other = ["run", "format", "depth"].find((name) => asked.text(name) !== undefined);
  if (other !== undefined)
    throw new UsageError(`--watch serves a page, which --${other} says nothing about: leave one of them out.`);
  const { rootOf } = await import("../beside-page.ts");
  const { servePreview } = await faces.server();
  const file = resolve(asked.cwd, asked.required(0));
  const answer = await servePreview(asked, output, {
    file,
    root: rootOf(file, asked.cwd),
    opened(url) {
      if (output.format === "text") output.say(`The page of ${asked.required(0)}: ${url}\nCtrl-C stops it.`);
      else output.json({ ...head(0), file: asked.required(0), url });
    },
  });
  return served(answer, output);
}

function depthOf(given: string): GraphDepth {
  if (given === "all") return given;
  if (/^\d{1,6}$/.test(given)) return Number(given);
  throw new UsageError(`--depth takes a whole number of at least 0, or all, not "${given}".`);
}

/** `--out`, and nothing for `-`, which is stdout. */
const fileOf = (out: string | undefined): string | undefined => (out === "-" ? undefined : out);

export async function types(call: Call): Promise<number> {
  const { asked } = call;
  const out = fileOf(asked.text("out") ?? "segno.d.ts");
  const { workflowTypes } = await import("../../../features/typescript/workflow-types.ts");
  const answer = workflowTypes(asked.session, { files: asked.arguments, out });
  if (answer.success && out !== undefined) {
    const file = resolve(asked.cwd, out);
    writing(file, () => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, answer.types);
    });
  }
  return answerOrFindings(answer, call, () =>
    out === undefined ? answer.types : `${plain(out)} declares ${amount(answer.files.length, "workflow")}.\n`,
  );
}

export async function exported({ asked, output }: Call): Promise<number> {
  const out = asked.text("out");
  const { exportWorkflow } = await import("../../../features/typescript/export.ts");
  const answer = await exportWorkflow(asked.session, { file: asked.required(0), out: fileOf(out) });
  const names = answer.files.map(({ file }) => file).join(", ");
  if (answer.success && out === "-" && answer.files.length > 1)
    throw new UsageError(`${asked.required(0)} is several files: ${names}. Leave out --out -.`);
  if (answer.success && out !== "-")
    for (const { file, text } of answer.files) {
      const path = resolve(asked.cwd, file);
      // What is there already may be a person's.
      writing(path, () => writeFileSync(path, text, { flag: "wx" }));
    }
  return answerWith(answer, output, ({ files }) =>
    out === "-" ? (files[0]?.text ?? "") : `${plain(names)} written.\n`,
  );
}

export async function converted(call: Call): Promise<number> {
  const { asked } = call;
  if (asked.text("to") !== "steps") throw new UsageError("convert needs --to steps: the only dialect to convert to.");
  const { convertToSteps } = await import("../../../services/workflows/convert.ts");
  const file = asked.required(0);
  const answer = convertToSteps(asked.session, { file });
  const { text, warnings } = answer;
  const out = asked.text("out") ?? file;
  if (text !== null && out !== "-") {
    const path = resolve(asked.cwd, out);
    // A new file does not take the place of another one; the file itself is what was asked for.
    writing(path, () => writeFileSync(path, text, { flag: path === resolve(asked.cwd, file) ? "w" : "wx" }));
  }
  writeFindings({ errors: [], warnings }, call);
  return answerOrFindings(answer, call, () => (out === "-" ? (text ?? "") : `${plain(out)} has steps: now.\n`));
}

function writing(file: string, write: () => void): void {
  try {
    write();
  } catch (problem) {
    const { code, message } = problem as NodeJS.ErrnoException;
    throw new UsageError(
      code === "EEXIST"
        ? `${file} is there already. Remove it, or name another file with --out.`
        : `${file} cannot be written: ${message}.`,
    );
  }
}

export async function schema({ asked, output }: Call): Promise<number> {
  const { languageSchema, schemaOfResult } = await import("../../../services/workflows/reference.ts");
  // A schema is the same text in every format: there is nothing to wrap it in.
  const wanted = asked.argument(0) === "result" ? await schemaOfResult() : languageSchema(asked.session.extensions);
  output.printJson(wanted, 2);
  return 0;
}
