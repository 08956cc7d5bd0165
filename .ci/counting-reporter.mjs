import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** Mocha's `spec` report, and "PASSED FAILED" written to the file named by the reporter option `totals`. */
export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { totals } = options.reporterOptions ?? options.reporterOption;
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      writeFileSync(totals, `${runner.stats.passes} ${runner.stats.failures}\n`);
    });
  }
}
