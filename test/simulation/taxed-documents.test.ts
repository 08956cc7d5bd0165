import fc from 'fast-check';
import { defineCatalog } from '../../adapters/node/billwright.ts';
import { type Buyer, taxPlugin, withTaxes } from '../../examples/tax-plugin.ts';
import { BillingError, type Decimal, decimal, type Uuid } from '../../lib/index.ts';
import type { DocumentFacts } from '../../lib/invoicing/documents/document-facts.ts';
import { sum } from '../../lib/values/money/index.ts';
import {
  eachDatabase,
  expect,
  isLongRun,
  type OpenDatabase,
  openEngine,
  seed,
  type TestEngine,
} from '../support/index.ts';
import { documentsOf, taxLinesOf } from '../support/invoicing/documents-of-account.ts';

const monthly = <P extends string>(product: P, price: `${number}`) => ({
  product,
  finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { EUR: price } } } as const,
});

const catalog = defineCatalog({
  name: 'Taxed',
  effectiveDate: '2024-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['EUR'],
  products: { Desk: { category: 'BASE' }, Book: { category: 'BASE' } },
  plans: {
    chair: monthly('Desk', '0.13'),
    desk: monthly('Desk', '99.97'),
    leaflet: monthly('Book', '0.07'),
    book: monthly('Book', '49.99'),
  },
  priceLists: { DEFAULT: ['chair', 'desk', 'leaflet', 'book'] },
  rules: { changePolicy: [{ policy: 'IMMEDIATE' }], cancelPolicy: [{ policy: 'IMMEDIATE' }] },
});

const planName = fc.constantFrom('chair', 'desk', 'leaflet', 'book');
const pick = fc.nat(99);
const step = fc.oneof(
  fc.record({ kind: fc.constant('start' as const), planName, quantity: fc.constantFrom(1, 3) }),
  fc.record({ kind: fc.constant('change' as const), planName, pick }),
  fc.record({ kind: fc.constant('quantity' as const), quantity: fc.integer({ min: 1, max: 4 }), pick }),
  fc.record({ kind: fc.constant('cancel' as const), pick }),
  fc.record({ kind: fc.constant('charge' as const), cents: fc.integer({ min: 1, max: 2_000 }) }),
  fc.record({ kind: fc.constant('adjust' as const), pick, percent: fc.constantFrom(1, 33, 100) }),
  fc.record({ kind: fc.constant('refund' as const), pick, percent: fc.constantFrom(10, 50) }),
  fc.record({ kind: fc.constant('void' as const), pick }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const buyer: fc.Arbitrary<Buyer> = fc.constantFrom<Buyer>(
  { country: 'DE' },
  { country: 'FR' },
  { country: 'FR', taxId: 'FR83404833048' },
  { country: 'US' },
);

const life = fc.record({
  buyer,
  steps: fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), step), { minLength: 8, maxLength: 16 }),
});

/** A life with a tax plugin, as one database plays it. */
class TaxedLife {
  readonly engine: TestEngine;
  readonly accountId: Uuid;
  readonly #subscriptions: Uuid[] = [];
  #day = new Date('2024-01-01T08:00:00Z');

  private constructor(engine: TestEngine, accountId: Uuid) {
    this.engine = engine;
    this.accountId = accountId;
  }

  static async begin(open: OpenDatabase, of: Buyer): Promise<TaxedLife> {
    const engine = await openEngine(open, {
      now: '2024-01-01T08:00:00Z',
      catalog: null,
      invoicePlugins: [taxPlugin(async () => of)],
      configuration: { 'org.service.invoice.creditNotes': 'true' },
    });
    await engine.acme.uploadCatalog(catalog);
    const account = await engine.payingAccount({ currency: 'EUR', billCycleDayLocal: 1 });
    return new TaxedLife(engine, account.id);
  }

  async play(steps: readonly (readonly [number, Step])[]): Promise<void> {
    for (const [days, each] of steps) {
      this.#day = new Date(this.#day.getTime() + days * 86_400_000);
      await this.engine.runTo(this.#day.toISOString());
      await this.#take(each);
      await this.engine.settle();
    }
  }

  async #take(each: Step): Promise<void> {
    const { acme } = this.engine;
    const { accountId } = this;
    switch (each.kind) {
      case 'start': {
        const { planName: name, quantity } = each;
        const started = await acme.createSubscription({ accountId, planName: name, quantity });
        this.#subscriptions.push(started.subscriptionId);
        return;
      }
      case 'charge': {
        const items = [{ amount: decimal(each.cents).dividedBy(100) }];
        await acme.invoices.addCharges({ accountId, items, autoCommit: true });
        return;
      }
      case 'adjust':
        return this.#adjust(each);
      case 'refund':
        return this.#refund(each);
      case 'void': {
        const invoice = pickFrom(await acme.invoices.ofAccount({ accountId }), each.pick);
        // Paid, repaired and used invoices cannot be voided.
        if (invoice) await unlessRejected(acme.invoices.void(invoice.id), [4028, 4032, 4033]);
        return;
      }
      default:
        return this.#edit(each);
    }
  }

  async #edit(each: Extract<Step, { kind: 'change' | 'quantity' | 'cancel' }>): Promise<void> {
    const { subscriptions } = this.engine.acme;
    const index = each.pick % Math.max(this.#subscriptions.length, 1);
    const id = this.#subscriptions[index];
    if (id === undefined) return;
    if (each.kind === 'cancel') {
      this.#subscriptions.splice(index, 1);
      await subscriptions.cancel(id, { billingPolicy: 'IMMEDIATE' });
    } else if (each.kind === 'change') {
      await subscriptions.changePlan(id, { planName: each.planName, billingPolicy: 'IMMEDIATE' });
    } else await subscriptions.changeQuantity(id, { quantity: each.quantity });
  }

  async #charges() {
    const invoices = await this.engine.acme.invoices.ofAccount({
      accountId: this.accountId,
      withItems: true,
    });
    return invoices.flatMap(({ items }) =>
      items
        .filter(({ itemType, repairable }) => {
          return (itemType === 'RECURRING' || itemType === 'EXTERNAL_CHARGE') && repairable.greaterThan(0);
        })
        .map((charge) => ({ charge, items })),
    );
  }

  async #adjust({ pick: chosen, percent }: Extract<Step, { kind: 'adjust' }>): Promise<void> {
    const found = pickFrom(await this.#charges(), chosen);
    if (found === undefined) return;
    const { id: invoiceItemId, invoiceId, repairable } = found.charge;
    const amount = shareOf(repairable, percent);
    await this.engine.acme.invoices.adjustItem({
      accountId: this.accountId,
      invoiceId,
      invoiceItemId,
      amount,
    });
  }

  /** Refunds part of a paid charge with its tax; the sandbox gateway accepts it. */
  async #refund({ pick: chosen, percent }: Extract<Step, { kind: 'refund' }>): Promise<void> {
    const { acme } = this.engine;
    const found = pickFrom(await this.#charges(), chosen);
    if (found === undefined) return;
    const { id: invoiceItemId, invoiceId, repairable } = found.charge;
    const [paid] = await acme.payments.invoicePaymentsOfInvoice(invoiceId);
    const paymentId = paid?.id;
    if (paymentId === undefined) return;
    const amount = shareOf(repairable, percent).toFixed();
    const adjustments = withTaxes(found.items, [{ invoiceItemId, amount }]);
    // The payment can have less left than the charge.
    await unlessRejected(acme.invoicePayments.refund({ paymentId, isAdjusted: true, adjustments }), [4906]);
  }

  documents(): Promise<readonly DocumentFacts[]> {
    return documentsOf(this.engine, this.accountId);
  }
}

/** Awaits an operation that may be rejected with one of these codes. */
async function unlessRejected(work: Promise<unknown>, codes: readonly number[]): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof BillingError) || !codes.includes(error.code)) throw error;
  }
}

function pickFrom<T>(list: readonly T[], chosen: number): T | undefined {
  return list[chosen % Math.max(list.length, 1)];
}

function shareOf(amount: Decimal, percent: number): Decimal {
  const share = amount.times(percent).dividedBy(100).toDecimalPlaces(2);
  return share.isZero() ? amount : share;
}

/** Checks the sums of a document against its lines and taxes. */
function expectSums(document: DocumentFacts, of: Buyer): void {
  const { net, tax, gross, taxes, lines, roundingDifference } = document;
  expect(gross.equals(net.plus(tax)), 'net + tax = gross').to.equal(true);
  expect(sum(lines.map((line) => line.net)).equals(net), 'the lines add up').to.equal(true);
  expect(sum(taxes.map((group) => group.tax)).equals(tax), 'the taxes add up').to.equal(true);
  expect(sum(taxes.map((group) => group.net)).equals(net), 'the groups add up').to.equal(true);
  expect(sum(taxes.map(({ difference }) => difference)).equals(roundingDifference)).to.equal(true);
  for (const { category, rate, net: taxed, tax: charged, difference } of taxes) {
    expect(category, 'every line is taxed').to.not.equal(null);
    const exact = taxed.times(rate ?? 0).dividedBy(100);
    // Half a cent for each line whose tax was rounded.
    const most = decimal('0.005').times(lines.length + 1);
    expect(charged.minus(exact).abs().lessThanOrEqualTo(most), `${taxLinesOf(document)}`).to.equal(true);
    expect(charged.minus(difference).minus(exact).abs().lessThanOrEqualTo('0.005')).to.equal(true);
    expect(category).to.equal(of.country === 'US' ? 'G' : of.taxId === undefined ? 'S' : 'AE');
  }
}

/** The document without ids, which differ between databases. */
function textOf(document: DocumentFacts): string {
  const { kind, number, issueDate, note, lines, paid, due, accountCredit } = document;
  const shown = lines.map(({ item, net, quantity, unitPrice }) => {
    return [item.itemType, item.startDate, item.endDate, net, quantity, unitPrice].join(' ');
  });
  return [kind, number, issueDate, note, ...shown, ...taxLinesOf(document), paid, due, accountCredit].join(
    ' | ',
  );
}

const LIVES = isLongRun ? 150 : 12;
const lives = fc.sample(life, { numRuns: LIVES, seed });

/** The documents of each life on the first database. */
const first = new Map<number, readonly string[]>();

eachDatabase((kind, open) => {
  describe('documents of random histories with a tax plugin (invoicing §14 rule 9)', () => {
    const chosen = [...lives.entries()].filter(
      ([index]) => isLongRun || kind === 'sqlite' || index % 4 === 0,
    );
    const seen = { adjusted: 0, notes: 0, documents: 0 };

    for (const [index, { buyer: of, steps }] of chosen)
      it(`add up per rate, and are the same on each database: life ${index + 1}`, async () => {
        const played = await TaxedLife.begin(open, of);
        await played.play(steps);
        const documents = await played.documents();
        for (const document of documents) expectSums(document, of);
        const texts = documents.map(textOf);
        expect(texts).to.eql(first.get(index) ?? texts);
        first.set(index, texts);
        expect(await played.engine.breaches()).to.eql([]);
        seen.documents += documents.length;
        seen.notes += documents.filter((each) => each.kind === 'CREDIT_NOTE').length;
        seen.adjusted += documents.filter(({ lines }) =>
          lines.some(({ item }) => item.itemType === 'ITEM_ADJ'),
        ).length;
        await played.engine.close();
      });

    after(() => {
      if (kind !== 'sqlite') return;
      for (const [what, times] of Object.entries(seen)) expect(times, what).to.be.greaterThan(0);
    });
  });
});
