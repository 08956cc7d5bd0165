import type { Uuid } from '../../lib/index.ts';
import { anyDatabase, engineBefore, expect, expectCode } from '../support/index.ts';

anyDatabase.describe('account invoice log (platform §14.2)', (open) => {
  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });

  it('has one entry per invoice, including void and migrated invoices, and no entry of another account', async () => {
    const { acme, logger } = engine;
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    const { id: other } = await acme.createAccount({ currency: 'USD' });
    const charge = { items: [{ amount: '7.50' }], autoCommit: true };
    await acme.invoices.addCharges({ accountId, ...charge });
    await acme.invoices.addCharges({ accountId: other, ...charge });
    const [item] = await acme.invoices.addCharges({ accountId, items: charge.items });
    await acme.invoices.void(item?.invoiceId ?? '');
    const migration = { accountId, items: [{ itemType: 'RECURRING', amount: '3' }] } as const;
    await acme.invoices.createMigrationInvoice(migration);
    const before = logger.lines.length;
    await acme.invoices.writeToLog(accountId, { type: 'all' });
    const lines = logger.lines.slice(before);
    expect(lines).to.have.length(3);
    expect(lines.map((line) => JSON.stringify(line)).join('\n'))
      .to.contain('"amount":"7.5"')
      .and.to.contain('"status":"VOID"')
      .and.to.contain('"amount":"3"')
      .and.to.contain('"type":"all"')
      .and.not.to.contain(other);
  });

  it('is rejected for an unknown account', async () => {
    const unknown = '00000000-0000-7000-8000-00000000dead' as Uuid;
    await expectCode(engine.acme.invoices.writeToLog(unknown), 3002);
  });
});
