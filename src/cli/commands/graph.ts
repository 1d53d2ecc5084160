// `segno graph`: a drawing on stdout, or a page that follows the file.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { head } from "../../results/index.ts";
import { drawGraph, type GraphDepth, type GraphFormat } from "../../services/workflows/graph.ts";
import type { Call } from "../command.ts";
import { writeFindings } from "../show-findings.ts";
import { answerWith, UsageError } from "../usage-error.ts";
import { served } from "./faces.ts";

export default async function graph(call: Call): Promise<number> {
  const { asked, output } = call;
  const run = asked.text("run");
  const depth = asked.text("depth");
  const isFollowed = asked.flag("watch");
  if (isFollowed && existsSync(resolve(asked.cwd, asked.required(0)))) return follow(call);
  if (!isFollowed && (asked.flag("open") || asked.number("port") !== undefined))
    throw new UsageError("--open and --port are of the page: give --watch with them.");
  const answer = await drawGraph(asked.session, {
    file: asked.required(0),
    format: (asked.text("format") ?? "mermaid") as GraphFormat,
    run,
    ...(depth === undefined ? {} : { depth: depthOf(depth) }),
  });
  if (output.format === "text" && answer.errors.some(({ rule }) => rule !== undefined)) {
    writeFindings(answer, { asked, output });
    return answer.exit_code ?? 2;
  }
  return answerWith(answer, output, ({ graph: drawing }) => drawing);
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
