// Shows an address to the user.
import { spawn } from "node:child_process";
import { system } from "../../steps/process/here.ts";

/** Whether it worked cannot be known; the address is printed in any case. */
export function openInBrowser(url: string): void {
  const [command, ...args] = system.opener(url);
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
