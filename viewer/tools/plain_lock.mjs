/* Takes the addresses of the packages out of package-lock.json: name, version and hash say enough, and every registry serves. */
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
for (const entry of Object.values(lock.packages)) delete entry.resolved;
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
