// What an agent is allowed when it asks: what its sandbox confines anyway. The rest is denied, or a person is asked.
import type { CodingTask } from "../agent.ts";
import { describeWish } from "../describe-call.ts";
import { isReadProtected, isWriteProtected, leadsInto } from "../guarded.ts";
import { isOwnTool } from "./own-server.ts";

/** As much as is read of a tool call in a request for permission. */
export interface AskedCall {
  readonly kind: string;
  readonly title: string;
  readonly name: string;
  readonly paths: readonly string[];
  readonly input: Readonly<Record<string, unknown>>;
  /** What would be written. */
  readonly diff: string;
}

export function decide(call: AskedCall, task: CodingTask): "allow" | "ask" {
  const { sandbox, network, allow } = task.permissions;
  if (sandbox === "full" || isOwnTool(call.name, task.tools) || isOwnTool(call.title.split(" ")[0] ?? "", task.tools))
    return "allow";
  if (allow.some((rule) => isMeant(rule, call))) return "allow";
  const isInside = call.paths.every((path) => leadsInto(path, task.cwd) && !isReadProtected(path, task));
  switch (call.kind) {
    case "read":
    case "search":
      return isInside ? "allow" : "ask";
    case "edit":
    case "delete":
    case "move": {
      const isGuarded = call.paths.some((path) => isWriteProtected(path, task));
      return sandbox === "workspace" && isInside && !isGuarded ? "allow" : "ask";
    }
    case "execute":
      return sandbox === "workspace" ? "allow" : "ask";
    case "fetch":
      return network ? "allow" : "ask";
    case "think":
      return "allow";
    default:
      return "ask";
  }
}

/** A rule is a kind of ACP's (`fetch`), a tool's name, or the beginning of a title with a star behind it. */
const isMeant = (rule: string, { kind, name, title }: AskedCall): boolean =>
  rule === kind || rule === name || rule === title || (rule.endsWith("*") && title.startsWith(rule.slice(0, -1)));

export function describeAsked({ kind, title, name, paths, input, diff }: AskedCall): string {
  const command = [input.command, input.cmd].find((one) => typeof one === "string");
  const path = paths.join("\n");
  switch (kind) {
    case "execute":
      return describeWish({
        verb: "run",
        thing: "this command",
        name: command ?? title,
        isCode: true,
        details: command ? {} : { with: input },
      });
    case "read":
    case "search":
      return describeWish({ verb: "read", thing: "this file", name: path || title, details: { with: input } });
    case "edit":
    case "delete":
    case "move":
      return describeWish({
        verb: kind === "edit" ? "change" : kind,
        thing: "this file",
        name: path || title,
        details: diff ? { diff } : { with: input },
      });
    case "fetch":
      return describeWish({ verb: "fetch", thing: "this address", name: String(input.url ?? title) });
    default:
      return describeWish({ verb: "use", thing: "this tool", name: name || title, details: { title, with: input } });
  }
}
