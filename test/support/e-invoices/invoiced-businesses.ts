import { eInvoiceWriter } from '../../../adapters/e-invoice/index.ts';
import { type AccountInput, defineCatalog, type TenantBilling, type Uuid } from '../../../lib/index.ts';
import type { OpenDatabase } from '../databases.ts';
import { openEngine, type TestEngine } from '../engine.ts';
import { type TaxRule, taxByAccount } from './tax-rules.ts';

export const businessCatalog = defineCatalog({
  name: 'Orchard',
  effectiveDate: '2026-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['EUR', 'USD', 'JPY'],
  units: { calls: {}, hours: {} },
  products: { Pro: { category: 'BASE' }, Team: { category: 'BASE' }, Meter: { category: 'BASE' } },
  plans: {
    'pro-monthly': {
      product: 'Pro',
      initialPhases: [
        {
          type: 'DISCOUNT',
          duration: { unit: 'MONTHS', number: 1 },
          fixed: { EUR: '5.00', USD: '5.00', JPY: '500' },
        },
      ],
      finalPhase: {
        type: 'EVERGREEN',
        recurring: { billingPeriod: 'MONTHLY', price: { EUR: '19.99', USD: '24.99', JPY: '2980' } },
      },
    },
    'team-monthly': {
      product: 'Team',
      finalPhase: {
        type: 'EVERGREEN',
        recurring: { billingPeriod: 'MONTHLY', price: { EUR: '33.33', USD: '39.95', JPY: '3333' } },
      },
    },
    'team-annual': {
      product: 'Team',
      finalPhase: {
        type: 'EVERGREEN',
        recurring: { billingPeriod: 'ANNUAL', price: { EUR: '333.00', USD: '399.00', JPY: '33300' } },
      },
    },
    'meter-monthly': {
      product: 'Meter',
      finalPhase: {
        type: 'EVERGREEN',
        recurring: { billingPeriod: 'MONTHLY', price: { EUR: '9.90', USD: '9.90', JPY: '990' } },
        usages: {
          'meter-calls': {
            billingMode: 'IN_ARREAR',
            usageType: 'CONSUMABLE',
            billingPeriod: 'MONTHLY',
            tiers: [
              {
                blocks: [
                  { unit: 'calls', size: '100', max: '10', prices: { EUR: '0.53', USD: '0.60', JPY: '61' } },
                ],
              },
              { blocks: [{ unit: 'calls', size: '100', prices: { EUR: '0.41', USD: '0.45', JPY: '47' } }] },
            ],
          },
          'meter-hours': {
            billingMode: 'IN_ARREAR',
            usageType: 'CONSUMABLE',
            billingPeriod: 'MONTHLY',
            tiers: [
              { blocks: [{ unit: 'hours', size: '1', prices: { EUR: '80.00', USD: '90.00', JPY: '9000' } }] },
            ],
          },
        },
      },
    },
  },
  priceLists: { DEFAULT: ['pro-monthly', 'team-monthly', 'team-annual', 'meter-monthly'] },
  rules: { changePolicy: [{ policy: 'IMMEDIATE' }], cancelPolicy: [{ policy: 'IMMEDIATE' }] },
});

/** The seller that uploads everything that a profile requires. */
export const orchard = {
  name: 'Orchard',
  legalName: 'Orchard Software GmbH',
  address1: 'Hauptstraße 1',
  city: 'Berlin',
  postalCode: '10115',
  country: 'DE',
  taxId: 'DE136695976',
  registrationNumber: 'HRB 12345 B',
  email: 'billing@orchard.example',
  phone: '+49 30 123456',
  bankName: 'Beispielbank',
  iban: 'DE89370400440532013000',
  bic: 'COBADEFFXXX',
  paymentTermsDays: 14,
  notes: { DE: 'Geschäftsführer: Eva Apfel', '*': 'Thank you for your business.' },
} as const;

export const german = {
  name: 'Hans Kunde',
  company: 'Kunde AG',
  email: 'rechnung@kunde.example',
  address1: 'Ring 5',
  city: 'Köln',
  postalCode: '50667',
  country: 'DE',
  taxId: 'DE129273398',
  currency: 'EUR',
  locale: 'de_DE',
  timeZone: 'Europe/Berlin',
} as const satisfies AccountInput;

export const french = {
  ...german,
  name: 'Jeanne Martin',
  company: 'Exemple SARL',
  email: 'compta@exemple.example',
  address1: '1 rue de la Paix',
  city: 'Paris',
  postalCode: '75002',
  country: 'FR',
  taxId: 'FR40303265045',
  locale: 'fr_FR',
} as const satisfies AccountInput;

export const american = {
  ...german,
  name: 'Ann Smith',
  company: 'Example Inc.',
  email: 'ap@example.example',
  address1: '1 Main Street',
  city: 'Springfield',
  state: 'IL',
  postalCode: '62701',
  country: 'US',
  taxId: '12-3456789',
  currency: 'USD',
  locale: 'en_US',
  timeZone: 'America/Chicago',
} as const satisfies AccountInput;

/** An engine whose tenant has seller data, credit notes and a tax plugin. */
export class InvoicedBusinesses {
  readonly engine: TestEngine;
  readonly #rules: Map<string, readonly TaxRule[]>;

  private constructor(engine: TestEngine, rules: Map<string, readonly TaxRule[]>) {
    this.engine = engine;
    this.#rules = rules;
  }

  static async open(
    open: OpenDatabase,
    options: Partial<Parameters<typeof openEngine>[1]> = {},
  ): Promise<InvoicedBusinesses> {
    const rules = new Map<string, readonly TaxRule[]>();
    const engine = await openEngine(open, {
      now: '2026-03-01T08:00:00Z',
      catalog: null,
      invoicePlugins: [taxByAccount(rules)],
      eInvoices: eInvoiceWriter(),
      ...options,
      configuration: { 'org.service.invoice.creditNotes': 'true', ...options.configuration },
    });
    await engine.acme.uploadCatalog(businessCatalog);
    await engine.acme.sellers.upload(orchard);
    return new InvoicedBusinesses(engine, rules);
  }

  get acme(): TenantBilling {
    return this.engine.acme;
  }

  /** Creates an account that is taxed by the rules. */
  async account(input: AccountInput, ...rules: readonly TaxRule[]): Promise<Uuid> {
    const { id } = await this.acme.createAccount({ billCycleDayLocal: 1, ...input });
    this.#rules.set(id, rules);
    return id;
  }

  /** Starts a subscription and waits for its invoice. */
  async subscribe(accountId: Uuid, planName: string, quantity = 1): Promise<Uuid> {
    const { subscriptionId } = await this.engine.subscribe({ accountId, planName, quantity });
    return subscriptionId;
  }

  /** Charges these amounts on one invoice; a description that starts with `Reduced` has the second rate. */
  async charge(accountId: Uuid, ...charges: readonly (readonly [amount: string, description: string])[]) {
    const items = charges.map(([amount, description]) => ({ amount, description }));
    const [first] = await this.acme.invoices.addCharges({ accountId, items, autoCommit: true });
    if (first === undefined) throw new Error('no charge was made');
    await this.engine.settle();
    return this.acme.invoices.get(first.invoiceId);
  }

  /** Adjusts this share of the first charge. */
  async adjust(invoiceId: Uuid, part: string): Promise<void> {
    const { accountId, items } = await this.acme.invoices.get(invoiceId);
    const charge = items.find(({ itemType }) => itemType !== 'TAX');
    if (charge === undefined) throw new Error(`invoice ${invoiceId} has no charge`);
    const amount = charge.amount.times(part).toDecimalPlaces(charge.currency === 'JPY' ? 0 : 2);
    await this.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId: charge.id, amount });
    await this.engine.settle();
  }
}
