// A reporter that keeps when each test file began and ended, how it ended, and what failed.
import { appendFileSync } from "node:fs";

export default class Timeline {
  began = new Map();

  onTestModuleQueued(module) {
    this.began.set(module.moduleId, Date.now());
  }

  onTestModuleEnd(module) {
    const line = {
      file: module.relativeModuleId,
      began: this.began.get(module.moduleId),
      ended: Date.now(),
      ok: module.ok(),
    };
    appendFileSync(process.env.MUTATE_TIMELINE, `${JSON.stringify(line)}\n`);
  }
}
