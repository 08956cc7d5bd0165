import { expect } from 'chai';
import { isLongRun } from './long-run.ts';

/**
 * Holds a measured time or size below a bound in the long run, which has a machine of its own. At every commit it would
 * tell how busy the machine is; there only what hangs is found, by mocha's own time limit.
 */
export function expectBelow(most: number, measured: number, what: string): void {
  if (isLongRun) expect(measured, what).to.be.below(most);
}
