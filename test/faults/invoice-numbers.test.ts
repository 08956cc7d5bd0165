import { expect } from 'chai';
import { Billing } from '../../adapters/node/billwright.ts';
import type { InvoicePlugin, TenantBilling, Uuid } from '../../lib/index.ts';
import { decimal, parseLocalDate } from '../../lib/index.ts';
import { codeOf } from '../support/assertions.ts';
import { eachDatabase } from '../support/databases.ts';
import { openEngine, type TestEngine } from '../support/engine.ts';
import { isLongRun, sampled } from '../support/long-run.ts';
import { plainHasher } from '../support/plain-hasher.ts';
import { rowsOf } from '../support/queue-rows.ts';
import { storageOf } from '../support/storage.ts';
import { DyingProcess } from './dying-process.ts';
import { killableStorage } from './killable.ts';

const NOW = '2024-01-01T00:00:00Z';
const ACCOUNTS = 12;

const migrated = [{ itemType: 'RECURRING', amount: decimal(7) }] as const;

const configuration = { 'org.service.invoice.creditNotes': 'true' };

/** Creates one invoice per item. */
const splitting: InvoicePlugin = {
  name: 'splitting',
  getInvoiceGrouping: async ({ items }) => ({ groups: items.map(({ id }) => ({ itemIds: [id] })) }),
};

/** `takes`: the numbers of invoices and credit notes. `prepare` returns the account or invoice of the call. */
type NumberedCall = readonly [
  name: string,
  takes: number,
  prepare: (acme: TenantBilling) => Promise<Uuid>,
  run: (acme: TenantBilling, id: Uuid) => Promise<unknown>,
];

async function subscriber(acme: TenantBilling, planNames: readonly string[] = ['solo-now']) {
  const { id: accountId } = await acme.createAccount({ currency: 'USD' });
  let subscriptionId = accountId;
  for (const planName of planNames)
    ({ subscriptionId } = await acme.createSubscription({ accountId, planName }));
  return { accountId, subscriptionId };
}

const ofSubscriber = async (acme: TenantBilling): Promise<Uuid> => (await subscriber(acme)).accountId;

async function charged(acme: TenantBilling): Promise<Uuid> {
  const { id: accountId } = await acme.createAccount({ currency: 'USD' });
  const items = [{ amount: decimal(3) }];
  const [item] = await acme.invoices.addCharges({ accountId, items, autoCommit: true });
  if (item === undefined) throw new Error('no charge');
  return item.invoiceId;
}

const calls: readonly NumberedCall[] = [
  ['a run', 1, ofSubscriber, (acme, accountId) => acme.invoices.generate({ accountId })],
  [
    'a run with an invoice split by a plugin',
    2,
    async (acme) => (await subscriber(acme, ['solo-now', 'team-now'])).accountId,
    (acme, accountId) => acme.invoices.generateGroup({ accountId }),
  ],
  [
    'a run with a repair and its credit note',
    2,
    async (acme) => {
      const { accountId, subscriptionId } = await subscriber(acme, ['solo-now', 'team-now']);
      await acme.invoices.generate({ accountId });
      await acme.subscriptions.cancel(subscriptionId, {
        billingPolicy: 'IMMEDIATE',
        entitlementPolicy: 'IMMEDIATE',
      });
      return accountId;
    },
    (acme, accountId) => acme.invoices.generate({ accountId }),
  ],
  [
    'a charge',
    1,
    ofSubscriber,
    (acme, accountId) =>
      acme.invoices.addCharges({ accountId, items: [{ amount: decimal(3) }], autoCommit: true }),
  ],
  [
    'a credit',
    1,
    ofSubscriber,
    (acme, accountId) =>
      acme.invoices.addCredits({ accountId, items: [{ amount: decimal(3) }], autoCommit: true }),
  ],
  [
    'a migration invoice',
    1,
    ofSubscriber,
    (acme, accountId) => acme.invoices.createMigrationInvoice({ accountId, items: migrated }),
  ],
  ['a void with its credit note', 1, charged, (acme, invoiceId) => acme.invoices.void(invoiceId)],
  [
    'an adjustment with its credit note',
    1,
    charged,
    async (acme, invoiceId) => {
      const { accountId, items } = await acme.invoices.get(invoiceId);
      await acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId: items[0]?.id ?? '' });
    },
  ],
];

eachDatabase((kind, open) => {
  describe('invoice and credit note numbers', function () {
    this.timeout(isLongRun ? 0 : 300_000);
    let engine: TestEngine;
    beforeEach(async () => {
      engine = await openEngine(open, { now: NOW, configuration });
    });
    afterEach(() => engine.close());

    /** @returns the number of invoices and credit notes. */
    async function expectNoGap(about: string): Promise<number> {
      let all = 0;
      for (const [table, column] of [
        ['bw_invoices', 'invoice_number'],
        ['bw_credit_notes', 'credit_note_number'],
      ] as const) {
        const rows = await rowsOf(
          engine.database,
          `select ${column} as number from ${table}
           where tenant_record_id = ${engine.tenant.recordId} order by ${column}`,
        );
        const numbers = rows.map(({ number }) => Number(number));
        expect(numbers, `${table} ${about}`).to.eql(Array.from(rows, (_, index) => index + 1));
        all += rows.length;
      }
      return all;
    }

    it('have no gaps after concurrent and rejected calls (invoicing §1.6 rule 1, §21 rule 3)', async () => {
      // A second node if the database allows it.
      const other =
        kind === 'postgresql'
          ? await Billing.open({
              storage: storageOf(engine.database),
              clock: engine.clock,
              hasher: plainHasher(),
              nodeName: 'other',
            })
          : null;
      const nodes = [engine.acme, other?.as({ tenant: engine.tenant.id, user: 'other' }) ?? engine.acme];
      const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => ofSubscriber(engine.acme)));
      const items = [{ amount: decimal(3) }];
      const outcomes = await Promise.allSettled(
        accounts.flatMap((accountId, index) => {
          const { invoices } = nodes[index % 2] ?? engine.acme;
          const { invoices: others } = nodes[(index + 1) % 2] ?? engine.acme;
          return [
            invoices.generate({ accountId }),
            // Uses the same account, so that the calls wait for each other.
            others.addCharges({ accountId, items, autoCommit: true }),
            invoices.addCharges({ accountId, items }),
            others.addCredits({ accountId, items, autoCommit: true }),
            invoices.createMigrationInvoice({ accountId, items: migrated }),
            // Rejected after its invoice has started.
            others.addCharges({ accountId, items: [...items, { amount: decimal(-1) }], autoCommit: true }),
            invoices.createMigrationInvoice({
              accountId,
              items: [...migrated, { itemType: 'RECURRING', amount: null }],
              targetDate: parseLocalDate('2023-02-01'),
            }),
          ];
        }),
      );
      await engine.settle();
      await other?.close();
      expect(outcomes.filter(({ status }) => status === 'rejected')).to.have.length.of.at.least(ACCOUNTS);
      // On a busy machine, some calls give up waiting for their account.
      const succeeded = outcomes.filter(({ status }) => status === 'fulfilled').length;
      expect(succeeded).to.be.at.least(4 * ACCOUNTS);
      const written = await expectNoGap('after all have written');
      expect(written).to.be.at.least(succeeded);
      expect(await engine.acme.invoices.getByNumber(written)).to.have.property('invoiceNumber', written);
      expect(await codeOf(engine.acme.invoices.getByNumber(written + 1))).to.equal(4018);
    });

    // Both databases use the same statements for numbers.
    const tried = sampled([...calls.entries()], kind === 'sqlite' ? 1 : 4);
    for (const [turn, [name, takes, prepare, run]] of tried)
      it(`have no gaps if the process dies at any step of ${name} (invoicing §1.6 rule 1, §21 rule 3)`, async () => {
        const process = new DyingProcess(Number.POSITIVE_INFINITY);
        const dying = await Billing.open({
          storage: { ...killableStorage(engine.storage, process), close: () => Promise.resolve() },
          clock: engine.clock,
          hasher: plainHasher(),
          nodeName: 'dying',
          configuration,
          invoicePlugins: [splitting],
        });
        const acme = dying.as({ tenant: engine.tenant.id, user: 'dying' });
        /** @returns the steps, and how many numbers were used. */
        const dieAt = async (step: number) => {
          const id = await prepare(engine.acme);
          const before = await expectNoGap('before');
          process.dieIn(step);
          await run(acme, id).catch((error: unknown) => {
            if (!process.isDead) throw error;
          });
          const { steps, isDead } = process;
          expect(isDead, `step ${step} was reached`).to.equal(Number.isFinite(step));
          process.dieIn(Number.POSITIVE_INFINITY);
          const taken = (await expectNoGap(`after a death at step ${step} of ${steps}`)) - before;
          return { steps, taken };
        };
        await dieAt(Number.POSITIVE_INFINITY);
        const unchangedWalk = await dieAt(Number.POSITIVE_INFINITY);
        expect(unchangedWalk.taken).to.equal(takes);
        const { steps } = unchangedWalk;
        expect(steps).to.be.greaterThan(10);
        const ended = new Set<number>();
        const all = Array.from({ length: steps }, (_, index) => index + 1);
        // The last step comes after the commit.
        const diesAt = new Set([...sampled(all, { sqlite: 14, postgresql: 40 }[kind], turn), steps]);
        for (const step of diesAt) ended.add((await dieAt(step)).taken);
        await dying.close();
        expect([...ended], 'it died before and after all was stored').to.have.members([0, takes]);
        await engine.settle();
        await expectNoGap('after all that was left has been done');
      });
  });
});
