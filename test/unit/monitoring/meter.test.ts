import { expect } from 'chai';
import { Meter } from '../../../lib/monitoring/node-meters.ts';

const minuteMs = 60_000;

describe('meter (platform §12.2)', () => {
  it('has no values before the first event', () => expect(new Meter(0).read(minuteMs)).to.equal(null));

  it('reports the count and the rates per second', () => {
    const meter = new Meter(0);
    meter.mark(120);
    expect(meter.read(minuteMs)).to.eql({
      count: 120,
      mean_rate: 2,
      one_minute_rate: 2,
      five_minute_rate: 2,
      fifteen_minute_rate: 2,
    });
  });

  it('has per-minute rates that decay and a mean that does not decay', () => {
    const meter = new Meter(0);
    meter.mark(600);
    meter.read(minuteMs);
    const rates = meter.read(2 * minuteMs);
    expect(rates?.count).to.equal(600);
    expect(rates?.mean_rate).to.equal(5);
    expect(rates?.one_minute_rate).to.be.closeTo(10 * Math.exp(-1), 1e-9);
    expect(rates?.five_minute_rate).to.be.closeTo(10 * Math.exp(-1 / 5), 1e-9);
    expect(rates?.fifteen_minute_rate).to.be.closeTo(10 * Math.exp(-1 / 15), 1e-9);
  });

  it('returns the same values for two reads at the same time', () => {
    const meter = new Meter(0);
    meter.mark(3);
    expect(meter.read(minuteMs)).to.eql(meter.read(minuteMs));
  });
});
