// Modules that `policies` names: whether they are where a run would look for them. They are not loaded here, since
// validation runs no code of a workflow.
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { LoadedWorkflow, LoadWorld } from "./loaded.ts";
import type { Page } from "./page.ts";

type Place = Pick<LoadedWorkflow, "definition" | "dir">;

export function checkPolicyModules({ definition, dir }: Place, world: LoadWorld, page: Page): void {
  for (const [index, { module }] of definition.workflow.policies.entries()) {
    const path = ["workflow", "policies", index, "module"];
    if (module === undefined || page.isIncomplete(path)) continue;
    const file = resolve(dir, module);
    if (!world.exists(file))
      page.report(
        "missing-file",
        path,
        `There is no file \`${file}\`, so the policy module \`${module}\` would deny every step. The path is relative to this file's folder.`,
      );
    // An absolute path may lead back in over a link, which only a run follows.
    else if (!isAbsolute(module) && leadsOut(relative(dir, file)))
      page.report(
        "unreadable-file",
        path,
        `The policy module \`${module}\` is not below this file's folder, \`${dir}\`, and only code from there is loaded. Move it there.`,
      );
  }
}

const leadsOut = (way: string): boolean => way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
