import { expect, it } from "vitest";
import { calledWrong } from "./called-wrong.ts";

it("is a TypeError whose stack has none of the package's own frames", () => {
  const inner = () => calledWrong("run takes a file, but 5 was given");
  const error = inner();
  expect(error).toBeInstanceOf(TypeError);
  expect(error.stack?.split("\n")[0]).toBe("TypeError: run takes a file, but 5 was given");
  expect(error.stack).not.toContain("/base/errors/");
});
