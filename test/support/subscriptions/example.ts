import { readFileSync } from 'node:fs';
import { newAccount } from '../../../lib/accounts/index.ts';
import {
  type Catalog,
  CatalogWithOverrides,
  createCatalog,
  createVersion,
  readCatalogXml,
} from '../../../lib/catalog/index.ts';
import type {
  Account,
  BlockingState,
  Bundle,
  LifecycleEvent,
  Subscription,
} from '../../../lib/records/index.ts';
import { blockHistory } from '../../../lib/subscriptions/blocking/states-in-force.ts';
import { chooseGroup, type GroupChoiceInput } from '../../../lib/subscriptions/create/choose-group.ts';
import type { BundleCreation, Creation } from '../../../lib/subscriptions/create/creation.ts';
import { planCreations } from '../../../lib/subscriptions/create/creation.ts';
import { dueWork } from '../../../lib/subscriptions/edits/due-work.ts';
import type { RunningSubscription } from '../../../lib/subscriptions/edits/running-subscription.ts';
import type {
  CreateSubscriptionOptions,
  CreateSubscriptionRequest,
} from '../../../lib/subscriptions/requests/create-request.ts';
import { checkCreateRequest, groupOf } from '../../../lib/subscriptions/requests/create-request.ts';
import { billCycleDaySources } from '../../../lib/subscriptions/timeline/bill-cycle-day.ts';
import { withDerivedPhases } from '../../../lib/subscriptions/timeline/phase-events.ts';
import { transitionsOf } from '../../../lib/subscriptions/timeline/transitions.ts';
import type {
  BundleOutlineInput,
  BundleView,
  SubscriptionView,
} from '../../../lib/subscriptions/views/bundle-outline.ts';
import { bundleOutline, bundleView } from '../../../lib/subscriptions/views/bundle-outline.ts';
import { createUuidV7, type Uuid } from '../../../lib/values/ids/index.ts';
import type { Currency } from '../../../lib/values/money/index.ts';
import type { Instant, LocalDate } from '../../../lib/values/time/index.ts';
import {
  formatInstant,
  formatLocalDate,
  minInstant,
  parseLocalDate,
  parseWireInstant,
} from '../../../lib/values/time/index.ts';
import { fixture } from '../files.ts';

// A subscription in memory, driven by the pure rules alone.

let tick = 1_700_000_000_000;
const ids = createUuidV7({ now: () => tick++, randomBytes: (length) => new Uint8Array(length).fill(7) });
export const nextId = (): Uuid => ids.next();

export function at(text: string): Instant {
  const instant = parseWireInstant(text);
  if (instant === undefined) throw new Error(`${text} is not an instant`);
  return instant;
}

export const day = (text: string): LocalDate => parseLocalDate(text);

const exampleXml = fixture('catalogs/spec-example.xml');

/** The catalog of subscriptions §25. */
export const exampleCatalog: Catalog = createCatalog(
  readCatalogXml(readFileSync(exampleXml)).versions.map(({ content }) => createVersion(content)),
);

export interface AccountParts {
  readonly zone?: string;
  readonly referenceTime?: string;
  readonly billCycleDayLocal?: number;
  readonly currency?: Currency | null;
}

export function account(parts: AccountParts = {}): Account {
  const {
    zone = 'UTC',
    referenceTime = '2024-01-01T00:00:00Z',
    billCycleDayLocal = 0,
    currency = 'USD',
  } = parts;
  const input = { referenceTime: at(referenceTime), timeZone: zone, billCycleDayLocal, currency };
  return { recordId: 1, ...newAccount(input, nextId(), at(referenceTime)) };
}

export interface Life {
  readonly account: Account;
  readonly catalog: Catalog;
  readonly bundle: Bundle;
  readonly subscription: Subscription;
  readonly events: readonly LifecycleEvent[];
  readonly blockingStates: readonly BlockingState[];
  /** Due work is done up to this instant. */
  readonly now: Instant;
}

export interface CreateParts {
  readonly account: Account;
  readonly request: Omit<CreateSubscriptionRequest, 'accountId'>;
  readonly options?: CreateSubscriptionOptions;
  readonly now: Instant;
  readonly catalog?: Catalog;
  readonly blockingStates?: readonly BlockingState[];
}

export function creationOf(parts: CreateParts): Creation & Pick<BundleCreation, 'newBundle'> {
  const request = checkCreateRequest({ accountId: parts.account.id, ...parts.request });
  const input: GroupChoiceInput = {
    options: parts.options ?? {},
    account: parts.account,
    found: [],
    keyCarriers: [],
    blockingStates: parts.blockingStates ?? [],
    catalog: new CatalogWithOverrides(parts.catalog ?? exampleCatalog, []),
    now: parts.now,
  };
  const groups = [chooseGroup(groupOf(request), input)];
  const overridePlanOf = () => {
    throw new Error('these requests override no prices');
  };
  const [bundle] = planCreations({ ...input, groups, overridePlanOf, nextId });
  const [creation] = bundle?.creations ?? [];
  if (bundle === undefined || creation === undefined) throw new Error('a creation makes a subscription');
  return { ...creation, newBundle: bundle.newBundle };
}

export function created(parts: CreateParts): Life {
  const { newBundle, subscription, events, entitlementStart } = creationOf(parts);
  if (newBundle === null) throw new Error('a creation without found bundle makes one');
  return {
    account: parts.account,
    catalog: parts.catalog ?? exampleCatalog,
    bundle: { ...newBundle, recordId: 1 },
    subscription: { ...subscription, recordId: 1 },
    events: events.map((event, index) => ({ ...event, recordId: index + 1 })),
    blockingStates: [{ ...entitlementStart, recordId: 1 }],
    now: parts.now,
  };
}

/** Processes the queue up to `until`, entry by entry in date order. */
export function passed(life: Life, until: Instant): Life {
  const next = life.events.filter(({ effective }) => effective.at > life.now && effective.at <= until);
  const [first] = next.toSorted((a, b) => a.effective.at - b.effective.at || a.sequence - b.sequence);
  if (first === undefined) return { ...life, now: until };
  const due = next.filter(({ effective }) => effective.at === first.effective.at);
  const added = due.flatMap((event) => workOf(life, event, until).addedEvents);
  const numbered = added.map((event, index) => ({ ...event, recordId: life.events.length + index + 1 }));
  return passed(
    { ...life, events: [...life.events, ...numbered], now: minInstant(first.effective.at, until) },
    until,
  );
}

export function workOf(life: Life, event: LifecycleEvent, now: Instant): ReturnType<typeof dueWork> {
  return dueWork(
    { kind: 'LIFECYCLE_EVENT', subscriptionId: life.subscription.id, eventId: event.id },
    {
      accounts: new Map([[life.account.id, life.account]]),
      subscriptions: new Map([[life.subscription.id, life.subscription]]),
      bundles: new Map([[life.bundle.id, life.bundle]]),
      events: new Map([[life.subscription.id, life.events]]),
      blockingStates: life.blockingStates,
      plansOf: () => life.catalog,
    },
    { now, nextId },
  );
}

export function runningOf(life: Life): RunningSubscription {
  const { account, subscription, bundle, events, blockingStates } = life;
  const catalog = new CatalogWithOverrides(life.catalog, []);
  const transitions = transitionsOf(withDerivedPhases(events, catalog, account.timeZone), catalog);
  const billCycleDays = billCycleDaySources([{ subscription, transitions }], account).get(subscription.id);
  if (billCycleDays === undefined) throw new Error('the subscription has no start');
  const own = { account, subscription, bundle, events, transitions, blockingStates };
  return { ...own, billCycleDays, catalog, baseEnd: null };
}

/** The view of a bundle with all its states, including those of the account. */
export function bundleViewFrom(input: Omit<BundleOutlineInput, 'accountBlocks'>): BundleView {
  const isOfAccount = (state: BlockingState) => state.blockedId === input.account.id;
  return bundleView(
    bundleOutline({
      ...input,
      accountBlocks: blockHistory(input.blockingStates.filter(isOfAccount)),
      blockingStates: input.blockingStates.filter((state) => !isOfAccount(state)),
    }),
  );
}

export function bundleViewOf(life: Life, now: Instant = life.now): BundleView {
  return bundleViewFrom({
    account: life.account,
    bundle: life.bundle,
    subscriptions: [life.subscription],
    events: life.events,
    blockingStates: life.blockingStates,
    plans: life.catalog,
    now,
  });
}

export function viewOf(life: Life, now: Instant = life.now): SubscriptionView {
  const [view] = bundleViewOf(life, now).subscriptions;
  if (view === undefined) throw new Error('the bundle has no subscription');
  return view;
}

/** `START_BILLING 2024-03-01T09:15:00.000Z`, one text per row. */
export function rowsOf(view: SubscriptionView): readonly string[] {
  return view.events.map((event) => `${event.eventType} ${formatInstant(event.effective.at)}`);
}

/** `PHASE 2024-03-31 pro-monthly-evergreen`: stored lifecycle events by local date. */
export function storedOf(life: Pick<Life, 'events'>): readonly string[] {
  return life.events
    .toSorted((a, b) => a.effective.at - b.effective.at || a.sequence - b.sequence)
    .map((event) =>
      [event.type, formatLocalDate(event.effective.date), event.phaseName].filter(Boolean).join(' '),
    );
}
