import { expect, it } from "vitest";
import { shellWord } from "./typeable.ts";

it.each([
  ["ask#1", "'ask#1'"],
  ["g#1[0].m", "'g#1[0].m'"],
  ["http.*", "'http.*'"],
  ["my flow/hello.yaml", "'my flow/hello.yaml'"],
  ["it's", "'it'\\''s'"],
  ["my-flow\\hello.yaml", '"my-flow\\hello.yaml"'],
  ["C:\\my flow\\hello.yaml", '"C:\\my flow\\hello.yaml"'],
  ["a\\\\b", "'a\\\\b'"],
  ["a\\$b", "'a\\$b'"],
  ["", "''"],
  ["my-flow/hello.yaml", "my-flow/hello.yaml"],
  ["01M7F7PXQAK15RA3B9HNWXV16N", "01M7F7PXQAK15RA3B9HNWXV16N"],
])("%s is written %s for a shell", (text, word) => expect(shellWord(text)).toBe(word));
