import { readFile } from 'node:fs/promises';
import type { InvoicePlugin, Uuid } from '../../lib/index.ts';
import { anyDatabase, engineBefore, expect, expectCode } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';

const aborter: InvoicePlugin = {
  name: 'aborter',
  async priorCall(_context, properties) {
    return { aborted: properties.some(({ key }) => key === 'abort') };
  },
};

const page = new URL('../../lib/invoicing/RULES.md', import.meta.url);

/** Returns the codes in the tables of invoicing §15.1, and those that the page lists as never thrown. */
async function listedCodes() {
  const [, section = ''] = /^### 15\.1 [^\n]*\n(.*?)^## /ms.exec(await readFile(page, 'utf8')) ?? [];
  const [tables = '', reasons = ''] = section.split('Never thrown: ');
  const numbers = (text: string) => Array.from(text.matchAll(/^- (\d+) /gm), ([, number]) => Number(number));
  const cells = tables.split('\n').flatMap((row) => (row.startsWith('|') ? row.split('|') : []));
  const listed = cells.flatMap((cell) => (/^ *\d[\d /]*$/.test(cell) ? (cell.match(/\d+/g) ?? []) : []));
  return { listed: listed.map(Number), neverThrown: numbers(reasons) };
}

anyDatabase.describe('error codes (invoicing §15.1)', (open) => {
  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z', invoicePlugins: [aborter] });

  const unknown = '00000000-0000-4000-8000-000000000000';
  const newAccount = async (parentAccountId?: Uuid) =>
    (
      await engine.acme.createAccount({
        currency: 'USD',
        ...(parentAccountId === undefined ? {} : { parentAccountId }),
      })
    ).id;

  async function invoiced(
    operation: 'addCharges' | 'addCredits',
    amount: string,
    { autoCommit = true, accountId }: { readonly autoCommit?: boolean; readonly accountId?: Uuid } = {},
  ): Promise<InvoiceView> {
    const owner = accountId ?? (await newAccount());
    const items = [{ amount }];
    const [item] = await engine.acme.invoices[operation]({ accountId: owner, items, autoCommit });
    return engine.acme.invoices.get(item?.invoiceId ?? '');
  }
  const charged = (amount = '10', options = {}) => invoiced('addCharges', amount, options);
  const credited = (amount = '10', options = {}) => invoiced('addCredits', amount, options);

  const adjust = (invoice: InvoiceView, index = 0, amount = '1') =>
    engine.acme.invoices.adjustItem({
      accountId: invoice.accountId,
      invoiceId: invoice.id,
      invoiceItemId: invoice.items[index]?.id ?? '',
      amount,
    });
  const addTo = (invoice: InvoiceView) =>
    engine.acme.invoices.addCharges({
      accountId: invoice.accountId,
      items: [{ amount: '1', invoiceId: invoice.id }],
    });
  const deleteCredit = (invoice: InvoiceView, type: string) =>
    engine.acme.invoices.deleteCredit({
      accountId: invoice.accountId,
      invoiceId: invoice.id,
      invoiceItemId: invoice.items.find(({ itemType }) => itemType === type)?.id ?? '',
    });

  async function paid(): Promise<InvoiceView> {
    const { id } = await engine.payingAccount({ currency: 'USD' });
    return engine.acme.invoices.get((await engine.settle(charged('10', { accountId: id }))).id);
  }

  /** Calls that fail, by error code. */
  const provoked: Readonly<Record<number, () => Promise<unknown>>> = {
    3: async () => {
      const items = [{ amount: '1', currency: 'EUR' }];
      return engine.acme.invoices.addCharges({ accountId: await newAccount(), items });
    },
    3009: async () => engine.acme.accounts.transferCreditToParent(await newAccount()),
    4004: async () => {
      const items = [{ amount: '1', startDate: '2024-02-01', endDate: '2024-01-01' }];
      return engine.acme.invoices.addCharges({ accountId: await newAccount(), items });
    },
    4005: async () =>
      engine.acme.invoices.generate({ accountId: await newAccount(), targetDate: '2027-02-01' }),
    4006: () => engine.acme.invoices.get(unknown),
    4007: async () => engine.acme.invoices.generate({ accountId: await newAccount() }),
    4008: async () => engine.acme.invoices.getCredit((await charged()).items[0]?.id ?? ''),
    4009: () => credited('-1'),
    4010: async () => adjust(await charged(), 0, '0'),
    4011: async () => {
      const [invoice, { items }] = [await charged(), await charged()];
      return adjust({ ...invoice, items });
    },
    4012: async () => {
      const items = [{ itemType: 'EXTERNAL_CHARGE' as const, amount: '10' }];
      const accountId = await newAccount();
      return adjust(await engine.acme.invoices.createMigrationInvoice({ accountId, items }));
    },
    4015: () => charged('-1'),
    4018: () => engine.acme.invoices.getByNumber(1_000_000),
    4019: () => engine.acme.invoices.getByNumber(0),
    4020: async () => adjust(await charged(), 0, '11'),
    4021: async () => adjust(await credited()),
    4022: async () => deleteCredit(await charged(), 'EXTERNAL_CHARGE'),
    4023: async () => {
      const invoice = await charged('10', { autoCommit: false });
      await engine.acme.invoices.void(invoice.id);
      return addTo(invoice);
    },
    4024: async () => addTo(await charged()),
    4025: async () => {
      const { accountId } = await paid();
      const [payment] = await engine.acme.payments.ofAccount(accountId);
      const request = { paymentId: payment?.id ?? '', amount: '1', isAdjusted: true };
      return engine.acme.invoicePayments.refund(request);
    },
    4027: async () => engine.acme.accounts.transferCreditToParent(await newAccount(await newAccount())),
    4028: async () => engine.acme.invoices.void((await paid()).id),
    4029: async () => {
      const pluginProperties = [{ key: 'abort', value: 'yes' }];
      const aborting = engine.billing.as({ tenant: engine.tenant, user: 'me', pluginProperties });
      return aborting.invoices.commit((await charged('10', { autoCommit: false })).id);
    },
    4030: async () => {
      const { id } = await paid();
      await adjust(await engine.acme.invoices.get(id), 0, '4');
      return deleteCredit(await engine.acme.invoices.get(id), 'CBA_ADJ');
    },
    4031: async () => {
      const invoice = await charged();
      await engine.acme.invoices.void(invoice.id);
      return adjust(invoice);
    },
    4032: async () => {
      const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
      const { subscriptionId } = await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
      const billed = await engine.acme.invoices.generate({ accountId });
      await engine.acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' });
      await engine.acme.invoices.generate({ accountId });
      return engine.acme.invoices.void(billed.id);
    },
    4033: async () => {
      const given = await credited();
      await charged('5', { accountId: given.accountId });
      return engine.acme.invoices.void(given.id);
    },
    4040: async () => {
      const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
      await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
      return engine.acme.invoices.generate({ accountId, targetDate: '2026-12-01' });
    },
  };

  it('are each covered by a test case or documented as never thrown', async () => {
    const { listed, neverThrown } = await listedCodes();
    const cases = Object.keys(provoked).map(Number);
    expect([...cases, ...neverThrown].toSorted((one, other) => one - other)).to.eql(
      listed.toSorted((one, other) => one - other),
    );
  });

  for (const [code, provoke] of Object.entries(provoked))
    it(`include ${code}`, () => expectCode(provoke(), Number(code)));
});
