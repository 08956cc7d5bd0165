import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { InvoicePlugin } from '../../lib/index.ts';
import { externalEventTypes } from '../../lib/push/external-event.ts';
import { anyDatabase, expect, openEngine } from '../support/index.ts';
import { blocksOf, importingFrom } from './readme-examples.ts';

const root = resolve(import.meta.dirname, '../..');

describe('how-to pages about events and taxes', () => {
  it('list every published event type once', async () => {
    const page = await readFile(join(root, 'lib/push/EVENTS.md'), 'utf8');
    const listed = [...page.matchAll(/^\| ([A-Z_]+) \| \S/gm)].map(([, type]) => type);
    expect(listed.sort()).to.eql(Object.keys(externalEventTypes).sort());
  });

  it('mention only event types, tags and states that exist', async () => {
    const page = await readFile(join(root, 'lib/push/EVENTS.md'), 'utf8');
    const words = new Set(page.match(/\b[A-Z]+_[A-Z_]+\b/g));
    expect([...words].filter((word) => !Object.hasOwn(externalEventTypes, word))).to.eql([]);
  });
});

anyDatabase.describe('how-to pages about taxes', (open) => {
  it('show a tax plugin that taxes each charge once, even on a draft to which charges are added', async () => {
    const [block = ''] = await blocksOf('lib/ports/TAXES.md', 'ts');
    const folder = await mkdtemp(join(tmpdir(), 'billwright-taxes-'));
    const file = join(folder, 'taxes.ts');
    await writeFile(file, importingFrom(root, block));
    const { taxes } = (await import(file)) as {
      readonly taxes: (taxOf: (accountId: string) => Promise<object | null>) => InvoicePlugin;
    };
    await rm(folder, { recursive: true });
    const exempt = new Set<string>();
    const standard = { taxRate: '19', taxCategory: 'S' };
    const invoicePlugins = [taxes(async (accountId) => (exempt.has(accountId) ? null : standard))];
    const { acme, linesOf, settle } = await openEngine(open, { now: '2024-01-31T08:00:00Z', invoicePlugins });
    const taxed = await acme.createAccount({ currency: 'EUR' });
    await settle(acme.invoices.addCharges({ accountId: taxed.id, items: [{ amount: '11' }] }));
    await settle(acme.invoices.addCharges({ accountId: taxed.id, items: [{ amount: '5' }] }));
    const amounts = (await acme.invoices.ofAccount({ accountId: taxed.id, withItems: true })).flatMap(
      ({ items }) => items.map(({ itemType, amount }) => `${itemType} ${amount}`),
    );
    expect(amounts).to.have.members(['EXTERNAL_CHARGE 11', 'TAX 2.09', 'EXTERNAL_CHARGE 5', 'TAX 0.95']);
    const untaxed = await acme.createAccount({ currency: 'EUR' });
    exempt.add(untaxed.id);
    await settle(acme.invoices.addCharges({ accountId: untaxed.id, items: [{ amount: '11' }] }));
    expect(await linesOf(untaxed.id)).to.have.length(1);
  });
});
