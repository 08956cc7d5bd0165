import { SystemTag, type Uuid } from '../../lib/index.ts';
import { eachDatabase, engineBefore, expect } from '../support/index.ts';

const FEW = 2;
const SEVERAL = 9;

// The number of statements must not depend on the size of the account.
eachDatabase.describe('operation on a whole account', (open) => {
  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });

  async function accountWith(count: number): Promise<Uuid> {
    const { acme } = engine;
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    const bundle = [{ accountId, planName: 'solo-now' }];
    await engine.settle(acme.subscriptions.createBundles(Array.from({ length: count }, () => bundle)));
    for (let number = 1; number <= count; number += 1) {
      const items = [{ amount: `${number}` }];
      await acme.invoices.addCharges({ accountId, items, autoCommit: true });
      await acme.accounts.addEmail(accountId, `${number}@x.io`);
    }
    const numbers = Array.from({ length: count }, (_, index) => ({ name: 'n', value: String(index) }));
    await acme.customFields.add({ type: 'ACCOUNT', id: accountId }, numbers);
    const method = { type: 'ACCOUNT', id: accountId } as const;
    await acme.tags.add(method, [SystemTag.TEST, SystemTag.PARTNER, SystemTag.MANUAL_PAY].slice(0, count));
    await engine.settle();
    return accountId;
  }

  const operations: Readonly<Record<string, (accountId: Uuid) => Promise<unknown>>> = {
    timeline: (id) => engine.acme.accounts.timeline(id),
    'all tags': (id) => engine.acme.tags.ofAccount(id),
    'all custom fields': (id) => engine.acme.customFields.ofAccount(id),
    'removal of all custom fields': (id) => engine.acme.customFields.remove({ type: 'ACCOUNT', id }, []),
    'closing with item adjustment': (id) =>
      engine.acme.accounts.close(id, {
        cancelAllSubscriptions: true,
        itemAdjustUnpaidInvoices: true,
        removeFutureNotifications: true,
      }),
    'closing with write-off': (id) =>
      engine.acme.accounts.close(id, { cancelAllSubscriptions: true, writeOffUnpaidInvoices: true }),
    anonymizing: (id) => engine.acme.anonymizeAccount(id),
  };

  it('sends the same number of SQL statements for a few records as for many records', async () => {
    const counts: Record<string, number[]> = {};
    for (const count of [FEW, SEVERAL]) {
      const [adjusted, writtenOff] = [await accountWith(count), await accountWith(count)];
      for (const [name, operation] of Object.entries(operations)) {
        const id = name === 'closing with write-off' ? writtenOff : adjusted;
        const { length } = await engine.statementsOf(() => operation(id));
        counts[name] = [...(counts[name] ?? []), length];
      }
    }
    for (const [name, [few, several]] of Object.entries(counts)) expect(several, name).to.equal(few);
  });
});
