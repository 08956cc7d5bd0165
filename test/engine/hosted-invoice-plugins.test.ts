import { ErrorCode, type InvoicePlugin } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { HostedEngine } from '../support/index.ts';
import { codeOf, engineBefore, expect, hostedEngine, itemLines } from '../support/index.ts';

// invoicing §13
eachDatabaseByTurns('invoice plugins in a host’s transaction', (open) => {
  let inside: HostedEngine['inside'];
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

  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });
  before(async () => {
    ({ inside } = await hostedEngine(engine, { invoicePlugins: [plugin] }));
  });

  it('see what the host has done in it, and their items commit with it', async () => {
    const accountId = await inside(async (acme) => {
      const { id } = await acme.createAccount({ currency: 'USD' });
      await acme.invoices.addCharges({ accountId: id, items: [{ amount: '3' }], autoCommit: true });
      await acme.createSubscription({ accountId: id, planName: 'solo-now' });
      await acme.generateInvoice({ accountId: id });
      return id;
    });
    expect(existing.splice(0).at(-1)).to.equal(1);
    const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    expect(invoices.map(itemLines).at(-1)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 19.95',
      'TAX 2024-01-01 1',
    ]);
  });

  it('abort a run of which nothing stays', async () => {
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
    aborts = true;
    expect(await inside((acme) => codeOf(acme.generateInvoice({ accountId })))).to.equal(
      ErrorCode.INVOICE_NOTHING_TO_DO,
    );
    aborts = false;
    expect(await engine.acme.invoices.ofAccount({ accountId })).to.eql([]);
  });
});
