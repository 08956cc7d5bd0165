import { type NewOverdueDefinition, SystemTag, type Uuid } from '../../lib/index.ts';
import { ACCOUNTS_PER_OVERDUE_PAGE } from '../../lib/overdue/checks/overdue-handlers.ts';
import { localDate } from '../../lib/values/time/index.ts';
import { anyDatabase, expect, openEngine, rowsOf, type TestEngine } from '../support/index.ts';
import { afterDays } from '../support/overdue/stage-configs.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';
import { account, author, blockingState, ownerOf } from '../support/storage/stored-records.ts';

const CLEAR = '__KILLBILL__CLEAR__OVERDUE_STATE__';
const KEY = 'OVERDUE_CONFIG';
const OD: NewOverdueDefinition = { overdueStates: [afterDays('OD', 5, { isDisableEntitlement: true })] };
const DAY = '2012-05-06T10:00:00Z';

const ways: readonly (readonly [string, (engine: TestEngine) => Promise<void>])[] = [
  ['is deleted', ({ acme }) => acme.keyValues.delete(KEY)],
  [
    'is replaced by one without conditions',
    ({ acme }) =>
      acme.overdue.upload({
        initialReevaluationInterval: 3,
        overdueStates: [{ name: 'FINE', isClearState: true }],
      }),
  ],
];

anyDatabase.describe('overdue processing without conditions', (open) => {
  let engine: TestEngine;
  beforeEach(async () => {
    engine = await openEngine(open, { now: '2012-05-01T10:00:00Z', catalog: null });
  });

  async function debtor(): Promise<Uuid> {
    const made = await engine.acme.createAccount({ currency: 'USD' });
    await new PaidInvoices(engine, made).add('30');
    return made.id;
  }

  async function states(accountId: Uuid): Promise<readonly string[]> {
    const found = await engine.acme.blocking.ofAccount(accountId, { services: ['overdue-service'] });
    return found.map(({ stateName, effective }) => `${stateName} ${effective.at.toISOString().slice(0, 16)}`);
  }

  const tagsOf = async (accountId: Uuid) =>
    (await engine.acme.tags.ofAccount(accountId)).map(({ tagDefinitionName }) => tagDefinitionName);
  const breaches = () => Array.fromAsync(engine.billing.checks.breaches(null));
  const entries = async () =>
    (await rowsOf(engine.database, `select unique_key from bw_queue_history where topic like 'overdue-%'`))
      .length;

  for (const [way, change] of ways)
    it(`clears a blocked account when the configuration ${way} (overdue §1.2 rule 5)`, async () => {
      await engine.acme.overdue.upload(OD);
      const blocked = await engine.settle(debtor());
      await engine.runTo(DAY);
      const fresh = await engine.settle(debtor());
      expect(await tagsOf(blocked)).to.eql(['AUTO_INVOICING_OFF']);
      engine.clock.advance({ hours: 2 });
      await engine.settle(change(engine));
      expect(await states(blocked)).to.eql(['OD 2012-05-06T10:00', `${CLEAR} 2012-05-06T12:00`]);
      expect(await tagsOf(blocked)).to.eql([]);
      expect(await states(fresh)).to.eql([]);
      expect(await breaches()).to.eql([]);
    });

  it('needs the same number of SQL statements for each page and skips clear accounts (overdue §1.2 rule 5)', async () => {
    const { storage, tenant, clock } = engine;
    const count = 2 * ACCOUNTS_PER_OVERDUE_PAGE + 1;
    await engine.settle(engine.acme.overdue.upload(OD));
    await storage.write(tenant, author({ createdDate: clock.now() }), async (session) => {
      const news = Array.from({ length: count }, () =>
        account({ parentAccountId: null, isPaymentDelegatedToParent: false }),
      );
      const stored = await session.accounts.insert(news);
      const at = { at: clock.now(), date: localDate(2012, 5, 1) };
      await session.subscriptions.insertBlockingStates(
        stored.map((each, index) =>
          blockingState(ownerOf(each), {
            blockedId: each.id,
            type: 'ACCOUNT',
            service: 'overdue-service',
            stateName: index === 0 ? CLEAR : 'OD',
            effective: at,
            sequence: 1,
          }),
        ),
      );
      await session.overdue.saveAccounts(
        stored.map(({ id, recordId }) => ({
          accountId: id,
          accountRecordId: recordId,
          isInvoicingOffOwned: false,
          stateName: null,
        })),
      );
    });
    const statements = await engine.statementsOf(() => engine.settle(engine.acme.keyValues.delete(KEY)));
    const pages = statements.filter((sql) => /from bw_overdue_accounts[\s\S]*order by account_id/.test(sql));
    expect(pages).to.have.length(3);
    expect(await entries()).to.equal(count - 1);
    const left = await rowsOf(
      engine.database,
      `select state_name, count(*) as n from bw_blocking_states where service = 'overdue-service'
         group by state_name order by n`,
    );
    expect(left.map((row) => [row.state_name, Number(row.n)])).to.eql([
      ['OD', count - 1],
      [CLEAR, count],
    ]);
  });

  it('evaluates no account of a tenant that never had a condition (overdue §1.2 rule 5)', async () => {
    const accountId = await debtor();
    await engine.acme.overdue.upload({ overdueStates: [{ name: 'FINE', isClearState: true }] });
    await engine.settle();
    await engine.settle(engine.acme.keyValues.delete(KEY));
    await engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, [SystemTag.OVERDUE_ENFORCEMENT_OFF]);
    await engine.settle();
    expect(await entries()).to.equal(0);
    expect(await states(accountId)).to.eql([]);
  });

  it('clears an account with an outdated state when OVERDUE_ENFORCEMENT_OFF is added (overdue §7 rule 2)', async () => {
    await engine.acme.overdue.upload(OD);
    const accountId = await engine.settle(debtor());
    await engine.runTo(DAY);
    const { storage, tenant, clock } = engine;
    // As after a restart of the server with another default.
    await storage.write(tenant, author({ createdDate: clock.now() }), (session) =>
      session.keyValues.setOverdueConfig(null),
    );
    await engine.settle();
    expect(await states(accountId)).to.eql(['OD 2012-05-06T10:00']);
    expect((await breaches()).map(({ message }) => message)).to.eql([
      'The queue has no entry to change the overdue state from OD to clear',
    ]);
    await engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, [SystemTag.OVERDUE_ENFORCEMENT_OFF]);
    await engine.settle();
    expect((await states(accountId)).slice(1)).to.eql([`${CLEAR} 2012-05-06T10:00`]);
    expect(await tagsOf(accountId)).to.eql(['OVERDUE_ENFORCEMENT_OFF']);
    expect(await breaches()).to.eql([]);
  });

  it('postpones a due check day by day while the account has debt (overdue §6 rule 6)', async () => {
    await engine.acme.overdue.upload(OD);
    const waiting = await debtor();
    const paying = await engine.settle(debtor());
    await engine.settle(engine.acme.keyValues.delete(KEY));
    const pending = async () => {
      const rows = await rowsOf(
        engine.database,
        `select e.effective_date as due, a.id as account_id from bw_queue_entries e
           join bw_accounts a on a.record_id = e.account_record_id where e.unique_key like 'overdue-check:%'`,
      );
      return rows
        .map(
          ({ due, account_id }) =>
            `${account_id === waiting ? 'waiting' : 'paying'} ${new Date(Number(due)).toISOString().slice(0, 16)}`,
        )
        .sort();
    };
    expect(await pending()).to.eql(['paying 2012-05-06T10:00', 'waiting 2012-05-06T10:00']);
    const [invoice] = await engine.acme.invoices.ofAccount({ accountId: paying });
    await engine.acme.invoicePayments.pay({ invoiceId: invoice?.id ?? paying, isExternal: true });
    await engine.runTo('2012-05-08T10:00:00Z');
    expect(await pending()).to.eql(['waiting 2012-05-09T10:00']);
    await engine.acme.overdue.upload(OD);
    await engine.runTo('2012-05-09T10:00:00Z');
    expect(await states(waiting)).to.have.length(1);
    expect(await states(paying)).to.eql([]);
  });

  it('applies the next configuration to a cleared account that still has debt (overdue §6 rule 6)', async () => {
    await engine.acme.overdue.upload(OD);
    const accountId = await engine.settle(debtor());
    await engine.runTo(DAY);
    await engine.settle(engine.acme.keyValues.delete(KEY));
    await engine.acme.overdue.upload(OD);
    await engine.runTo('2012-05-07T10:00:00Z');
    expect((await states(accountId)).map((text) => text.split(' ')[0])).to.eql(['OD', CLEAR, 'OD']);
  });
});
