import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import type { NewOverdueDefinition, Uuid } from '../../lib/index.ts';
import { SystemTag } from '../../lib/index.ts';
import type { StoragePolicy } from '../../lib/ports/storage/index.ts';
import {
  eachDatabase,
  expect,
  isLongRun,
  isLookForWork,
  openEngine,
  plainHasher,
  recordingLogger,
  rowsOf,
  shopIn,
  shopTemplate,
  specCatalog,
  storageOf,
  type TestEngine,
} from '../support/index.ts';
import { afterDays } from '../support/overdue/stage-configs.ts';

const COUNTS = isLongRun ? [1, 10, 100] : [1, 10];

/** Results of a check on the tenth day. */
const cases = [
  ['changes nothing', { initialReevaluationInterval: 10, overdueStates: [afterDays('LATE', 90)] }, null],
  [
    'blocks',
    { overdueStates: [afterDays('GONE', 20), afterDays('BLOCKED', 10, { isDisableEntitlement: true })] },
    'BLOCKED',
  ],
  [
    'cancels',
    { overdueStates: [afterDays('CANCELLED', 10, { subscriptionCancellationPolicy: 'IMMEDIATE' })] },
    'CANCELLED',
  ],
] as const satisfies readonly (readonly [what: string, NewOverdueDefinition, state: string | null])[];

/** Returns whether the statement takes the lock of a SQLite file. */
const isLock = (statement: string): boolean => statement.includes('where record_id is null');
const isWrite = (statement: string): boolean => /^\s*(insert|update|delete)/i.test(statement);
const beginningOf = (statement: string): string => statement.trim().replaceAll(/\s+/g, ' ').slice(0, 80);

eachDatabase.describe('SQL statements of overdue checks', (open) => {
  let statements: string[] = [];
  let engine: TestEngine;

  async function begin(config: NewOverdueDefinition | null): Promise<void> {
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', trace: (sql) => statements.push(sql) });
    if (config !== null) await engine.acme.overdue.upload(config);
  }

  /** Creates an account without a payment method, and an invoice of today. */
  async function debtor(acme = engine.acme): Promise<Uuid> {
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    await acme.createSubscription({ accountId, planName: 'solo-now' });
    return accountId;
  }

  async function sent(work: () => Promise<unknown>): Promise<readonly string[]> {
    statements = [];
    await work();
    return statements.filter((text) => !isLookForWork(text)).map(beginningOf);
  }

  const statesOf = async () =>
    (
      await rowsOf(
        engine.database,
        `select state_name as name from bw_blocking_states where service = 'overdue-service'`,
      )
    ).map(({ name }) => name);

  for (const [what, config, state] of cases)
    it(`do not increase in number from ${COUNTS.join(' to ')} accounts when a check ${what}`, async () => {
      const counts: (readonly string[])[] = [];
      for (const count of COUNTS) {
        await begin(config);
        for (let left = count; left > 0; left -= 1) await debtor();
        await engine.settle();
        await engine.runTo('2024-01-10T12:00:00Z');
        expect(await statesOf()).to.eql([]);
        const [none] = [await sent(() => engine.settle())];
        counts.push(await sent(() => engine.runTo('2024-01-11T00:00:00Z')));
        expect(counts.at(-1)?.length).to.be.greaterThan(none?.length ?? 0);
        expect(await statesOf()).to.eql(state === null ? [] : Array(count).fill(state));
        if (count !== COUNTS.at(-1)) await engine.close();
      }
      for (const found of counts) expect(found.toSorted()).to.eql(counts[0]?.toSorted());
    });

  it('write only the queue entry for an account in good standing', async () => {
    await begin({
      overdueStates: [
        {
          name: 'LATE',
          condition: { numberOfUnpaidInvoicesEqualsOrExceeds: 1, controlTagExclusion: 'TEST' },
        },
      ],
    });
    const { id } = await engine.payingAccount({ currency: 'USD' });
    await engine.subscribe({ accountId: id, planName: 'solo-now' });
    await engine.acme.tags.add({ type: 'ACCOUNT', id }, [SystemTag.TEST]);
    const refreshes = `select record_id from bw_queue_entries where unique_key like 'overdue-refresh:%'`;
    expect(await rowsOf(engine.database, refreshes)).to.have.length(1);
    const written = (await sent(() => engine.settle())).filter((text) => isWrite(text) && !isLock(text));
    expect(await rowsOf(engine.database, refreshes)).to.eql([]);
    expect(written.filter((text) => !text.includes('bw_queue_'))).to.eql([]);
    expect(await statesOf()).to.eql([]);
    expect(await rowsOf(engine.database, 'select record_id from bw_overdue_accounts')).to.eql([]);
  });

  it('are not sent for a tenant whose configuration has no conditions', async () => {
    const lives: (readonly string[])[] = [];
    const clear = { overdueStates: [{ name: 'FINE', isClearState: true }] };
    const [[, conditional]] = cases;
    for (const config of [null, clear, conditional]) {
      await begin(config);
      lives.push(await secondLife(engine));
      await engine.close();
    }
    await begin(null);
    const deaf = await withoutOverdue();
    lives.push(await secondLife(deaf));
    await deaf.billing.close();
    const [none, clearOnly, some, without] = lives;
    expect(none).to.eql(without);
    expect(clearOnly).to.eql(without);
    expect(some?.length).to.be.greaterThan(without?.length ?? 0);
  });

  it('check only once whether an exempt account was ever overdue if there are no conditions (overdue §7 rule 2)', async () => {
    await begin(null);
    const id = await engine.settle(debtor());
    const tagged = (definitionId: Uuid) =>
      sent(() => engine.acme.tags.add({ type: 'ACCOUNT', id }, [definitionId]));
    await tagged(SystemTag.TEST);
    const other = await tagged(SystemTag.PARTNER);
    const exempted = await tagged(SystemTag.OVERDUE_ENFORCEMENT_OFF);
    const isLook = (text: string) => text.includes('is_invoicing_off_owned');
    expect(exempted.filter((text) => !isLook(text))).to.eql(other);
    expect(exempted.filter(isLook)).to.have.length(1);
    expect((await sent(() => engine.settle())).filter(isLook)).to.eql([]);
  });

  /** Returns the statements that bill a debtor when caches are filled. */
  async function secondLife(of: Pick<TestEngine, 'acme' | 'settle'>): Promise<readonly string[]> {
    const live = async (): Promise<void> => {
      const accountId = await debtor(of.acme);
      await of.settle();
      await of.acme.tags.add({ type: 'ACCOUNT', id: accountId }, [SystemTag.PARTNER]);
      const [invoice] = await of.acme.invoices.ofAccount({ accountId });
      await of.acme.invoicePayments.pay({ invoiceId: invoice?.id ?? accountId, isExternal: true });
      await of.settle();
    };
    await live();
    return sent(live);
  }

  /** Opens an engine whose storage does not schedule overdue work for events. */
  async function withoutOverdue() {
    const database = await open(shopTemplate(specCatalog));
    const storage = storageOf(database, (statement) => statements.push(statement));
    const deaf = new Proxy(storage, {
      get: (target, key) => {
        if (key === 'prepare')
          return ({ jobsOfEvents: _, ...policy }: StoragePolicy = {}) => target.prepare(policy);
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const billing = await Billing.open({
      storage: deaf,
      clock: fakeClock('2024-01-01T00:00:00Z'),
      hasher: plainHasher(),
      logger: recordingLogger(),
      pushSender: null,
    });
    const { acme } = await shopIn(billing);
    const settle: TestEngine['settle'] = async (work) => {
      const result = await work;
      expect(await billing.settle()).to.equal(true);
      return result as never;
    };
    return { billing, acme, settle };
  }
});
