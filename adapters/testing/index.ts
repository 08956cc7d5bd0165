/** For tests of host applications: a clock that a test moves, a gateway that it scripts. Entry point `billwright/testing`. */

export * from '../payments/index.ts';
export { type ClockStep, type FakeClock, fakeClock } from './fake-clock.ts';
