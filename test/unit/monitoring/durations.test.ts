import { expect } from 'chai';
import { Durations } from '../../../lib/monitoring/node-meters.ts';

describe('durations (platform §12.2)', () => {
  it('have no statistics before the first value', () => expect(new Durations().read()).to.eql({}));

  it('report the exact minimum, maximum, mean and deviation', () => {
    const durations = new Durations();
    for (const ms of [2, 4, 4, 4, 5, 5, 7, 9]) durations.add(ms);
    const { min, max, mean, std_dev } = durations.read();
    expect({ min, max, mean, std_dev }).to.eql({ min: 2, max: 9, mean: 5, std_dev: 2 });
  });

  it('report percentiles within two percent for any number of values', () => {
    const durations = new Durations();
    for (let ms = 1; ms <= 10_000; ms += 1) durations.add(ms);
    const values = durations.read();
    const exact = { median: 5_000, tp75: 7_500, tp95: 9_500, tp98: 9_800, tp99: 9_900, tp999: 9_990 };
    for (const [kind, value] of Object.entries(exact))
      expect(values[kind], kind).to.be.within(value * 0.98, value * 1.02);
  });

  it('keep percentiles between the minimum and the maximum', () => {
    const durations = new Durations();
    for (const ms of [0, 0, 123.456]) durations.add(ms);
    const { median, tp999 } = durations.read();
    expect(median).to.be.lessThan(0.01);
    expect(tp999).to.be.within(120, 123.456);
  });
});
