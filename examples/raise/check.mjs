// Raises by name instead of by exit code: whoever reads the routes knows what can happen here.
import { raise } from "segno/raise";

const given = process.argv[2] ?? "";
const port = Number(given);

if (!Number.isInteger(port) || port < 1) {
  raise("port.not_a_number", `"${given}" is no port`, { given });
} else if (port < 1024) {
  raise("port.reserved", `port ${port} is for the system`, { next: port + 8000 });
} else console.log(port);
