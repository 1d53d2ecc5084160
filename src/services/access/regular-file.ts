// Files that a user named, for the faces too: they know services, and no hosts.
export { readRegularFile } from "../../hosts/regular-file.ts";
