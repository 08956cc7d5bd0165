import type { BlockingState } from '../../../lib/records/blocking-state.ts';
import type { LifecycleEvent } from '../../../lib/records/lifecycle-event.ts';
import { type BaseEnd, type BundleMember, baseEnd } from '../../../lib/subscriptions/add-ons/base-end.ts';
import { transitionsOf } from '../../../lib/subscriptions/timeline/transitions.ts';
import { exampleCatalog, nextId } from '../../support/subscriptions/example.ts';
import { choice, event, state } from '../../support/subscriptions/lifecycle.ts';
import { type DatedInstant, expect, formatLocalDate } from '../../support/unit.ts';

function member(events: readonly LifecycleEvent[], blockingStates: readonly BlockingState[] = []) {
  const [start] = events;
  if (start === undefined) throw new Error('a subscription starts');
  const id = nextId();
  return {
    subscription: { id, accountRecordId: 1, alignStart: start.effective },
    transitions: transitionsOf(events, exampleCatalog),
    blockingStates: blockingStates.map((each) => ({ ...each, blockedId: id })),
  };
}

/** Formats `CANCEL 2024-07-01, service 2024-07-01`. */
function shown({ billing, entitlement }: BaseEnd): string {
  const on = ({ effective }: { readonly effective: DatedInstant }) => formatLocalDate(effective.date);
  return [billing && `${billing.type} ${on(billing)}`, entitlement && `service ${on(entitlement)}`]
    .filter(Boolean)
    .join(', ');
}

const solo = choice('CREATE', '2024-06-01', 'solo-now-evergreen');
const toElite = choice('CHANGE', '2024-07-01', 'elite-monthly-evergreen');
const addOn = (planName: string, date: string, ...ends: readonly LifecycleEvent[]) =>
  member([choice('CREATE', date, planName), ...ends]);
const boughtOn = (createdOn: string, planName: string, date: string) => {
  const { createdDate } = event('CANCEL', createdOn);
  return member([{ ...choice('CREATE', date, planName), createdDate }]);
};

describe('end of an add-on through its base (subscriptions §12)', () => {
  const left = member([solo, toElite, choice('CHANGE', '2024-08-01', 'solo-now-evergreen')]);
  const cases: Readonly<Record<string, readonly [BundleMember, BundleMember, end: string]>> = {
    'follows a base change to a product that includes the add-on': [
      member([solo, toElite]),
      addOn('support-monthly-evergreen', '2024-06-05'),
      'CANCEL 2024-07-01, service 2024-07-01',
    ],
    'follows a base change to a product that does not offer the add-on': [
      member([solo, toElite]),
      addOn('backup-monthly-evergreen', '2024-06-05'),
      'CANCEL 2024-07-01, service 2024-07-01',
    ],
    'does not follow a base change to a product that offers the add-on': [
      member([solo, toElite]),
      addOn('archive-monthly-evergreen', '2024-06-05'),
      '',
    ],
    'keeps the billing start but ends the service with the change if the add-on starts later': [
      member([solo, toElite]),
      boughtOn('2024-06-01', 'support-monthly-evergreen', '2024-07-15'),
      'CANCEL 2024-07-15, service 2024-07-01',
    ],
    'does not apply to a future add-on bought after the change, which was bought for another plan': [
      member([solo, toElite]),
      boughtOn('2024-07-02', 'support-monthly-evergreen', '2024-07-15'),
      '',
    ],
    'applies to an add-on bought after the change with an earlier start': [
      member([solo, toElite]),
      boughtOn('2024-07-02', 'support-monthly-evergreen', '2024-06-15'),
      'CANCEL 2024-07-01, service 2024-07-01',
    ],
    'follows a change to another product that the base leaves after the start of the add-on': [
      left,
      boughtOn('2024-06-01', 'support-monthly-evergreen', '2024-07-31'),
      'CANCEL 2024-07-31, service 2024-07-01',
    ],
    'ignores a product that the base leaves by the start of the add-on': [
      left,
      addOn('support-monthly-evergreen', '2024-08-01'),
      '',
    ],
    'keeps the add-on’s own billing end at the same time': [
      member([solo, toElite]),
      addOn('support-monthly-evergreen', '2024-06-05', event('CANCEL', '2024-07-01')),
      'service 2024-07-01',
    ],
    'is empty for an add-on that has expired by then': [
      member([solo, toElite]),
      addOn('support-6m-fixedterm', '2024-01-01', event('EXPIRED', '2024-07-01')),
      '',
    ],
    'follows a cancellation of the base, billing with billing and service with service': [
      member([solo, event('CANCEL', '2024-07-01')], [state('ENT_CANCELLED', '2024-06-20')]),
      addOn('backup-monthly-evergreen', '2024-06-05'),
      'CANCEL 2024-07-01, service 2024-06-20',
    ],
    'follows an expiry of the base, which ends no service': [
      member([choice('CREATE', '2024-04-01', 'term-3m-fixedterm'), event('EXPIRED', '2024-07-01')]),
      addOn('backup-monthly-evergreen', '2024-06-05'),
      'EXPIRED 2024-07-01',
    ],
  };
  for (const [what, [base, subject, end]] of Object.entries(cases))
    it(what, () => expect(shown(baseEnd(base, subject, exampleCatalog))).to.equal(end));
});
