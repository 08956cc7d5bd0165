import { readFileSync } from 'node:fs';
import { lantern } from '../../../examples/catalogs/lantern.ts';
import {
  canonicalXml,
  createCatalog,
  createVersion,
  type DefinedCatalog,
  defineCatalog,
  readCatalogXml,
  samePlan,
  validateVersion,
  validateVersions,
  writeCatalogXml,
} from '../../../lib/catalog/index.ts';
import { fixture } from '../../support/files.ts';
import { ErrorCode, errorOf, expect } from '../../support/unit.ts';

const base = {
  name: 'Test',
  effectiveDate: '2024-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD'],
  units: { seat: {} },
  products: { P: { category: 'BASE', available: ['A'] }, A: { category: 'ADD_ON' } },
  plans: {
    'p-m': {
      product: 'P',
      finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { USD: '10.00' } } },
    },
  },
  priceLists: { DEFAULT: ['p-m'], VIP: ['p-m'] },
  rules: { changePolicy: [{ policy: 'IMMEDIATE' }], cancelPolicy: [{ policy: 'IMMEDIATE' }] },
} as const;

const monthly = base.plans['p-m'];

const everyElement = fixture('catalogs/every-element.xml');
const everything = defineCatalog({
  name: 'Every element',
  effectiveDate: '2024-06-01T12:00:00+02:00',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD', 'BTC'],
  units: { seat: { prettyName: 'Seats' }, call: {} },
  products: {
    Base: {
      category: 'BASE',
      prettyName: 'The base',
      included: ['In'],
      available: ['Av'],
      limits: [{ unit: 'seat', max: '100.0', min: 1 }],
    },
    In: { category: 'ADD_ON' },
    Av: { category: 'ADD_ON' },
  },
  rules: {
    changePolicy: [
      { phaseType: 'TRIAL', fromProduct: 'Base', toBillingPeriod: 'ANNUAL', policy: 'IMMEDIATE' },
      { policy: 'END_OF_TERM' },
    ],
    changeAlignment: [
      {
        phaseType: 'DISCOUNT',
        fromProduct: 'Base',
        fromProductCategory: 'BASE',
        fromBillingPeriod: 'MONTHLY',
        fromPriceList: 'DEFAULT',
        toProduct: 'In',
        toProductCategory: 'ADD_ON',
        toBillingPeriod: 'QUARTERLY',
        toPriceList: 'VIP',
        alignment: 'CHANGE_OF_PRICELIST',
      },
    ],
    cancelPolicy: [
      {
        phaseType: 'TRIAL',
        product: 'Base',
        productCategory: 'BASE',
        billingPeriod: 'MONTHLY',
        priceList: 'VIP',
        policy: 'END_OF_TERM',
      },
      { policy: 'IMMEDIATE' },
    ],
    createAlignment: [{ product: 'Base', productCategory: 'BASE', alignment: 'START_OF_BUNDLE' }],
    billingAlignment: [{ billingPeriod: 'ANNUAL', alignment: 'SUBSCRIPTION' }],
    priceList: [{ fromPriceList: 'VIP', toPriceList: 'VIP' }],
  },
  plans: {
    all: {
      product: 'Base',
      prettyName: 'Everything',
      recurringBillingMode: 'IN_ARREAR',
      effectiveDateForExistingSubscriptions: '2024-07-01',
      initialPhases: [{ type: 'TRIAL', duration: { unit: 'DAYS', number: 14 }, fixed: 0 }],
      finalPhase: {
        type: 'FIXEDTERM',
        prettyName: 'A year',
        duration: { unit: 'YEARS', number: 1 },
        fixed: { USD: '5.00' },
        recurring: { billingPeriod: 'MONTHLY', price: { USD: '9.95', BTC: null } },
        usages: {
          seats: {
            billingMode: 'IN_ARREAR',
            usageType: 'CAPACITY',
            tierBlockPolicy: 'TOP_TIER',
            billingPeriod: 'MONTHLY',
            limits: [{ unit: 'seat', max: 5 }],
            blocks: [{ type: 'TOP_UP', unit: 'call', size: 10, prices: 0, minTopUpCredit: 5 }],
            tiers: [{ limits: [{ unit: 'seat', max: 5 }], recurringPrice: 0 }],
            fixedPrice: { USD: '4.5' },
            recurringPrice: 0,
          },
          calls: {
            prettyName: 'Calls made',
            billingMode: 'IN_ARREAR',
            usageType: 'CONSUMABLE',
            billingPeriod: 'MONTHLY',
            tiers: [
              {
                blocks: [{ unit: 'call', size: 0.5, prices: { USD: '1' }, max: 7 }],
                recurringPrice: { USD: '3' },
              },
              { blocks: [{ unit: 'call', size: 1, prices: 0 }], fixedPrice: 0 },
            ],
          },
        },
      },
      plansAllowedInBundle: 2,
    },
  },
  priceLists: { DEFAULT: ['all'], VIP: { prettyName: 'Very', plans: ['all'] } },
});

function problemsOf(define: () => DefinedCatalog): readonly string[] {
  const { code, problems = [] } = errorOf(define);
  expect(code).to.equal(ErrorCode.CATALOG_INVALID_FOR_TENANT);
  return problems.map(({ message }) => message);
}

describe('catalog defined in code', () => {
  it('produces the same value and document as the equivalent XML', () => {
    const document = readCatalogXml(lantern.toXml());
    expect(document.isEnvelope).to.equal(true);
    for (const version of document.versions) expect(validateVersion(version).errors).to.eql([]);
    const read = document.versions.map(({ content }) => createVersion(content));
    expect(validateVersions([], read)).to.eql([]);
    expect(writeCatalogXml(createCatalog(read))).to.equal(lantern.toXml());
    expect(read.map(canonicalXml)).to.eql(lantern.catalog.versions.map(canonicalXml));
    expect(read[0]?.rules).to.eql(lantern.catalog.versions[0]?.rules);
    expect(read[0]?.plans).to.eql(lantern.catalog.versions[0]?.plans);
  });

  it('supports everything that a document can express', () => {
    const [read] = readCatalogXml(readFileSync(everyElement)).versions;
    if (read === undefined) throw new Error('no version');
    expect(validateVersion(read).errors).to.eql([]);
    const { versions } = everything.catalog;
    expect(versions.map(canonicalXml)).to.eql([canonicalXml(createVersion(read.content))]);
  });

  it('contains the tiers, prices, names and add-ons of its definition', () => {
    const [first, second] = lantern.catalog.versions;
    const oil = first?.findPlan('oil-metered').finalPhase.usages[0];
    expect(oil?.tiers.map(({ blocks }) => blocks[0]?.max.text)).to.eql(['100', '-1']);
    expect(first?.findPlan('light-monthly').initialPhases[0]?.fixed?.price.prices).to.eql([]);
    expect(first?.findPlan('light-monthly').prettyName).to.equal('light-monthly');
    const price = second?.findPlan('light-monthly').finalPhase.recurring?.price?.prices[0];
    expect([price?.currency, price?.amount?.text]).to.eql(['USD', '10.00']);
    expect(second?.findProduct('Light').available).to.eql(['Oil']);
  });

  it('reuses the plan object in a later version that repeats the plan, and creates a new object for a changed plan', () => {
    const [first, second] = lantern.catalog.versions;
    expect(second?.findPlan('beacon-annual')).to.equal(first?.findPlan('beacon-annual'));
    const [before, after] = [first?.findPlan('light-monthly'), second?.findPlan('light-monthly')];
    expect(before && after && samePlan(before, after)).to.equal(false);
  });

  it('is frozen, and leaves the definition unchanged', () => {
    const currencies: 'USD'[] = ['USD'];
    const defined = defineCatalog({ ...base, currencies });
    currencies.push('USD');
    expect(defined.catalog.versions[0]?.currencies).to.eql(['USD']);
    expect(Object.isFrozen(defined)).to.equal(true);
  });

  it('accepts null for a currency without sales, and applies defaults to omitted properties', () => {
    const { catalog } = defineCatalog({
      ...base,
      currencies: ['USD', 'EUR'],
      plans: {
        'p-m': {
          product: 'P',
          finalPhase: {
            type: 'FIXEDTERM',
            duration: { unit: 'YEARS', number: 1 },
            fixed: { USD: '1', EUR: null },
            recurring: { billingPeriod: 'NO_BILLING_PERIOD' },
          },
        },
      },
    });
    const { finalPhase, plansAllowedInBundle, initialPhases } = catalog.versions[0]?.findPlan('p-m') ?? {};
    expect(finalPhase?.fixed?.price.prices.map(({ amount }) => amount?.text)).to.eql(['1', undefined]);
    expect([plansAllowedInBundle, initialPhases, finalPhase?.recurring?.price]).to.eql([-1, [], null]);
  });

  describe('type and run-time check', () => {
    it('rejects an unknown product in a plan', () => {
      expect(
        problemsOf(() =>
          // @ts-expect-error an unknown product
          defineCatalog({ ...base, plans: { 'p-m': { ...monthly, product: 'Q' } } }),
        ),
      ).to.eql(['Plan "p-m": product "Q" does not exist in this version']);
    });

    it('rejects an unknown add-on in a product', () => {
      expect(
        problemsOf(() =>
          // @ts-expect-error an unknown product
          defineCatalog({ ...base, products: { P: { category: 'BASE', available: ['B'] } } }),
        ),
      ).to.eql(['Product "P": product "B" does not exist in this version']);
    });

    it('rejects an unknown plan in a price list', () => {
      expect(
        problemsOf(() =>
          // @ts-expect-error an unknown plan
          defineCatalog({ ...base, priceLists: { DEFAULT: ['p-m', 'x-m'] } }),
        ),
      ).to.have.length(1);
    });

    it('rejects usage billed in advance (V21)', () => {
      const litres = {
        billingMode: 'IN_ADVANCE',
        usageType: 'CONSUMABLE',
        billingPeriod: 'MONTHLY',
      } as const;
      const finalPhase = { type: 'EVERGREEN', usages: { litres } } as const;
      expect(
        problemsOf(() =>
          defineCatalog({ ...base, plans: { ...base.plans, 'p-m': { product: 'P', finalPhase } } }),
        ).join(),
      ).to.match(/^Usage "litres" is IN_ADVANCE, which is never billed/);
    });

    it('rejects a missing DEFAULT list', () => {
      expect(
        problemsOf(() =>
          // @ts-expect-error DEFAULT is missing
          defineCatalog({ ...base, priceLists: { VIP: ['p-m'] } }),
        ),
      ).to.eql(['priceLists: the list DEFAULT is missing']);
    });

    it('rejects an unknown product or price list in a rule', () => {
      const { rules } = base;
      expect(
        problemsOf(() =>
          defineCatalog({
            ...base,
            rules: {
              ...rules,
              // @ts-expect-error an unknown product
              createAlignment: [{ product: 'Gold', alignment: 'START_OF_BUNDLE' }],
              // @ts-expect-error an unknown price list
              priceList: [{ toPriceList: 'GOLD' }],
            },
          }),
        ),
      ).to.have.length(2);
      defineCatalog({
        ...base,
        rules: { ...rules, priceList: [{ toPriceList: 'VIP' }, { toPriceList: 'DEFAULT' }] },
      });
    });

    it('rejects a price in an undeclared currency', () => {
      const recurring = { billingPeriod: 'MONTHLY', price: { USD: '1', EUR: '1' } } as const;
      const finalPhase = { type: 'EVERGREEN', recurring } as const;
      expect(
        problemsOf(() =>
          // @ts-expect-error an unlisted currency
          defineCatalog({ ...base, plans: { 'p-m': { product: 'P', finalPhase } } }),
        ),
      ).to.have.length(1);
    });

    it('rejects a limit with an unknown unit', () => {
      const limits = [{ unit: 'call', max: 1 }] as const;
      expect(
        problemsOf(() =>
          // @ts-expect-error an unknown unit
          defineCatalog({ ...base, products: { ...base.products, P: { category: 'BASE', limits } } }),
        ),
      ).to.have.length(1);
    });

    it('rejects a trial as the last phase, and an evergreen phase with an end', () => {
      const { recurring } = monthly.finalPhase;
      const duration = { unit: 'DAYS', number: 1 } as const;
      const trial = { type: 'TRIAL', duration, recurring } as const;
      const evergreen = { type: 'EVERGREEN', duration, recurring } as const;
      expect(
        problemsOf(() =>
          // @ts-expect-error a final phase is EVERGREEN or FIXEDTERM
          defineCatalog({ ...base, plans: { 'p-m': { product: 'P', finalPhase: trial } } }),
        ),
      ).to.have.length(1);
      expect(
        problemsOf(() =>
          // @ts-expect-error an EVERGREEN phase has no duration
          defineCatalog({ ...base, plans: { 'p-m': { product: 'P', finalPhase: evergreen } } }),
        ),
      ).to.have.length(1);
    });

    it('rejects an amount that is not a number', () => {
      const recurring = { billingPeriod: 'MONTHLY', price: { USD: 'ten' } } as const;
      const finalPhase = { type: 'EVERGREEN', recurring } as const;
      const [problem] = problemsOf(() =>
        // @ts-expect-error an invalid amount
        defineCatalog({ ...base, plans: { 'p-m': { product: 'P', finalPhase } } }),
      );
      expect(problem).to.contain(
        'Plan "p-m", phase EVERGREEN, recurring, USD: "ten" is not a decimal number',
      );
    });

    it('rejects a property that is not part of the grammar', () => {
      const products = { P: { category: 'GOLD' } } as const;
      expect(
        problemsOf(() =>
          // @ts-expect-error an unknown product category
          defineCatalog({ ...base, products }),
        ),
      ).to.eql(['Product "P", category: "GOLD" is not a product category (BASE, ADD_ON, STANDALONE)']);
    });
  });

  it('reports all validation errors together', () => {
    const price = { USD: '-1' } as const;
    expect(
      problemsOf(() =>
        defineCatalog({
          ...base,
          plans: {
            'p-m': {
              product: 'P',
              finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price } },
            },
            'p m': monthly,
          },
        }),
      ),
    ).to.have.length(3);
  });

  it('reports every unreadable amount and date', () => {
    const recurring = { billingPeriod: 'MONTHLY', price: { USD: '1e3' } } as const;
    expect(
      problemsOf(() =>
        defineCatalog({
          ...base,
          effectiveDate: 'soon',
          plans: { 'p-m': { product: 'P', finalPhase: { type: 'EVERGREEN', recurring } } },
        }),
      ),
    ).to.have.length(2);
  });

  it('rejects a version that conflicts with another version', () => {
    const { name: _, ...version } = base;
    const first = defineCatalog(base);
    expect(problemsOf(() => first.withVersion(version))).to.eql([
      'A version with effective date 2024-01-01T00:00:00.000Z already exists; to change it, upload a version with a later date',
    ]);
    const other = { P: { category: 'STANDALONE' } } as const;
    expect(
      problemsOf(() => first.withVersion({ ...version, effectiveDate: '2025-01-01', products: other })),
    ).to.have.length(1);
  });
});
