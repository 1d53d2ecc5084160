// Node and the platform.
import { broken, type Check, good } from "./check.ts";

const OLDEST = [20, 19] as const;

/** Before it, Node has no SQLite of its own, and there is no other for Windows on Arm. */
const OLDEST_ON_WINDOWS_ARM = [22, 13] as const;

export function checkNode(version: string, platform: string, arch: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const isWindowsOnArm = platform === "win32" && arch === "arm64";
  const oldest = isWindowsOnArm ? OLDEST_ON_WINDOWS_ARM : OLDEST;
  const [oldMajor, oldMinor] = oldest;
  const where = isWindowsOnArm ? " on Windows on Arm" : "";
  return major > oldMajor || (major === oldMajor && minor >= oldMinor)
    ? good("node", version)
    : broken("node", `${version} is too old. Segno needs ${oldest.join(".")} or newer${where}.`);
}

const TESTED: Readonly<Record<string, string>> = { linux: "Linux", darwin: "macOS" };

export const checkPlatform = (platform: string, arch: string): Check => {
  const tested = TESTED[platform];
  if (tested) return good("platform", `${tested}, ${arch}`);
  if (platform === "win32")
    return good("platform", `Windows, ${arch}: tested under Wine 10 with Node 22, not yet on a real Windows.`);
  return good("platform", `${platform}, ${arch}: not tested. Segno is tried on Linux and macOS.`);
};
