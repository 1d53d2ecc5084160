// What Codex asks back while it works: Segno's tools, and whether it may do something.
import type { CodingHooks } from "../agent.ts";
import { describeWish } from "../describe-call.ts";
import { type CodexListener, describeEscalation } from "./listen.ts";

type Params = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

export class PermissionRequests {
  /** It asked, and there was no one to answer. */
  asksInVain = false;
  readonly #hooks: CodingHooks;
  readonly #listener: CodexListener;

  constructor(hooks: CodingHooks, listener: CodexListener) {
    this.#hooks = hooks;
    this.#listener = listener;
  }

  async answer(method: string, params: Params): Promise<unknown> {
    switch (method) {
      case "item/tool/call": {
        const call = { id: text(params.callId), name: text(params.tool), input: params.arguments };
        const { text: said, failed } = await this.#hooks.runTool(call);
        return { contentItems: [{ type: "inputText", text: said }], success: !failed };
      }
      case "item/commandExecution/requestApproval":
        return await this.#decide(describeEscalation(text(params.command), text(params.reason)), withoutIds(params));
      case "item/fileChange/requestApproval": {
        const changes = this.#listener.changing.get(text(params.itemId)) ?? [];
        const paths = changes.map(({ path }) => text(path));
        const diff = changes.map((change) => `${text(change.path)}:\n${text(change.diff)}`).join("\n");
        const wish = { verb: "change", thing: "these files", name: paths.join("\n") || "files", details: { diff } };
        return await this.#decide(describeWish(wish), { ...withoutIds(params), changes });
      }
      case "mcpServer/elicitation/request":
        return { action: "decline", content: null };
      default:
        return undefined;
    }
  }

  async #decide(what: string, request: unknown): Promise<{ readonly decision: string }> {
    const answer = await this.#hooks.permit(what, request);
    this.asksInVain ||= answer === "later";
    return { decision: answer === "allow" ? "accept" : answer === "later" ? "cancel" : "decline" };
  }
}

/** The same request has other ids and times, and maybe another sentence to justify it, when an agent makes it again. */
const withoutIds = (params: Params): Params =>
  Object.fromEntries(Object.entries(params).filter(([name]) => name !== "reason" && !/(?:Id|At|AtMs)$/.test(name)));
