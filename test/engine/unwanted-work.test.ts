import { readFile } from 'node:fs/promises';
import { pdfRenderer } from '../../adapters/pdf/index.ts';
import { DocumentTextKind, DryRunType, type PrintableDocument, type Uuid } from '../../lib/index.ts';
import { anyDatabase, expect, openEngine, specCatalog, type TestEngine } from '../support/index.ts';
import type { Account } from '../support/plain-views.ts';
import { rejection } from '../support/storage/opened-storage.ts';

anyDatabase.describe('abandoned work', (open) => {
  let engine: TestEngine;
  let account: Account;
  let invoiceId: Uuid;
  let drawn: PrintableDocument | undefined;
  const reason = new Error('The caller has gone');

  before(async () => {
    const renderer = pdfRenderer();
    engine = await openEngine(open, {
      now: '2024-01-01T00:00:00Z',
      documentRenderer: {
        pdf: (document, options) => {
          drawn = document;
          return renderer.pdf(document, options);
        },
      },
    });
    account = await engine.payingAccount({ currency: 'USD' });
    for (const planName of ['pro-monthly', 'club-monthly'])
      await engine.subscribe({ accountId: account.id, planName });
    const { id } = await engine.acme.invoices.createMigrationInvoice({
      accountId: account.id,
      items: Array.from({ length: 200 }, (_, index) => ({
        itemType: 'EXTERNAL_CHARGE',
        amount: '1.5',
        description: `Line ${index} of 200`,
      })),
    });
    invoiceId = id;
    await engine.acme.invoiceTexts.upload({
      kind: DocumentTextKind.TEMPLATE,
      text: '{{#invoice.items}}{{#invoice.items}}{{amount}}{{/invoice.items}}{{/invoice.items}}',
    });
  });

  /** Returns the result of work whose caller leaves when it first yields, and how often it yields. */
  async function abandoned(work: () => Promise<unknown>): Promise<readonly [error: unknown, turns: number]> {
    const { nextTurn } = engine.systemClock;
    const caller = new AbortController();
    let turns = 0;
    Object.assign(engine.systemClock, {
      nextTurn: async () => {
        turns += 1;
        await nextTurn();
        caller.abort(reason);
      },
    });
    try {
      return [await rejection(engine.billing.requests.whileWanted(caller.signal, work)), turns];
    } finally {
      Object.assign(engine.systemClock, { nextTurn });
    }
  }

  const closed = async (pieces: AsyncIterable<string>) => pieces[Symbol.asyncIterator]().return?.();
  const works: Readonly<Record<string, () => Promise<unknown>>> = {
    'an HTML page': () => engine.acme.invoices.html(invoiceId),
    'a PDF': () => engine.acme.invoices.pdf(invoiceId),
    'a dry run': () =>
      engine.acme.invoices.dryRun({
        accountId: account.id,
        dryRunType: DryRunType.TARGET_DATE,
        targetDate: '2025-06-01',
      }),
    'an export': async () => closed(await engine.acme.accounts.export(account.id)),
    'a list of queue entries': async () => closed(await engine.acme.queues.export({ accountId: account.id })),
    'a timeline': () => engine.acme.accounts.timeline(account.id),
    'a list of bundles': () => engine.acme.subscriptions.bundlesOfAccount(account.id),
    'a list of audit rows': () => engine.acme.audit.ofAccount(account.id),
    'a catalog validation': () => engine.acme.catalogs.validate(String(specCatalog)),
  };
  for (const [what, work] of Object.entries(works))
    it(`ends at the next event-loop turn of ${what}, with the reason of the abort signal`, async () => {
      expect(await abandoned(work)).to.eql([reason, 1]);
    });

  it('ends in the PDF renderer, because the renderer checks the abort signal itself', async () => {
    await engine.acme.invoices.pdf(invoiceId);
    if (drawn === undefined) throw new Error('Nothing was drawn');
    expect(await rejection(pdfRenderer().pdf(drawn, { signal: AbortSignal.abort(reason) }))).to.equal(reason);
  });

  it('ends between two pages of accounts in a candidate catalog report, even while the report is read', async () => {
    const caller = new AbortController();
    const text = await readFile(specCatalog, 'utf8');
    const candidate = text.replace(/<effectiveDate>[^<]*/, '<effectiveDate>2025-01-01T00:00:00Z');
    const report = await engine.billing.requests.whileWanted(caller.signal, () =>
      engine.acme.catalogs.changeReport(candidate),
    );
    const parts = report[Symbol.asyncIterator]();
    expect((await parts.next()).value).to.include({ kind: 'SUMMARY' });
    caller.abort(reason);
    expect(await rejection(parts.next())).to.equal(reason);
  });

  it('completes if it never yields, or if it runs outside the aborted call', async () => {
    const caller = AbortSignal.abort(reason);
    expect(await engine.billing.requests.whileWanted(caller, async () => 'no turns')).to.equal('no turns');
    expect(await engine.acme.invoices.html(invoiceId)).to.match(/^1.51.5/);
  });
});
