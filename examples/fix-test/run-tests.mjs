// Runs the tests of a project, and raises what failed as data, so that whoever fixes it does not have to read a log.
// What runs here an agent has written. Its own sandbox ended with its step, so there is one around the tests as well:
// none of Segno's environment, no network, of the machine only its programs, and nothing to write but a temporary folder.
// So the tests find no home, and no sockets of other programs, such as Docker's, but those that lie in the project itself.
// The project is read-only: a test that could write there could leave a segno.yaml, a git hook or a program for you to run.
import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, sep } from "node:path";
import { raise } from "segno/raise";
import { failuresIn } from "./failures.mjs";

const [folder = ".", confinement = ""] = process.argv.slice(2);
const project = realpathSync(folder);
const tests = [process.execPath, "--test", "--test-reporter=tap"];

/** Programs, what they load, and how they are set up; what of it is not here is left out. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix"];

/** `command`, inside bubblewrap. What comes later lies over what came before. */
const confined = (command) => [
  "bwrap",
  ...["--unshare-all", "--die-with-parent", "--new-session"],
  ...SYSTEM.flatMap((folder) => ["--ro-bind-try", folder, folder]),
  ...["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
  ...["--ro-bind", process.execPath, process.execPath],
  ...["--ro-bind", project, project],
  ...["--remount-ro", "/", "--chdir", project, "--", ...command],
];

/** Not a bwrap that the agent has put into the project: `npx` has node_modules/.bin of where it is started in PATH. */
const isOutside = (path) => isAbsolute(path) && existsSync(path) && !`${realpathSync(path)}/`.startsWith(project + sep);
const PATH = (process.env.PATH ?? "").split(delimiter).filter(isOutside).join(delimiter);

const run = ([command, ...args]) =>
  spawnSync(command, args, {
    cwd: project,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH, HOME: "/tmp" },
  });

const isConfined = run(confined([process.execPath, "--version"])).status === 0;
if (!isConfined && confinement !== "unconfined") {
  console.error(
    "The tests run code that an agent has written, and bubblewrap, which would confine it, does not work here. Install it (apt install bubblewrap), or start the workflow with -i unconfined=true if that code may do whatever you may.",
  );
  process.exit(1);
}

const { stdout, stderr, status } = run(isConfined ? confined(tests) : tests);
const failures = failuresIn(stdout ?? "");
if (status === 0) console.log("green");
else if (failures.length > 0) raise("tests.red", `${failures.length} of the tests failed`, { failures });
else raise("tests.red", "the tests did not run", { failures: [{ test: "all", message: (stderr || stdout).trim() }] });
