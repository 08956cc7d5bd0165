import { memoryCatalogPlugin } from '../../adapters/testing/index.ts';
import type { CatalogPluginContext, NewOverdueDefinition, Uuid } from '../../lib/index.ts';
import { SystemTag } from '../../lib/index.ts';
import type { WriteSession } from '../../lib/ports/storage/index.ts';
import { QueueName } from '../../lib/records/index.ts';
import { harbour } from '../support/catalogs/priced-catalog.ts';
import { eachDatabase, expect, onPostgresql, openEngine, rowsOf, type TestEngine } from '../support/index.ts';
import { afterDays } from '../support/overdue/stage-configs.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';
import { author } from '../support/storage/stored-records.ts';

const OD: NewOverdueDefinition = { overdueStates: [afterDays('OD', 5, { isDisableEntitlement: true })] };

async function begin(engine: TestEngine, config: NewOverdueDefinition) {
  await engine.acme.overdue.upload(config);
  const account = await engine.acme.createAccount({ currency: 'USD' });
  const invoice = await engine.settle(new PaidInvoices(engine, account).add('30'));
  return { account, invoice };
}

async function statesOf(engine: TestEngine, accountId: Uuid): Promise<readonly string[]> {
  const found = await engine.acme.blocking.ofAccount(accountId, { services: ['overdue-service'] });
  return found.map(({ stateName, effective }) => `${stateName} ${effective.at.toISOString().slice(0, 16)}`);
}

const CLEAR = '__KILLBILL__CLEAR__OVERDUE_STATE__';

/** Starts a transaction that holds its locks until it is released. */
function heldOpen(engine: TestEngine, work: (session: WriteSession) => Promise<void>) {
  const begun = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const done = engine.storage.write(
    engine.tenant,
    author({ createdDate: engine.clock.now() }),
    async (session) => {
      await work(session);
      begun.resolve();
      await letGo.promise;
    },
  );
  return {
    begun: Promise.race([begun.promise, done]),
    commit: async () => {
      letGo.resolve();
      await done;
    },
  };
}

onPostgresql.describe('concurrent overdue evaluations', (open) => {
  let engine: TestEngine;
  beforeEach(async () => {
    engine = await openEngine(open, { now: '2012-05-01T10:00:00Z', catalog: null });
  });

  it('include a change that is in progress when a refresh starts (overdue §11 rules 1 and 2)', async () => {
    const { account, invoice } = await begin(engine, OD);
    await engine.runTo('2012-05-06T10:00:00Z');
    expect(await statesOf(engine, account.id)).to.eql(['OD 2012-05-06T10:00']);
    engine.clock.advance({ hours: 1 });
    // A refresh from before the change is waiting.
    await engine.acme.tags.add({ id: account.id, type: 'ACCOUNT' }, [SystemTag.OVERDUE_ENFORCEMENT_OFF]);
    await engine.acme.tags.remove({ id: account.id, type: 'ACCOUNT' }, [SystemTag.OVERDUE_ENFORCEMENT_OFF]);
    const { recordId } = account;
    const change = heldOpen(engine, async (session) => {
      await session.lockAccounts([account.id]);
      await session.invoices.setWrittenOff([{ id: invoice.id, isWrittenOff: true }]);
      session.publish([{ type: 'INVOICE_ADJUSTMENT', accountRecordId: recordId, payload: {} }]);
    });
    await change.begun;
    // The refresh finds the account locked and is retried.
    expect(await engine.billing.settle({ timeoutMs: 400 })).to.equal(false);
    expect(await statesOf(engine, account.id)).to.have.length(1);
    await engine.settle(change.commit());
    expect((await statesOf(engine, account.id)).slice(1)).to.eql([`${CLEAR} 2012-05-06T11:00`]);
  });

  it('continue for a child while its parent is busy (overdue §8 rule 4)', async () => {
    const { account: parent } = await begin(engine, OD);
    const child = await engine.acme.createAccount({
      currency: 'USD',
      parentAccountId: parent.id,
      isPaymentDelegatedToParent: true,
    });
    await engine.settle();
    const busy = heldOpen(engine, async (session) => {
      await session.lockAccounts([parent.id]);
    });
    await busy.begun;
    engine.clock.set('2012-05-06T10:00:00Z');
    do expect(await engine.billing.settle({ timeoutMs: 400 })).to.equal(false);
    while ((await statesOf(engine, child.id)).length === 0);
    expect(await statesOf(engine, child.id)).to.eql(['OD 2012-05-06T10:00']);
    expect(await statesOf(engine, parent.id)).to.eql([]);
    await engine.settle(busy.commit());
    expect(await statesOf(engine, parent.id)).to.eql(['OD 2012-05-06T10:00']);
  });
});

eachDatabase.describe('overdue evaluations with an unavailable catalog', (open) => {
  it('wait for the catalog only if they cancel subscriptions (overdue §11 rule 3)', async () => {
    const catalog = memoryCatalogPlugin();
    catalog.serve(harbour());
    let isDown = false;
    const plugin = {
      ...catalog,
      latestVersion: async (context: CatalogPluginContext) => {
        if (isDown) throw new Error('the catalog is away');
        return catalog.latestVersion(context);
      },
    };
    const engine = await openEngine(open, {
      now: '2012-05-01T10:00:00Z',
      catalog: null,
      catalogPlugins: [plugin],
    });
    const { account: warned } = await begin(engine, {
      overdueStates: [
        {
          name: 'ENDED',
          subscriptionCancellationPolicy: 'IMMEDIATE',
          condition: { numberOfUnpaidInvoicesEqualsOrExceeds: 2 },
        },
        afterDays('WARNED', 5),
      ],
    });
    const ended = await engine.acme.createAccount({ currency: 'USD' });
    const { subscriptionId } = await engine.subscribe({ accountId: ended.id, planName: 'boat-monthly' });
    await engine.runTo('2012-05-06T09:00:00Z');
    await engine.charge(ended.id, '30');
    isDown = true;
    engine.clock.set('2012-05-06T10:00:00Z');
    do expect(await engine.billing.settle({ timeoutMs: 700 })).to.equal(false);
    while ((await statesOf(engine, warned.id)).length === 0);
    expect(await statesOf(engine, warned.id)).to.eql(['WARNED 2012-05-06T10:00']);
    expect(await statesOf(engine, ended.id)).to.eql([]);
    isDown = false;
    await engine.settle();
    expect(await statesOf(engine, ended.id)).to.eql(['ENDED 2012-05-06T10:00']);
    expect((await engine.acme.getSubscription(subscriptionId)).state).to.equal('CANCELLED');
  });
});

eachDatabase.describe('overdue evaluations', (open) => {
  let engine: TestEngine;
  beforeEach(async () => {
    engine = await openEngine(open, { now: '2012-05-01T10:00:00Z', catalog: null });
  });

  it('do not start again because of a tag that the overdue state itself adds (overdue §7 rule 1)', async () => {
    const { account } = await begin(engine, {
      overdueStates: [
        {
          name: 'OD',
          isDisableEntitlement: true,
          condition: {
            timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'DAYS', number: 5 },
            controlTagExclusion: 'AUTO_INVOICING_OFF',
          },
        },
      ],
    });
    await engine.runTo('2012-05-06T10:00:00Z');
    expect(await statesOf(engine, account.id)).to.eql(['OD 2012-05-06T10:00']);
  });

  it('run immediately for an account created under a parent with debt (overdue §7)', async () => {
    const { account: parent } = await begin(engine, OD);
    await engine.runTo('2012-05-07T10:00:00Z');
    const born = { currency: 'USD', parentAccountId: parent.id } as const;
    const paidFor = await engine.acme.createAccount({ ...born, isPaymentDelegatedToParent: true });
    const payingItself = await engine.settle(engine.acme.createAccount(born));
    expect(await statesOf(engine, paidFor.id)).to.eql(['OD 2012-05-07T10:00']);
    expect(await statesOf(engine, payingItself.id)).to.eql([]);
  });

  it('run only once for the parent of many children if the children are evaluated together (overdue §8 rule 1)', async () => {
    const { account: parent } = await begin(engine, OD);
    const born = { currency: 'USD', parentAccountId: parent.id, isPaymentDelegatedToParent: true } as const;
    const children = await Promise.all(Array.from({ length: 12 }, () => engine.acme.createAccount(born)));
    await engine.settle();
    const refreshes = async (): Promise<readonly [ofParent: number, ofChildren: number]> => {
      const rows = await rowsOf(
        engine.database,
        `select account_record_id from bw_queue_history where topic = '${QueueName.OVERDUE_REFRESH}'`,
      );
      const recordIds = rows.map((row) => Number(row.account_record_id));
      const ofParent = recordIds.filter((recordId) => recordId === parent.recordId).length;
      const own = new Set(children.map(({ recordId }) => recordId));
      return [ofParent, recordIds.filter((recordId) => own.has(recordId)).length];
    };
    const [before, beforeOfChildren] = await refreshes();
    for (const { id: accountId } of children) await engine.charge(accountId, '1');
    await engine.settle();
    expect(await refreshes()).to.eql([before + 1, beforeOfChildren + 12]);
    // A refresh of the parent also refreshes all children.
    await engine.acme.tags.add({ id: parent.id, type: 'ACCOUNT' }, [SystemTag.OVERDUE_ENFORCEMENT_OFF]);
    await engine.settle();
    expect((await refreshes())[1]).to.equal(beforeOfChildren + 24);
  });

  it('keep AUTO_INVOICING_OFF after the account is cleared if a user also added the tag (overdue §2.3)', async () => {
    const { account, invoice } = await begin(engine, OD);
    const object = { id: account.id, type: 'ACCOUNT' } as const;
    const names = async () =>
      (await engine.acme.tags.ofAccount(account.id, { objectType: 'ACCOUNT' })).map(
        ({ tagDefinitionName }) => tagDefinitionName,
      );
    await engine.runTo('2012-05-06T10:00:00Z');
    expect(await names()).to.eql(['AUTO_INVOICING_OFF']);
    await engine.acme.tags.add(object, [SystemTag.AUTO_INVOICING_OFF]);
    await engine.settle(engine.acme.invoicePayments.pay({ invoiceId: invoice.id, isExternal: true }));
    expect((await statesOf(engine, account.id)).at(-1)).to.equal(`${CLEAR} 2012-05-06T10:00`);
    expect(await names()).to.eql(['AUTO_INVOICING_OFF']);
    expect(await Array.fromAsync(engine.billing.checks.breaches(null))).to.eql([]);
  });

  it('keep AUTO_INVOICING_OFF on a closed account that is no longer overdue (overdue §2.3)', async () => {
    const { account } = await begin(engine, OD);
    await engine.runTo('2012-05-06T10:00:00Z');
    await engine.settle(engine.acme.accounts.close(account.id, { writeOffUnpaidInvoices: true }));
    expect((await statesOf(engine, account.id)).at(-1)).to.equal(`${CLEAR} 2012-05-06T10:00`);
    const tags = await engine.acme.tags.ofAccount(account.id, { objectType: 'ACCOUNT' });
    expect(tags.map(({ tagDefinitionName }) => tagDefinitionName)).to.eql(['AUTO_INVOICING_OFF']);
  });
});
