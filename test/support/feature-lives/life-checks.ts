import { expect } from 'chai';
import { type FeatureName, featureNames, features } from './catalog.ts';
import { canUse, combinedValue } from './feature-values.ts';
import type { LifeState } from './life-state.ts';
import { lineOfModel, lineOfView } from './observations.ts';
import { isoOf, outcomeOf, reasonOf } from './outcomes.ts';
import { sum } from './quota-model.ts';

const DAY_MS = 86_400_000;
/** Values of features without a contribution. */
const VALUE_WITHOUT = { SWITCH: 'false', NUMBER: '0', TEXT: 'null', QUOTA: '0' };
const AMOUNTS = ['1', '4', '30', '0'] as const;

/** Compares the features now and at another instant with the model. */
export async function checkFeatures(life: LifeState, what: string, probeDays: number): Promise<void> {
  for (const at of [life.now, life.now + probeDays * DAY_MS]) {
    const views = await life.engine.acme.features.of({ accountId: life.accountId, at: isoOf(at) });
    const found = views.map((view) => lineOfView(view, life.places)).join('\n');
    const seen = { account: life.account, quotas: life.quotas, at };
    const lines = featureNames.toSorted().map((feature) => lineOfModel(feature, seen));
    const foreseen = lines.join('\n');
    const about = `features after ${what}, at ${isoOf(at)}:\n${found}\nby the model:\n${foreseen}`;
    expect(found === foreseen, about).to.equal(true);
  }
  life.checks += 1;
  await checkUse(life, what);
  await checkExplanation(life, what);
  await checkEvents(life, what);
}

/** Compares the billed usage of each subscription with the usage beyond its quotas. */
export async function checkUsage(life: LifeState): Promise<void> {
  const { accountId, engine } = life;
  await outcomeOf(engine.acme.invoices.generate({ accountId }));
  await engine.settle();
  const invoices = await engine.invoicesOf(accountId);
  const items = invoices.flatMap((invoice) => invoice.items);
  const usage = new Map(items.filter(({ itemType }) => itemType === 'USAGE').map((item) => [item.id, item]));
  for (const subscription of life.account.subscriptions) {
    const { subscriptionId } = life.idsOf(subscription.place);
    const own = items.filter(
      ({ id, linkedItemId }) =>
        (usage.get(id) ?? usage.get(linkedItemId ?? id))?.subscriptionId === subscriptionId,
    );
    const billed = life.quotas.usage.filter(
      (each) => each.subscription === subscription.place && life.account.isUsageBilled(subscription, each.at),
    );
    const found = sum(own.map(({ amount }) => amount)).toFixed(2);
    const foreseen = sum(billed.map(({ amount }) => amount))
      .dividedBy(100)
      .toFixed(2);
    expect(found, `usage of subscription ${subscription.place}`).to.equal(foreseen);
  }
}

/**
 * Compares the events with the model. Each FEATURE_CHANGE of a feature continues the one before it, and the last one has
 * the current value.
 */
async function checkEvents(life: LifeState, what: string): Promise<void> {
  const { accountId, account, published, quotas, now } = life;
  await life.settle();
  const thresholds: string[] = [];
  for (const event of await newEvents(life)) {
    if (event.accountId !== accountId) continue;
    if (event.eventType === 'FEATURE_CHANGE') {
      const { feature, from, to } = event.metaData;
      expect(String(from), `previous value of ${feature}`).to.equal(publishedValue(life, feature));
      published.set(feature, String(to));
    } else if (event.eventType === 'QUOTA_THRESHOLD') {
      const { feature, subscriptionId, threshold, used, amount } = event.metaData;
      const place = subscriptionId === null ? 'account' : life.places.get(subscriptionId);
      thresholds.push(`${feature} of ${place}: ${threshold} %, ${used} of ${amount}`);
    }
  }
  expect(thresholds.sort(), `thresholds after ${what}`).to.eql(quotas.takeEvents().toSorted());
  for (const feature of featureNames) {
    const value = combinedValue(account, feature, now);
    expect(publishedValue(life, feature), `published value of ${feature} after ${what}`).to.equal(value);
  }
}

/** Returns the events of features since the last call. */
async function newEvents(life: LifeState) {
  const { events: feed } = life.engine.acme;
  const found: Awaited<ReturnType<typeof feed.list>>['events'][number][] = [];
  for (;;) {
    const types = ['FEATURE_CHANGE', 'QUOTA_THRESHOLD'] as const;
    const { events, next } = await feed.list({ after: life.lastEvent, types, limit: 100 });
    life.lastEvent = next;
    if (events.length === 0) return found;
    found.push(...events);
  }
}

function publishedValue({ published }: LifeState, feature: string): string {
  return published.get(feature) ?? VALUE_WITHOUT[features[feature as FeatureName].kind];
}

async function checkUse(life: LifeState, what: string): Promise<void> {
  const amount = AMOUNTS[life.checks % AMOUNTS.length] ?? '1';
  for (const feature of featureNames) {
    const request = { at: life.now, amount };
    const isQuota = features[feature].kind === 'QUOTA';
    const foreseen = isQuota ? life.quotas.can(feature, request) : canUse(life.account, feature, request);
    const found = await life.engine.acme.features.can(life.accountId, feature, amount);
    expect(found, `use of ${amount} ${feature} after ${what}`).to.equal(foreseen);
  }
}

async function checkExplanation(life: LifeState, what: string): Promise<void> {
  const feature = featureNames[life.checks % featureNames.length] ?? 'sso';
  const { acme } = life.engine;
  const { reasons, ...view } = await acme.features.explain({ accountId: life.accountId, feature });
  const foreseen = lineOfModel(feature, { account: life.account, quotas: life.quotas, at: life.now });
  expect(lineOfView(view, life.places), `explanation after ${what}`).to.equal(foreseen);
  for (const { override } of life.account.contributions(feature, life.now))
    if (override !== null) expect(reasons.join(' ')).to.include(reasonOf(override.place));
}
