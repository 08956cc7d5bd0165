import { createEntries } from '../../../lib/catalog/formats/entries/create-entries.ts';
import { KnownNames } from '../../../lib/catalog/formats/entries/entry-input.ts';
import type {
  CatalogEntriesInput,
  CatalogEntry,
  PhaseInput,
  PlanEntryInput,
  ProductEntryInput,
  UsageInput,
} from '../../../lib/index.ts';
import { createCatalog, createVersion, decimal, instant, readCatalogXml } from '../../../lib/index.ts';
import { product, version } from '../../support/catalogs/catalog-document.ts';
import { overlayCatalog } from '../../support/catalogs/overlay-catalog.ts';
import { errorOf, expect } from '../../support/unit.ts';

const now = instant(Date.UTC(2024, 1, 10));
const prices = [{ currency: 'USD', value: decimal('10') }];
const evergreen: PhaseInput = {
  type: 'EVERGREEN',
  durationUnit: 'UNLIMITED',
  recurringPrices: { billingPeriod: 'MONTHLY', prices },
};
const plan: PlanEntryInput = {
  name: 'p1',
  recurringBillingMode: 'IN_ADVANCE',
  effectiveDate: now,
  productName: 'Pot',
  pricelistName: 'DEFAULT',
  phases: [evergreen],
};
const pot = { name: 'Pot', category: 'BASE' } as const;
const usage: UsageInput = {
  usageName: 'water',
  usageType: 'CONSUMABLE',
  billingPeriod: 'MONTHLY',
  tiers: [{ blocks: [{ billingMeterCode: 'litre', size: 1, prices }] }],
};

function litres(max: number) {
  return { billingMeterCode: 'litre', size: 1, max, prices };
}

function withPlan(changes: Partial<PlanEntryInput>): CatalogEntriesInput {
  return { products: [pot], plans: [{ ...plan, ...changes }] };
}

function withProducts(...products: readonly ProductEntryInput[]): CatalogEntriesInput {
  return { products, plans: [plan] };
}

function withPhase(phase: PhaseInput, ...others: readonly PhaseInput[]): CatalogEntriesInput {
  return withPlan({ phases: [...others, phase] });
}

function withUsage(changes: UsageInput): CatalogEntriesInput {
  return withPhase({ ...evergreen, usages: [{ ...usage, ...changes }] });
}

/** The version of the XML catalog in force has product Pan and plans x and y. */
const xml = createCatalog(
  overlayCatalog.flatMap((document) =>
    readCatalogXml(document).versions.map(({ content }) => createVersion(content)),
  ),
);

let ids = 0;
function nextId(): CatalogEntry['id'] {
  ids += 1;
  return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}` as CatalogEntry['id'];
}

function create(
  request: CatalogEntriesInput,
  stored: readonly CatalogEntry[] = [],
  scope: Pick<CatalogEntry, 'accountId' | 'accountRecordId'> = { accountId: null, accountRecordId: null },
) {
  return createEntries({ request, scope, known: new KnownNames(stored, xml, now), now, nextId });
}

const refusal = (...input: Parameters<typeof create>) => errorOf(() => create(...input));

function stored(entry: Partial<CatalogEntry> & Pick<CatalogEntry, 'kind' | 'name'>): CatalogEntry {
  return {
    recordId: 1,
    id: nextId(),
    accountId: null,
    accountRecordId: null,
    parentId: null,
    product: null,
    plan: null,
    createdDate: now,
    ...entry,
  };
}

const potTerms = { prettyName: '', category: 'BASE', availableForBps: [], availableAddons: [] } as const;
const account = { accountId: nextId(), accountRecordId: 7 };

describe('catalog entry creation', () => {
  const invalid: Readonly<Record<string, readonly [CatalogEntriesInput, string]>> = {
    'a request without plans': [{ products: [pot] }, 'plans must contain at least one plan'],
    'a plan without a name': [{ plans: [{ ...plan, name: '' }] }, 'name needs to be set'],
    'a plan without a mode': [
      withPlan({ recurringBillingMode: null }),
      'recurringBillingMode needs to be set',
    ],
    'a plan without a price list': [withPlan({ pricelistName: null }), 'pricelistName needs to be set'],
    'a plan without a product': [{ plans: [{ ...plan, productName: null }] }, 'productName needs to be set'],
    'a plan without a date': [withPlan({ effectiveDate: null }), 'effectiveDate needs to be set'],
    'a plan without phases': [withPlan({ phases: [] }), 'phases must contain at least one phase'],
    'a phase without a type': [withPhase({ ...evergreen, type: null }), 'type needs to be set'],
    'a phase without a unit': [
      withPhase({ ...evergreen, durationUnit: null }),
      'durationUnit needs to be set',
    ],
    'a phase without a length': [
      withPhase(evergreen, { type: 'TRIAL', durationUnit: 'DAYS' }),
      'durationLength needs to be set',
    ],
    'a product without a category': [withProducts({ name: 'Pot' }), 'category needs to be set'],
    'a billing mode IN_ARREAR': [withPlan({ recurringBillingMode: 'IN_ARREAR' }), 'only IN_ADVANCE'],
    'a usage of type CAPACITY': [withUsage({ usageType: 'CAPACITY' }), 'only CONSUMABLE'],
    'a trial with recurring prices': [
      withPhase(evergreen, { ...evergreen, type: 'TRIAL', durationUnit: 'DAYS', durationLength: 3 }),
      'a TRIAL phase has no recurring prices',
    ],
    'a discount phase without a price': [
      withPhase(evergreen, { type: 'DISCOUNT', durationUnit: 'DAYS', durationLength: 3 }),
      'a DISCOUNT phase needs',
    ],
    'an evergreen phase without a recurring price': [
      withPhase({ ...evergreen, recurringPrices: null, fixedPrices: prices }),
      'an EVERGREEN phase needs',
    ],
    'an add-on without base products': [
      withProducts(pot, { name: 'Lid', category: 'ADD_ON' }),
      'needs availableForBps',
    ],
    'an add-on with add-ons': [
      withProducts(pot, {
        name: 'Lid',
        category: 'ADD_ON',
        availableForBps: ['Pot'],
        availableAddons: ['Lid'],
      }),
      'only a BASE product can have availableAddons',
    ],
    'a base product that is available for base products': [
      withProducts({ ...pot, availableForBps: ['Pan'] }),
      'only an ADD_ON can have availableForBps',
    ],
    'a standalone product with add-ons': [
      withProducts(pot, { name: 'Fork', category: 'STANDALONE', availableAddons: ['Pan'] }),
      'only a BASE product can have availableAddons',
    ],
    'an add-on for an unknown product': [
      withProducts(pot, { name: 'Lid', category: 'ADD_ON', availableForBps: ['Ghost'] }),
      'which does not exist',
    ],
    'a base product as an add-on': [
      withProducts({ ...pot, availableAddons: ['Pan'] }),
      'which is BASE, not ADD_ON',
    ],
    'a name that is not an NCName (V1)': [withPlan({ name: '9 lives' }), 'not an XML NCName'],
    'a plan with the name of its product (V1)': [withPlan({ name: 'Pot' }), 'already used by a product'],
    'a duplicate plan (V1)': [{ products: [pot], plans: [plan, plan] }, 'already used by a plan'],
    'an existing plan of the XML catalog (V1)': [withPlan({ name: 'y' }), 'already used by a plan'],
    'a product with the name of an XML plan (V1)': [
      { products: [{ ...pot, name: 'x' }], plans: [{ ...plan, productName: 'x' }] },
      'already used by a plan',
    ],
    'a trial as the last phase (V7)': [
      withPhase({ type: 'TRIAL', durationUnit: 'DAYS', durationLength: 3 }, evergreen),
      'an initial phase cannot be of type EVERGREEN',
    ],
    'two phases of the same type (V8)': [
      withPhase(evergreen, evergreen),
      'more than one phase of type EVERGREEN',
    ],
    'an evergreen phase that ends (V10)': [
      withPhase({ ...evergreen, durationUnit: 'MONTHS', durationLength: 3 }),
      'an EVERGREEN phase must be UNLIMITED',
    ],
    'a phase of zero length (V11)': [
      withPhase(evergreen, { type: 'TRIAL', durationUnit: 'DAYS', durationLength: 0 }),
      'at least 1',
    ],
    'a price without a billing period (V12)': [
      withPhase({ ...evergreen, recurringPrices: { billingPeriod: 'NO_BILLING_PERIOD', prices } }),
      'NO_BILLING_PERIOD',
    ],
    'a negative price (V13)': [
      withPhase({
        ...evergreen,
        recurringPrices: { billingPeriod: 'MONTHLY', prices: [{ currency: 'USD', value: decimal('-1') }] },
      }),
      'is negative',
    ],
    'a duplicate currency (V13)': [
      withPhase({
        ...evergreen,
        recurringPrices: { billingPeriod: 'MONTHLY', prices: [...prices, ...prices] },
      }),
      'more than one amount in USD',
    ],
    'an invalid currency': [
      withPhase({ ...evergreen, fixedPrices: [{ currency: 'EURO', value: decimal('1') }] }),
      '"EURO" is not a currency',
    ],
    'a usage without tiers (V14)': [withUsage({ tiers: [] }), 'needs tiers'],
    'a block of size zero (V15)': [
      withUsage({ tiers: [{ blocks: [{ billingMeterCode: 'litre', size: 0, prices }] }] }),
      'size of a block',
    ],
    'a tier with a maximum of zero (V15)': [
      withUsage({ tiers: [{ blocks: [{ billingMeterCode: 'litre', size: 1, max: 0, prices }] }] }),
      'max of unit "litre" must be greater than 0',
    ],
    'a duplicate unit in a tier (V20)': [
      withUsage({ tiers: [{ blocks: [litres(-1), litres(-1)] }] }),
      'has unit "litre" twice',
    ],
    'a unit missing from a tier (V20)': [
      withUsage({
        tiers: [{ blocks: [litres(5), { ...litres(5), billingMeterCode: 'gas' }] }, { blocks: [litres(-1)] }],
      }),
      'is missing unit "gas"',
    ],
    'a tier after an unbounded one (V20)': [
      withUsage({ tiers: [{ blocks: [litres(-1)] }, { blocks: [litres(5)] }] }),
      'has no limit here, but a later tier has it too',
    ],
    'a usage without a billing period (V20)': [
      withUsage({ billingPeriod: 'NO_BILLING_PERIOD' }),
      'needs a billing period',
    ],
    'a meter code that is not an NCName': [
      withUsage({ tiers: [{ blocks: [{ billingMeterCode: 'a b', size: 1, prices }] }] }),
      'not an XML NCName',
    ],
    'a date for existing subscriptions before the effective date': [
      withPlan({ effectiveDateForExistingSubscriptions: instant(now - 1000) }),
      'is before the effective date',
    ],
  };
  for (const [title, [request, message]] of Object.entries(invalid))
    it(`rejects ${title}`, () => {
      const error = refusal(request);
      expect(error.code, error.message).to.equal(61004);
      expect(error.message).to.include(message);
    });

  it('reports a single problem for a single price error', () => {
    for (const price of [{ currency: 'usd', value: decimal('1') }, { currency: 'USD', value: null }, {}]) {
      const phase = { ...evergreen, recurringPrices: { billingPeriod: 'MONTHLY' as const, prices: [price] } };
      const { problems } = refusal(withPhase(phase));
      expect(problems?.map(({ message }) => message).join(), JSON.stringify(price)).to.match(
        /recurringPrices: (value|currency|"usd")/,
      );
      const faults = 'currency' in price ? 1 : 2;
      expect(problems, JSON.stringify(price)).to.have.length(faults);
    }
  });

  it('reports all problems together', () => {
    const { problems } = refusal({
      products: [{ name: 'Pot' }],
      plans: [{ ...plan, effectiveDate: null, phases: [] }],
    });
    expect(problems).to.have.length(3);
  });

  it('accepts a product from the request, the scope, the tenant or the current XML version', () => {
    const tenantPot = stored({ kind: 'PRODUCT', name: 'Pot', product: potTerms });
    const accountPot = stored({ kind: 'PRODUCT', name: 'Pot', product: potTerms, ...account });
    const productOf = (...input: Parameters<typeof create>) => {
      const { entries } = create(...input);
      const { parentId, plan: terms } = entries.find(({ kind }) => kind === 'PLAN') ?? {};
      return [parentId, terms?.xmlProduct ?? null];
    };
    expect(productOf({ plans: [plan] }, [tenantPot])).to.eql([tenantPot.id, null]);
    expect(productOf({ plans: [plan] }, [tenantPot], account)).to.eql([tenantPot.id, null]);
    expect(productOf({ plans: [plan] }, [accountPot], account)).to.eql([accountPot.id, null]);
    expect(productOf({ plans: [{ ...plan, productName: 'Pan' }] })).to.eql([
      null,
      { prettyName: 'Pan', category: 'BASE' },
    ]);
    const { entries } = create(withProducts(pot));
    expect(entries.map(({ kind, name }) => `${kind} ${name}`)).to.eql(['PRODUCT Pot', 'PLAN p1']);
    expect(entries[1]?.parentId).to.equal(entries[0]?.id);
  });

  it('rejects an unknown product and a product of another account', () => {
    const others = stored({ kind: 'PRODUCT', name: 'Pot', product: potTerms, ...account });
    expect(refusal({ plans: [plan] }, [others]).code).to.equal(61001);
    expect(refusal({ plans: [plan] }).code).to.equal(61001);
  });

  it('rejects a product of a future XML version', () => {
    const versions = ['2024-01-01', '2024-04-01'].map((effectiveDate, index) =>
      version({
        effectiveDate,
        products: ['P', 'Pot']
          .slice(0, index + 1)
          .map((name) => product(name))
          .join(''),
      }),
    );
    const at = (date: string) => () => {
      const known = new KnownNames([], createCatalog(versions), instant(Date.parse(date)));
      const scope = { accountId: null, accountRecordId: null };
      return createEntries({ request: { plans: [plan] }, scope, known, now, nextId }).entries.length;
    };
    expect(errorOf(at('2024-03-31')).code).to.equal(61001);
    expect(at('2024-04-01')()).to.equal(1);
  });

  it('uses a product of the XML catalog unchanged', () => {
    const { entries } = create({
      products: [{ name: 'Pan', category: 'ADD_ON' }],
      plans: [{ ...plan, productName: 'Pan' }],
    });
    expect(entries.map(({ kind }) => kind)).to.eql(['PLAN']);
  });

  it('ignores request data for products that the scope already has', () => {
    const known = [
      stored({ kind: 'PLAN', name: 'p1' }),
      stored({ kind: 'PRODUCT', name: 'Pot', product: potTerms }),
    ];
    const request = { products: [{ name: 'Pot' }], plans: [{ name: 'p1', phases: [] }] };
    expect(create(request, known)).to.eql({ entries: [], rows: [] });
    expect(refusal(request, known, account).code).to.equal(61002);
  });

  it('creates a price list only if it is missing', () => {
    const request = withPlan({ pricelistName: 'Spring' });
    const lists = (known: readonly CatalogEntry[]) =>
      create(request, known)
        .entries.filter(({ kind }) => kind === 'PRICE_LIST')
        .map(({ name }) => name);
    expect(lists([])).to.eql(['Spring']);
    expect(lists([stored({ kind: 'PRICE_LIST', name: 'Spring', ...account })])).to.eql([]);
    expect(refusal(request, [stored({ kind: 'PLAN', name: 'Spring' })]).code).to.equal(61004);
  });

  it('keeps the original name of the catalog', () => {
    const request = { catalogName: 'Pots', products: [pot], plans: [plan] };
    const names = (known: readonly CatalogEntry[]) =>
      create(request, known)
        .entries.filter(({ kind }) => kind === 'CATALOG')
        .map(({ name }) => name);
    expect(names([])).to.eql(['Pots']);
    expect(names([stored({ kind: 'CATALOG', name: 'Pans' })])).to.eql([]);
  });

  it('accepts usages without recurring prices, and keeps their names and units', () => {
    const request = withPhase({ type: 'EVERGREEN', durationUnit: 'UNLIMITED', usages: [usage] });
    expect(create(request).entries.map(({ kind, name }) => `${kind} ${name}`)).to.eql([
      'PRODUCT Pot',
      'PLAN p1',
      'USAGE water',
      'UNIT litre',
    ]);
    expect(refusal(request, [stored({ kind: 'USAGE', name: 'water' })]).message).to.include(
      'already used by a usage',
    );
    expect(create(request, [stored({ kind: 'UNIT', name: 'litre' })]).entries).to.have.length(3);
  });
});
