// Where a file's meaning can be changed by a little: a flipped condition, a dropped call, another constant.
import { parseSync } from "oxc-parser";

const FLIPPED = { "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&" };

/** All sites of a file: `{kind, start, end, before, after, isStatement, isTopLevel}`. */
export function sitesIn(name, text) {
  const found = [];
  const cut = ({ start, end }) => text.slice(start, end);
  const add = (kind, node, after, depth, isStatement = false) =>
    found.push({
      kind,
      start: node.start,
      end: node.end,
      before: cut(node),
      after,
      isStatement,
      isTopLevel: depth === 0,
    });

  const walk = (node, depth) => {
    if (typeof node?.type !== "string" || node.type.startsWith("TS") || node.type === "ImportDeclaration") return;
    const inside = /Function/.test(node.type) ? depth + 1 : depth;
    const flipped = /^(Binary|Logical)Expression$/.test(node.type) && FLIPPED[node.operator];
    if (flipped) {
      const between = text.slice(node.left.end, node.right.start);
      add("condition", node, cut(node.left) + between.replace(node.operator, flipped) + cut(node.right), depth);
    }
    if (node.type === "IfStatement" || node.type === "ConditionalExpression")
      add("condition", node.test, `!(${cut(node.test)})`, depth);
    if (node.type === "ExpressionStatement" && isCall(node.expression)) add("call", node, ";", depth, true);
    if (node.type === "Literal" && typeof node.value === "number")
      add("constant", node, node.value === 0 ? "1" : "0", depth);
    if (node.type === "Literal" && typeof node.value === "boolean") add("constant", node, String(!node.value), depth);
    for (const [field, value] of Object.entries(node)) {
      if (field === "key" && !node.computed) continue;
      for (const child of Array.isArray(value) ? value : [value]) walk(child, inside);
    }
  };
  walk(parseSync(name, text).program, 0);
  return found;
}

/** `super()` cannot be left out: nothing that is built would start. */
function isCall(node) {
  const call = node.type === "AwaitExpression" ? node.argument : node;
  return call.type === "CallExpression" && call.callee.type !== "Super";
}
