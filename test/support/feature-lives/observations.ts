import { type Decimal, formatDecimal } from '../../../lib/index.ts';
import type { TestEngine } from '../engine.ts';
import type { AccountModel, Contribution } from './account-model.ts';
import { type FeatureName, features } from './catalog.ts';
import { amountOf, combinedValue } from './feature-values.ts';
import type { Counter, QuotaModel } from './quota-model.ts';
import type { Ms } from './zones.ts';

type FeatureView = Awaited<ReturnType<TestEngine['acme']['features']['of']>>[number];
interface BalanceView {
  readonly used: Decimal | null;
  readonly remaining: Decimal | null;
  readonly resetsAt: Date | Ms | null;
}

/** Places of subscriptions and overrides in the life, by id. */
export type Places = ReadonlyMap<string, number>;

const shownInstant = (at: Date | Ms | null): string => (at === null ? '-' : new Date(at).toISOString());
const shownAmount = (amount: Decimal | null): string => (amount === null ? '-' : formatDecimal(amount));

/** `12 used, 3 left until 2026-05-01T00:00:00.000Z`. */
export function shownBalance({ used, remaining, resetsAt }: BalanceView): string {
  return `${shownAmount(used)} used, ${shownAmount(remaining)} left until ${shownInstant(resetsAt)}`;
}

/** The feature as one line: value, balance of a quota, and sources. */
export function lineOfView(view: FeatureView, places: Places): string {
  const sources = view.sources.map(({ subscriptionId, overrideId, planName, phaseName, value, resetsAt }) => {
    const subscription = subscriptionId === null ? 'account' : places.get(subscriptionId);
    const override = overrideId === null ? '' : ` override ${places.get(overrideId)}`;
    return `${subscription} ${planName} ${phaseName}${override} ${value} ${shownInstant(resetsAt)}`;
  });
  const balance = view.kind === 'QUOTA' ? shownBalance(view) : '';
  return `${view.name} ${valueOfView(view)} ${balance} [${sources.sort().join('; ')}]`;
}

export function valueOfView({ kind, isOn, text, amount, isUnlimited }: FeatureView): string {
  if (kind === 'SWITCH') return String(isOn);
  if (kind === 'TEXT') return String(text);
  return isUnlimited ? 'UNLIMITED' : shownAmount(amount);
}

interface Seen {
  readonly account: AccountModel;
  readonly quotas: QuotaModel;
  readonly at: Ms;
}

/** The same line by the model. */
export function lineOfModel(feature: FeatureName, { account, quotas, at }: Seen): string {
  const value = combinedValue(account, feature, at);
  const isQuota = features[feature].kind === 'QUOTA';
  const balance = isQuota ? shownBalance(quotas.balance(feature, at)) : '';
  const sources = isQuota
    ? quotas.counters(feature, at).map(sourceOfCounter)
    : account.contributions(feature, at).map((each) => `${sourceOf(each, shownValue(each))} -`);
  return `${feature} ${value} ${balance} [${sources.sort().join('; ')}]`;
}

function sourceOfCounter({ contribution, amount, resetsAt }: Counter): string {
  return `${sourceOf(contribution, formatDecimal(amount))} ${shownInstant(resetsAt)}`;
}

function sourceOf({ subscription, planName, phaseName, override }: Contribution, value: string): string {
  const overridden = override === null ? '' : ` override ${override.place}`;
  return `${subscription ?? 'account'} ${planName} ${phaseName}${overridden} ${value}`;
}

function shownValue(contribution: Contribution): string {
  const { value } = contribution;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string' && Number.isNaN(Number(value))) return value;
  const amount = amountOf(contribution);
  return amount === null ? 'UNLIMITED' : formatDecimal(amount);
}
