// A request that is about a workflow that is code: the code is loaded before anything reads the file.
import { existsSync } from "node:fs";
import { refusal } from "../refusals.ts";
import type { Surroundings } from "../request.ts";
import { isCodeFile } from "./definition.ts";

/** The same request, with the workflow that the file defines; the request itself for any other file. */
export async function withDefinition<Request extends Surroundings>(request: Request, file: string): Promise<Request> {
  const { extensions, loadDefinition, reader } = request;
  if (!isCodeFile(file) || extensions?.defined?.has(file) || !existsSync(file)) return request;
  if (!loadDefinition)
    throw refusal(`${file} is code, and it is executed only in a project that is trusted`, {
      hint: reader
        ? "Import it, and give what it exports: segno.run(definition)."
        : "Name it in a segno.yaml (workflows: [release.workflow.ts]), and trust the project: segno trust.",
    });
  const [{ withDefined }, loaded] = [await import("./defined-files.ts"), await loadDefinition(file)];
  return { ...request, extensions: withDefined(extensions, loaded) };
}
