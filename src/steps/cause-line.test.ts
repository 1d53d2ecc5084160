// What people see first of a failed script: the line that names the cause, whatever language it was written in.
import { expect, it } from "vitest";
import { causeLine } from "./script/result.ts";

const CASES: Readonly<Record<string, readonly [stderr: string, cause: string | undefined]>> = {
  "a node crash": [
    "file:///w/boom.mjs:1\nthrow new Error('the disk is on fire')\n      ^\n\nError: the disk is on fire\n    at file:///w/boom.mjs:1:7\n    at node:internal/main:1:1\n\nNode.js v20.20.2\n",
    "Error: the disk is on fire",
  ],
  "a node crash with properties": [
    "node:fs:1\n    throw e;\n    ^\n\nError: ENOENT: no such file, open 'x'\n    at Object.openSync (node:fs:1:1) {\n  errno: -2,\n  code: 'ENOENT'\n}\n\nNode.js v20.20.2\n",
    "Error: ENOENT: no such file, open 'x'",
  ],
  "a node crash whose message has several lines": [
    "\nTypeError: no\nnot like this\n    at f (x.js:1:1)\n\nNode.js v20.20.2\n",
    "TypeError: no",
  ],
  "a node crash with a class of its own": ["\nDrift: SHA mismatch\n    at f (x.js:1:1)\n", "Drift: SHA mismatch"],
  "a python traceback": [
    'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\n    raise ValueError("bad")\nValueError: bad\n',
    "ValueError: bad",
  ],
  "a python traceback that led to another": [
    'Traceback (most recent call last):\n  File "x.py", line 1, in f\nKeyError: \'a\'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "x.py", line 3, in f\nRuntimeError: gave up\n',
    "RuntimeError: gave up",
  ],
  "java, down to the cause": [
    'Exception in thread "main" java.lang.IllegalStateException: no store\n\tat Main.main(Main.java:5)\nCaused by: java.io.IOException: disk full\n\tat Disk.write(Disk.java:9)\n\t... 1 more\n',
    "Caused by: java.io.IOException: disk full",
  ],
  ruby: ["x.rb:1:in `f': boom (RuntimeError)\n\tfrom x.rb:4:in `<main>'\n", "x.rb:1:in `f': boom (RuntimeError)"],
  go: ["panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/w/x.go:3 +0x18\nexit status 2\n", "panic: boom"],
  rust: [
    "thread 'main' panicked at src/main.rs:2:5:\nboom\nnote: run with `RUST_BACKTRACE=1` environment variable\n",
    "boom",
  ],
  bash: ["./x.sh: line 3: frobnicate: command not found\n", "./x.sh: line 3: frobnicate: command not found"],
  "a shell that shows what it does": ["+ deploy\nno such host\n+ exit 1\n", "no such host"],
  "a compiler: the first error": [
    "a.c: In function 'main':\na.c:3:5: error: 'x' undeclared\n    3 |     x = 1;\n      |     ^\na.c:9:1: error: expected ';'\na.c:3:5: note: each is reported once\nmake: *** [Makefile:2: a.o] Error 1\n",
    "a.c:3:5: error: 'x' undeclared",
  ],
  "rustc: the first error": [
    "error[E0425]: cannot find value `x`\n --> src/main.rs:1:1\n\nerror: aborting due to 1 previous error\n\nFor more information about this error, try `rustc --explain E0425`.\n",
    "error[E0425]: cannot find value `x`",
  ],
  tsc: [
    "a.ts(1,2): error TS2304: Cannot find name 'x'.\na.ts(3,2): error TS1005: ';' expected.\nFound 2 errors.\n",
    "a.ts(1,2): error TS2304: Cannot find name 'x'.",
  ],
  "npm around a script": [
    "disk full\nnpm error code ELIFECYCLE\nnpm error path /w\nnpm error A complete log of this run can be found in: /x\n",
    "disk full",
  ],
  npm: [
    'npm error Missing script: "x"\nnpm error A complete log of this run can be found in: /x\n',
    'npm error Missing script: "x"',
  ],
  "a log that got over an error": ["Error: no cache, going on\ndeploy failed: disk full\n", "deploy failed: disk full"],
  "colours and carriage returns": ["\u001b[31mfatal: no such remote\u001b[0m\r\n", "fatal: no such remote"],
  "nothing but what is indented": ["   half a word\n", "half a word"],
  nothing: ["\n \n", undefined],
};

it.each(Object.entries(CASES))("names the cause of %s", (_, [stderr, cause]) => {
  expect(causeLine(stderr)).toBe(cause);
});
