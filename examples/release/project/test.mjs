import assert from "node:assert/strict";
import test from "node:test";
import { tally } from "./index.mjs";

test("counts words whatever their case", () => assert.equal(tally("To be, or not to be").get("be"), 2));
test("counts nothing in nothing", () => assert.equal(tally("").size, 0));
