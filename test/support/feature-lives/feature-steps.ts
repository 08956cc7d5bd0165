import { expect } from 'chai';
import { isMetered, type LifeValue } from './catalog.ts';
import type { LifeState } from './life-state.ts';
import { shownBalance } from './observations.ts';
import { codeOf, isoOf, outcomeOf, reasonOf, shownUse } from './outcomes.ts';
import { endedAt, withOverride } from './overrides.ts';
import type { StepOf } from './scripts.ts';
import type { Ms } from './zones.ts';

const DAY_MS = 86_400_000;
const FEATURE_VALUE_INVALID = 63_003;
const QUOTA_KEY_REUSED = 63_005;
const QUOTA_USE_NOT_FOUND = 63_006;

export async function addOverride(
  life: LifeState,
  { of, isOnAccount, given, from, until }: StepOf<'OVERRIDE'>,
): Promise<void> {
  const count = life.subscriptions.length;
  const isMonthly = typeof given.value === 'object' && 'per' in given.value && given.value.per === 'MONTH';
  if (!isOnAccount && count === 0) return;
  if (isOnAccount && isMonthly && life.account.billCycleDay === 0) return;
  const subscription = isOnAccount ? null : of % count;
  const start = Math.max(life.created, life.now + (from ?? 0) * DAY_MS);
  const end = until === null ? null : start + until * DAY_MS;
  const place = life.overrideIds.length;
  const request = {
    accountId: life.accountId,
    subscriptionId: subscription === null ? null : life.idsOf(subscription).subscriptionId,
    feature: given.feature,
    value: given.value,
    from: isoOf(start),
    until: end === null ? null : isoOf(end),
    reason: reasonOf(place),
  };
  const made = await outcomeOf(life.engine.acme.features.override(request));
  await life.settle();
  const isAccepted =
    subscription === null || isBillable(life, subscription, { value: given.value, from: start });
  expect(codeOf(made), `override of ${given.feature}`).to.equal(isAccepted ? null : FEATURE_VALUE_INVALID);
  if ('code' in made) return;
  const { id } = made.answer;
  life.overrideIds.push(id);
  life.places.set(id, place);
  const override = { ...given, place, subscription, from: start, until: end };
  life.account.overrides = withOverride(life.account.overrides, override);
}

/** A billed overage requires a plan that prices the unit when the override starts (features §2 rule 3). */
function isBillable(
  life: LifeState,
  subscription: number,
  { value, from }: { readonly value: LifeValue; readonly from: Ms },
): boolean {
  if (typeof value !== 'object' || !('overage' in value) || value.overage !== 'BILL') return true;
  const { timeline } = life.account.subscriptionAt(subscription);
  return isMetered(timeline.at(Math.max(from, timeline.start.at)).planName);
}

export async function endOverride(life: LifeState, { of }: StepOf<'END_OVERRIDE'>): Promise<void> {
  const place = of % life.overrideIds.length;
  const id = life.overrideIds[place];
  if (id === undefined) return;
  await life.engine.acme.features.endOverride(id);
  await life.settle();
  life.account.overrides = endedAt(life.account.overrides, place, life.now);
}

export async function consume(
  life: LifeState,
  { feature, amount, key, daysAgo }: StepOf<'CONSUME'>,
): Promise<void> {
  const at = life.now - daysAgo * DAY_MS;
  const named = key === null ? {} : { key: `key-${key}` };
  const dated = daysAgo === 0 ? {} : { at: isoOf(at) };
  const request = { accountId: life.accountId, feature, amount, ...named, ...dated };
  const done = await outcomeOf(life.engine.acme.features.consume(request));
  const foreseen = life.quotas.consume({
    feature,
    amount,
    key: key === null ? null : `key-${key}`,
    now: life.now,
    at,
  });
  const about = `consumption of ${amount} ${feature} with key ${key}, ${daysAgo} days ago`;
  if (foreseen === null) expect(codeOf(done), about).to.equal(QUOTA_KEY_REUSED);
  else expect(shownUse(done), about).to.equal(shownUse({ answer: foreseen }));
}

export async function release(life: LifeState, { feature, key }: StepOf<'RELEASE'>): Promise<void> {
  const request = { accountId: life.accountId, feature, key: `key-${key}` };
  const done = await outcomeOf(life.engine.acme.features.release(request));
  const foreseen = life.quotas.release(feature, `key-${key}`, life.now);
  const about = `release of ${feature} with key ${key}`;
  if (foreseen === null) return void expect(codeOf(done), about).to.equal(QUOTA_USE_NOT_FOUND);
  if ('code' in done) expect.fail(`${about} is refused with ${done.code}`);
  expect(done.answer.released.toFixed(), about).to.equal(foreseen.released.toFixed());
  expect(shownBalance(done.answer), about).to.equal(shownBalance(foreseen));
}
