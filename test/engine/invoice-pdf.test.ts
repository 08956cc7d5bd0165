import { pdfRenderer } from '../../adapters/pdf/index.ts';
import type { AccountInput, PrintableDocument, Uuid } from '../../lib/index.ts';
import { DocumentTextKind, ErrorCode } from '../../lib/index.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect, openEngine } from '../support/index.ts';
import { readPdf } from '../support/pdf/pdf-text.ts';
import { rejection } from '../support/storage/opened-storage.ts';

const A4 = [595.28, 841.89] as const;
const LETTER = [612, 792] as const;

eachDatabaseByTurns.describe('invoices as PDF (invoicing §14 rule 6)', (open) => {
  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z' });

  /** Creates an invoice of `count` lines: `Line 1` of 1.50, `Line 2` of 2.50, … */
  async function invoiceOf(
    input: Partial<AccountInput>,
    count: number,
    nameOf = (line: number) => `Line ${line}`,
  ): Promise<Uuid> {
    const account = await engine.acme.createAccount({ currency: 'EUR', ...input });
    const { id } = await engine.acme.invoices.createMigrationInvoice({
      accountId: account.id,
      items: Array.from({ length: count }, (_, index) => ({
        itemType: 'EXTERNAL_CHARGE',
        amount: `${index + 1}.5`,
        description: nameOf(index + 1),
      })),
    });
    return id;
  }

  const pdfOf = async (invoiceId: Uuid) => readPdf(await engine.acme.invoices.pdf(invoiceId));
  const fontWarnings = () =>
    engine.logger.lines.filter(({ level, message }) => level === 'warn' && message.includes('no font'));
  const companyName = (text: string) =>
    engine.acme.invoiceTexts.upload({ kind: DocumentTextKind.TRANSLATION, locale: 'en_US', text });

  it('contain the text, title, author and language of a German invoice', async () => {
    await companyName('companyName=Obst & Söhne\ncompanyAddress=Am Hang 1\ninvoiceFooter=HRB 12');
    const id = await invoiceOf({ locale: 'de_DE', country: 'DE', name: 'Zoë Müller' }, 2);
    const { pages, info, language, size } = await pdfOf(id);
    expect(pages).to.eql([
      [
        'Obst & Söhne',
        'Rechnung',
        'Am Hang 1',
        'Rechnung an',
        'Rechnungsnummer 1',
        'Zoë Müller',
        'Datum 01.01.2024',
        'Deutschland',
        'Beschreibung Leistungszeitraum Betrag',
        'Line 1 1,50 €',
        'Line 2 2,50 €',
        'Gesamtbetrag 4,00 €',
        'Bezahlt 4,00 €',
        'Offener Betrag 0,00 €',
        'HRB 12',
        '1 / 1',
      ],
    ]);
    expect(info).to.include({ Title: 'Rechnung 1', Author: 'Obst & Söhne' });
    expect(language).to.equal('de-DE');
    expect(size).to.eql(A4);
  });

  it('contain each of 400 lines once, in order and unsplit, and repeat the table head on every numbered page', async () => {
    const { pages } = await pdfOf(await invoiceOf({ locale: 'en_US' }, 400));
    const lines = pages.flat();
    const rows = lines.filter((line) => line.startsWith('Line '));
    expect(rows.map((row) => Number(row.split(' ')[1]))).to.eql(
      Array.from({ length: 400 }, (_, index) => index + 1),
    );
    for (const row of rows) expect(row).to.match(/^Line \d+ €\d+\.50$/);
    for (const page of pages.slice(1)) expect(page.slice(0, 2).join()).to.match(/^Desc.*Amount,Line \d+ /);
    expect(lines.filter((line) => line === 'Description Service period Amount')).to.have.length(pages.length);
    expect(pages.length).to.be.within(10, 30);
    expect(pages.map((page) => page.at(-1))).to.eql(
      pages.map((_, index) => `${index + 1} / ${pages.length}`),
    );
    expect(pages.at(-1)).to.include('Total €80,400.00').and.to.include('Amount due €0.00');
  });

  it('keep the totals together on one page, wherever the table ends', async () => {
    for (let count = 15; count <= 24; count += 1) {
      const { pages } = await pdfOf(await invoiceOf({ locale: 'en_US' }, count));
      const last = pages.at(-1) ?? [];
      expect(
        last.filter((line) => /^(Total|Amount due) /.test(line)),
        `${count} lines`,
      ).to.have.length(2);
    }
  });

  for (const [country, size] of [
    ['US', LETTER],
    ['ca', LETTER],
    ['MX', LETTER],
    ['DE', A4],
    [null, A4],
  ] as const)
    it(`use ${size === A4 ? 'A4' : 'Letter'} paper for an account in ${country ?? 'no country'}`, async () => {
      expect((await pdfOf(await invoiceOf({ country }, 1))).size).to.eql(size);
    });

  for (const [script, name] of [
    ['Latin', 'Žluťoučký kůň – Łódź ñ ğ œ'],
    ['Greek', 'Υπηρεσίες φιλοξενίας ΆΈ'],
    ['Cyrillic', 'Хранилище данных ґєїў'],
  ])
    it(`contain ${script} letters unchanged`, async () => {
      const { pages } = await pdfOf(await invoiceOf({ locale: 'en_US' }, 1, () => name ?? ''));
      expect(pages.flat().join('\n')).to.contain(name);
      expect(fontWarnings()).to.eql([]);
    });

  it('replace a character that no font contains, and log the character', async () => {
    const { pages } = await pdfOf(await invoiceOf({ locale: 'en_US' }, 1, () => 'Fresh 🍏 apples'));
    expect(pages.flat()).to.include('Fresh \uFFFD apples €1.50');
    const [warning] = fontWarnings();
    expect(warning?.fields).to.include({ characters: '🍏' });
  });

  it("cause an error that suggests a solution if no font contains the document's own text", async () => {
    const error = await rejection(pdfOf(await invoiceOf({ locale: 'ar_EG' }, 1)));
    expect(error.code).to.equal(ErrorCode.NOT_IMPLEMENTED);
    expect(error)
      .to.have.property('message')
      .that.matches(/language ar-EG.*pdfRenderer\(\{ fonts \}\)/);
  });

  it('wrap long names to a limited number of lines', async () => {
    const { pages } = await pdfOf(await invoiceOf({ locale: 'en_US' }, 2, () => 'Wort'.repeat(60)));
    const lines = pages.flat();
    expect(lines.filter((line) => line.includes('WortWort')).length).to.be.within(5, 10);
    expect(lines.filter((line) => /Wort.* €[12]\.50$/.test(line))).to.have.length(2);
  });

  it('are not found for an unknown invoice', async () => {
    const error = await rejection(engine.acme.invoices.pdf('00000000-0000-4000-8000-000000000000'));
    expect(error.code).to.equal(ErrorCode.INVOICE_NOT_FOUND);
  });
});

eachDatabaseByTurns.describe('invoices with a host renderer (invoicing §14 rule 6)', (open) => {
  it('are passed to a host renderer as a whole, or cause an error that suggests a solution if no renderer exists', async () => {
    const given: PrintableDocument[] = [];
    const bytes = new Uint8Array([1, 2, 3]);
    const renderer = {
      async pdf(document: PrintableDocument) {
        given.push(document);
        return { bytes, missingCharacters: '' };
      },
    };
    for (const documentRenderer of [null, renderer]) {
      const engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', documentRenderer });
      const account = await engine.acme.createAccount({ currency: 'USD', country: 'US' });
      const migration = { accountId: account.id, items: [{ itemType: 'TAX', amount: '2' }] } as const;
      const { id } = await engine.acme.invoices.createMigrationInvoice(migration);
      if (documentRenderer === null) {
        const error = await rejection(engine.acme.invoices.pdf(id));
        expect(error.code).to.equal(ErrorCode.NOT_IMPLEMENTED);
        expect(error).to.have.property('message').that.contains('npm install pdfkit');
      } else expect(await engine.acme.invoices.pdf(id)).to.equal(bytes);
    }
    expect(given).to.have.length(1);
    expect(given[0]).to.deep.include({
      paper: 'LETTER',
      language: 'en-US',
      direction: 'ltr',
      lines: [{ name: 'TAX', detail: null, period: null, amount: '$2.00', tax: null, notes: [] }],
      sender: [],
      logo: null,
      payment: null,
      notes: [],
    });
  });
});

describe('invoices with host fonts (invoicing §14 rule 6)', () => {
  it('cause a document error if a host font is unreadable', async () => {
    const renderer = pdfRenderer({ fonts: [{ regular: new Uint8Array([1, 2, 3]) }] });
    expect(await rejection(renderer.pdf({} as PrintableDocument))).to.be.instanceOf(Error);
  });
});
