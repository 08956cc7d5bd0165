import type { CreditNote, Plain, TenantBilling, Uuid } from '../../lib/index.ts';
import { decimal, ErrorCode, formatDecimal, SystemTag } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, openEngine, rowsOf, type TestEngine } from '../support/index.ts';
import { readPdf } from '../support/pdf/pdf-text.ts';
import type { InvoiceView } from '../support/plain-views.ts';
import { rejection } from '../support/storage/opened-storage.ts';

const written = { 'org.service.invoice.creditNotes': 'true' };

/** Formats a credit note as one line: `1 ADJUSTMENT 2012-05-01 10 (10)`. */
function lineOf({ creditNoteNumber, reason, creditNoteDate, amount, lines }: Plain<CreditNote>): string {
  const parts = lines.map((line) => formatDecimal(line.amount)).join(' + ');
  return `${creditNoteNumber} ${reason} ${creditNoteDate} ${formatDecimal(amount)} (${parts})`;
}

eachDatabaseByTurns.describe('credit notes (invoicing §21)', (open) => {
  let engine: TestEngine;
  let acme: TenantBilling;
  let trace: string[];
  const start = async (configuration: Record<string, string>) => {
    trace = [];
    engine = await openEngine(open, {
      now: '2012-05-01T23:30:00Z',
      configuration,
      trace: (statement) => trace.push(statement),
    });
    acme = engine.acme;
  };

  /** Creates a committed invoice with these charges for an account east of Greenwich. */
  async function charged(...amounts: readonly number[]): Promise<InvoiceView> {
    const input = { currency: 'USD', timeZone: 'Europe/Berlin', locale: 'en_US', name: 'Ada' } as const;
    const account = await engine.payingAccount(input);
    const [item] = await acme.invoices.addCharges({
      accountId: account.id,
      autoCommit: true,
      items: amounts.map((amount, index) => ({ amount: `${amount}`, description: `Work ${index + 1}` })),
    });
    if (item === undefined) throw new Error('no charge');
    return acme.invoices.get(item.invoiceId);
  }

  const adjust = (invoice: InvoiceView, index: number, amount?: string) =>
    acme.invoices.adjustItem({
      accountId: invoice.accountId,
      invoiceId: invoice.id,
      invoiceItemId: invoice.items[index]?.id ?? invoice.id,
      amount,
    });
  const notesOf = async (invoiceId: Uuid) => (await acme.creditNotes.ofInvoice(invoiceId)).map(lineOf);

  it('are written only if the tenant has enabled them, and cause no SQL statement if disabled (rule 1)', async () => {
    await start({});
    const invoice = await charged(100);
    await adjust(invoice, 0, '10');
    await acme.invoices.void(invoice.id);
    expect(await notesOf(invoice.id)).to.eql([]);
    expect(trace.filter((statement) => /insert.*credit_note/s.test(statement))).to.eql([]);
  });

  it("record an adjustment and a void of a committed invoice with dates in the account's zone (invoicing §21 rule 2)", async () => {
    await start(written);
    const invoice = await charged(100, 20);
    expect(await notesOf(invoice.id)).to.eql([]);
    await adjust(invoice, 0, '10');
    await adjust(invoice, 1);
    expect(await notesOf(invoice.id)).to.eql([
      '1 ADJUSTMENT 2012-05-02 10 (10)',
      '2 ADJUSTMENT 2012-05-02 20 (20)',
    ]);
    await acme.invoices.void(invoice.id);
    expect((await notesOf(invoice.id)).slice(2)).to.eql(['3 VOID 2012-05-02 90 (100 + 20 + -10 + -20)']);
    const page = await acme.invoices.html(invoice.id);
    for (const shown of ['Credit note 1', '-$10.00', 'Credit note 2', '-$20.00', 'Credit note 3', '-$90.00'])
      expect(page).to.contain(shown);
    const all = await acme.creditNotes.pageOfAccount(invoice.accountId, { offset: 0, limit: 2 });
    expect(all.rows.map(lineOf)).to.eql((await notesOf(invoice.id)).slice(0, 2));
  });

  it('exclude the credit that exceeds the charges of a voided invoice (rule 2)', async () => {
    await start(written);
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    const [charge] = await acme.invoices.addCharges({ accountId, items: [{ amount: '10' }] });
    const invoiceId = charge?.invoiceId ?? accountId;
    await acme.invoices.addCredits({ accountId, items: [{ amount: '4', invoiceId }] });
    await acme.invoices.addCredits({ accountId, items: [{ amount: '46', invoiceId }] });
    await acme.invoices.commit(invoiceId);
    await acme.invoices.void(invoiceId);
    const [note] = await notesOf(invoiceId);
    expect(note).to.equal('1 VOID 2012-05-01 0 (10 + -4 + -6)');
    expect(await findings()).to.eql([]);
  });

  it('exclude write-offs, but record later reductions of a written-off invoice (rule 2)', async () => {
    await start(written);
    const { id } = await charged(10);
    const object = { type: 'INVOICE', id } as const;
    await acme.tags.add(object, [SystemTag.WRITTEN_OFF]);
    expect(await notesOf(id)).to.eql([]);
    await adjust(await acme.invoices.get(id), 0, '4');
    await acme.tags.remove(object, [SystemTag.WRITTEN_OFF]);
    await acme.invoices.void(id);
    expect(await notesOf(id)).to.eql(['1 ADJUSTMENT 2012-05-02 4 (4)', '2 VOID 2012-05-02 6 (10 + -4)']);
  });

  it('exclude changes to drafts (rule 2)', async () => {
    await start(written);
    const account = await acme.createAccount({ currency: 'USD' });
    const charge = { accountId: account.id, autoCommit: false, items: [{ amount: '5' }] };
    const [item] = await acme.invoices.addCharges(charge);
    await acme.invoices.void(item?.invoiceId ?? '');
    expect(await notesOf(item?.invoiceId ?? account.id)).to.eql([]);
  });

  it('record a refund with adjustment on the refunded invoice, but no refund without adjustment (rule 2)', async () => {
    await start(written);
    const invoice = await engine.settle(charged(100));
    const [payment] = await acme.payments.ofAccount(invoice.accountId);
    const paymentId = payment?.id ?? '';
    await acme.invoicePayments.refund({ paymentId, amount: '30' });
    expect(await notesOf(invoice.id)).to.eql([]);
    await acme.invoicePayments.refund({
      paymentId,
      amount: '25',
      isAdjusted: true,
      adjustments: [{ invoiceItemId: invoice.items[0]?.id ?? '', amount: '25' }],
    });
    expect(await notesOf(invoice.id)).to.eql(['1 ADJUSTMENT 2012-05-02 25 (25)']);
  });

  it('record a repair on the invoice of the repaired item (rule 2)', async () => {
    await start(written);
    const account = await engine.payingAccount({ currency: 'USD', timeZone: 'UTC' });
    const request = { accountId: account.id, planName: 'pro-monthly' };
    const { subscriptionId } = await acme.createSubscription(request);
    await engine.runTo('2012-06-15T00:00:00Z');
    const options = { billingPolicy: 'IMMEDIATE', entitlementPolicy: 'IMMEDIATE' } as const;
    await acme.subscriptions.cancel(subscriptionId, options);
    await engine.settle();
    const invoices = await acme.invoices.ofAccount({ accountId: account.id, withItems: true });
    const repairs = invoices.flatMap(({ items }) =>
      items.filter(({ itemType }) => itemType === 'REPAIR_ADJ'),
    );
    expect(repairs).to.have.length(1);
    const [repair] = repairs;
    const billed = invoices.find(({ items }) => items.some(({ id }) => id === repair?.linkedItemId));
    const amount = formatDecimal(repair?.amount.negated() ?? decimal(0));
    expect(billed?.id).to.not.equal(repair?.invoiceId);
    expect(await notesOf(billed?.id ?? account.id)).to.eql([`1 REPAIR 2012-06-15 ${amount} (${amount})`]);
    expect(await notesOf(repair?.invoiceId ?? account.id)).to.eql([]);
  });

  it('are numbered without gaps despite simultaneous writers and failures (rule 3)', async () => {
    await start(written);
    const invoices: InvoiceView[] = [];
    for (let index = 0; index < 8; index += 1) invoices.push(await charged(10, 20));
    const results = await Promise.allSettled(
      invoices.flatMap((invoice) => [
        adjust(invoice, 0, '1'),
        adjust(invoice, 1, '2'),
        adjust(invoice, 0, '99'),
      ]),
    );
    expect(results.filter(({ status }) => status === 'rejected')).to.have.length(8);
    const numbers = await Promise.all(
      invoices.map(async ({ id }) =>
        (await acme.creditNotes.ofInvoice(id)).map(({ creditNoteNumber }) => creditNoteNumber),
      ),
    );
    expect(numbers.flat().sort((one, other) => one - other)).to.eql(
      Array.from({ length: 16 }, (_, index) => index + 1),
    );
    expect(await findings()).to.eql([]);
  });

  const findings = async () => {
    const found: string[] = [];
    for await (const { invariant, message } of engine.billing.checks.breaches(engine.tenant))
      found.push(`${invariant} ${message}`);
    return found;
  };

  it('are checked for missing numbers and for sums that differ from their lines (rule 4)', async () => {
    await start(written);
    const invoice = await charged(100);
    for (const amount of ['1', '2', '3']) await adjust(invoice, 0, amount);
    expect(await findings()).to.eql([]);
    await rowsOf(engine.database, 'delete from bw_credit_notes where credit_note_number = 2');
    await rowsOf(engine.database, `update bw_credit_notes set amount = '7' where credit_note_number = 3`);
    const found = await findings();
    expect(found).to.have.length(2);
    expect(found.join('\n')).to.match(
      /number 2\nCREDIT_NOTE Credit note .* has the amount 7, but its lines add up to 3/,
    );
  });

  it('show their number and the credited invoice on the page and in the PDF (rule 5)', async () => {
    await start(written);
    const invoice = await charged(100);
    await adjust(invoice, 0, '12.5');
    const [note] = await acme.creditNotes.ofInvoice(invoice.id);
    const id = note?.id ?? '';
    const html = await acme.creditNotes.html(id);
    expect(html).to.contain('<h1>Credit note</h1>').and.contain('For invoice').and.contain('$12.50');
    expect(html).to.contain('<tr class="sum first due">').and.contain('Credit to');
    expect(html).to.not.contain('Amount due').and.not.contain('Bill to');
    const { pages, info } = await readPdf(await acme.creditNotes.pdf(id));
    expect(pages.flat()).to.include.members([
      'Credit note',
      'Credit note number 1',
      'For invoice 1',
      'Date May 2, 2012',
      'Total $12.50',
    ]);
    expect(info).to.include({ Title: 'Credit note 1' });
  });

  it('show the number in the configured pattern in query results, on the page and in the PDF (rule 3)', async () => {
    await start({ ...written, 'org.service.invoice.creditNoteNumberPattern': 'CN{yy}-{n:4}' });
    const invoice = await charged(100);
    await adjust(invoice, 0, '10');
    const [note] = await acme.creditNotes.ofInvoice(invoice.id);
    const shown = { creditNoteNumber: 1, formattedNumber: 'CN12-0001' };
    expect(note).to.include(shown);
    const id = note?.id ?? '';
    expect(await acme.creditNotes.get(id)).to.include(shown);
    const { rows } = await acme.creditNotes.pageOfAccount(invoice.accountId, { offset: 0, limit: 9 });
    expect(rows[0]).to.include(shown);
    expect(await acme.creditNotes.html(id)).to.contain('<title>Credit note CN12-0001</title>');
    const { pages, info } = await readPdf(await acme.creditNotes.pdf(id));
    expect(pages.flat()).to.include('Credit note number CN12-0001');
    expect(info).to.include({ Title: 'Credit note CN12-0001' });
  });

  it('are not found under an unknown id', async () => {
    await start(written);
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const read of [acme.creditNotes.get, acme.creditNotes.html, acme.creditNotes.pdf])
      expect((await rejection(read(unknown))).code).to.equal(ErrorCode.OBJECT_NOT_FOUND);
    expect((await rejection(acme.creditNotes.ofInvoice(unknown))).code).to.equal(ErrorCode.INVOICE_NOT_FOUND);
  });
});
