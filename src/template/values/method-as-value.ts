// `{{ input.items }}` where there is no key `items` finds the method of that name. A method
// is never what was meant: the key is missing, and that is what the error says.

import { isDictionary, keysOf } from "./dictionary.ts";
import type { Method } from "./thing.ts";
import { raiseUndefined, Undefined } from "./undefined.ts";
import { typeWord } from "./value.ts";

export function raiseMethod({ name, owner }: Method): never {
  const available = isDictionary(owner) ? keysOf(owner).map(String) : [];
  const what = isDictionary(owner) ? `There is no key '${name}'; the method of that name` : `The method '${name}'`;
  return raiseUndefined(
    new Undefined({
      missing: name,
      parentType: typeWord(owner),
      available: () => available,
      message: `${what} must be called: ${name}().`,
    }),
  );
}
