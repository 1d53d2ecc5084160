// On CI a test that fails is tried once more, and named here when it then passes: such a test has a fault of its own.
export default class SecondTry {
  onTestRunEnd(files) {
    const tests = files.flatMap((file) => [...file.children.allTests()]);
    for (const test of tests.filter((test) => test.diagnostic()?.flaky)) {
      console.log(`passed only when tried again: ${test.module.relativeModuleId} > ${test.fullName}`);
      for (const { message } of test.result().errors ?? []) console.log(`  ${message.split("\n", 1)[0]}`);
    }
  }
}
