// `workflow:` — its own fields, and each of its sections when the file has it.
import type * as z from "zod";
import { isMapping } from "../errors/mapping.ts";
import { check } from "./check.ts";
import { found } from "./found.ts";
import { mendAs } from "./mend.ts";
import type { Page, Subject } from "./page.ts";
import type { WorkflowSection } from "./schema/index.ts";
import { sectionDefaults } from "./schema/section-defaults.ts";
import { sectionFrame, sections, workflowSection } from "./schema/workflow-section.ts";

const EXAMPLE = "For example: `workflow: {name: release, entry_point: build}`.";

const WORKFLOW: Subject = {
  name: "",
  kind: "`workflow`",
  path: ["workflow"],
  known: () => Object.keys(workflowSection().shape),
};

export function readSection(value: unknown, page: Page): WorkflowSection {
  if (value === undefined || !isMapping(value)) {
    if (value === undefined)
      page.report(
        "missing-key",
        [],
        `\`workflow\` is missing: the name, the entry point and what else holds for the whole file. ${EXAMPLE}`,
      );
    else if (!page.isIncomplete(["workflow"]))
      page.report("wrong-type", ["workflow"], `\`workflow\` must be a mapping, but it is ${found(value)}. ${EXAMPLE}`);
    page.standIns.push(["workflow"]);
  }
  const said = isMapping(value) ? value : { name: "x", entry_point: "x" };
  const isSection = (key: string): key is keyof typeof sections => Object.hasOwn(sections, key);
  const own = Object.fromEntries(Object.entries(said).filter(([key]) => !isSection(key)));
  const frame = check(sectionFrame(), own, page, WORKFLOW);
  const parts = Object.keys(sections)
    .filter(isSection)
    .map((key) => [key, readPart(key, said[key], page)] as const)
    .filter(([, part]) => part !== undefined);
  const blank = { ...sectionFrame().parse({ name: "x", entry_point: "x" }), name: "", entry_point: "" };
  if (!frame) page.standIns.push(["workflow"]);
  const fields = frame && isMapping(value) ? frame : blank;
  // Each part is what its schema says, which the type of the whole cannot follow through a loop.
  return withTypedDefaults({ ...fields, ...Object.fromEntries(parts) } as unknown as WorkflowSection, page);
}

function readPart(key: keyof typeof sections, value: unknown, page: Page): unknown {
  if (value === undefined || value === null) return sectionDefaults[key];
  const schema: z.ZodType = sections[key]();
  return (
    check(schema, value, page, { name: "", kind: `\`workflow.${key}\``, path: ["workflow", key] }) ??
    sectionDefaults[key]
  );
}

/** `default: ${RETRIES:-3}` of a number is a number. */
function withTypedDefaults(section: WorkflowSection, page: Page): WorkflowSection {
  if (!section.input) return section;
  const input = Object.fromEntries(
    Object.entries(section.input).map(([name, declared]) => {
      const typed = mendAs(declared.type, declared.default, ["workflow", "input", name, "default"], page);
      return [name, typed ? { ...declared, default: typed.value } : declared];
    }),
  );
  return { ...section, input };
}
