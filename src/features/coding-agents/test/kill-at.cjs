// Loaded before Segno: ends the process, as kill -9 does, at a moment between two of its steps that nothing outside can see.
// KILL_AT is the call of node:fs/promises to end before (with `!`: after), a space, and the end of the path it is given.
const promises = require("node:fs/promises");
const { syncBuiltinESMExports } = require("node:module");

const [method, path] = (process.env.KILL_AT ?? "").split(" ");
const isAfter = method.endsWith("!");
const name = method.replace("!", "");
const original = promises[name];
promises[name] = async (...given) => {
  const isMeant = String(given[0]).endsWith(path);
  if (isMeant && !isAfter) process.kill(process.pid, "SIGKILL");
  const result = await original(...given);
  if (isMeant) process.kill(process.pid, "SIGKILL");
  return result;
};
syncBuiltinESMExports();
