import { memoryCatalogPlugin } from '../../adapters/testing/index.ts';
import { type CatalogDefinition, defineCatalog, type Uuid } from '../../lib/index.ts';
import { QueueName } from '../../lib/records/index.ts';
import { eachDatabase, expect, openEngine, type TestEngine } from '../support/index.ts';
import { entryTokens } from '../support/queue-rows.ts';

const MONTHLY = { billingPeriod: 'MONTHLY' } as const;

type Version = CatalogDefinition['versions'][number] & { readonly name: string };

interface Terms {
  readonly seats?: string;
  readonly sso?: boolean;
  readonly price?: '10.00' | '12.00';
  readonly existing?: string;
}

/** Returns a version with the plans `pro` and `plain`. `plain` has no features. */
function versionOf(effectiveDate: string, { seats, sso, price = '10.00', existing }: Terms): Version {
  const forExisting = existing === undefined ? {} : { effectiveDateForExistingSubscriptions: existing };
  return {
    name: 'Changes',
    effectiveDate,
    recurringBillingMode: 'IN_ADVANCE',
    currencies: ['USD'],
    features: {
      ...(seats === undefined ? {} : { seats: { kind: 'NUMBER' } as const }),
      ...(sso === undefined ? {} : { sso: { kind: 'SWITCH' } as const }),
    },
    products: { Pro: { category: 'BASE' }, Plain: { category: 'BASE' } },
    plans: {
      pro: {
        product: 'Pro',
        ...forExisting,
        features: { ...(seats === undefined ? {} : { seats }), ...(sso === undefined ? {} : { sso }) },
        finalPhase: { type: 'EVERGREEN', recurring: { ...MONTHLY, price: { USD: price } } },
      },
      plain: {
        product: 'Plain',
        finalPhase: { type: 'EVERGREEN', recurring: { ...MONTHLY, price: { USD: '10.00' } } },
      },
    },
  };
}

eachDatabase.describe('FEATURE_CHANGE after a catalog change (features §5)', (open) => {
  let engine: TestEngine;
  let proAccount: Uuid;
  let plainAccount: Uuid;

  beforeEach(async () => {
    engine = await openEngine(open, { now: '2026-03-01T00:00:00Z', catalog: null });
    await upload('2026-01-01', { seats: '5' });
    proAccount = (await engine.payingAccount({ currency: 'USD' })).id;
    plainAccount = (await engine.payingAccount({ currency: 'USD' })).id;
    await engine.subscribe({ accountId: proAccount, planName: 'pro' });
    await engine.subscribe({ accountId: plainAccount, planName: 'plain' });
    expect(await changes()).to.eql(['2026-03-01 pro seats 0 5']);
  });

  const upload = (effectiveDate: string, terms: Terms) =>
    engine.settle(engine.acme.uploadCatalog(defineCatalog(versionOf(effectiveDate, terms))));

  async function changes(): Promise<readonly string[]> {
    const { events } = await engine.acme.events.list({ types: ['FEATURE_CHANGE'], limit: 100 });
    return events.map((event) => {
      if (event.eventType !== 'FEATURE_CHANGE') throw new Error(event.eventType);
      const { feature, from, to } = event.metaData;
      const owner = event.accountId === proAccount ? 'pro' : 'plain';
      return `${event.createdDate.toISOString().slice(0, 10)} ${owner} ${feature} ${from} ${to}`;
    });
  }

  /** Returns the accounts whose features a call causes to be checked. */
  async function checkedBy(call: () => Promise<unknown>): Promise<readonly string[]> {
    const before = (await entryTokens(engine.database)).length;
    await call();
    const added = (await entryTokens(engine.database)).slice(before);
    const { recordId } = await engine.acme.accounts.get(proAccount);
    return added
      .filter(({ topic }) => topic === QueueName.FEATURE_CHANGES)
      .map(({ account }) => (account === recordId ? 'pro' : 'plain'));
  }

  it('is published if a version in force changes a plan of existing subscriptions', async () => {
    await upload('2026-02-01', { seats: '7', existing: '2026-02-01' });
    expect((await changes()).slice(1)).to.eql(['2026-03-01 pro seats 5 7']);
  });

  it('is published on the later date from which a version changes existing subscriptions', async () => {
    await upload('2026-03-10', { seats: '7', existing: '2026-03-20' });
    await engine.billing.settleThrough(engine.clock, '2026-04-01T00:00:00Z');
    expect((await changes()).slice(1)).to.eql(['2026-03-20 pro seats 5 7']);
  });

  it('is not published if existing subscriptions keep their version', async () => {
    await upload('2026-03-10', { seats: '7' });
    await engine.billing.settleThrough(engine.clock, '2026-04-01T00:00:00Z');
    expect((await changes()).slice(1)).to.eql([]);
  });

  it('is published for a feature that a version adds or removes', async () => {
    await upload('2026-02-01', { seats: '5', sso: true, existing: '2026-02-01' });
    await upload('2026-02-02', { sso: true, existing: '2026-02-02' });
    expect((await changes()).slice(1)).to.eql([
      '2026-03-01 pro sso false true',
      '2026-03-01 pro seats 5 null',
    ]);
  });

  it('is published for an override whose feature is removed and declared again', async () => {
    await engine.settle(
      engine.acme.features.override({ accountId: plainAccount, feature: 'seats', value: '3' }),
    );
    await upload('2026-02-02', { sso: true });
    await upload('2026-02-03', { seats: '5' });
    expect((await changes()).filter((change) => change.includes('plain'))).to.eql([
      '2026-03-01 plain seats 0 3',
      '2026-03-01 plain seats 3 null',
      '2026-03-01 plain seats 0 3',
    ]);
  });

  it('is published for an override after the catalog is deleted and uploaded again', async () => {
    engine = await openEngine(open, { now: '2026-03-01T00:00:00Z', catalog: null });
    await upload('2026-01-01', { seats: '5' });
    proAccount = (await engine.payingAccount({ currency: 'USD' })).id;
    await engine.settle(
      engine.acme.features.override({ accountId: proAccount, feature: 'seats', value: '3' }),
    );
    await engine.settle(engine.acme.catalogs.delete());
    await upload('2026-01-01', { seats: '5' });
    expect(await changes()).to.eql([
      '2026-03-01 pro seats 0 3',
      '2026-03-01 pro seats 3 null',
      '2026-03-01 pro seats 0 3',
    ]);
  });

  it('is considered only for accounts with plans whose features change', async () => {
    const price = () => upload('2026-02-01', { seats: '5', price: '12.00', existing: '2026-02-01' });
    expect(await checkedBy(price), 'another price').to.eql([]);
    const seats = () => upload('2026-02-02', { seats: '7', price: '12.00', existing: '2026-02-02' });
    expect(await checkedBy(seats), 'other seats').to.eql(['pro']);
  });

  it('is published for subscriptions of a default catalog and of a catalog plugin', async () => {
    const definition = versionOf('2026-01-01', { seats: '5' });
    const defaultCatalog = defineCatalog(definition).toXml();
    const plugin = memoryCatalogPlugin();
    plugin.serve({ name: definition.name, versions: [definition] });
    for (const source of [{ defaultCatalog }, { catalogPlugins: [plugin] }]) {
      engine = await openEngine(open, { now: '2026-03-01T00:00:00Z', catalog: null, ...source });
      const input = { apiKey: 'other', apiSecret: 'secret', useGlobalDefault: true };
      const { id } = await engine.billing.tenants.create({ userName: 'test' }, input);
      const tenant = engine.billing.as({ tenant: id, user: 'test' });
      const { id: accountId } = await tenant.createAccount({ currency: 'USD' });
      await engine.settle(tenant.createSubscription({ accountId, planName: 'pro' }));
      const { events } = await tenant.events.list({ types: ['FEATURE_CHANGE'] });
      expect(events.map(({ eventType }) => eventType)).to.eql(['FEATURE_CHANGE']);
    }
  });
});
