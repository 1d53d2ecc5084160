// The paths by which the build, the checks and the tests find their way, each written once.
//
// Every path is a whole string from the project's root, so that whoever searches for a file, or moves it, finds it here.
// JSON cannot import this file: test/house/places.test.ts holds that tsconfig.json, tsconfig.types.json, knip.json and
// package.json name the same paths, and that each path here is there.

/** The sources, and where the compiler puts their declarations. */
export const SOURCES = "src";
export const DECLARATIONS = "dist/types";

/** Where a source file is declared in the package. */
export const declarationOf = (/** @type {string} */ file) =>
  file.replace(`${SOURCES}/`, `${DECLARATIONS}/`).replace(/\.ts$/, ".d.ts");

/** The program, and what loads the scripts of which it consists. */
export const PROGRAM = "src/main.ts";
export const SCRIPT_LOADER = "src/bin/load-chunk.ts";

/** ES modules of the package that lead to scripts, by the name of their file in dist/. */
export const DOORS = {
  index: "src/index.ts",
  template: "src/template/index.ts",
  workflow: "src/features/typescript/library/index.ts",
};

/** ES modules that are built whole, without the scripts, by the name of their file in dist/. */
export const STANDING_ALONE = {
  raise: "src/base/errors/raise.ts",
  "plugin-gate": "src/services/project/gate/import-hooks.ts",
};

/** What users import, for which the package has declarations. */
export const DECLARED = [DOORS.index, STANDING_ALONE.raise, DOORS.template, DOORS.workflow];

/** A file that is declared by its schemas, and what its declaration imports (scripts/build/declarations.ts). */
export const FROM_SCHEMAS = {
  file: "src/frontends/library/from-schemas.ts",
  errors: "src/base/errors/index.ts",
  references: "src/features/typescript/library/ref.ts",
};

/** A folder for each step type. */
export const STEPS = "src/steps";

/** Files of which the build decides when they are loaded (scripts/build/scripts.mjs and scripts/build/late.mjs). */
export const LOADED = {
  start: "src/frontends/cli/start.ts",
  validateCommand: "src/frontends/cli/commands/validate.ts",
  runCommand: "src/frontends/cli/commands/run.ts",
  terminalAsker: "src/frontends/cli/ask/terminal-asker.ts",
  validate: "src/language/validate.ts",
  bySchema: "src/language/by-schema.ts",
  shapes: "src/language/quick/shapes.ts",
  processes: "src/steps/process/index.ts",
  run: "src/services/runs/run.ts",
  resume: "src/services/runs/resume.ts",
  extensions: "src/services/session/extensions.ts",
  ownStep: "src/services/own-steps/own-step.ts",
  ownStepType: "src/services/own-steps/own-step-type.ts",
  ownStepSchema: "src/services/own-steps/own-step-schema.ts",
  projectPeople: "src/services/project/project-people.ts",
  outcomeOf: "src/frontends/library/outcome-of.ts",
};

/** The web page. Its folder is compiled with a tsconfig.json of its own, for browsers. */
export const PAGE = {
  folder: "src/frontends/page",
  /** The pages of features, which are compiled with it. */
  ofFeatures: "src/features/*/page",
  html: "src/frontends/page/index.html",
  main: "src/frontends/page/main.tsx",
  theme: "src/frontends/page/theme.ts",
  streamWorker: "src/frontends/page/api/stream-worker.ts",
  layoutWorker: "src/frontends/page/views/run/graph/layout-worker.ts",
  /** How runs are drawn, whose colours become a style sheet. */
  graph: "src/graph/index.ts",
};

/** Tests beside the code that each need a process of their own (test/tiers.ts). */
export const TESTS_ALONE = [
  // These put a module of Node in the place of another.
  "src/storage/embedded/hash-key.test.ts",
  "src/services/session/other-readers.test.ts",
  // It counts what its process has run.
  "src/features/telemetry/telemetry.test.ts",
];

/** Folders of tests that test/tiers.ts names. */
export const TESTS = {
  smoke: "test/smoke",
  examples: "test/examples",
  fleetStore: "src/features/fleet/postgres",
  fleet: "src/features/fleet/test",
  page: "src/frontends/page/test",
  coding: "src/features/coding-agents/test",
  project: "test/project",
  mcp: "src/frontends/mcp/test",
  lsp: "src/features/editor/test",
  docs: "test/docs",
  hostile: "test/hostile",
  package: "test/package",
  chaos: "test/chaos",
};

/** What of these starts something that all its tests share. */
export const SETUPS = {
  fleet: "src/features/fleet/test/global-setup.ts",
  package: "test/package/global-setup.ts",
  page: "src/frontends/page/test/global-setup.ts",
};

/** Anywhere beside the code, by the end of their names. */
export const LARGE_TESTS = "*.large.test.ts";

/**
 * What `npm run test:all` has beyond `npm test`.
 * @type {Readonly<Record<string, string>>}
 */
export const BEYOND = {
  [TESTS.fleetStore]: "the store of a fleet, held to the same cases as the embedded one",
  [TESTS.fleet]: "a fleet on a real Postgres",
  [TESTS.page]: "the page in a real browser",
  [TESTS.coding]: "coding agents with their own programs",
  [TESTS.project]: "plugins, triggers and people of a project, from outside",
  [TESTS.mcp]: "MCP by the protocol's own client",
  [TESTS.lsp]: "the language server by its protocol, and in Neovim",
  [TESTS.docs]: "every command and every example of the docs",
  [TESTS.hostile]: "hostile terminals and folders",
  [TESTS.package]: "the package, installed",
  [TESTS.chaos]: "kills at random moments",
  [LARGE_TESTS]: "values, runs and pictures of a size that few have",
};
