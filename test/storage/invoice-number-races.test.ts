import { expect } from 'chai';
import { Billing } from '../../adapters/node/billwright.ts';
import { decimal, type InvoicePlugin, type TenantBilling, type Uuid } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { killableStorage, type Steps } from '../faults/killable.ts';
import { eachDatabase } from '../support/databases.ts';
import { openEngine, type TestEngine } from '../support/engine.ts';
import { type Host, hostOf } from '../support/host.ts';
import { isLongRun } from '../support/long-run.ts';
import { plainHasher } from '../support/plain-hasher.ts';
import { storageOf } from '../support/storage.ts';
import { recordingLogger } from '../support/system-time.ts';

const NOW = '2024-01-01T00:00:00Z';
const ACCOUNTS = isLongRun ? 60 : 12;
const configuration = {
  'org.service.invoice.creditNotes': 'true',
  'org.service.invoice.numberPattern': 'INV-{yyyy}-{n:6}',
};

/** Aborts one call in five and fails in another; creates one invoice per item for all others. */
function moodyPlugin(): InvoicePlugin {
  let turn = 0;
  return {
    name: 'moody',
    priorCall: async () => {
      turn += 1;
      return { aborted: turn % 5 === 0 };
    },
    getAdditionalInvoiceItems: async () => {
      if (turn % 5 === 1) throw new Error('the tax office is closed');
      return { items: [{ itemType: 'TAX', amount: '1' }] };
    },
    getInvoiceGrouping: async ({ items }) => ({ groups: items.map(({ id }) => ({ itemIds: [id] })) }),
  };
}

/** A disk that is sometimes full when a number is taken or an invoice with a new number is inserted. */
class FullDisk implements Steps {
  #writes = 0;
  failures = 0;

  step(call?: string): void {
    if (call !== 'insertInvoices' && call !== 'takeNumbers') return;
    this.#writes += 1;
    if (this.#writes % 4 !== 0) return;
    this.failures += 1;
    throw new Error('there is no room');
  }
}

class HostChangesItsMind extends Error {}

eachDatabase((kind, open) => {
  describe('invoice and credit note numbers in concurrent and aborted transactions', function () {
    this.timeout(isLongRun ? 0 : 120_000);
    let engine: TestEngine;
    let host: Host;
    let hosted: Billing<never>;
    const nodes: Billing<never>[] = [];
    const disk = new FullDisk();

    before(async () => {
      engine = await openEngine(open, { now: NOW, configuration });
      host = hostOf(engine.database);
      const common = { clock: engine.clock, hasher: plainHasher(), logger: recordingLogger(), configuration };
      hosted = await Billing.open({ ...common, storage: host.storage, nodeName: 'host' });
      // One node each, if the database allows several.
      const storage = (steps: Steps): Storage<never> =>
        kind === 'postgresql'
          ? killableStorage(storageOf(engine.database), steps)
          : { ...killableStorage(engine.storage, steps), close: () => Promise.resolve() };
      const roomy: Steps = { step: () => undefined };
      const invoicePlugins = [moodyPlugin()];
      nodes.push(
        await Billing.open({ ...common, storage: storage(roomy), nodeName: 'moody', invoicePlugins }),
        await Billing.open({ ...common, storage: storage(disk), nodeName: 'full' }),
      );
    });
    after(async () => {
      for (const node of nodes) await node.close();
      await hosted.close();
      await host.close();
      await engine.close();
    });

    async function expectNoGap(): Promise<{ readonly invoices: number; readonly notes: number }> {
      const { rows } = await engine.acme.invoices.page({ offset: 0, limit: 10_000 });
      const inOrder = rows.toSorted((one, other) => one.invoiceNumber - other.invoiceNumber);
      const expected = Array.from(rows, (_, index) => index + 1);
      expect(inOrder.map(({ invoiceNumber }) => invoiceNumber)).to.eql(expected);
      expect(inOrder.map(({ formattedNumber }) => formattedNumber)).to.eql(
        expected.map((number) => `INV-2024-${String(number).padStart(6, '0')}`),
      );
      const notes = (await Promise.all(rows.map(({ id }) => engine.acme.creditNotes.ofInvoice(id)))).flatMap(
        (ofInvoice) => ofInvoice.map(({ creditNoteNumber }) => creditNoteNumber),
      );
      expect(notes.toSorted((one, other) => one - other)).to.eql(Array.from(notes, (_, index) => index + 1));
      return { invoices: rows.length, notes: notes.length };
    }

    /** Adds one charge. Returns its ids. */
    async function charge(acme: TenantBilling, accountId: Uuid) {
      const items = [{ amount: decimal(30) }];
      const [item] = await acme.invoices.addCharges({ accountId, items, autoCommit: true });
      if (item === undefined) throw new Error('no charge');
      return { accountId, invoiceId: item.invoiceId, invoiceItemId: item.id };
    }

    const inside = <T>(work: (acme: TenantBilling) => Promise<T>): Promise<T> =>
      host.transaction((em) => work(hosted.as({ tenant: engine.tenant.id, user: 'host' }).within(em)));

    /** Creates documents in a host transaction that is rolled back. Returns the highest number that it used. */
    async function releasedEntries(accountId: Uuid): Promise<number> {
      let taken = 0;
      const outcome = await inside(async (acme) => {
        await charge(acme, accountId);
        await acme.invoices.adjustItem(await charge(acme, accountId));
        taken = (await acme.invoices.page({ offset: 0, limit: -1 })).rows[0]?.invoiceNumber ?? 0;
        throw new HostChangesItsMind();
      }).catch((error: unknown) => error);
      if (!(outcome instanceof HostChangesItsMind)) throw outcome;
      return taken;
    }

    it('are reused after a host rolls back its transaction (invoicing §1.6 rule 1)', async () => {
      const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
      await engine.acme.invoices.adjustItem(await charge(engine.acme, accountId));
      const before = await expectNoGap();
      expect(await releasedEntries(accountId)).to.equal(before.invoices + 2);
      expect(await expectNoGap()).to.eql(before);
      await inside(async (acme) => acme.invoices.adjustItem(await charge(acme, accountId)));
      expect(await expectNoGap()).to.eql({ invoices: before.invoices + 1, notes: before.notes + 1 });
    });

    it('have no gaps despite failing plugins, a full disk and rollbacks (invoicing §1.6 rule 1, §1.7, §21 rule 3)', async () => {
      const [moody, full] = nodes.map((node) => node.as({ tenant: engine.tenant.id, user: 'node' }));
      if (moody === undefined || full === undefined) throw new Error('no nodes');
      const before = await expectNoGap();
      const accounts: Uuid[] = [];
      for (let count = 0; count < ACCOUNTS; count += 1) {
        const { id } = await engine.acme.createAccount({ currency: 'USD' });
        for (const planName of ['solo-now', 'team-now'])
          await engine.acme.createSubscription({ accountId: id, planName });
        accounts.push(id);
      }
      const { id: hostedId } = await engine.acme.createAccount({ currency: 'USD' });
      let hostsGaveUp = false;
      const givingUp = async (): Promise<void> => {
        for (let count = 0; count < ACCOUNTS / 4; count += 1) await releasedEntries(hostedId);
        hostsGaveUp = true;
      };
      const all = [engine.acme, moody, full];
      // Only one SQLite connection writes at a time, and two of them in one thread cannot wait for each other.
      if (kind === 'sqlite') await givingUp();
      const given = await Promise.allSettled([
        ...(kind === 'postgresql' ? [givingUp()] : []),
        ...accounts.flatMap((accountId, index) => {
          const acme = (turn: number): TenantBilling => all[(index + turn) % all.length] ?? engine.acme;
          const items = [{ amount: decimal(5) }];
          return [
            acme(0).invoices.generateGroup({ accountId }),
            acme(1).invoices.addCredits({ accountId, items, autoCommit: true }),
            charge(acme(2), accountId).then((charged) => acme(0).invoices.adjustItem(charged)),
            charge(acme(1), accountId).then(({ invoiceId }) => acme(2).invoices.void(invoiceId)),
            acme(2).invoices.addCharges({ accountId, items }),
            acme(0).invoices.addCharges({ accountId, items: [{ amount: decimal(-1) }], autoCommit: true }),
          ];
        }),
      ]);
      await engine.settle();
      expect(hostsGaveUp).to.equal(true);
      expect(given.filter(({ status }) => status === 'rejected')).to.have.length.of.at.least(ACCOUNTS);
      expect(disk.failures).to.be.greaterThan(ACCOUNTS / 3);
      const after = await expectNoGap();
      expect(after.invoices - before.invoices).to.be.at.least(2 * ACCOUNTS);
      expect(after.notes - before.notes).to.be.at.least(ACCOUNTS / 3);
    });
  });
});
