import { fakeClock } from '../../adapters/testing/index.ts';
import { ErrorCode, formatInstant, type SettableClock } from '../../lib/index.ts';
import { anyDatabase, engineBeforeEach, expect } from '../support/index.ts';
import { rejection } from '../support/storage/opened-storage.ts';

const DECLINE = { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' } as const;

anyDatabase('letting time pass with a clock that a test moves', (open) => {
  const engine = engineBeforeEach(open, { now: '2024-01-01T10:30:00Z' });

  it('twelve months are billed and paid each at its own instant, a declined payment tried again days later', async () => {
    const { acme, billing, clock, gateway } = engine;
    const { id } = await engine.payingAccount({ currency: 'USD' });
    await acme.createSubscription({ accountId: id, planName: 'solo-now' });
    await billing.settleThrough(clock, '2024-03-01T10:29:59Z');
    gateway.configure(DECLINE);
    await billing.settleThrough(clock, '2024-03-02');
    gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
    const stops = await billing.settleThrough(clock, '2025-01-01');
    const months = Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(2, '0'));
    const due = months.map((month) => `2024-${month}-01T10:30:00.000Z`);
    const invoices = await acme.invoices.ofAccount({ accountId: id });
    expect(invoices.map(({ createdDate }) => createdDate.toISOString())).to.eql(due);
    expect(invoices.every(({ balance }) => balance.isZero())).to.equal(true);
    const payments = await acme.payments.ofAccount(id);
    const tried = payments.flatMap(({ transactions }) =>
      transactions.map(({ effectiveDate }) => effectiveDate.toISOString()),
    );
    expect(tried.toSorted()).to.eql([...due, '2024-03-09T10:30:00.000Z'].toSorted());
    expect(stops.map((each) => formatInstant(each))).to.include.members([
      '2024-03-09T10:30:00.000Z',
      ...due.slice(3),
    ]);
    expect(stops.map(Number)).to.eql([...new Set(stops.map(Number))].toSorted((a, b) => a - b));
    expect(formatInstant(clock.now())).to.equal('2025-01-01T00:00:00.000Z');
  });

  it('a clock that cannot be set, another one than the engine’s, and a time that is over, are refused', async () => {
    const { billing, clock } = engine;
    const still: Partial<SettableClock> = { now: () => clock.now() };
    const refused = async (...given: readonly unknown[]): Promise<string> => {
      const error = await rejection(billing.settleThrough(...(given as [SettableClock, string])));
      expect(error).to.include({ code: ErrorCode.INVALID_PARAMETER });
      return error.message;
    };
    expect(await refused(still, '2024-02-01')).to.contain('has no set(…)');
    expect(await refused(undefined, '2024-02-01')).to.contain('has no set(…)');
    expect(await refused(fakeClock('2024-01-01'), '2024-02-01')).to.contain(
      'open the engine with this clock',
    );
    expect(await refused(clock, '2023-12-31')).to.contain('cannot go back');
    expect(await refused(clock, 'soon')).to.contain('neither a date nor a date-time');
    expect(formatInstant(clock.now())).to.equal('2024-01-01T10:30:00.000Z');
  });

  it('work that cannot be done in time is an error that says at which instant time stands still', async () => {
    const { acme, billing, clock } = engine;
    const { id } = await acme.createAccount({ currency: 'USD' });
    await acme.createSubscription({ accountId: id, planName: 'solo-now' });
    const late = await rejection(billing.settleThrough(clock, '2024-03-01', { timeoutMs: 0 }));
    expect(late).to.include({ code: ErrorCode.BUSY });
    expect(late.message).to.contain('2024-01-01T10:30:00.000Z');
  });
});
