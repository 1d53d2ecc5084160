// What a script writes into its error file.
import { traitsOf } from "../../src/base/errors/index.ts";
import { readErrorChannel } from "../../src/steps/output-schema.ts";
import { fuzz, textsLike } from "./door.ts";

const WHOLE = {
  kind: "external.git.drift",
  message: "the branch moved",
  details: { branch: "main", behind: 3, files: ["a", { b: null }] },
};

fuzz({
  name: "an error file",
  inputs: textsLike(JSON.stringify(WHOLE), JSON.stringify({ conductor_error: true, ...WHOLE }, null, 2)),
  enter(text) {
    const error = readErrorChannel("probe", { text });
    return error && { ...error, ...traitsOf(error.kind, error.details) };
  },
});
