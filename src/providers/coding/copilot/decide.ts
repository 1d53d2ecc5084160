// What Copilot may do by itself: files below its folder, by their real paths. It has no sandbox for commands: a person
// decides about these, or they are denied.
import { relative, resolve } from "node:path";
import type { CodingTask } from "../agent.ts";
import { describeWish } from "../describe-call.ts";
import { isInGit } from "../git-folders.ts";
import { isReadProtected, isWriteProtected, leadsInto } from "../guarded.ts";
import { realPath } from "../real-path.ts";
import type { CopilotRequest } from "./sdk.ts";

/** `ask`: neither allowed nor denied by the sandbox. */
export function decide(request: CopilotRequest, task: CodingTask): "allow" | "ask" {
  const { sandbox, network } = task.permissions;
  if (sandbox === "full") return "allow";
  // As it is written, and as Copilot resolved it: neither may lead out.
  const paths = [request.resolvedPath, request.fileName ?? request.path].filter((path) => path !== undefined);
  const isInside = paths.length > 0 && paths.every((path) => leadsInto(path, task.cwd));
  switch (request.kind) {
    case "read":
      return isInside && !paths.some((path) => isReadProtected(path, task)) ? "allow" : "ask";
    case "write":
      return sandbox === "workspace" && isInside && !paths.some((path) => isGuarded(path, task)) ? "allow" : "ask";
    case "url":
      return network ? "allow" : "ask";
    case "custom-tool":
      // Segno's own: what they may do is decided where they run.
      return task.tools.some(({ name }) => name === request.toolName) ? "allow" : "ask";
    default:
      return "ask";
  }
}

export function describeRequest(request: CopilotRequest): string {
  const path = request.resolvedPath ?? request.fileName ?? request.path;
  switch (request.kind) {
    case "shell":
      return describeWish({
        verb: "run",
        thing: "this command, which nothing confines",
        name: request.fullCommandText ?? "",
        isCode: true,
      });
    case "write":
      return describeWish({
        verb: "change",
        thing: "this file",
        name: path ?? "a file",
        details: { diff: request.diff, ...(request.diff ? {} : { content: request.newFileContents }) },
      });
    case "read":
      return describeWish({ verb: "read", thing: "this file", name: path ?? "a file" });
    case "url":
      return describeWish({ verb: "fetch", thing: "this address", name: request.url ?? "an address" });
    default:
      return describeWish({
        verb: "use",
        thing: "this tool",
        name: request.toolName ?? request.kind,
        details: { with: request.args },
      });
  }
}

/** The same request has other ids when an agent makes it again. */
export const withoutIds = ({ toolCallId: _, ...request }: CopilotRequest): Omit<CopilotRequest, "toolCallId"> =>
  request;

/** An agent without commands has nothing to write in a `.git` folder, even of a repository that it made. */
const isGuarded = (path: string, task: CodingTask): boolean =>
  isInGit(relative(realPath(task.cwd), realPath(resolve(task.cwd, path)))) ||
  isInGit(relative(task.cwd, resolve(task.cwd, path))) ||
  isReadProtected(path, task) ||
  isWriteProtected(path, task);
