// What all bundles have in common.
import { existsSync, readdirSync } from "node:fs";
import { STEPS } from "../places.mjs";

/** The files of this name in the folders of step types. */
export const stepFiles = (name) =>
  readdirSync(STEPS)
    .map((folder) => `${STEPS}/${folder}`)
    .filter((folder) => existsSync(`${folder}/index.ts`) && existsSync(`${folder}/schema.ts`))
    .map((folder) => `${folder}/${name}`)
    .filter((file) => existsSync(file));

export const common = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  minifySyntax: true,
  minifyWhitespace: true,
  // Node prints the whole line that an uncaught error was thrown from.
  lineLimit: 160,
  legalComments: "none",
  logLevel: "warning",
};
