// The script steps of a file, inline ones included.

import type { ScriptStep } from "../../steps/script/schema.ts";
import type { StepNode } from "../analysis/nodes.ts";
import type { RuleContext } from "./rule.ts";

export type ScriptNode = StepNode & { readonly step: ScriptStep };

const isScript = (node: { readonly kind: string; readonly type: string }): node is ScriptNode =>
  node.kind === "step" && node.type === "script";

export const scriptsOf = ({ facts }: RuleContext): readonly ScriptNode[] => facts.nodes.all.filter(isScript);
