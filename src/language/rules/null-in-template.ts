import { nullsIn } from "../../template/analysis/references.ts";
import { isExpression } from "../analysis/facts.ts";
import { looksLikeTemplate } from "../analysis/shapes.ts";
import { defineRule } from "./rule.ts";

export const nullInTemplate = defineRule({
  name: "null-in-template",
  severity: "warning",
  description:
    "Templates and conditions say `none` where YAML and JSON say `null`. Segno reads `null` as `none`; Jinja2 knows no such name.",
  example: 'when: "{{ output.score == null }}"',
  *check({ facts, finding }) {
    const broken = new Set(facts.reads.problems.map(({ site }) => site));
    for (const site of facts.sites) {
      if (!site.source.includes("null") || broken.has(site)) continue;
      const bare = isExpression(site);
      const [first] = bare || looksLikeTemplate(site.source) ? nullsIn(site.source, bare) : [];
      if (!first) continue;
      yield finding(
        site.path,
        "`null` is read as `none` here, and Jinja2 itself knows no such name. Write `none`: `x is none`, `x == none`, or `x is defined` to ask whether it is there at all.",
        { node: site.node, ...first, suggestions: ["none"] },
      );
    }
  },
});
