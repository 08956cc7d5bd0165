import { createCatalog } from '../../../lib/catalog/index.ts';
import { lists, phase, plan, version } from '../../support/catalogs/catalog-document.ts';
import {
  account,
  at,
  type CreateParts,
  created,
  creationOf,
  day,
  nextId,
  passed,
  storedOf,
  viewOf,
} from '../../support/subscriptions/example.ts';
import { expectError } from '../../support/subscriptions/lifecycle.ts';
import { ErrorCode, expect, formatInstant, formatLocalDate } from '../../support/unit.ts';

const now = at('2024-08-07T10:00:00Z');
const customer = account({ zone: 'Europe/Paris', referenceTime: '2024-01-05T07:30:00Z' });

function create(request: CreateParts['request'], options: CreateParts['options'] = {}) {
  return created({ account: customer, request, options, now });
}

/** TRIAL 30 days, DISCOUNT 3 months, FIXEDTERM 12 months. */
const longPlan = createCatalog([
  version({
    effectiveDate: '2020-01-01',
    plans: plan('p-m', 'P', {
      initialPhases: `${phase('TRIAL', { fixed: '' })}${phase('DISCOUNT', { unit: 'MONTHS', number: 3, price: '5' })}`,
      finalPhase: phase('FIXEDTERM', { unit: 'MONTHS', number: 12, price: '10' }),
    }),
    priceLists: lists({ DEFAULT: ['p-m'] }),
  }),
]);

function createLong(billing: string, clock = '2024-08-07', phaseType?: 'DISCOUNT' | 'FIXEDTERM') {
  return created({
    account: account(),
    catalog: longPlan,
    request: { planName: 'p-m', ...(phaseType && { phaseType }) },
    options: { billingDate: { date: day(billing) } },
    now: at(clock),
  });
}

describe('subscription creation', () => {
  it('uses the current time for missing dates', () => {
    const view = viewOf(create({ planName: 'solo-now' }));
    expect(view.start && formatInstant(view.start.at)).to.equal('2024-08-07T10:00:00.000Z');
    expect(view.billingStart).to.eql(view.start);
  });

  it('reads a date at the reference time with that date’s zone rules, and keeps an instant unchanged', () => {
    const view = viewOf(
      create(
        { planName: 'solo-now' },
        { entitlementDate: { date: day('2024-08-07') }, billingDate: { at: at('2024-08-31T22:15:00.999Z') } },
      ),
    );
    expect(view.start && formatInstant(view.start.at), '08:30 in summer time').to.equal(
      '2024-08-07T06:30:00.000Z',
    );
    expect(view.billingStart && formatInstant(view.billingStart.at)).to.equal('2024-08-31T22:15:00.000Z');
    expect(view.billingStart && formatLocalDate(view.billingStart.date)).to.equal('2024-09-01');
  });

  it('stores bill cycle day and quantity at the billing date', () => {
    const life = create({ planName: 'solo-now', billCycleDayLocal: 15, quantity: 4 });
    expect(
      life.events.map(({ type, sequence, billCycleDay, quantity }) => ({
        type,
        sequence,
        billCycleDay,
        quantity,
      })),
    ).to.eql([
      { type: 'CREATE', sequence: 1, billCycleDay: null, quantity: null },
      { type: 'BCD_CHANGE', sequence: 2, billCycleDay: 15, quantity: null },
      { type: 'QUANTITY_CHANGE', sequence: 3, billCycleDay: null, quantity: 4 },
    ]);
    expect(viewOf(life)).to.include({ billCycleDayLocal: 15, quantity: 4 });
  });

  it('sets default keys, anchors and flags', () => {
    const { newBundle, subscription, events, cursor } = creationOf({
      account: customer,
      request: { planName: 'pro-monthly' },
      now,
    });
    expect(newBundle?.externalKey).to.equal(newBundle?.id);
    expect(subscription.externalKey).to.equal(subscription.id);
    expect(subscription).to.deep.include({ migrated: false, chargedThrough: null, category: 'BASE' });
    expect(events[0]?.phaseAnchor).to.eql(subscription.alignStart);
    expect(events[0]?.phaseAnchorType).to.equal('TRIAL');
    expect({ ...cursor, dirtyFrom: formatLocalDate(cursor.dirtyFrom ?? day('1970-01-01')) }).to.eql({
      subscriptionId: subscription.id,
      accountRecordId: customer.recordId,
      settledThrough: null,
      dirtyFrom: '2024-08-07',
      nextDueDate: null,
      catalogRevision: null,
      itemsDate: null,
      itemsCount: 0,
      usage: null,
      ongoing: null,
    });
  });

  it('keeps the requested keys and the migrated flag', () => {
    const life = create(
      { planName: 'pro-monthly', externalKey: 'sub-1', bundleExternalKey: 'bundle-1' },
      { migrated: true },
    );
    expect(viewOf(life)).to.include({
      externalKey: 'sub-1',
      bundleExternalKey: 'bundle-1',
      sourceType: 'MIGRATED',
    });
  });

  it('finds the plan by product, period and list, and keeps the list that contains the plan', () => {
    const named = { productName: 'Elite', productCategory: 'BASE', billingPeriod: 'MONTHLY' } as const;
    expect(viewOf(create({ ...named, priceList: 'club' }))).to.include({
      planName: 'club-monthly',
      priceList: 'club',
    });
    expect(viewOf(create({ ...named, priceList: 'notrial' })), 'not in that list').to.include({
      planName: 'elite-monthly',
      priceList: 'DEFAULT',
    });
    expect(viewOf(create({ planName: 'solo-now' })).priceList).to.equal('notrial');
  });

  it('starts in the requested phase', () => {
    const life = create({ planName: 'club-monthly', phaseType: 'DISCOUNT' });
    expect(storedOf(life)).to.eql([
      'CREATE 2024-08-07 club-monthly-discount',
      'PHASE 2025-02-07 club-monthly-evergreen',
    ]);
  });

  it('accepts a STANDALONE plan', () =>
    expect(viewOf(create({ planName: 'kit-monthly' }))).to.include({
      productCategory: 'STANDALONE',
      state: 'ACTIVE',
    }));
});

describe('phase list of a new subscription', () => {
  it('includes only the next phase if the subscription starts now', () =>
    expect(storedOf(createLong('2024-08-07'))).to.eql([
      'CREATE 2024-08-07 p-m-trial',
      'PHASE 2024-09-06 p-m-discount',
    ]));

  it('includes every phase that has begun, and the next phase', () =>
    expect(storedOf(createLong('2024-07-01'))).to.eql([
      'CREATE 2024-07-01 p-m-trial',
      'PHASE 2024-07-31 p-m-discount',
      'PHASE 2024-10-31 p-m-fixedterm',
    ]));

  it('treats a phase that begins in the current second as begun', () =>
    expect(storedOf(createLong('2024-07-08'))).to.eql([
      'CREATE 2024-07-08 p-m-trial',
      'PHASE 2024-08-07 p-m-discount',
      'PHASE 2024-11-07 p-m-fixedterm',
    ]));

  it('includes the expiry once the last phase has begun', () =>
    expect(storedOf(createLong('2024-01-01'))).to.eql([
      'CREATE 2024-01-01 p-m-trial',
      'PHASE 2024-01-31 p-m-discount',
      'PHASE 2024-04-30 p-m-fixedterm',
      'EXPIRED 2025-04-30',
    ]));

  it('includes the expiry immediately if the first phase is the last', () =>
    expect(storedOf(createLong('2024-08-07', '2024-08-07', 'FIXEDTERM'))).to.eql([
      'CREATE 2024-08-07 p-m-fixedterm',
      'EXPIRED 2025-08-07',
    ]));

  it('adds an expiry if all phases are in the past', () => {
    const life = createLong('2020-01-01');
    expect(storedOf(life).at(-1)).to.equal('EXPIRED 2021-04-30');
    expect(viewOf(life)).to.include({ state: 'EXPIRED', phaseType: 'FIXEDTERM' });
  });

  it('includes only the first phase change after a future billing date', () =>
    expect(storedOf(createLong('2024-12-01'))).to.eql([
      'CREATE 2024-12-01 p-m-trial',
      'PHASE 2024-12-31 p-m-discount',
    ]));

  it('adds one phase at a time as phases begin', () => {
    const life = createLong('2024-08-07');
    expect(storedOf(passed(life, at('2024-09-06T00:00:00Z')))).to.eql([
      'CREATE 2024-08-07 p-m-trial',
      'PHASE 2024-09-06 p-m-discount',
      'PHASE 2024-12-06 p-m-fixedterm',
    ]);
    expect(storedOf(passed(life, at('2026-01-01')))).to.eql([
      'CREATE 2024-08-07 p-m-trial',
      'PHASE 2024-09-06 p-m-discount',
      'PHASE 2024-12-06 p-m-fixedterm',
      'EXPIRED 2025-12-06',
    ]);
  });
});

describe('creation validation', () => {
  const refused: Readonly<Record<string, readonly [CreateParts['request'], ErrorCode]>> = {
    'an unknown plan': [{ planName: 'gold' }, ErrorCode.CATALOG_NO_SUCH_PLAN],
    'an unknown product': [
      { productName: 'Gold', productCategory: 'BASE', billingPeriod: 'MONTHLY', priceList: 'DEFAULT' },
      ErrorCode.CATALOG_NO_SUCH_PRODUCT,
    ],
    'a period that the product does not have': [
      { productName: 'Solo', productCategory: 'BASE', billingPeriod: 'WEEKLY', priceList: 'DEFAULT' },
      ErrorCode.CATALOG_PLAN_NOT_FOUND,
    ],
    'an unknown price list': [
      { productName: 'Solo', productCategory: 'BASE', billingPeriod: 'MONTHLY', priceList: 'vip' },
      ErrorCode.CATALOG_PRICE_LIST_NOT_FOUND,
    ],
    'a category other than the plan’s': [
      { productName: 'Elite', productCategory: 'STANDALONE', billingPeriod: 'MONTHLY', priceList: 'club' },
      ErrorCode.MISSING_OR_INVALID_FIELD,
    ],
    'a phase that the plan does not have': [
      { planName: 'pro-monthly', phaseType: 'DISCOUNT' },
      ErrorCode.SUBSCRIPTION_CREATE_BAD_PHASE,
    ],
    'an add-on without a bundle': [{ planName: 'backup-monthly' }, ErrorCode.SUBSCRIPTION_CREATE_NO_BP],
  };
  for (const [name, [request, code]] of Object.entries(refused))
    it(`rejects ${name}`, () => expectError(() => create(request), code));

  for (const [name, options] of [
    ['date', { billingDate: { date: day('2125-01-01') } }],
    ['date at the end of the calendar', { entitlementDate: { date: day('9999-12-31') } }],
    ['instant at the end of the calendar', { billingDate: { at: at('9999-12-31T23:59:59Z') } }],
    ['instant at the beginning of the calendar', { billingDate: { at: at('0001-01-01T00:00:00Z') } }],
  ] as const)
    it(`rejects a requested ${name} more than a hundred years away`, () =>
      expectError(
        () => create({ planName: 'pro-monthly' }, options),
        ErrorCode.INVALID_PARAMETER,
        /100 years/,
      ));

  it('accepts a date a hundred years away', () => {
    const life = create({ planName: 'pro-monthly' }, { billingDate: { date: day('2124-12-31') } });
    expect(storedOf(life).at(-1)).to.equal('PHASE 2125-01-30 pro-monthly-evergreen');
  });

  it('rejects a tenant without a catalog', () => {
    const call = () =>
      created({ account: customer, request: { planName: 'solo-now' }, now, catalog: createCatalog([]) });
    expectError(call, ErrorCode.CATALOG_NO_CATALOG_FOR_GIVEN_DATE);
  });

  it('rejects an account only if its changes are blocked on the entitlement date', () => {
    const block = {
      recordId: 1,
      id: nextId(),
      blockedId: customer.id,
      accountRecordId: customer.recordId,
      type: 'ACCOUNT',
      service: 'overdue',
      stateName: 'BLOCKED',
      isBlockChange: true,
      isBlockEntitlement: false,
      isBlockBilling: false,
      effective: { at: at('2024-08-10'), date: day('2024-08-10') },
      sequence: 1,
      isActive: true,
      causedBy: null,
      createdDate: now,
    } as const;
    const attempt = (entitlement: string) =>
      creationOf({
        account: customer,
        request: { planName: 'solo-now' },
        options: { entitlementDate: { date: day(entitlement) } },
        blockingStates: [{ ...block, recordId: 1 }],
        now,
      });
    attempt('2024-08-09');
    expectError(
      () => attempt('2024-08-10'),
      ErrorCode.BLOCKING_BLOCKED_ACTION,
      `The action Change is block on this Account with id=${customer.id}`,
    );
  });
});
