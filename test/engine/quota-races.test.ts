import { formatDecimal, type Uuid } from '../../lib/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { featureCatalog } from '../support/features/feature-catalog.ts';
import type { TestEngine } from '../support/index.ts';
import { expect, openEngine } from '../support/index.ts';

const CALLERS = 16;

eachDatabase.describe('concurrent consumption of a quota (features §4)', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  beforeEach(async () => {
    engine = await openEngine(open, { now: '2026-07-01T00:00:00Z', catalog: null });
    await engine.acme.uploadCatalog(featureCatalog);
    accountId = (await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
    await engine.subscribe({ accountId, planName: 'daily' });
  });

  const consume = (more: object = {}) =>
    engine.acme.features.consume({ accountId, feature: 'daily', ...more });

  const together = (more: object = {}) => Promise.all(Array.from({ length: CALLERS }, () => consume(more)));

  async function used(): Promise<string> {
    const features = await engine.acme.features.of({ accountId });
    const daily = features.find(({ name }) => name === 'daily');
    return daily?.used == null ? '-' : formatDecimal(daily.used);
  }

  it('never exceeds the quota, and uses all of it', async () => {
    const results = await together();
    expect(results.filter(({ allowed }) => allowed)).to.have.length(10);
    expect(results.filter(({ allowed }) => !allowed).map(({ remaining }) => formatDecimal(remaining))).to.eql(
      Array.from({ length: 6 }, () => '0'),
    );
    expect(await used()).to.equal('10');
  });

  it('needs one statement for several callers, and returns the counter after each call', async () => {
    await consume({ amount: '0.5' });
    let results: Awaited<ReturnType<typeof together>> = [];
    const statements = await engine.statementsOf(async () => {
      results = await together({ amount: '0.1' });
    });
    expect(statements.length).to.be.within(1, 2);
    const tenths = Array.from({ length: CALLERS }, (_, index) => (6 + index) / 10);
    expect(results.map(({ used: after }) => Number(after))).to.have.members(tenths);
    expect(results.map(({ remaining }) => Number(remaining))).to.have.members(
      tenths.map((each) => (100 - each * 10) / 10),
    );
    expect(await used()).to.equal('2.1');
  });

  it('publishes a threshold only once if several callers reach the threshold together', async () => {
    await engine.settle(together({ amount: '0.5' }).then(() => undefined));
    const { events } = await engine.acme.events.list({ types: ['QUOTA_THRESHOLD'] });
    expect(events).to.have.length(1);
    expect(await used()).to.equal('8');
  });

  it('gives the last unit to only one caller', async () => {
    await consume({ amount: '9' });
    const results = await together();
    expect(results.filter(({ allowed }) => allowed)).to.have.length(1);
    expect(await used()).to.equal('10');
  });

  it('counts only once per key', async () => {
    const results = await together({ amount: '3', key: 'once' });
    expect(new Set(results.map(({ allowed, used: after }) => `${allowed} ${formatDecimal(after)}`))).to.eql(
      new Set(['true 3']),
    );
    expect(await used()).to.equal('3');
  });

  it('is released only once per key', async () => {
    await consume({ amount: '2' });
    await consume({ amount: '3', key: 'once' });
    const release = () => engine.acme.features.release({ accountId, feature: 'daily', key: 'once' });
    const released = await Promise.all(Array.from({ length: CALLERS }, release));
    expect(released.filter((each) => formatDecimal(each.released) === '3')).to.have.length(1);
    expect(await used()).to.equal('2');
  });
});
