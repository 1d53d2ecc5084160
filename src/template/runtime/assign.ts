// Binding names: `set`, loop variables, `with`.

import { fail } from "../error.ts";
import type { Target } from "../syntax/ast.ts";
import { itemsOf } from "../values/iterate.ts";
import type { Value } from "../values/value.ts";
import type { Frame } from "./frame.ts";
import { Namespace } from "./globals.ts";

export function assign(frame: Frame, target: Target, value: Value): void {
  switch (target.type) {
    case "name":
      frame.set(target.name, value);
      return;
    case "member": {
      const object = frame.get(target.object);
      if (!(object instanceof Namespace)) {
        fail("type", `'${target.object}' is no namespace: only of a namespace can a member be set.`);
      }
      object.set(target.name, value);
      return;
    }
    case "names": {
      const items = itemsOf(value);
      if (items.length !== target.targets.length) {
        fail("type", `${target.targets.length} names are to be set, but there are ${items.length} values.`);
      }
      target.targets.forEach((inner, i) => {
        assign(frame, inner, items[i]);
      });
    }
  }
}
