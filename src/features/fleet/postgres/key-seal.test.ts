import { inspect } from "node:util";
import { expect, test } from "vitest";
import { sealWith } from "./key-seal.ts";

test("a seal that is printed shows the names of its keys, and no key", () => {
  const seal = sealWith("0123456789abcdef0123456789abcdef");
  expect(inspect(seal, { depth: null })).toBe(`KeySeal { isSealed: true, keyIds: [ '${seal.keyIds[0]}' ] }`);
});
