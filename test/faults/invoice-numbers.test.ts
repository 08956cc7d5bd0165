import { expect } from 'chai';
import { Billing } from '../../adapters/node/billwright.ts';
import { decimal, parseLocalDate, type TenantBilling, type Uuid } from '../../lib/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { openEngine, type TestEngine } from '../support/engine.ts';
import { codeOf } from '../support/errors.ts';
import { isLongRun } from '../support/long-run.ts';
import { plainHasher } from '../support/plain-hasher.ts';
import { sampled } from '../support/sampled.ts';
import { storageOf } from '../support/storage.ts';
import { DyingProcess } from './dying-process.ts';
import { killableStorage } from './killable.ts';

const NOW = '2024-01-01T00:00:00Z';
const ACCOUNTS = 12;

const migrated = [{ itemType: 'RECURRING', amount: decimal(7) }] as const;

/** What writes an invoice of its own, each by another way. */
const calls: Readonly<Record<string, (acme: TenantBilling, accountId: Uuid) => Promise<unknown>>> = {
  'a run': (acme, accountId) => acme.invoices.generate({ accountId }),
  'a charge': (acme, accountId) =>
    acme.invoices.addCharges({ accountId, items: [{ amount: decimal(3) }], autoCommit: true }),
  'a credit': (acme, accountId) =>
    acme.invoices.addCredits({ accountId, items: [{ amount: decimal(3) }], autoCommit: true }),
  'the invoice of another system': (acme, accountId) =>
    acme.invoices.createMigrationInvoice({ accountId, items: migrated }),
};

eachDatabase((kind, open) => {
  describe(`invoicing §1.6 rule 1: the numbers of a tenant's invoices have no gap (${kind})`, function () {
    this.timeout(isLongRun ? 0 : 300_000);
    let engine: TestEngine;
    beforeEach(async () => {
      engine = await openEngine(open, { now: NOW });
    });
    afterEach(() => engine.close());

    async function numbers(): Promise<readonly number[]> {
      const { rows } = await engine.acme.invoices.page({ offset: 0, limit: 10_000 });
      return rows.map(({ invoiceNumber }) => invoiceNumber);
    }

    async function expectNoGap(about: string): Promise<number> {
      const found = await numbers();
      const inOrder = found.toSorted((a, b) => a - b);
      expect(inOrder, about).to.deep.equal(Array.from(found, (_, index) => index + 1));
      return found.length;
    }

    async function subscriber(acme: TenantBilling): Promise<Uuid> {
      const { id: accountId } = await acme.createAccount({ currency: 'USD' });
      await acme.createSubscription({ accountId, planName: 'solo-now' });
      return accountId;
    }

    it('whoever writes at the same time: runs, charges, credits, migrations, drafts, and what is refused', async () => {
      // One more node where the database takes one.
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
      const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => subscriber(engine.acme)));
      const items = [{ amount: decimal(3) }];
      const outcomes = await Promise.allSettled(
        accounts.flatMap((accountId, index) => {
          const { invoices } = nodes[index % 2] ?? engine.acme;
          const { invoices: others } = nodes[(index + 1) % 2] ?? engine.acme;
          return [
            invoices.generate({ accountId }),
            // Its account is the same, so that the two wait for each other.
            others.addCharges({ accountId, items, autoCommit: true }),
            invoices.addCharges({ accountId, items }),
            others.addCredits({ accountId, items, autoCommit: true }),
            invoices.createMigrationInvoice({ accountId, items: migrated }),
            // Refused after its invoice has been begun.
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
      const refused = outcomes.filter(({ status }) => status === 'rejected');
      expect(refused).to.have.length.of.at.least(ACCOUNTS);
      const written = await expectNoGap('after all have written');
      expect(written).to.be.at.least(5 * ACCOUNTS);
      // Reads give them in the order in which they were made, which no two nodes share.
      expect(await engine.acme.invoices.getByNumber(written)).to.have.property('invoiceNumber', written);
      expect(await codeOf(engine.acme.invoices.getByNumber(written + 1))).to.equal(4018);
    });

    for (const [name, call] of Object.entries(calls)) {
      it(`whoever dies, at any step: ${name}`, async () => {
        const process = new DyingProcess(Number.POSITIVE_INFINITY);
        const dying = await Billing.open({
          storage: { ...killableStorage(engine.storage, process), close: () => Promise.resolve() },
          clock: engine.clock,
          hasher: plainHasher(),
          nodeName: 'dying',
        });
        const acme = dying.as({ tenant: engine.tenant.id, user: 'dying' });
        const dieAt = async (step: number): Promise<number> => {
          const accountId = await subscriber(engine.acme);
          process.dieIn(step);
          await call(acme, accountId).catch((error: unknown) => {
            if (!process.isDead) throw error;
          });
          const { steps, isDead } = process;
          expect(isDead, `step ${step} was reached`).to.equal(Number.isFinite(step));
          process.dieIn(Number.POSITIVE_INFINITY);
          return steps;
        };
        await dieAt(Number.POSITIVE_INFINITY);
        const steps = await dieAt(Number.POSITIVE_INFINITY);
        expect(steps).to.be.greaterThan(10);
        const ended = new Set<number>();
        let before = await expectNoGap('undisturbed');
        const all = Array.from({ length: steps }, (_, index) => index + 1);
        for (const step of sampled(all, { sqlite: 2, postgresql: 5 }[kind])) {
          await dieAt(step);
          const after = await expectNoGap(`after a death at step ${step} of ${steps}`);
          ended.add(after - before);
          before = after;
        }
        await dying.close();
        expect([...ended], 'it died before and after its invoice was stored').to.have.members([0, 1]);
        await engine.settle();
        await expectNoGap('after all that was left has been done');
      });
    }
  });
});
