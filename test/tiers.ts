// Which tests run when. Every test file is in exactly one of these projects, by where it stands; test/house/tiers.test.ts
// holds that none is forgotten and none is run twice.
//
// `npm test` runs the projects whose names begin with `fast-`: what needs nothing but Node, and tells within minutes
// whether a change broke something. `npm run test:all` runs all of them.

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

/** Files beside the code that change their process for good, or count what it has done: each has a process of its own. */
const ALONE = [
  // These put a module of Node in the place of another.
  "src/hosts/embedded/hash-key.test.ts",
  "src/services/session/other-readers.test.ts",
  // It counts what its process has run.
  "src/services/telemetry/telemetry.test.ts",
];

/** Folders that drive real processes, in the fast tier because each is the first to notice something. */
const FAST_PROCESS = ["test/smoke", "test/examples"];

/** What `npm run test:all` has beyond `npm test`. */
export const BEYOND: Readonly<Record<string, string>> = {
  "src/hosts/postgres": "the store of a fleet, held to the same cases as the embedded one",
  "test/postgres": "a fleet on a real Postgres",
  "test/page": "the page in a real browser",
  "test/coding": "coding agents with their own programs",
  "test/project": "plugins, triggers and people of a project, from outside",
  "test/mcp": "MCP by the protocol's own client",
  "test/lsp": "the language server by its protocol, and in Neovim",
  "test/docs": "every command and every example of the docs",
  "test/hostile": "hostile terminals and folders",
  "test/package": "the package, installed",
  "test/chaos": "kills at random moments",
  "*.large.test.ts": "values, runs and pictures of a size that few have",
};

/** Of these, folders that share more than a process: what is loaded, or what a setup starts. */
const SHARED: readonly (Pick<Project, "name" | "about" | "globalSetup"> & { readonly folders: readonly string[] })[] = [
  { name: "all-coding", about: "coding agents: all load the same rooms", folders: ["test/coding"] },
  {
    name: "all-fleet",
    about: "what needs a Postgres: one for all",
    folders: ["src/hosts/postgres", "test/postgres"],
    globalSetup: "test/postgres/global-setup.ts",
  },
  {
    name: "all-package",
    about: "the package: packed and installed once for all",
    folders: ["test/package"],
    globalSetup: "test/package/global-setup.ts",
  },
  {
    name: "all-warm",
    about: "the page and MCP: one browser for all",
    folders: ["test/page", "test/mcp"],
    globalSetup: "test/page/global-setup.ts",
  },
];

/** A folder with all below it; a name with a star, anywhere beside the code. */
const inside = (folder: string): string => (folder.startsWith("*") ? `src/**/${folder}` : `${folder}/**/*.test.ts`);
const beyond = Object.keys(BEYOND).map(inside);
const shared = SHARED.flatMap(({ folders }) => folders.map(inside));
const process = [...FAST_PROCESS.map(inside), ...ALONE];

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
