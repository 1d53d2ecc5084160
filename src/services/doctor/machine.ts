// Node and the platform.
import { broken, type Check, good } from "./check.ts";

const OLDEST = [20, 19] as const;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [oldMajor, oldMinor] = OLDEST;
  return major > oldMajor || (major === oldMajor && minor >= oldMinor)
    ? good("node", version)
    : broken("node", `${version} is too old. Segno needs ${OLDEST.join(".")} or newer.`);
}

const TESTED: Readonly<Record<string, string>> = { linux: "Linux", darwin: "macOS" };

export const checkPlatform = (platform: string, arch: string): Check => {
  const tested = TESTED[platform];
  if (tested) return good("platform", `${tested}, ${arch}`);
  const name = platform === "win32" ? "Windows" : platform;
  return good("platform", `${name}, ${arch}: not tested. Segno is tried on Linux and macOS; WSL is one of them.`);
};
