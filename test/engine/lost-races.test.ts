import { setTimeout } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import type { Account as EngineAccount, TenantBilling } from '../../lib/index.ts';
import { ErrorCode, formatDecimal, SystemTag } from '../../lib/index.ts';
import type { WriteSession } from '../../lib/ports/storage/index.ts';
import type { TestEngine } from '../support/index.ts';
import { codeOf, engineBefore, expect, onPostgresql, openEngine, rowsOf } from '../support/index.ts';
import type { Account } from '../support/plain-views.ts';
import { author, payment, transaction } from '../support/storage/stored-records.ts';

/**
 * Another operation that holds the locks changes and commits what an operation has read before its own locks (ruling
 * R2). On SQLite, an operation reads nothing before it has the write lock.
 */
onPostgresql.describe('call that loses a race on PostgreSQL', (open) => {
  let host: MikroORM;
  let hosted: Billing<MikroORM['em']>;

  const engine = engineBefore(open, { now: '2024-01-01T08:00:00Z' });
  const { acme } = engine;
  before(async () => {
    if (engine.database.kind !== 'postgresql') throw new Error('not a PostgreSQL database');
    host = new MikroORM({
      entities: [],
      discovery: { warnWhenNoEntities: false },
      clientUrl: engine.database.url,
    });
    hosted = await Billing.open({ storage: postgresql(host) as never, clock: engine.clock });
  });
  after(async () => {
    await hosted.close();
    await host.close(true);
  });

  /**
   * Starts the operation while another one holds the locks of these accounts, and commits that one once the operation
   * waits.
   */
  async function overtaken<T>(
    accounts: readonly Account[],
    change: (session: WriteSession, locked: readonly EngineAccount[]) => Promise<void>,
    operation: () => Promise<T>,
  ): Promise<T> {
    const { running } = await engine.storage.write(engine.tenant, author(), async (session) => {
      const ids = accounts.map(({ id }) => id);
      const locked = await session.lockAccounts(ids);
      await change(
        session,
        ids.flatMap((id) => locked.find((each) => each.id === id) ?? []),
      );
      const started = { running: operation() };
      started.running.catch(() => undefined);
      await waitingForLock();
      return started;
    });
    return running;
  }

  async function waitingForLock(): Promise<void> {
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and state <> 'idle'`;
    while ((await host.em.getConnection().execute(waiting)).length === 0) await setTimeout(5);
  }

  const ways = [
    {
      way: 'in a transaction of the engine',
      run: <T>(work: (acme: TenantBilling) => Promise<T>) => work(acme),
    },
    {
      way: 'in a transaction of the host',
      run: <T>(work: (acme: TenantBilling) => Promise<T>) =>
        host.em
          .fork()
          .transactional((em) => work(hosted.as({ tenant: engine.tenant.id, user: 'test' }).within(em))),
    },
  ];
  for (const { way, run } of ways)
    describe(way, () => {
      const newAccount = (parent: Account | null = null) =>
        acme.createAccount({ currency: 'USD', parentAccountId: parent?.id ?? null });
      const externalMethodOf = async ({ id: accountId }: Account) =>
        (await acme.paymentMethods.add({ accountId, pluginName: '__EXTERNAL_PAYMENT__' })).id;
      /** Far from the numbers that the engine assigns. */
      const firstNumber = way.endsWith('engine') ? 1_000_000 : 2_000_000;
      const movedTo =
        (parent: Account | undefined) => async (session: WriteSession, locked: readonly EngineAccount[]) => {
          const [child] = locked;
          if (child && parent) await session.accounts.update([{ ...child, parentAccountId: parent.id }]);
        };

      it('is rejected for a bundle key that another account has just taken, with the correct error instead of BUSY', async () => {
        const [ada, grace] = [await newAccount(), await newAccount()];
        const planName = 'solo-now';
        const [wanted, other] = [`K ${way}`, `J ${way}`];
        const ended = await acme.createSubscription({
          accountId: ada.id,
          bundleExternalKey: wanted,
          planName,
        });
        await acme.subscriptions.cancel(ended.subscriptionId, {
          entitlementPolicy: 'IMMEDIATE',
          billingPolicy: 'IMMEDIATE',
        });
        await engine.settle();
        const held = await acme.createSubscription({
          accountId: grace.id,
          bundleExternalKey: other,
          planName,
        });
        const code = await overtaken(
          [ada, grace],
          async ({ subscriptions }) => {
            const retiredKey = `kbcncl-0:${wanted}`;
            await subscriptions.setBundleKeys([{ id: ended.bundleId, externalKey: wanted, retiredKey }]);
            await subscriptions.setBundleKeys([{ id: held.bundleId, externalKey: wanted, retiredKey: null }]);
          },
          () =>
            codeOf(
              run((acme) =>
                acme.createSubscription({ accountId: ada.id, bundleExternalKey: wanted, planName }),
              ),
            ),
        );
        expect(code).to.equal(ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS);
      });

      for (const [index, status] of (['PENDING', 'UNKNOWN', 'SUCCESS'] as const).entries())
        it(`is rejected for a transaction key that another account has just taken for a ${status} transaction`, async () => {
          const [ada, grace] = [await newAccount(), await newAccount()];
          const [mine, theirs] = [await externalMethodOf(ada), await externalMethodOf(grace)];
          const key = `T ${status} ${way}`;
          const owner = { accountId: grace.id, accountRecordId: grace.recordId };
          const made = payment(owner, { paymentMethodId: theirs, paymentNumber: firstNumber + index });
          const taken = transaction(owner, {
            paymentId: made.id,
            externalKey: key,
            status,
            leaseUntil: null,
          });
          const code = await overtaken(
            [],
            async ({ payments }) => {
              await payments.insertPayments([made]);
              await payments.insertTransactions([taken]);
            },
            () =>
              codeOf(
                run((acme) =>
                  acme.payments.purchase({
                    accountId: ada.id,
                    paymentMethodId: mine,
                    transactionExternalKey: key,
                    amount: '10',
                  }),
                ),
              ),
          );
          expect(code).to.equal(ErrorCode.PAYMENT_DIFFERENT_ACCOUNT_ID);
        });

      it('is rejected for an invoice payment key that another account has just taken', async () => {
        const [ada, grace] = [await newAccount(), await newAccount()];
        const paymentMethodId = await externalMethodOf(ada);
        const [item] = await acme.invoices.addCharges({
          accountId: ada.id,
          items: [{ amount: '10' }],
          autoCommit: true,
        });
        await engine.settle();
        const key = `I ${way}`;
        const owner = { accountId: grace.id, accountRecordId: grace.recordId };
        const made = payment(owner, {
          paymentMethodId: await externalMethodOf(grace),
          paymentNumber: firstNumber + 100,
        });
        const taken = transaction(owner, {
          paymentId: made.id,
          externalKey: key,
          status: 'PENDING',
          leaseUntil: null,
        });
        const code = await overtaken(
          [],
          async ({ payments }) => {
            await payments.insertPayments([made]);
            await payments.insertTransactions([taken]);
          },
          () =>
            codeOf(
              run((acme) =>
                acme.invoicePayments.pay({
                  invoiceId: item?.invoiceId ?? ada.id,
                  paymentMethodId,
                  transactionExternalKey: key,
                }),
              ),
            ),
        );
        expect(code).to.equal(ErrorCode.PAYMENT_DIFFERENT_ACCOUNT_ID);
      });

      it('creates an account below its parent and grandparent if the parent gets a parent at the same time', async () => {
        const [parent, above] = [await newAccount(), await newAccount()];
        const created = await overtaken([parent], movedTo(above), () =>
          run((acme) => acme.createAccount({ currency: 'USD', parentAccountId: parent.id })),
        );
        expect(created.parentAccountId).to.equal(parent.id);
      });

      it('delegates payments to a parent that is assigned at the same time', async () => {
        const [before, after] = [await newAccount(), await newAccount()];
        const child = await newAccount(before);
        await overtaken([child], movedTo(after), () =>
          run((acme) => acme.updateAccount(child.id, { changes: { isPaymentDelegatedToParent: true } })),
        );
        const { parentAccountId, isPaymentDelegatedToParent } = await acme.getAccount(child.id);
        expect([parentAccountId, isPaymentDelegatedToParent]).to.eql([after.id, true]);
      });

      it('moves credit up to a parent that is assigned at the same time', async () => {
        const [before, after] = [await newAccount(), await newAccount()];
        const child = await newAccount(before);
        await acme.invoices.addCredits({ accountId: child.id, items: [{ amount: '7' }], autoCommit: true });
        await overtaken([child], movedTo(after), () =>
          run((acme) => acme.accounts.transferCreditToParent(child.id)),
        );
        const credits = await Promise.all(
          [child, before, after].map(async ({ id }) => (await acme.accounts.balances([id])).get(id)),
        );
        expect(credits.map((each) => each && formatDecimal(each.accountCBA))).to.eql(['0', '0', '7']);
      });
    });
});

/** Makes the server end a deadlock once, by failing the first insertion into the table. */
async function failOnce(url: string, table: string, condition: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`
      create sequence failures;
      create function fail_once() returns trigger language plpgsql as $$ begin
        if ${condition} and nextval('failures') = 1 then
          raise exception 'deadlock detected' using errcode = '40P01';
        end if;
        return new;
      end $$;
      create trigger fail_once before insert or update on ${table} for each row execute function fail_once();`);
  } finally {
    await client.end();
  }
}

onPostgresql.describe('invoice run that PostgreSQL ends because of a deadlock', (open) => {
  let engine: TestEngine;

  const places = [
    { table: 'bw_coverage', condition: `new.kind = 'RECURRING'` },
    { table: 'bw_counters', condition: `new.name = 'invoice_number'` },
    { table: 'bw_invoice_items', condition: 'true' },
  ];
  for (const { table, condition } of places)
    it(`starts again if a deadlock occurs while it writes ${table}, and bills only once`, async () => {
      engine = await openEngine(open, { now: '2024-01-01T08:00:00Z' });
      const { acme, database } = engine;
      if (database.kind !== 'postgresql') throw new Error('wrong kind');
      const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
      const { subscriptionId } = await acme.createSubscription({ accountId, planName: 'solo-now' });
      await engine.settle();
      engine.clock.set('2024-01-10T08:00:00Z');
      await acme.tags.add({ type: 'ACCOUNT', id: accountId }, [SystemTag.AUTO_INVOICING_OFF]);
      await acme.subscriptions.changePlan(subscriptionId, {
        planName: 'team-now',
        billingPolicy: 'IMMEDIATE',
      });
      await engine.settle();
      await acme.tags.remove({ type: 'ACCOUNT', id: accountId }, [SystemTag.AUTO_INVOICING_OFF]);
      await engine.settle(failOnce(database.url, table, condition));
      const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
      expect(invoices).to.have.lengthOf(2);
      expect(invoices[1]?.items.map(({ itemType }) => itemType)).to.include.members([
        'REPAIR_ADJ',
        'RECURRING',
      ]);
      expect(await acme.invoices.verifyCoverage(accountId)).to.eql([]);
      expect(await rowsOf(database, 'select last_value > 1 as again from failures')).to.eql([
        { again: true },
      ]);
    });
});
