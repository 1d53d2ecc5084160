import { expect, it } from "vitest";
import { compile } from "../index.ts";
import { OTHER_NAMES } from "./token-stream.ts";

it.each([...OTHER_NAMES])("%s is no filter here, and %s is", (other, name) => {
  expect(() => compile(`{{ 1 | ${other} }}`)).toThrow(`Did you mean '${name}'?`);
  expect(() => compile(`{{ 1 | ${name} }}`)).not.toThrow();
});
