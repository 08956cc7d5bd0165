import fc from 'fast-check';
import { itemTypes } from '../../lib/records/index.ts';
import { decimal, minorUnits, sum } from '../../lib/values/money/index.ts';
import { eachDatabase, expect, isLongRun, seed, taxedRuns } from '../support/index.ts';
import {
  type IssuedDocument,
  issuedDocumentsOf,
  taxLinesOf,
} from '../support/invoicing/documents-of-account.ts';
import { TaxedLife } from '../support/lives/taxed-life.ts';
import { type TaxedScript, taxedScript } from '../support/lives/taxed-steps.ts';

/** Checks the sums of a document against its lines, its taxes and the items of the invoice. */
function expectSums({ facts, invoice }: IssuedDocument): void {
  const { net, tax, gross, taxes, lines, roundingDifference, deductions, accountCredit, paid, due } = facts;
  const what = `${facts.kind} ${facts.number} (${taxLinesOf(facts).join(', ')})`;
  expect(gross.equals(net.plus(tax)), `net + tax = gross: ${what}`).to.equal(true);
  expect(sum(lines.map((line) => line.net)).equals(net), `the lines add up: ${what}`).to.equal(true);
  expect(sum(taxes.map(({ difference }) => difference)).equals(roundingDifference), what).to.equal(true);
  if (taxes.length > 0) {
    expect(sum(taxes.map((group) => group.tax)).equals(tax), `the taxes add up: ${what}`).to.equal(true);
    expect(sum(taxes.map((group) => group.net)).equals(net), `the groups add up: ${what}`).to.equal(true);
  }
  const total = sum([gross, accountCredit, ...deductions.map(({ amount }) => amount)]);
  const items = sum(invoice.items.map(({ amount }) => amount));
  // The credit note of a void takes off the whole invoice.
  const isTotal = total.equals(items) || (invoice.status === 'VOID' && total.isZero());
  expect(isTotal, `the total is that of the items: ${what}, ${total} and ${items}`).to.equal(true);
  const isOwed =
    facts.kind === 'INVOICE' && invoice.status === 'COMMITTED' && invoice.parentInvoiceId === null;
  if (isOwed && !invoice.isWrittenOff) expect(total.minus(paid).equals(due), `owed: ${what}`).to.equal(true);
}

/** Checks the tax of each rate, of a document with charges. */
function expectTaxes({ facts, invoice }: IssuedDocument, { buyer }: TaxedScript): void {
  const { taxes, lines, currency } = facts;
  const what = `${facts.kind} ${facts.number} (${taxLinesOf(facts).join(', ')})`;
  const half = decimal('0.5').dividedBy(10 ** minorUnits(currency));
  for (const { category, rate, exemption, net, tax, difference } of taxes) {
    const isOfGroup = (facts: (typeof taxes)[number] | (typeof lines)[number]['taxes'][number]) =>
      facts.category === category && facts.exemption === exemption && `${facts.rate}` === `${rate}`;
    const own = lines.filter((line) => line.taxes.some(isOfGroup));
    expect(sum(own.map((line) => line.net)).equals(net), `lines of ${rate} %: ${what}`).to.equal(true);
    expect(category, `every line is taxed: ${what}`).to.equal(
      buyer.country === 'US' ? 'G' : buyer.taxId === undefined ? 'S' : 'AE',
    );
    const exact = net.times(rate ?? 0).dividedBy(100);
    // Half a unit for each item whose tax was rounded, also if a credit note documents it.
    const rounded = invoice.items.filter(({ itemType }) => itemType !== 'TAX');
    const most = half.times(rounded.length + 1);
    expect(tax.minus(exact).abs().lessThanOrEqualTo(most), `tax of ${rate} %: ${what}`).to.equal(true);
    expect(tax.minus(difference).minus(exact).abs().lessThanOrEqualTo(half), what).to.equal(true);
  }
}

const isCredit = ({ item }: IssuedDocument['facts']['lines'][number]) => item.itemType === 'CREDIT_ADJ';

/** True if the document only grants credit: credits are not charged. */
function isCreditOnly({ facts }: IssuedDocument): boolean {
  return facts.lines.length > 0 && facts.lines.every(isCredit);
}

/** Returns the invoices less the credit notes. */
function documented(documents: readonly IssuedDocument[]) {
  const charging = documents.filter((each) => !isCreditOnly(each));
  return sum(charging.map(({ facts: { kind, gross } }) => (kind === 'INVOICE' ? gross : gross.negated())));
}

/** Returns the total of the charges and credits on committed invoices. */
function charged(documents: readonly IssuedDocument[]) {
  const items = documents.flatMap(({ facts, invoice }) =>
    facts.kind === 'INVOICE' && invoice.status === 'COMMITTED' ? invoice.items : [],
  );
  const counted = items.filter(({ itemType }) => /CHARGE|ADJUSTMENT/.test(itemTypes[itemType].kind));
  return sum(counted.map(({ amount }) => amount));
}

/** The document without ids, which differ between databases. */
function textOf({ facts }: IssuedDocument): string {
  const { kind, number, issueDate, note, lines, deductions, paid, due, accountCredit } = facts;
  const shown = lines.map(({ item, net, quantity, unitPrice }) => {
    const { itemType, startDate, endDate, itemDetails } = item;
    return [itemType, startDate, endDate, net, quantity, unitPrice, itemDetails].join(' ');
  });
  const deducted = deductions.map(({ noteNumber, amount }) => `${noteNumber} ${amount}`);
  const taxes = taxLinesOf(facts);
  return [kind, number, issueDate, note, ...shown, ...taxes, ...deducted, paid, due, accountCredit].join(
    ' | ',
  );
}

const histories = fc.sample(taxedScript, { numRuns: taxedRuns, seed });

/** The documents of each history on the first database. */
const first = new Map<number, readonly string[]>();

eachDatabase((kind, open) => {
  describe('documents of random histories with a tax plugin (invoicing §14 rule 9)', () => {
    const chosen = [...histories.entries()].filter(
      ([index]) => isLongRun || kind === 'sqlite' || index % 4 === 0,
    );
    const seen = new Map<string, number>();
    const see = (what: string, times: number) => seen.set(what, (seen.get(what) ?? 0) + times);

    for (const [index, script] of chosen)
      it(`add up to the charged amount and tax of each rate on each database (history ${index + 1})`, async () => {
        const played = await TaxedLife.begin(open, script);
        await played.play();
        const documents: IssuedDocument[] = [];
        for (const accountId of played.accountIds) {
          const own = await issuedDocumentsOf(played.engine, accountId);
          for (const document of own) {
            expectSums(document);
            expectTaxes(document, script);
          }
          expect(documented(own).toFixed(), 'invoices less credit notes').to.equal(charged(own).toFixed());
          documents.push(...own);
        }
        const texts = documents.map(textOf);
        expect(texts).to.eql(first.get(index) ?? texts);
        first.set(index, texts);
        expect(await played.engine.breaches()).to.eql([]);
        see('documents', documents.length);
        for (const { facts, invoice } of documents) {
          see(facts.kind, 1);
          see(facts.currency, 1);
          see(invoice.status, 1);
          see('written off', invoice.isWrittenOff ? 1 : 0);
          see('deducted', facts.deductions.length);
          see('rounded', facts.roundingDifference.isZero() ? 0 : 1);
          for (const { item } of facts.lines) see(item.itemType, 1);
        }
        await played.engine.close();
      });

    after(() => {
      if (kind !== 'sqlite') return;
      for (const what of EXPECTED) expect(seen.get(what), what).to.be.greaterThan(0);
    });
  });
});

/** What the histories contain. */
const EXPECTED = [
  'CREDIT_NOTE',
  'EUR',
  'JPY',
  'KWD',
  'VOID',
  'written off',
  'deducted',
  'RECURRING',
  'FIXED',
  'USAGE',
  'EXTERNAL_CHARGE',
  'REPAIR_ADJ',
  'ITEM_ADJ',
  'CREDIT_ADJ',
  'PARENT_SUMMARY',
];
