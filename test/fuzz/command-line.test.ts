// Command lines: each is understood, or refused in a sentence.
import fc from "fast-check";
import { findCommand, flagOf, parse } from "../../src/frontends/cli/parse.ts";
import { outputSettingsOf, scanOutputSettings } from "../../src/frontends/cli/start.ts";
import { COMMANDS } from "../../src/frontends/cli/table/index.ts";
import { UsageError } from "../../src/frontends/cli/usage-error.ts";
import { fuzz, textsLike } from "./door.ts";

const names = COMMANDS.flatMap(({ name }) => name.split(" "));
const options = COMMANDS.flatMap(({ options: own }) => (own ?? []).map((option) => `--${flagOf(option).name}`));

fuzz({
  name: "a command line",
  inputs: fc.tuple(
    fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, textsLike(...names)),
    fc.array(
      fc.oneof(
        fc.constantFrom(...options, ...names, "--", "-", "-q", "-vv", "--output-format"),
        textsLike("--a=b", "-ix=1", "file.yaml", ...options),
      ),
      { maxLength: 6 },
    ),
  ),
  enter([first, rest]) {
    const args = [first, ...rest];
    scanOutputSettings(args, {});
    try {
      const { spec, rest: own } = findCommand(args, COMMANDS);
      return spec && outputSettingsOf(parse(spec, own, { cwd: "/", env: {} }));
    } catch (problem) {
      if (problem instanceof UsageError) return problem.message;
      throw problem;
    }
  },
});
