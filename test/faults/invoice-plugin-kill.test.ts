import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import type { InvoicePlugin, Uuid } from '../../lib/index.ts';
import { codeOf } from '../support/assertions.ts';
import { bundled } from '../support/bundled.ts';
import { eachDatabase, onPostgresql, type TestDatabase } from '../support/databases.ts';
import { itemLines, openEngine } from '../support/engine.ts';
import { plainHasher } from '../support/plain-hasher.ts';
import { storageOf } from '../support/storage.ts';

const NOW = '2024-01-01T00:00:00Z';
const PROCESS = new URL('./plugin-process.ts', import.meta.url);

const tax: InvoicePlugin = {
  name: 'tax',
  getAdditionalInvoiceItems: async () => ({ items: [{ itemType: 'TAX', amount: '1' }] }),
};

/** The restarted node. */
function openAgain(database: TestDatabase, plugin: InvoicePlugin, nodeName = 'the-next-node') {
  return Billing.open({
    storage: storageOf(database),
    clock: fakeClock(NOW),
    hasher: plainHasher(),
    nodeName,
    isFormerNode: (name) => name === 'the-dying-node',
    invoicePlugins: [plugin],
  });
}

async function dieWith(database: TestDatabase, more: Readonly<Record<string, string>>): Promise<unknown> {
  const place = database.kind === 'sqlite' ? database.path : database.url;
  const options = { kind: database.kind, database: place, now: NOW, ...more };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(process.execPath, [bundled(PROCESS), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, signal] = await once(child, 'exit');
  return signal;
}

eachDatabase.describe('run killed after an invoice plugin responds', (open) => {
  /** An unbilled subscriber in a closed database. */
  async function subscriber() {
    const engine = await openEngine(open, { now: NOW });
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
    await engine.close();
    return { accountId, database: engine.database, tenant: engine.tenant.id };
  }

  async function linesOf(billing: Billing<never>, tenant: Uuid, accountId: Uuid) {
    const acme = billing.as({ tenant, user: 'me' });
    return (await acme.invoices.ofAccount({ accountId, withItems: true })).map(itemLines);
  }

  const billed = [['RECURRING 2024-01-01..2024-02-01 19.95', 'TAX 2024-01-01 1']];

  it('leaves no data, so that it can be repeated immediately', async () => {
    const { accountId, database, tenant } = await subscriber();
    expect(await dieWith(database, { tenant, account: accountId })).to.equal('SIGKILL');
    const billing = await openAgain(database, tax);
    try {
      expect(await linesOf(billing, tenant, accountId)).to.eql([]);
      const invoice = await billing.as({ tenant, user: 'me' }).generateInvoice({ accountId });
      expect(invoice.invoiceNumber).to.equal(1);
      expect(await linesOf(billing, tenant, accountId)).to.eql(billed);
    } finally {
      await billing.close();
    }
  });

  it('is completed once by the restarted node if it was automatic', async () => {
    const { accountId, database, tenant } = await subscriber();
    expect(await dieWith(database, { tenant })).to.equal('SIGKILL');
    const billing = await openAgain(database, tax);
    try {
      expect(await billing.settle()).to.equal(true);
      expect(await linesOf(billing, tenant, accountId)).to.eql(billed);
    } finally {
      await billing.close();
    }
  });
});

onPostgresql.describe('run on two nodes', (open) => {
  it('creates only one invoice if both nodes start it at the same time', async () => {
    const engine = await openEngine(open, { now: NOW });
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
    const both = Promise.withResolvers<void>();
    let calls = 0;
    const together: InvoicePlugin = {
      ...tax,
      getAdditionalInvoiceItems: async () => {
        calls += 1;
        if (calls === 2) both.resolve();
        await both.promise;
        return { items: [{ itemType: 'TAX', amount: '1' }] };
      },
    };
    const openNamed = (name: string) => openAgain(engine.database, together, name);
    const nodes = [await openNamed('one'), await openNamed('other')];
    try {
      const tenant = engine.tenant.id;
      const runs = nodes.map((node) =>
        codeOf(node.as({ tenant, user: 'me' }).generateInvoice({ accountId })),
      );
      expect((await Promise.all(runs)).map(String).toSorted()).to.eql(['4007', 'no error']);
      expect(calls).to.equal(2);
      const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
      expect(invoices.map(itemLines)).to.eql([
        ['RECURRING 2024-01-01..2024-02-01 19.95', 'TAX 2024-01-01 1'],
      ]);
    } finally {
      for (const node of nodes) await node.close();
      await engine.close();
    }
  });
});
