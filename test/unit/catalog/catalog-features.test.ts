import { createClient } from '../../../adapters/client/index.ts';
import type { Billing, TenantBilling } from '../../../lib/billing.ts';
import {
  type CatalogVersion,
  canonicalXml,
  catalogXmlTextSteps,
  createCatalog,
  createVersion,
  type DefinedCatalog,
  defineCatalog,
  type FeatureName,
  featureValuesOf,
  OverridePlan,
  readCatalogXml,
  validateVersion,
} from '../../../lib/catalog/index.ts';
import { versionDifferences } from '../../../lib/catalog/validation/version-differences.ts';
import type { FeatureValue } from '../../../lib/records/index.ts';
import { atOnce } from '../../../lib/runtime/wait/turns.ts';
import { decimal, errorOf, expect } from '../../support/unit.ts';

const monthly = { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { USD: '20' } } } as const;

const calls = {
  billingMode: 'IN_ARREAR',
  usageType: 'CONSUMABLE',
  billingPeriod: 'MONTHLY',
  tiers: [{ blocks: [{ unit: 'call', size: 1, prices: { USD: '0.01' } }] }],
} as const;

const base = {
  name: 'Featured',
  effectiveDate: '2026-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD'],
  units: { call: {}, page: {} },
} as const;

const features = {
  sso: { kind: 'SWITCH' },
  seats: { kind: 'NUMBER' },
  largest: { kind: 'NUMBER', combine: 'MAX' },
  support: { kind: 'TEXT' },
  calls: { kind: 'QUOTA', unit: 'call' },
  exports: { kind: 'QUOTA' },
} as const;

const featured = defineCatalog({
  ...base,
  features,
  products: {
    Pro: {
      category: 'BASE',
      features: {
        sso: true,
        largest: '2.50',
        support: ' "e-mail"\n& chat ',
        exports: { amount: 1, per: 'DAY' },
      },
    },
  },
  plans: {
    pro: {
      product: 'Pro',
      features: {
        seats: { amount: 5, perQuantity: true },
        calls: { amount: decimal(1000), per: 'MONTH', overage: 'BILL' },
        largest: 'UNLIMITED',
      },
      initialPhases: [
        {
          type: 'TRIAL',
          duration: { unit: 'DAYS', number: 14 },
          fixed: 0,
          features: { calls: { amount: 100, per: 'EVER' }, sso: false },
        },
      ],
      finalPhase: { ...monthly, usages: { calls } },
    },
  },
});

const [version] = featured.catalog.versions;
if (version === undefined) throw new Error('no version');
const plan = version.findPlan('pro');
const [trial] = plan.initialPhases;
if (trial === undefined) throw new Error('no trial');

function plainValues(values: ReadonlyMap<string, FeatureValue>): unknown {
  return JSON.parse(JSON.stringify(Object.fromEntries(values)));
}

const ofTrial = {
  sso: { kind: 'SWITCH', isOn: false },
  seats: { kind: 'NUMBER', amount: '5', perQuantity: true },
  largest: { kind: 'NUMBER', amount: null, perQuantity: false },
  support: { kind: 'TEXT', text: ' "e-mail"\n& chat ' },
  calls: { kind: 'QUOTA', amount: '100', per: 'EVER', overage: 'BLOCK', perQuantity: false },
  exports: { kind: 'QUOTA', amount: '1', per: 'DAY', overage: 'BLOCK', perQuantity: false },
};

const evergreen = {
  ...ofTrial,
  sso: { kind: 'SWITCH', isOn: true },
  calls: { kind: 'QUOTA', amount: '1000', per: 'MONTH', overage: 'BILL', perQuantity: false },
};

/** Returns the catalog's document with these replacements. */
function documentWith(...changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((text, [from, to]) => {
    expect(text).to.include(from);
    return text.replace(from, to);
  }, featured.toXml());
}

function parsed(document: string) {
  const [read] = readCatalogXml(document).versions;
  if (read === undefined) throw new Error('no version');
  return read;
}

function versionOf(document: string): CatalogVersion {
  return createVersion(parsed(document).content);
}

function errorsIn(document: string): readonly string[] {
  return validateVersion(parsed(document)).errors.map(({ message }) => message);
}

function problemsOf(define: () => DefinedCatalog): readonly string[] {
  return (errorOf(define).problems ?? []).map(({ message }) => message);
}

describe('catalog features (catalog §3.5)', () => {
  it('take their values from the phase, the plan and the product', () => {
    expect(plainValues(featureValuesOf(version, plan, trial))).to.eql(ofTrial);
    expect(plainValues(featureValuesOf(version, plan, plan.finalPhase))).to.eql(evergreen);
  });

  it('keep their values in an override plan', () => {
    const override = new OverridePlan('pro-1', {
      parentPlanName: 'pro',
      currency: 'USD',
      overrides: new Map(),
    }).planFrom(plan);
    expect(plainValues(featureValuesOf(version, override, override.finalPhase))).to.eql(evergreen);
  });

  it('are preserved when XML is written and read', () => {
    const document = featured.toXml();
    expect(document).to.match(/^<\?xml .*\n<catalogs xmlns:bw="urn:billwright:catalog">/);
    expect(document).to.include('<bw:feature name="largest" kind="NUMBER" combine="MAX"/>');
    expect(document).to.include('<bw:featureValue name="calls" value="1000" per="MONTH" overage="BILL"/>');
    const again = versionOf(document);
    expect(canonicalXml(again)).to.equal(canonicalXml(version));
    expect(plainValues(featureValuesOf(again, again.findPlan('pro'), trial))).to.eql(ofTrial);
  });

  it('can use another prefix in XML, and are rejected without the namespace', () => {
    const other = featured.toXml().replaceAll('bw:', 'x:').replace('xmlns:bw', 'xmlns:x');
    expect(errorsIn(other)).to.eql([]);
    const foreign = featured.toXml().replace('urn:billwright:catalog', 'urn:other');
    expect(errorOf(() => readCatalogXml(foreign)).message).to.include(
      'Element "bw:features" is in a namespace',
    );
    const plain = featured.toXml().replaceAll('bw:feature', 'feature');
    expect(errorOf(() => readCatalogXml(plain)).message).to.include(
      'Unknown element "features" in "version"',
    );
  });

  it('are missing from XML for dialect K, and from all output of a catalog without features', () => {
    const { catalog } = featured;
    const forK = atOnce(catalogXmlTextSteps(catalog, catalog.versions, { withFeatures: false }));
    const bare = versionOf(forK);
    expect(bare.features).to.eql([]);
    const bareCatalog = createCatalog([bare]);
    expect(atOnce(catalogXmlTextSteps(bareCatalog, bareCatalog.versions))).to.equal(forK);
    expect(forK).to.not.match(/feature|bw/);
    const owners = [
      bare.frame.value,
      ...bare.products,
      ...bare.plans,
      ...bare.plans.flatMap(({ phases }) => phases),
    ];
    expect(owners.filter((owner) => 'features' in owner)).to.eql([]);
  });

  it('appear in the differences between versions with the same date', () => {
    const stored = versionOf(featured.toXml());
    const changed = versionOf(
      documentWith(
        ['value="1000"', 'value="2000"'],
        ['<bw:feature name="exports" kind="QUOTA"/>', ''],
        ['<bw:featureValue name="exports" value="1" per="DAY"/>', ''],
      ),
    );
    const title = 'catalog "Featured" effective 2026-01-01T00:00:00.000Z';
    const found = versionDifferences(stored, changed);
    expect(found.map(({ message }) => message)).to.eql([
      `${title}, feature "exports" is stored, but missing in the given version`,
      `${title}, product "Pro", feature "exports" is stored, but missing in the given version`,
      `${title}, plan "pro", feature "calls", value: 1000 is stored, 2000 is given`,
    ]);
  });

  it('appear in the differences from a version without features', () => {
    const { features: _none, ...frame } = version.frame.value;
    const { effectiveDate, products, plans } = version;
    const bare = createVersion({ ...frame, effectiveDate, products, plans });
    expect(versionDifferences(bare, version).map(({ message }) => message.split(', ')[1])).to.eql(
      Object.keys(features).map((name) => `feature "${name}" is given`),
    );
  });

  const value = (name: string, rest: string) => `<bw:featureValue name="${name}" ${rest}/>`;
  const faults: Readonly<Record<string, readonly [from: string, to: string, ...errors: string[]]>> = {
    'a name that does not match the pattern': [
      'name="exports" kind',
      'name="Exports" kind',
      'Feature "Exports": the name must be a lower-case letter and at most 63 letters, digits and "-"',
      'Product "Pro": feature "exports" is not declared in this version',
    ],
    'a name that is declared twice': [
      '<bw:feature name="sso" kind="SWITCH"/>',
      '<bw:feature name="sso" kind="SWITCH"/><bw:feature name="sso" kind="SWITCH"/>',
      'Feature "sso" is declared twice',
    ],
    'a combination on a SWITCH': [
      'name="sso" kind="SWITCH"',
      'name="sso" kind="SWITCH" combine="SUM"',
      'Feature "sso" is a SWITCH: only a NUMBER can have combine',
    ],
    'a unit on a TEXT': [
      'name="support" kind="TEXT"',
      'name="support" kind="TEXT" unit="call"',
      'Feature "support" is a TEXT: only a QUOTA can have a unit',
    ],
    'an unknown unit': [
      'name="exports" kind="QUOTA"',
      'name="exports" kind="QUOTA" unit="sheet"',
      'Feature "exports": unit "sheet" does not exist in this version',
    ],
    'an undeclared feature': [
      value('sso', 'value="false"'),
      value('other', 'value="false"'),
      'Plan "pro", phase pro-trial: feature "other" is not declared in this version',
    ],
    'two values of one owner': [
      value('sso', 'value="false"'),
      value('sso', 'value="false"') + value('sso', 'value="true"'),
      'Plan "pro", phase pro-trial: feature "sso" has more than one value',
    ],
    'a SWITCH with a number': [
      value('sso', 'value="true"'),
      value('sso', 'value="1"'),
      'Product "Pro": feature "sso" is a SWITCH and needs true or false',
    ],
    'a negative NUMBER': [
      'value="2.50"',
      'value="-2.50"',
      'Product "Pro": feature "largest" is a NUMBER and needs a decimal of at least 0, or UNLIMITED',
    ],
    'a TEXT over 255 characters': [
      ' &quot;e-mail&quot;',
      'x'.repeat(256),
      'Product "Pro": feature "support" is a TEXT and needs a text of at most 255 characters',
    ],
    'a QUOTA without a period': [
      'value="1" per="DAY"',
      'value="1"',
      'Product "Pro": feature "exports" is a QUOTA and needs an amount of at least 0 with a period',
    ],
    'a billed overage without a unit': [
      'value="1" per="DAY"',
      'value="1" per="DAY" overage="BILL"',
      'Plan "pro": feature "exports" cannot bill its overage: the feature has no unit',
    ],
    'a billed overage in a unit that the plan does not price': [
      'kind="QUOTA" unit="call"',
      'kind="QUOTA" unit="page"',
      'Plan "pro": feature "calls" cannot bill its overage: no usage section of the plan prices unit "page"',
    ],
  };
  for (const [fault, [from, to, ...errors]] of Object.entries(faults))
    it(`are checked for ${fault}`, () => expect(errorsIn(documentWith([from, to]))).to.eql(errors));

  it('are rejected if a definition contains an invalid value', () => {
    const given = { amount: 1, per: 'WEEK' as never };
    expect(
      problemsOf(() =>
        defineCatalog({
          ...base,
          features,
          products: { P: { category: 'BASE', features: { exports: given } } },
          plans: { p: { product: 'P', finalPhase: monthly } },
        }),
      ),
    ).to.eql([
      'Product "P", feature "exports", per: "WEEK" is not a quota period (BILLING_PERIOD, DAY, MONTH, YEAR, EVER)',
    ]);
  });

  it('are limited to 500 per version', () => {
    const many = Array.from({ length: 501 }, (_, index) => `<bw:feature name="f${index}" kind="TEXT"/>`);
    const document = documentWith(['<bw:features>', `<bw:features>${many.join('')}`]);
    expect(errorOf(() => readCatalogXml(document)).message).to.include(
      'A catalog version can have at most 500 features, not 507',
    );
  });
});

/** Calls with feature names that only the compiler checks. */
function callsOf(acme: TenantBilling<FeatureName<typeof featured>>) {
  const accountId = 'a';
  return [
    () => acme.features.can(accountId, 'sso'),
    () => acme.features.explain({ accountId, feature: 'seats' }),
    () => acme.features.consume({ accountId, feature: 'calls', amount: '2' }),
    () => acme.features.release({ accountId, feature: 'calls', key: 'k' }),
    () => acme.features.override({ accountId, feature: 'sso', value: true }),
    // @ts-expect-error other is not declared
    () => acme.features.can(accountId, 'other'),
    // @ts-expect-error other is not declared
    () => acme.features.explain({ accountId, feature: 'other' }),
    // @ts-expect-error other is not declared
    () => acme.features.consume({ accountId, feature: 'other' }),
    // @ts-expect-error other is not declared
    () => acme.features.release({ accountId, feature: 'other', key: 'k' }),
    // @ts-expect-error other is not declared
    () => acme.features.override({ accountId, feature: 'other', value: true }),
  ];
}

describe('names and kinds of features in a definition', () => {
  const plans = { p: { product: 'P', finalPhase: monthly } } as const;
  const products = { P: { category: 'BASE' } } as const;

  it('are checked by the TypeScript compiler', () => {
    defineCatalog({
      ...base,
      features,
      products,
      plans: {
        p: { ...plans.p, features: { sso: false, seats: 3, support: 'phone' } },
      },
    });
    const wrong = [
      () =>
        defineCatalog({
          ...base,
          features,
          products,
          // @ts-expect-error other is not declared
          plans: { p: { ...plans.p, features: { other: true } } },
        }),
      () =>
        defineCatalog({
          ...base,
          features,
          products,
          // @ts-expect-error a SWITCH requires true or false
          plans: { p: { ...plans.p, features: { sso: 'yes' } } },
        }),
      () =>
        defineCatalog({
          ...base,
          features,
          // @ts-expect-error a QUOTA needs a period
          products: { P: { category: 'BASE', features: { exports: { amount: 1 } } } },
          plans,
        }),
      () =>
        defineCatalog({
          ...base,
          features,
          products: {
            // @ts-expect-error a feature without a unit cannot bill its overage
            P: { category: 'BASE', features: { exports: { amount: 1, per: 'DAY', overage: 'BILL' } } },
          },
          plans,
        }),
      () =>
        defineCatalog({
          ...base,
          // @ts-expect-error sheet is not a unit
          features: { pages: { kind: 'QUOTA', unit: 'sheet' } },
          products,
          plans,
        }),
      () =>
        defineCatalog({
          ...base,
          products,
          // @ts-expect-error the version declares no features
          plans: { p: { ...plans.p, finalPhase: { ...monthly, features: { sso: true } } } },
        }),
    ];
    for (const define of wrong) expect(problemsOf(define)).to.have.length(1);
  });

  it('match the names that feature operations accept', () => {
    const bind = (billing: Billing<string>) => {
      const acme = billing.as<FeatureName<typeof featured>>({ tenant: 't', user: 'u' });
      const untyped = billing.as({ tenant: 't', user: 'u' });
      return [
        ...callsOf(acme),
        ...callsOf(acme.within('transaction')),
        ...callsOf(
          createClient<FeatureName<typeof featured>>({ url: '', apiKey: '', apiSecret: '', user: '' }),
        ),
        () => untyped.features.can('a', 'anything'),
      ];
    };
    expect(bind).to.be.a('function');
  });

  it('are part of the type of the catalog', () => {
    const known: FeatureName<typeof featured> = 'sso';
    // @ts-expect-error other is not declared
    const other: FeatureName<typeof featured> = 'other';
    const later = featured.withVersion({
      ...base,
      effectiveDate: '2026-02-01',
      features: { ...features, added: { kind: 'TEXT' } },
      products: { Pro: { category: 'BASE' } },
      plans: {
        pro: {
          product: 'Pro',
          initialPhases: [{ type: 'TRIAL', duration: { unit: 'DAYS', number: 14 }, fixed: 0 }],
          finalPhase: monthly,
        },
      },
    });
    const names: readonly FeatureName<typeof later>[] = ['sso', 'added'];
    expect([known, other, ...names]).to.eql(['sso', 'other', 'sso', 'added']);
  });
});
