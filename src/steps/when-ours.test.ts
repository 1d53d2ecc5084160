// When something outside is touched: in the very tick in which the run was found to be this process's.
import { describe, expect, it } from "vitest";
import { whenOurs } from "./when-ours.ts";

describe("what touches the world", () => {
  it("follows the last answer without a moment in between", async () => {
    const looks = [Promise.resolve(), Promise.resolve()];
    let isLater = false;
    const assertLease = () => {
      isLater = false;
      queueMicrotask(() => {
        isLater = true;
      });
      return looks.shift();
    };
    expect(await whenOurs({ assertLease }, () => isLater)).toBe(false);
    expect(looks).toEqual([]);
  });

  it("is left alone by who lost the run", async () => {
    let isTouched = false;
    const assertLease = () => Promise.reject(new Error("lost"));
    const act = () => {
      isTouched = true;
    };
    await expect(whenOurs({ assertLease }, act)).rejects.toThrow("lost");
    expect(isTouched).toBe(false);
  });

  it("waits for nobody where nobody takes runs away", async () => {
    let isTouched = false;
    const acting = whenOurs({ assertLease: () => undefined }, () => {
      isTouched = true;
    });
    expect(isTouched).toBe(true);
    await acting;
  });
});
