// Tags that reach into other templates: include, import, extends and block.

import { fail, placedIn } from "../error.ts";
import { nested } from "../limits.ts";
import type { Expr, StatementOf } from "../syntax/ast.ts";
import { str } from "../values/repr.ts";
import { Callable, Thing } from "../values/thing.ts";
import { raiseUndefined, textOf, Undefined, type Value } from "../values/value.ts";
import {
  at,
  type BlockBody,
  type Compiler,
  EMPTY_SCOPE,
  type ExecutableTemplate,
  type Execute,
  Frame,
  NO_BLOCKS,
  Output,
  type Run,
} from "./frame.ts";

/** Runs a template in a frame of its own and gives that frame, which holds what it exports. */
export function runTemplate(template: ExecutableTemplate, run: Run, out: Output): Frame {
  addBlocks(run, template);
  const frame = new Frame(run, undefined);
  if (template.blocks.size > 0) frame.set("self", new Self(frame));
  template.execute(frame, out);
  const { parent } = run;
  if (parent) {
    out.muted = false;
    nested(() => runTemplate(parent, { ...run, scope: frame.asScope(), parent: undefined }, out));
  }
  return frame;
}

function addBlocks(run: Run, template: ExecutableTemplate): void {
  if (template.blocks.size === 0) return;
  if (run.blocks === NO_BLOCKS) run.blocks = new Map();
  for (const [name, block] of template.blocks) run.blocks.set(name, [...(run.blocks.get(name) ?? []), block]);
}

/** Another template, run from a frame: with the names visible there, or with none. */
function runFrom(frame: Frame, loaded: Loaded, withContext: boolean, out: Output): Frame {
  const scope = withContext ? frame.asScope() : EMPTY_SCOPE;
  try {
    return nested(() =>
      runTemplate(loaded.template, { ...frame.run, scope, blocks: NO_BLOCKS, parent: undefined }, out),
    );
  } catch (error) {
    throw placedIn(error, loaded.name);
  }
}

interface Loaded {
  readonly name: string;
  readonly template: ExecutableTemplate;
}

function load(frame: Frame, names: Value): Loaded | undefined {
  if (names instanceof Undefined) return raiseUndefined(names);
  const candidates = Array.isArray(names) ? names : [names];
  for (const candidate of candidates) {
    const name = textOf(candidate) ?? fail("type", "The name of a template must be text.");
    const template = loadNamed(frame, name);
    if (template) return { name, template };
  }
  return undefined;
}

function loadNamed(frame: Frame, name: string): ExecutableTemplate | undefined {
  try {
    return frame.run.load(name);
  } catch (error) {
    throw placedIn(error, name);
  }
}

function loadExisting(frame: Frame, names: Value): Loaded {
  return (
    load(frame, names) ?? fail("type", `There is no template ${Array.isArray(names) ? str(names) : `'${str(names)}'`}.`)
  );
}

export function compileInclude(compiler: Compiler, node: StatementOf<"include">): Execute {
  const name = compiler.expression(node.name);
  return at(compiler, node.name, (frame: Frame, out: Output) => {
    const loaded = node.ignoreMissing ? load(frame, name(frame)) : loadExisting(frame, name(frame));
    if (loaded) runFrom(frame, loaded, node.withContext, out);
  });
}

class Module extends Thing {
  constructor(
    private readonly members: ReadonlyMap<string, Value>,
    readonly text: string,
  ) {
    super();
  }

  attribute(name: string): Value {
    return name.startsWith("_") ? undefined : this.members.get(name);
  }

  names(): readonly string[] {
    return [...this.members.keys()].filter((name) => !name.startsWith("_") && name !== "self");
  }
}

function importModule(frame: Frame, name: Value, withContext: boolean): Module {
  const out = new Output();
  const exported = runFrom(frame, loadExisting(frame, name), withContext, out);
  return new Module(exported.own(), out.text);
}

export function compileImport(compiler: Compiler, node: StatementOf<"import">): Execute {
  const name = compiler.expression(node.name);
  return at(compiler, node.name, (frame: Frame) => {
    frame.set(node.as, importModule(frame, name(frame), node.withContext));
  });
}

export function compileFromImport(compiler: Compiler, node: StatementOf<"from-import">): Execute {
  const name = compiler.expression(node.name);
  return at(compiler, node.name, (frame: Frame) => {
    const from = name(frame);
    const module = importModule(frame, from, node.withContext);
    for (const { name: exported, as } of node.names) {
      const absent = () =>
        new Undefined({
          path: exported,
          missing: exported,
          available: () => module.names(),
          message: `The template '${str(from)}' does not export '${exported}'.`,
        });
      frame.set(as, module.attribute(exported) ?? absent());
    }
  });
}

export function compileExtends(compiler: Compiler, name: Expr): Execute {
  const evaluate = compiler.expression(name);
  return at(compiler, name, (frame: Frame, out: Output) => {
    if (frame.run.parent) fail("type", "A template can extend only one other.");
    frame.run.parent = loadExisting(frame, evaluate(frame)).template;
    out.muted = true;
  });
}

/** A block shows its most derived body; `super()` inside it shows the next one. */
export function compileBlock(node: StatementOf<"block">): Execute {
  return (frame, out) => {
    // A derived template only hands its blocks upwards; the parent decides where they show.
    if (frame.run.parent) return;
    const bodies = frame.run.blocks.get(node.name) ?? [];
    showBlock(node.name, bodies, 0, node.scoped ? frame : frame.root, out);
  };
}

function showBlock(name: string, bodies: readonly BlockBody[], index: number, from: Frame, out: Output): void {
  const body = bodies[index];
  if (!body) fail("type", `There is no block '${name}' to show.`);
  if (body.required) fail("type", `The block '${name}' is required, but no template fills it.`);
  nested(() => {
    const frame = new Frame({ ...from.run, scope: from.asScope() }, undefined);
    frame.set("super", superOf(name, bodies, index, from));
    frame.set("self", new Self(from));
    body.execute(frame, out);
  });
}

function superOf(name: string, bodies: readonly BlockBody[], index: number, from: Frame): Value {
  if (index + 1 >= bodies.length) {
    return new Undefined({ path: "super", missing: "super", message: `There is no parent block called '${name}'.` });
  }
  return new Callable("super", () => captured((out) => showBlock(name, bodies, index + 1, from, out)));
}

function captured(write: (out: Output) => void): string {
  const out = new Output();
  write(out);
  return out.text;
}

/** `self.title()`: the blocks of this template by name. */
class Self extends Thing {
  readonly text = "<Self>";

  constructor(private readonly frame: Frame) {
    super();
  }

  attribute(name: string): Value {
    const bodies = this.frame.run.blocks.get(name);
    if (!bodies) return undefined;
    return new Callable(name, () => captured((out) => showBlock(name, bodies, 0, this.frame, out)));
  }

  names(): readonly string[] {
    return [...this.frame.run.blocks.keys()];
  }
}
