// For tests: the port as a host far away gives it. Nothing is written before a while has passed.
import { Drive } from "../../hosts/drive.ts";
import type { Timed } from "../durable.ts";

export const aWhile = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class LateDrive extends Drive {
  #writing: Promise<void> = Promise.resolve();

  override commit(): Promise<void> {
    this.#writing = this.#writing.then(aWhile).then(() => super.commit());
    return this.#writing;
  }

  override end(): Promise<void> {
    void super.end();
    return this.#writing;
  }

  override step<Value>(run: () => Value | Promise<Value>): Promise<Timed<Value>> {
    return this.commit().then(() => this.timed(run));
  }
}
