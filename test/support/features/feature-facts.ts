import { CatalogWithOverrides } from '../../../lib/catalog/index.ts';
import type { FeatureFacts } from '../../../lib/features/evaluation/features-at.ts';
import type {
  BlockingState,
  FeatureOverride,
  LifecycleEvent,
  Subscription,
} from '../../../lib/records/index.ts';
import { type ServiceStream, serviceStreams } from '../../../lib/subscriptions/index.ts';
import { type LocalDate, parseLocalDate, UTC } from '../../../lib/values/time/index.ts';
import { at, nextId } from '../subscriptions/example.ts';
import { choice, dated, state } from '../subscriptions/lifecycle.ts';
import { featureCatalog } from './feature-catalog.ts';

// Subscriptions of the catalog of the worked examples in memory, driven by the pure rules alone.

/** An account in UTC with bill cycle day 1. */
export const account = {
  id: nextId(),
  recordId: 1,
  billCycleDayLocal: 1,
  timeZone: UTC,
  createdDate: at('2026-01-01'),
};

export const plans = new CatalogWithOverrides(featureCatalog.catalog, []);

/** A subscription of the account with its events and states. */
export interface Held {
  readonly subscription: Subscription;
  readonly events: readonly LifecycleEvent[];
  readonly states: readonly BlockingState[];
}

let recordId = 0;

/** A subscription that starts on a date in a phase, such as `pro-trial`, with further events and states. */
export function held(
  phaseName: string,
  date: string,
  {
    category = 'BASE',
    events = [],
    states = [],
  }: {
    readonly category?: Subscription['category'];
    readonly events?: readonly LifecycleEvent[];
    readonly states?: readonly BlockingState[];
  } = {},
): Held {
  recordId += 1;
  const id = nextId();
  const subscription: Subscription = {
    recordId,
    id,
    bundleId: nextId(),
    accountId: account.id,
    accountRecordId: account.recordId,
    externalKey: id,
    category,
    alignStart: dated(date),
    bundleStart: dated(date),
    chargedThrough: null,
    migrated: false,
    announcedTrialEnd: null,
    createdDate: at(date),
  };
  const all = [choice('CREATE', date, phaseName), ...events];
  const started = [state('ENT_STARTED', date), ...states];
  return {
    subscription,
    events: all.map((event) => ({ ...event, subscriptionId: id })),
    states: started.map((each) => ({ ...each, blockedId: id })),
  };
}

export function factsOf(all: readonly Held[], overrides: readonly FeatureOverride[] = []): FeatureFacts {
  const streams = serviceStreams({
    account,
    subscriptions: all.map(({ subscription }) => subscription),
    events: all.flatMap(({ events }) => events),
    blockingStates: all.flatMap(({ states }) => states),
    plans,
  });
  return { account, streams, overrides, plans };
}

export function streamOf(one: Held): ServiceStream {
  const [stream] = factsOf([one]).streams;
  if (stream === undefined) throw new Error('the subscription has no stream');
  return stream;
}

/** An override on the account, or on a subscription. */
export function overrideOf(
  feature: string,
  fields: Partial<FeatureOverride> & Pick<FeatureOverride, 'kind' | 'value'>,
): FeatureOverride {
  recordId += 1;
  return {
    recordId,
    id: nextId(),
    accountId: account.id,
    accountRecordId: account.recordId,
    subscriptionId: null,
    feature,
    reason: null,
    from: at('2026-01-01'),
    until: null,
    createdDate: at('2026-01-01'),
    updatedDate: at('2026-01-01'),
    ...fields,
  };
}

export const day = (text: string): LocalDate => parseLocalDate(text);
