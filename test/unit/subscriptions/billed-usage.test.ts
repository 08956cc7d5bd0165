import { createCatalog } from '../../../lib/catalog/index.ts';
import type { BillingEvent, LifecycleEvent } from '../../../lib/records/index.ts';
import { billingEvents } from '../../../lib/subscriptions/billing-stream/billing-event-stream.ts';
import { phase, plan, price, version } from '../../support/catalogs/catalog-document.ts';
import { withBlocks } from '../../support/subscriptions/blocks.ts';
import { account, at, created, type Life } from '../../support/subscriptions/example.ts';
import { event, expectError } from '../../support/subscriptions/lifecycle.ts';
import { ErrorCode, expect, formatInstant } from '../../support/unit.ts';

function usage(name: string, amount: string): string {
  const block = `<unit>calls</unit><size>1</size><prices>${price('USD', amount)}</prices>`;
  const tiers = `<tiers><tier><blocks><tieredBlock>${block}<max>-1</max></tieredBlock></blocks></tier></tiers>`;
  return `<usage name="${name}" billingMode="IN_ARREAR" usageType="CONSUMABLE"><billingPeriod>MONTHLY</billingPeriod>${tiers}</usage>`;
}

function metered(amount: string, more = ''): string {
  return plan('p-m', 'P', {
    initialPhases: phase('TRIAL', { fixed: '' }),
    finalPhase: phase('EVERGREEN', { usages: usage('api', amount) }),
    more,
  });
}

const forExisting =
  '<effectiveDateForExistingSubscriptions>2024-03-10</effectiveDateForExistingSubscriptions>';
const catalog = createCatalog([
  version({ effectiveDate: '2024-01-01', units: ['calls'], plans: metered('1') }),
  version({ effectiveDate: '2024-02-15', units: ['calls'], plans: metered('2', forExisting) }),
]);

function metered1(...more: readonly LifecycleEvent[]): Life {
  const now = at('2024-01-01');
  const life = created({ account: account(), catalog, request: { planName: 'p-m' }, now });
  return { ...life, events: [...life.events, ...more] };
}

function streamOf(life: Life): readonly BillingEvent[] {
  return billingEvents({ account: life.account, histories: [life], plans: life.catalog }).events;
}

function lines(events: readonly BillingEvent[]): readonly string[] {
  return events.map(({ transitionType, effectiveDate, usages }) => {
    const usageTexts = usages.map(
      ({ name, priceIdentity, versionDate }) => `${name} at ${priceIdentity} of ${day(versionDate)}`,
    );
    return [transitionType, day(effectiveDate), ...usageTexts].join(' ');
  });
}

function day(instant: Parameters<typeof formatInstant>[0]): string {
  return formatInstant(instant).slice(0, 10);
}

describe('usage in the billing events', () => {
  it('comes from the phase and catalog version in force, and ends with the subscription', () => {
    const life = metered1(
      event('QUANTITY_CHANGE', '2024-02-20', { quantity: 2 }),
      event('QUANTITY_CHANGE', '2024-03-20', { quantity: 3 }),
      event('CANCEL', '2024-04-15'),
    );
    expect(lines(streamOf(life))).to.eql([
      'CREATE 2024-01-01',
      'PHASE 2024-01-31 api at 1 of 2024-01-01',
      'QUANTITY_CHANGE 2024-02-20 api at 1 of 2024-01-01',
      'CHANGE 2024-03-10 api at 2 of 2024-02-15',
      'QUANTITY_CHANGE 2024-03-20 api at 2 of 2024-02-15',
      'CANCEL 2024-04-15',
    ]);
  });

  it('pauses while billing is blocked', () => {
    const life = metered1();
    const blocked = withBlocks(
      life,
      { flags: 't t t', date: '2024-02-05' },
      { flags: 'f f f', date: '2024-02-25' },
    );
    expect(lines(streamOf(blocked))).to.eql([
      'CREATE 2024-01-01',
      'PHASE 2024-01-31 api at 1 of 2024-01-01',
      'START_BILLING_DISABLED 2024-02-05',
      'END_BILLING_DISABLED 2024-02-25 api at 1 of 2024-01-01',
      'CHANGE 2024-03-10 api at 2 of 2024-02-15',
    ]);
  });

  it('must have prices in the account currency', () => {
    const { CATALOG_NO_PRICE_FOR_CURRENCY } = ErrorCode;
    const life = metered1();
    const inEuro = { ...life, account: { ...life.account, currency: 'EUR' as const } };
    expectError(() => streamOf(inEuro), CATALOG_NO_PRICE_FOR_CURRENCY);
    const inNone = { ...life, account: { ...life.account, currency: null } };
    expectError(() => streamOf(inNone), CATALOG_NO_PRICE_FOR_CURRENCY, /has no currency/);
  });
});
