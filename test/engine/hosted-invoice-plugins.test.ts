import { expect } from 'chai';
import { Billing } from '../../adapters/node/billwright.ts';
import { ErrorCode, type InvoicePlugin, type TenantBilling } from '../../lib/index.ts';
import { anyDatabase, onEachDatabase } from '../support/databases.ts';
import { itemLines, openEngine, type TestEngine } from '../support/engine.ts';
import { codeOf } from '../support/errors.ts';
import { type Host, hostOf } from '../support/host.ts';

// invoicing §13
anyDatabase((kind, open) => {
  describe(`invoice plugins in a host’s transaction on ${kind}`, () => {
    let engine: TestEngine;
    let host: Host;
    let hosted: Billing<never>;
    let aborts = false;
    const existing: number[] = [];
    const plugin: InvoicePlugin = {
      name: 'tax',
      priorCall: async () => ({ aborted: aborts }),
      getAdditionalInvoiceItems: async (...[, , , { existingInvoices }]) => {
        existing.push((await Array.fromAsync(existingInvoices())).length);
        return { items: [{ itemType: 'TAX', amount: '1' }] };
      },
    };

    before(async () => {
      engine = await openEngine(open, { now: '2024-01-01T00:00:00Z' });
      host = hostOf(engine.database);
      const { storage } = host;
      hosted = await Billing.open({ storage, clock: engine.clock, invoicePlugins: [plugin] });
    });
    after(async () => {
      await hosted.close();
      await host.close();
      await engine.close();
    });

    const inside = <T>(work: (acme: TenantBilling) => Promise<T>): Promise<T> =>
      host.transaction((em) => work(hosted.as({ tenant: engine.tenant.id, user: 'host' }).within(em)));

    it(
      'see what the host has done in it, and their items commit with it',
      onEachDatabase(async () => {
        const accountId = await inside(async (acme) => {
          const { id } = await acme.createAccount({ currency: 'USD' });
          await acme.invoices.addCharges({ accountId: id, items: [{ amount: '3' }], autoCommit: true });
          await acme.createSubscription({ accountId: id, planName: 'solo-now' });
          await acme.generateInvoice({ accountId: id });
          return id;
        });
        expect(existing.splice(0).at(-1)).to.equal(1);
        const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
        expect(invoices.map(itemLines).at(-1)).to.deep.equal([
          'RECURRING 2024-01-01..2024-02-01 19.95',
          'TAX 2024-01-01 1',
        ]);
      }),
    );

    it('abort a run of which nothing stays', async () => {
      const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
      await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
      aborts = true;
      expect(await inside((acme) => codeOf(acme.generateInvoice({ accountId })))).to.equal(
        ErrorCode.INVOICE_NOTHING_TO_DO,
      );
      aborts = false;
      expect(await engine.acme.invoices.ofAccount({ accountId })).to.deep.equal([]);
    });
  });
});
