import type { DocumentText, Uuid } from '../../lib/index.ts';
import { DocumentTextKind, ErrorCode, ObjectType, SystemTag } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { engineBeforeEach, expect, expectCode, newEvents, openEngine, openShop } from '../support/index.ts';
import { rejection } from '../support/storage/opened-storage.ts';

const { TEMPLATE, MANUAL_PAY_TEMPLATE, TRANSLATION, CATALOG_TRANSLATION } = DocumentTextKind;
const template: DocumentText = { kind: TEMPLATE };

eachDatabaseByTurns.describe('documents and their templates (invoicing §14)', (open) => {
  let newTypes: () => Promise<readonly string[]>;
  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z' });
  beforeEach(async () => {
    newTypes = newEvents(engine.database);
    await newTypes();
  });

  const texts = () => engine.acme.invoiceTexts;
  const html = (invoiceId: Uuid) => engine.acme.invoices.html(invoiceId);

  /** Creates an invoice of 20.00 for a plan and an account with this locale. */
  async function invoiceOf(locale: string | null, currency = 'USD' as const) {
    const account = await engine.acme.createAccount({ currency, locale, name: 'Ada <3' });
    const invoice = await engine.acme.invoices.createMigrationInvoice({
      accountId: account.id,
      items: [
        {
          itemType: 'RECURRING',
          amount: '20',
          planName: 'gold-monthly',
          phaseName: 'gold-monthly-evergreen',
        },
        { itemType: 'USAGE', amount: '1.5', planName: 'gold-monthly', usageName: 'calls' },
      ],
    });
    return { accountId: account.id, invoiceId: invoice.id };
  }

  it('use the template of the locale or its language, the general template or the built-in template (rule 2)', async () => {
    const { invoiceId } = await invoiceOf('de_AT');
    expect(await html(invoiceId))
      .to.contain('<html lang="de-AT"')
      .and.contain('Rechnung');
    await texts().upload({ ...template, text: 'plain {{invoice.formattedChargedAmount}}' });
    expect(await html(invoiceId)).to.equal('plain $\u00a021,50');
    await texts().upload({ kind: TEMPLATE, locale: 'de', text: 'language' });
    expect(await html(invoiceId)).to.equal('language');
    await texts().upload({ kind: TEMPLATE, locale: 'de_AT', text: 'locale' });
    expect(await html(invoiceId)).to.equal('locale');
    await texts().upload({ kind: TEMPLATE, locale: 'fr', text: 'another' });
    await texts().delete({ kind: TEMPLATE, locale: 'de_AT' });
    expect(await html(invoiceId)).to.equal('language');
    await texts().delete({ kind: TEMPLATE, locale: 'de' });
    await texts().delete(template);
    expect(await html(invoiceId)).to.contain('Rechnung');
  });

  it('use the MANUAL_PAY template for accounts with that tag if such a template exists, and the general template in all other cases (rule 2)', async () => {
    const { accountId, invoiceId } = await invoiceOf('en_US');
    await texts().upload({ ...template, text: 'all {{account.isManualPay}}' });
    const account = { type: ObjectType.ACCOUNT, id: accountId };
    await engine.acme.tags.add(account, [SystemTag.MANUAL_PAY]);
    expect(await html(invoiceId)).to.equal('all true');
    await texts().upload({ kind: MANUAL_PAY_TEMPLATE, text: 'manual' });
    expect(await html(invoiceId)).to.equal('manual');
    await texts().upload({ kind: MANUAL_PAY_TEMPLATE, locale: 'en', text: 'manual in English' });
    expect(await html(invoiceId)).to.equal('manual in English');
    await engine.acme.tags.remove(account, [SystemTag.MANUAL_PAY]);
    expect(await html(invoiceId)).to.equal('all false');
  });

  it("use the tenant's translations of texts and names, or the translations of the default locale if missing (invoicing §14 rule 3)", async () => {
    const { invoiceId } = await invoiceOf('de_AT');
    await texts().upload({
      ...template,
      text: '{{text.invoiceTitle}}|{{text.companyName}}|{{text.own}}|{{#invoice.invoiceItems}}{{name}}/{{detail}};{{/invoice.invoiceItems}}',
    });
    expect(await html(invoiceId)).to.equal('Rechnung||own|gold-monthly/;gold-monthly/calls;');
    await texts().upload({ kind: TRANSLATION, locale: 'en_US', text: 'companyName=ACME\nown=ours' });
    await texts().upload({ kind: TRANSLATION, locale: 'de-AT', text: 'invoiceTitle = Faktura \\u00fc' });
    await texts().upload({ kind: CATALOG_TRANSLATION, locale: 'de', text: 'gold-monthly: Gold' });
    expect(await html(invoiceId)).to.equal('Faktura ü|ACME|ours|Gold/;Gold/calls;');
    await texts().upload({ kind: TRANSLATION, locale: 'de_AT', text: 'invoiceTitle=Neu', replace: true });
    expect(await html(invoiceId)).to.contain('Neu|');
    await texts().delete({ kind: TRANSLATION, locale: 'de_AT' });
    expect(await html(invoiceId)).to.contain('Rechnung|');
  });

  it('use the default locale that the tenant has configured (invoicing §14 rule 3)', async () => {
    const { invoiceId } = await invoiceOf(null);
    expect(await html(invoiceId)).to.contain('<html lang="en-US"');
    await engine.acme.keyValues.add('PER_TENANT_CONFIG', '{"org.killbill.default.locale":"fr_FR"}');
    expect(await html(invoiceId))
      .to.contain('<html lang="fr-FR"')
      .and.contain('Facture');
  });

  it('are replaced by an upload only on request (invoicing §15)', async () => {
    await texts().upload({ ...template, text: 'one' });
    const again = await rejection(texts().upload({ ...template, text: 'two' }));
    expect(again).to.include({ code: ErrorCode.INVALID_PARAMETER });
    expect(await texts().get(template)).to.equal('one');
    await texts().upload({ ...template, text: 'two', replace: true });
    expect(await texts().get(template)).to.equal('two');
    await texts().delete(template);
    await texts().delete(template);
    expect(await texts().get(template)).to.equal(null);
    await texts().upload({ ...template, text: 'three' });
    expect(await texts().get(template)).to.equal('three');
  });

  it('are stored only once if several are uploaded simultaneously without the replace flag (invoicing §15)', async () => {
    const uploads = ['a', 'b', 'c', 'd'].map((text) =>
      texts()
        .upload({ ...template, text })
        .then(() => text),
    );
    const ended = await Promise.allSettled(uploads);
    const [stored, ...more] = ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(more).to.eql([]);
    expect(await texts().get(template)).to.equal(stored);
  });

  it('cause the same checks and events as the tenant keys in which they are stored (platform §3)', async () => {
    const { keyValues } = engine.acme;
    await texts().upload({ ...template, text: 'one' });
    await texts().upload({ kind: MANUAL_PAY_TEMPLATE, locale: 'de', text: 'two' });
    await texts().upload({ kind: TRANSLATION, locale: 'pt-br', text: 'a=b' });
    expect(await keyValues.search('INVOICE_')).to.eql([
      { key: 'INVOICE_MP_TEMPLATE_de', values: ['two'] },
      { key: 'INVOICE_TEMPLATE', values: ['one'] },
      { key: 'INVOICE_TRANSLATION_pt_BR', values: ['a=b'] },
    ]);
    expect(await newTypes()).to.eql(Array(3).fill('TENANT_CONFIG_CHANGE'));
    await keyValues.add('INVOICE_TEMPLATE', 'three');
    await keyValues.add('CATALOG_TRANSLATION_de', 'gold=Gold');
    expect(await texts().get(template)).to.equal('three');
    expect(await texts().get({ kind: CATALOG_TRANSLATION, locale: 'DE' })).to.equal('gold=Gold');
    await keyValues.delete('INVOICE_TEMPLATE');
    expect(await texts().get(template)).to.equal(null);
    expect(await newTypes()).to.eql([
      'TENANT_CONFIG_CHANGE',
      'TENANT_CONFIG_CHANGE',
      'TENANT_CONFIG_DELETION',
    ]);
  });

  for (const [key, value, code] of [
    ['INVOICE_TEMPLATE', '{{#a}}', 60_003],
    ['INVOICE_TEMPLATE_de', '{{> file}}', 60_003],
    ['INVOICE_MP_TEMPLATE', '{{{a}}', 60_003],
    ['INVOICE_TRANSLATION_de', 'a=\\uXYZ', 60_003],
    ['CATALOG_TRANSLATION_de', 'a=\\u0000', 60_003],
    ['INVOICE_TRANSLATION_de', '', 60_003],
    ['INVOICE_TEMPLATE', 'x'.repeat(300_000), 60_003],
    ['INVOICE_TEMPLATE', `<p>${'{{a}}</p>'.repeat(1_000_000)}`, 60_003],
    ['INVOICE_TRANSLATION_de', 'x'.repeat(10 * 1024 * 1024), 60_003],
    ['INVOICE_TRANSLATION_de', 'x'.repeat(10 * 1024 * 1024 + 1), 60_012],
    ['INVOICE_TRANSLATION_not a locale', 'a=b', 60_002],
    ['INVOICE_TRANSLATION_de-AT', 'a=b', 60_002],
    ['INVOICE_TEMPLATE_DE', 'x', 60_002],
  ] as const)
    it(`are not stored with ${value.slice(0, 12) || 'an empty text'} (${value.length}) as ${key} (rule 5)`, async () => {
      await expectCode(engine.acme.keyValues.add(key, value), code);
      for (const prefix of ['INVOICE_', 'CATALOG_'])
        expect(await engine.acme.keyValues.search(prefix)).to.eql([]);
      expect(await newTypes()).to.eql([]);
    });

  it('cannot be uploaded for an invalid locale (rule 5)', async () => {
    for (const locale of ['', 'x', '../..', 'de/AT', 'a'.repeat(300)]) {
      const bad: DocumentText = { kind: TRANSLATION, locale };
      await expectCode(texts().upload({ ...bad, text: 'a=b' }), 60_002, locale);
      await expectCode(texts().get(bad), 60_002);
      await expectCode(texts().delete(bad), 60_002);
    }
  });

  it('show escaped custom fields of the account if the template contains these fields', async () => {
    const { accountId, invoiceId } = await invoiceOf('en_US');
    const fields = { type: ObjectType.ACCOUNT, id: accountId };
    await engine.acme.customFields.add(fields, [
      { name: 'purchase.order', value: '<b>4711</b>' },
      { name: 'other', value: 'hidden' },
    ]);
    const text =
      '{{account.customFields.purchase.order}}|{{#account.customFields.none}}shown{{/account.customFields.none}}';
    await texts().upload({ ...template, text });
    expect(await html(invoiceId)).to.equal('&lt;b&gt;4711&lt;&#x2F;b&gt;|');
  });

  it('contain no processed currency if an invoice is paid in its own currency', async () => {
    await texts().upload({
      ...template,
      text: '{{invoice.processedCurrency}}|{{invoice.formattedPaidAmount}}',
    });
    const account = await engine.payingAccount({ currency: 'USD' });
    await engine.settle(engine.charge(account.id, '20'));
    const [invoice] = await engine.acme.invoices.ofAccount({ accountId: account.id });
    expect(invoice && (await html(invoice.id))).to.equal('|$20.00');
  });

  it('are not available for an invoice with more than 10,000 items (rule 1)', async () => {
    const { accountId } = await invoiceOf(null);
    const withItems = async (count: number) => {
      const items = Array.from({ length: count }, () => ({ itemType: 'TAX' as const, amount: '1' }));
      return (await engine.acme.invoices.createMigrationInvoice({ accountId, items })).id;
    };
    const [most, tooMany] = [await withItems(10_000), await withItems(10_001)];
    expect((await html(most)).match(/class="period"/g)).to.have.length(10_000);
    await expectCode(html(tooMany), 'ANSWER_TOO_LARGE');
  });

  it("use the host's format if it exists, or the built-in format by default (invoicing §14 rule 5)", async () => {
    const contexts: unknown[] = [];
    const hosted = await openEngine(open, {
      now: '2024-01-01T00:00:00Z',
      invoiceFormatter: {
        name: 'brackets',
        formatter: ({ builtIn, tenantId: _, accountId: __, ...context }) => {
          contexts.push(context);
          return { amount: (amount, currency) => `<${builtIn.amount(amount, currency)}>` };
        },
      },
    });
    const account = await hosted.acme.createAccount({ currency: 'EUR', locale: 'de_AT' });
    const items = [{ itemType: 'TAX' as const, amount: '20', startDate: '2024-01-01' }];
    const { id } = await hosted.acme.invoices.createMigrationInvoice({ accountId: account.id, items });
    expect(await hosted.acme.invoices.html(id))
      .to.contain('&lt;€\u00a020,00&gt;')
      .and.contain('01.01.2024');
    expect(contexts).to.eql([{ locale: 'de-AT' }]);
  });

  it("show a child's invoice as paid only once its parent has paid the summary (invoicing §14 rule 4)", async () => {
    const parent = await engine.acme.createAccount({ currency: 'USD' });
    const input = { currency: 'USD', parentAccountId: parent.id, isPaymentDelegatedToParent: true } as const;
    const child = await engine.acme.createAccount(input);
    const items = [{ amount: '10' }];
    const [item] = await engine.acme.invoices.addCharges({ accountId: child.id, items, autoCommit: true });
    const isPaid = async () => (await html(item?.invoiceId ?? child.id)).includes('class="status paid"');
    await engine.settle();
    expect([await isPaid(), 'in a draft']).to.eql([false, 'in a draft']);
    const paidByParent = async () =>
      (await html(item?.invoiceId ?? child.id)).includes('of the parent account');
    expect([await paidByParent(), 'in a draft']).to.eql([true, 'in a draft']);
    await engine.runTo('2024-01-02T00:00:00Z');
    const [summary] = await engine.acme.invoices.ofAccount({ accountId: parent.id });
    const object = { type: ObjectType.INVOICE, id: summary?.id ?? parent.id };
    expect([summary?.status, await isPaid()]).to.eql(['COMMITTED', false]);
    await engine.acme.tags.add(object, [SystemTag.WRITTEN_OFF]);
    expect([await isPaid(), 'written off']).to.eql([false, 'written off']);
    await engine.acme.tags.remove(object, [SystemTag.WRITTEN_OFF]);
    await engine.acme.invoices.addCredits({ accountId: parent.id, items, autoCommit: true });
    expect([await isPaid(), 'settled']).to.eql([true, 'settled']);
    expect([await paidByParent(), 'settled']).to.eql([false, 'settled']);
    expect(await html(summary?.id ?? parent.id)).to.not.include('of the parent account');
  });

  it('name each child and the invoices of the child on the summary and on credit notes for the summary (invoicing §14 rule 4)', async () => {
    const { acme } = await openShop(engine.billing, null);
    const settings = JSON.stringify({ 'org.service.invoice.creditNotes': 'true' });
    await acme.keyValues.add('PER_TENANT_CONFIG', settings);
    const parent = await acme.createAccount({ currency: 'EUR', locale: 'de_DE' });
    const input = { currency: 'EUR', parentAccountId: parent.id, isPaymentDelegatedToParent: true } as const;
    const first = await acme.createAccount({ ...input, name: 'Eins', legalName: 'Tochter <Eins> GmbH' });
    const second = await acme.createAccount({ ...input, externalKey: 'second-child' });
    const charge = async (accountId: Uuid) => {
      const items = [{ amount: '10' }];
      const [item] = await acme.invoices.addCharges({ accountId, items, autoCommit: true });
      await engine.settle();
      return item;
    };
    const charged = await charge(first.id);
    for (const accountId of [first.id, second.id]) await charge(accountId);
    const [summary] = await acme.invoices.ofAccount({ accountId: parent.id });
    const summaryId = summary?.id ?? parent.id;
    const page = await acme.invoices.html(summaryId);
    expect(page).to.contain(
      '<bdi>Tochter &lt;Eins&gt; GmbH</bdi><span class="detail"><bdi>Rechnung: 1, 3</bdi>',
    );
    expect(page).to.contain('<bdi>second-child</bdi><span class="detail"><bdi>Rechnung: 4</bdi>');
    await engine.settle(acme.invoices.commit(summaryId));
    const { invoiceId = parent.id, id: invoiceItemId = parent.id } = charged ?? {};
    await engine.settle(acme.invoices.adjustItem({ accountId: first.id, invoiceId, invoiceItemId }));
    const [note] = await acme.creditNotes.ofInvoice(summaryId);
    const notePage = await acme.creditNotes.html(note?.id ?? parent.id);
    expect(notePage).to.contain(
      '<bdi>Korrektur</bdi><span class="detail"><bdi>Tochter &lt;Eins&gt; GmbH</bdi>',
    );
  });

  it('can be previewed with an unsaved text in its locale, and nothing is stored (invoicing §14 rule 13)', async () => {
    const { invoiceId } = await invoiceOf('en_US');
    const preview = (text: DocumentText & { readonly text: string }) =>
      texts().preview({ ...text, invoiceId });
    await texts().upload({ ...template, text: 'saved {{text.invoiceTitle}}' });
    await newTypes();
    expect(await preview({ ...template, text: 'new {{text.invoiceTitle}}' })).to.equal('new Invoice');
    expect(await preview({ kind: TEMPLATE, locale: 'fr', text: '{{text.invoiceTitle}}' })).to.equal(
      'Facture',
    );
    expect(await preview({ kind: TRANSLATION, locale: 'de', text: 'invoiceTitle=Faktura' })).to.equal(
      'saved Faktura',
    );
    const items = '{{account.isManualPay}}{{#invoice.invoiceItems}} {{name}}{{/invoice.invoiceItems}}';
    expect(await preview({ kind: MANUAL_PAY_TEMPLATE, text: items })).to.equal(
      'true gold-monthly gold-monthly',
    );
    await texts().upload({ ...template, text: items, replace: true });
    expect(await preview({ kind: CATALOG_TRANSLATION, locale: 'en', text: 'gold-monthly=Gold' })).to.equal(
      'false Gold Gold',
    );
    expect(await newTypes()).to.eql(['TENANT_CONFIG_CHANGE']);
    expect(await html(invoiceId)).to.equal('false gold-monthly gold-monthly');
    expect(await texts().get({ kind: MANUAL_PAY_TEMPLATE })).to.equal(null);
  });

  it('can be previewed only with a text that is valid for an upload (invoicing §14 rule 13)', async () => {
    const { invoiceId } = await invoiceOf(null);
    const preview = (text: DocumentText & { readonly text: string }, id: Uuid = invoiceId) =>
      texts().preview({ ...text, invoiceId: id });
    for (const text of ['', '{{#a}}', '{{> file}}', 'a\u0000', 'x'.repeat(300_000)])
      await expectCode(preview({ ...template, text }), 60_003, text.slice(0, 20));
    await expectCode(preview({ kind: TRANSLATION, locale: 'de', text: 'a=\\uXYZ' }), 60_003);
    await expectCode(preview({ kind: TEMPLATE, locale: 'not a locale', text: 'a' }), 60_002);
    const unknown = '00000000-0000-4000-8000-000000000000' as Uuid;
    await expectCode(preview({ ...template, text: 'a' }, unknown), 'INVOICE_NOT_FOUND');
    const { acme: theirs } = await openShop(engine.billing, null);
    const foreign = theirs.invoiceTexts.preview({ ...template, text: 'a', invoiceId });
    await expectCode(foreign, 'INVOICE_NOT_FOUND');
  });

  it('stay the same if the returned built-in text is uploaded (invoicing §14 rule 13)', async () => {
    const { builtIn, upload } = texts();
    for (const locale of ['en_US', 'de', 'fr', 'es', 'ar', 'he', 'ja']) {
      const { invoiceId } = await invoiceOf(locale);
      const before = await html(invoiceId);
      const text: DocumentText = { kind: TRANSLATION, locale };
      await upload({ ...text, text: (await builtIn(text)) ?? '' });
      await upload({ kind: TEMPLATE, locale, text: (await builtIn(template)) ?? '' });
      expect(await html(invoiceId)).to.equal(before);
    }
    const english = await builtIn({ kind: TRANSLATION, locale: 'en' });
    expect(await builtIn({ kind: TRANSLATION, locale: 'sw' })).to.equal(english);
    expect(await builtIn({ kind: CATALOG_TRANSLATION, locale: 'de' })).to.equal(null);
    await expectCode(builtIn({ kind: TEMPLATE, locale: 'not a locale' }), 60_002);
  });

  it('are not found for an unknown invoice or an invoice of another tenant', async () => {
    const { invoiceId } = await invoiceOf(null);
    const unknown = '00000000-0000-4000-8000-000000000000' as Uuid;
    await expectCode(html(unknown), 'INVOICE_NOT_FOUND');
    const { acme: theirs } = await openShop(engine.billing, null);
    await expectCode(theirs.invoices.html(invoiceId), 'INVOICE_NOT_FOUND');
    await texts().upload({ ...template, text: 'ours' });
    expect(await theirs.invoiceTexts.get(template)).to.equal(null);
  });
});
