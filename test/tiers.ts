// Which tests run when. Every test file is in exactly one of these projects, by where it stands; test/house/tiers.test.ts
// holds that none is forgotten and none is run twice.
//
// `npm test` runs the projects whose names begin with `fast-`: what needs nothing but Node, and tells within minutes
// whether a change broke something. `npm run test:all` runs all of them.

import { BEYOND, LARGE_TESTS, SETUPS, TESTS, TESTS_ALONE } from "../scripts/places.mjs";

export interface Project {
  readonly name: "fast-unit" | "fast-process" | "all" | `all-${string}`;
  readonly about: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Each file in a process of its own. Starting one costs more than most of these files do. */
  readonly isolate: boolean;
  /** Starts what all of its files share. */
  readonly globalSetup?: string;
}

/** Folders that drive real processes, in the fast tier because each is the first to notice something. */
const FAST_PROCESS = [TESTS.smoke, TESTS.examples];

/** Of what is beyond the fast tier, folders that share more than a process: what is loaded, or what a setup starts. */
const SHARED: readonly (Pick<Project, "name" | "about" | "globalSetup"> & { readonly folders: readonly string[] })[] = [
  { name: "all-coding", about: "coding agents: all load the same rooms", folders: [TESTS.coding] },
  {
    name: "all-fleet",
    about: "what needs a Postgres: one for all",
    folders: [TESTS.fleetStore, TESTS.fleet],
    globalSetup: SETUPS.fleet,
  },
  {
    name: "all-package",
    about: "the package: packed and installed once for all",
    folders: [TESTS.package],
    globalSetup: SETUPS.package,
  },
  {
    name: "all-warm",
    about: "the page and MCP: one browser for all",
    folders: [TESTS.page, TESTS.mcp],
    globalSetup: SETUPS.page,
  },
];

/** A folder with all below it; the large tests, anywhere beside the code. */
const inside = (folder: string): string => (folder === LARGE_TESTS ? `src/**/${folder}` : `${folder}/**/*.test.ts`);
const beyond = Object.keys(BEYOND).map(inside);
const shared = SHARED.flatMap(({ folders }) => folders.map(inside));
const process = [...FAST_PROCESS.map(inside), ...TESTS_ALONE];

export const PROJECTS: readonly Project[] = [
  {
    name: "fast-unit",
    about: "in process: rooms, language, engine, properties, cases",
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: [...process, ...beyond],
    isolate: false,
  },
  { name: "fast-process", about: "each face as packed, the examples", include: process, exclude: [], isolate: true },
  { name: "all", about: "everything else", include: beyond, exclude: shared, isolate: false },
  ...SHARED.map(({ folders, ...rest }) => ({ ...rest, include: folders.map(inside), exclude: [], isolate: false })),
];
