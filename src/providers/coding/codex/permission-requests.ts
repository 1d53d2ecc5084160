// What Codex asks back while it works: Segno's tools, and whether it may do something.
import type { CodingHooks } from "../agent.ts";
import { everyCharacter } from "../describe-call.ts";
import type { CodexListener } from "./listen.ts";

type Params = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

export class PermissionRequests {
  /** It asked, and nobody was there. */
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
      case "item/commandExecution/requestApproval": {
        const reason = text(params.reason);
        return await this.#decide(
          `run the command \`${everyCharacter(text(params.command))}\` outside of its sandbox${reason ? ` (it says: ${everyCharacter(reason)})` : ""}`,
        );
      }
      case "item/fileChange/requestApproval":
        return await this.#decide(
          `change ${everyCharacter(this.#listener.changing.get(text(params.itemId)) ?? "files")}`,
        );
      case "mcpServer/elicitation/request":
        return { action: "decline", content: null };
      default:
        return undefined;
    }
  }

  async #decide(what: string): Promise<{ readonly decision: string }> {
    const answer = await this.#hooks.permit(what);
    this.asksInVain ||= answer === "later";
    return { decision: answer === "allow" ? "accept" : answer === "later" ? "cancel" : "decline" };
  }
}
