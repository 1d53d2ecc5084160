import assert from "node:assert/strict";
import { test } from "node:test";
import { sum } from "./sum.mjs";

test("adds up", () => assert.equal(sum([1, 2, 3]), 6));
test("is zero for nothing", () => assert.equal(sum([]), 0));
