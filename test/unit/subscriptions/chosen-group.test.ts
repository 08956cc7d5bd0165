import { CatalogWithOverrides } from '../../../lib/catalog/index.ts';
import type { BlockingState } from '../../../lib/records/blocking-state.ts';
import type { LifecycleEvent } from '../../../lib/records/lifecycle-event.ts';
import type { Subscription } from '../../../lib/records/subscription.ts';
import { type ChosenGroup, chooseGroup } from '../../../lib/subscriptions/create/choose-group.ts';
import type { CreateSubscriptionOptions } from '../../../lib/subscriptions/requests/create-request.ts';
import { checkCreateRequest, groupOf } from '../../../lib/subscriptions/requests/create-request.ts';
import { type BlockParts, withBlocks } from '../../support/subscriptions/blocks.ts';
import type { Life } from '../../support/subscriptions/example.ts';
import { account, at, created, day, exampleCatalog, nextId } from '../../support/subscriptions/example.ts';
import { choice, dated, event, expectError, state } from '../../support/subscriptions/lifecycle.ts';
import { ErrorCode, errorOf, expect, formatLocalDate } from '../../support/unit.ts';

const now = at('2024-06-10');

/** A base since June 1, with these blocking states. */
function base(planName = 'solo-now', ...blocks: readonly BlockParts[]): Life {
  const life = created({ account: account(), request: { planName }, now: at('2024-06-01') });
  return withBlocks(life, ...blocks);
}

interface More {
  readonly subscriptions?: readonly Subscription[];
  readonly events?: readonly LifecycleEvent[];
  readonly blockingStates?: readonly BlockingState[];
}

function add(life: Life, planName: string, { more = {}, ...dates }: Dates = {}): ChosenGroup {
  const { account: customer, bundle } = life;
  const request = { accountId: customer.id, bundleId: bundle.id, planName };
  const subscriptions = [life.subscription, ...(more.subscriptions ?? [])];
  const events = [...life.events, ...(more.events ?? [])];
  return chooseGroup(groupOf(checkCreateRequest(request)), {
    options: dates,
    account: customer,
    found: [{ bundle, subscriptions, events }],
    keyCarriers: [],
    blockingStates: [...life.blockingStates, ...(more.blockingStates ?? [])],
    catalog: new CatalogWithOverrides(exampleCatalog, []),
    now,
  });
}

type Dates = Pick<CreateSubscriptionOptions, 'entitlementDate' | 'billingDate'> & { readonly more?: More };

const on = (date: string) => ({ date: day(date) });

describe('add-on for a running base (subscriptions §6.2)', () => {
  it('counts its phases from the start of the base, and is never billed before the base starts', () => {
    const { bundleStart, billing } = add(base(), 'backup-monthly', { billingDate: on('2024-05-20') });
    expect([bundleStart, billing].map(({ date }) => formatLocalDate(date))).to.eql([
      '2024-06-01',
      '2024-06-01',
    ]);
    const later = add(base(), 'backup-monthly', { billingDate: on('2024-06-20') });
    expect([later.bundleStart, later.billing].map(({ date }) => formatLocalDate(date))).to.eql([
      '2024-06-01',
      '2024-06-20',
    ]);
  });

  const blocks: readonly (readonly [what: string, BlockParts, action: string])[] = [
    ['changes of the base', { on: 'SUBSCRIPTION', flags: 't f f', date: '2024-06-20' }, 'Change'],
    ['the service of the base', { on: 'SUBSCRIPTION', flags: 'f t f', date: '2024-06-20' }, 'Entitlement'],
    ['changes of the bundle', { flags: 't f f', date: '2024-06-20' }, 'Change'],
    ['the service of the bundle', { flags: 'f t f', date: '2024-06-20' }, 'Entitlement'],
    ['the service of the account', { on: 'ACCOUNT', flags: 'f t f', date: '2024-06-20' }, 'Entitlement'],
  ];
  for (const [what, block, action] of blocks)
    it(`is rejected, with the id of the base in the error, from the first day of a block on ${what} (rule 8)`, () => {
      const life = base('solo-now', block);
      add(life, 'backup-monthly', { entitlementDate: on('2024-06-19'), billingDate: on('2024-06-30') });
      const error = errorOf(() => add(life, 'backup-monthly', { entitlementDate: on('2024-06-20') }));
      expect(error.code).to.equal(ErrorCode.BLOCKING_BLOCKED_ACTION);
      expect(error.message).to.equal(
        `The action ${action} is block on this Subscription with id=${life.subscription.id}`,
      );
    });

  it('is rejected if changes of the account are blocked, regardless of the bundle (rule 8)', () => {
    const life = base('solo-now', { on: 'ACCOUNT', flags: 't f f', date: '2024-06-20' });
    expectError(
      () => add(life, 'backup-monthly', { entitlementDate: on('2024-06-20') }),
      ErrorCode.BLOCKING_BLOCKED_ACTION,
      `The action Change is block on this Account with id=${life.account.id}`,
    );
  });

  it('is accepted if only billing is blocked (rule 8)', () => {
    add(base('solo-now', { flags: 'f f t', date: '2024-06-01' }), 'backup-monthly');
  });

  it('is rejected if the service of the base ends on or before the date of the add-on (rule 9)', () => {
    const life = base();
    const blockingStates = [state('ENT_CANCELLED', '2024-06-20', { blockedId: life.subscription.id })];
    const by = (date: string) =>
      add(life, 'backup-monthly', { entitlementDate: on(date), more: { blockingStates } });
    by('2024-06-19');
    expectError(() => by('2024-06-20'), ErrorCode.SUBSCRIPTION_GET_NO_SUCH_BASE_SUBSCRIPTION);
  });

  it('is rejected before the service of a future base starts, but not if the base is active now (rule 9)', () => {
    const before = { entitlementDate: on('2024-05-20'), billingDate: on('2024-05-20') };
    const { entitlement, billing } = add(base(), 'backup-monthly', before);
    expect([entitlement, billing].map(({ date }) => formatLocalDate(date))).to.eql([
      '2024-05-20',
      '2024-06-01',
    ]);
    const later = created({
      account: account(),
      request: { planName: 'solo-now' },
      options: { entitlementDate: on('2024-06-20'), billingDate: on('2024-06-01') },
      now: at('2024-06-01'),
    });
    add(later, 'backup-monthly', { entitlementDate: on('2024-06-20') });
    expectError(
      () => add(later, 'backup-monthly', { entitlementDate: on('2024-06-19') }),
      ErrorCode.SUBSCRIPTION_GET_NO_SUCH_BASE_SUBSCRIPTION,
    );
  });

  it('is rejected if the base’s billing has ended by now, even for an earlier date (rule 10)', () => {
    const life = base();
    const events = [event('CANCEL', '2024-06-05', { subscriptionId: life.subscription.id })];
    expectError(
      () => add(life, 'backup-monthly', { billingDate: on('2024-06-03'), more: { events } }),
      ErrorCode.SUBSCRIPTION_CREATE_AO_BP_NON_ACTIVE,
    );
  });

  it('is validated against the base’s plan on its billing date (rule 10)', () => {
    const life = base();
    const { id: subscriptionId } = life.subscription;
    const events = [choice('CHANGE', '2024-07-01', { phaseName: 'elite-monthly-evergreen', subscriptionId })];
    const from = (date: string) => () =>
      add(life, 'support-monthly', { billingDate: on(date), more: { events } });
    from('2024-06-30')();
    expectError(from('2024-07-01'), ErrorCode.SUBSCRIPTION_CREATE_AO_ALREADY_INCLUDED);
  });

  it('is limited by the number of add-ons with the same plan that are active on its billing date (rule 11)', () => {
    const life = base();
    const archive = (...events: readonly LifecycleEvent[]): Required<More> => {
      const id = nextId();
      const alignStart = dated('2024-06-02');
      const addOn = { ...life.subscription, id, recordId: 2, category: 'ADD_ON', alignStart } as const;
      const own = events.map((each) => ({ ...each, subscriptionId: id }));
      const start = choice('CREATE', '2024-06-02', {
        phaseName: 'archive-monthly-trial',
        subscriptionId: id,
      });
      const blockingStates = [state('ENT_STARTED', '2024-06-02', { blockedId: id })];
      return { subscriptions: [addOn], events: [start, ...own], blockingStates };
    };
    const with2 = (second: Required<More>, date: string) => () => {
      const first = archive();
      const more = {
        subscriptions: [...first.subscriptions, ...second.subscriptions],
        events: [...first.events, ...second.events],
        blockingStates: [...first.blockingStates, ...second.blockingStates],
      };
      return add(life, 'archive-monthly', { billingDate: on(date), more });
    };
    const limit = ErrorCode.SUBSCRIPTION_CREATE_AO_MAX_PLAN_ALLOWED_BY_BUNDLE;
    expectError(with2(archive(), '2024-06-20'), limit);
    const leaves = archive(choice('CHANGE', '2024-07-01', { phaseName: 'backup-monthly-evergreen' }));
    expectError(with2(leaves, '2024-06-30'), limit);
    with2(leaves, '2024-07-01')();
    const ended = archive();
    const [started] = ended.blockingStates;
    if (started === undefined) throw new Error('it starts');
    const end = state('ENT_CANCELLED', '2024-06-05', { blockedId: started.blockedId });
    with2({ ...ended, blockingStates: [started, end] }, '2024-06-20')();
  });
});
