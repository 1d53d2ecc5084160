// Runs the tests of a project, and raises what failed as data, so that whoever fixes it does not have to read a log.
import { spawnSync } from "node:child_process";
import { raise } from "segno/raise";

const [project = "."] = process.argv.slice(2);
const { stdout, status } = spawnSync(process.execPath, ["--test", "--test-reporter=tap"], {
  cwd: project,
  encoding: "utf8",
  env: { ...process.env, NODE_TEST_CONTEXT: undefined },
});
const failures = [...stdout.matchAll(/^not ok \d+ - (.*)$[\s\S]*?^\s+error: (.*)$/gm)].map(([, test, message]) => ({
  test,
  message,
}));
if (status !== 0) raise("tests.red", `${failures.length} of the tests failed`, { failures });
else console.log("green");
