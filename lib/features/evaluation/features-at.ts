import type { CatalogWithOverrides } from '../../catalog/index.ts';
import { featureValuesOf, parseFeatureValue, pricedUnits } from '../../catalog/index.ts';
import {
  type Account,
  type FeatureCombination,
  type FeatureDeclaration,
  FeatureKind,
  type FeatureOverride,
  type FeatureValue,
  ProductCategory,
  type QuotaValue,
} from '../../records/index.ts';
import {
  earliestAfter,
  nextServiceChange,
  type ServiceStream,
  type ServiceTerms,
  serviceAt,
} from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, decimal } from '../../values/money/index.ts';
import { type Instant, localDateOf, startOfDay, type TimeZone } from '../../values/time/index.ts';
import { type CombinedValue, combinedValue } from './combined-value.ts';
import type { FeatureSource, QuotaSource } from './feature-source.ts';
import { type CountedSource, inOrderOfConsumption } from './quota-draws.ts';
import { accountQuotaPeriod, type QuotaSpan, subscriptionQuotaPeriod } from './quota-period.ts';

export interface FeatureAt {
  readonly name: string;
  readonly kind: FeatureKind;
  /** Combination rule for the contributions to a NUMBER, or null for other kinds. */
  readonly combine: FeatureCombination | null;
  readonly value: CombinedValue;
  /**
   * The contributions. Base and standalone subscriptions come before add-ons, and older subscriptions before newer
   * ones.
   */
  readonly sources: readonly FeatureSource[];
  /** The contributions to a QUOTA, in the order in which they are consumed. The list is empty for other kinds. */
  readonly counted: readonly CountedSource[];
}

export interface FeaturesAt {
  readonly at: Instant;
  /** The next instant at which a result can change without a call, or null if none exists. */
  readonly until: Instant | null;
  /** The next instant at which a value can change without a call, or null if none exists. */
  readonly valuesUntil: Instant | null;
  readonly features: ReadonlyMap<string, FeatureAt>;
}

export interface FeatureFacts {
  readonly account: Pick<Account, 'id' | 'billCycleDayLocal' | 'timeZone' | 'createdDate'>;
  /** The services of all the account's subscriptions. */
  readonly streams: readonly ServiceStream[];
  readonly overrides: readonly FeatureOverride[];
  readonly plans: CatalogWithOverrides;
}

/** Returns the features of an account at an instant with their sources (§2). */
export function featuresAt(facts: FeatureFacts, at: Instant): FeaturesAt {
  const { streams, overrides, plans } = facts;
  const inForce = overrides.filter(({ from, until }) => from <= at && (until === null || at < until));
  const services = streams.toSorted(inOrderOfContribution).flatMap((stream) => {
    const terms = serviceAt(stream, plans, at);
    return terms === null ? [] : [{ stream, terms }];
  });
  const declared = declarationsAt(facts, services, at);
  const contributions = services.flatMap((service) => sourcesOf(service, { facts, inForce, declared, at }));
  const ofName = Map.groupBy(contributions, ({ name }) => name);
  const features = [...declared.values()].map((declaration): FeatureAt => {
    const { name, kind, combine } = declaration;
    const replaced = accountSource(declaration, { facts, inForce, at });
    const own = (ofName.get(name) ?? []).map(({ source }) => source);
    const sources = replaced === null ? own.filter(({ value }) => value.kind === kind) : [replaced];
    return {
      name,
      kind,
      combine,
      value: combinedValue(declaration, sources),
      sources,
      counted: inOrderOfConsumption(sources),
    };
  });
  const valuesUntil = nextChange(facts, at);
  const resets = features.flatMap(({ counted }) => counted.map(({ quota }) => quota.resetsAt));
  return {
    at,
    until: earliestAfter(at, [valuesUntil, ...resets]),
    valuesUntil,
    features: new Map(features.map((feature) => [feature.name, feature])),
  };
}

interface Service {
  readonly stream: ServiceStream;
  readonly terms: ServiceTerms;
}

/**
 * Sorts the services. Base and standalone subscriptions come before add-ons, and older subscriptions before newer ones.
 */
function inOrderOfContribution(
  { subscription: a }: ServiceStream,
  { subscription: b }: ServiceStream,
): number {
  const rank = ({ category }: typeof a): number => (category === ProductCategory.ADD_ON ? 1 : 0);
  return rank(a) - rank(b) || byAge(a, b);
}

type Aged = Pick<ServiceStream['subscription'], 'alignStart' | 'recordId'>;

function byAge(a: Aged, b: Aged): number {
  return a.alignStart.at - b.alignStart.at || a.recordId - b.recordId;
}

/**
 * Returns the declarations of the version in force, and of older versions that supply the plans of services, by name.
 */
function declarationsAt({ plans }: FeatureFacts, services: readonly Service[], at: Instant) {
  const declared = new Map<string, FeatureDeclaration>();
  const versions = [plans.versionAt(at), ...services.map(({ terms }) => terms.inForce.version)];
  for (const version of new Set(versions)) {
    for (const declaration of version?.features ?? []) {
      if (!declared.has(declaration.name)) declared.set(declaration.name, declaration);
    }
  }
  return declared;
}

interface Around {
  readonly facts: FeatureFacts;
  readonly inForce: readonly FeatureOverride[];
  readonly at: Instant;
}

/**
 * Returns the contributions of a subscription. They are the values of its plan, unless overrides on the subscription
 * replace them.
 */
function sourcesOf(
  { stream, terms }: Service,
  { facts, inForce, declared, at }: Around & { readonly declared: ReadonlyMap<string, FeatureDeclaration> },
) {
  const { subscription } = stream;
  const { version, plan, phase } = terms.inForce;
  const zone = facts.account.timeZone;
  const given = new Map<
    string,
    { readonly value: FeatureValue; readonly override: FeatureOverride | null }
  >();
  for (const [name, value] of featureValuesOf(version, plan, phase))
    given.set(name, { value, override: null });
  for (const override of inForce) {
    const value = parseFeatureValue(override.kind, override.value);
    if (override.subscriptionId !== subscription.id || value === undefined) continue;
    given.set(override.feature, { value, override });
  }
  return [...given].map(([name, { value, override }]) => ({
    name,
    source: sourceOf(value, {
      subscriptionId: subscription.id,
      subscriptionRecordId: subscription.recordId,
      planName: plan.name,
      phaseName: phase.name,
      quantity: terms.quantity,
      override,
      quotaOf: ({ per }) => ({
        ownerId: subscription.id,
        since: subscription.alignStart.at,
        order: subscription.recordId,
        unit: billedUnit(terms.inForce, name, declared.get(name)),
        ...periodOf(subscriptionQuotaPeriod(stream, per, localDateOf(at, zone)), zone),
      }),
    }),
  }));
}

interface Contributor extends Omit<FeatureSource, 'value' | 'amount' | 'quota'> {
  /** Returns the counter of a QUOTA. */
  quotaOf(value: QuotaValue): QuotaSource;
}

function sourceOf(value: FeatureValue, { quotaOf, ...contributor }: Contributor): FeatureSource {
  const amount = amountOf(value, contributor.quantity);
  const quota = value.kind === FeatureKind.QUOTA ? quotaOf(value) : null;
  return { ...contributor, value, amount, quota };
}

/**
 * Returns the unit that the plan bills beyond a quota. Returns null if the feature has no unit, or if the plan has no
 * price for it.
 */
function billedUnit(
  { version, plan }: ServiceTerms['inForce'],
  feature: string,
  declared: FeatureDeclaration | undefined,
): string | null {
  const declaration = version.features.find(({ name }) => name === feature) ?? declared;
  const unit = declaration?.unit ?? null;
  return unit !== null && pricedUnits(plan.phases).has(unit) ? unit : null;
}

/**
 * Returns the unit that the subscription's plan bills beyond a quota. If the service is off, uses the last plan.
 * Returns null if nothing can be billed, or if the account does not have the subscription.
 */
export function billedUnitOf(
  { streams, plans }: FeatureFacts,
  {
    subscriptionId,
    feature,
    at,
  }: { readonly subscriptionId: Uuid | null; readonly feature: string; readonly at: Instant },
): string | null {
  const stream = streams.find(({ subscription }) => subscription.id === subscriptionId);
  if (stream === undefined) return null;
  const inForce = serviceAt(stream, plans, at)?.inForce ?? stream.cycles.at(-1)?.inForce;
  const declared = plans.versionAt(at)?.features.find(({ name }) => name === feature);
  return inForce === undefined ? null : billedUnit(inForce, feature, declared);
}

/** Returns the override on the account, or null if none exists. It replaces all contributions. */
function accountSource(
  { name, kind }: FeatureDeclaration,
  { facts: { account }, inForce, at }: Around,
): FeatureSource | null {
  const override = inForce.find((each) => each.subscriptionId === null && each.feature === name);
  const value = override && parseFeatureValue(override.kind, override.value);
  if (override === undefined || value === undefined || value.kind !== kind) return null;
  const zone = account.timeZone;
  return sourceOf(value, {
    subscriptionId: null,
    subscriptionRecordId: null,
    planName: null,
    phaseName: null,
    quantity: 1,
    override,
    quotaOf: ({ per }) => ({
      ownerId: account.id,
      since: override.from,
      order: override.recordId,
      unit: null,
      ...periodOf(accountQuotaPeriod(account, per, localDateOf(at, zone)), zone),
    }),
  });
}

function periodOf(span: QuotaSpan, zone: TimeZone): Pick<QuotaSource, 'span' | 'resetsAt'> {
  return { span, resetsAt: span.end === null ? null : startOfDay(span.end, zone) };
}

function amountOf(value: FeatureValue, quantity: number): Decimal | null {
  if (value.kind !== FeatureKind.NUMBER && value.kind !== FeatureKind.QUOTA) return null;
  if (value.amount === null) return null;
  return value.perQuantity ? value.amount.times(decimal(quantity)) : value.amount;
}

function nextChange({ streams, overrides, plans }: FeatureFacts, at: Instant): Instant | null {
  const version = plans.catalog.versions.find(({ effectiveDate }) => effectiveDate > at);
  return earliestAfter(at, [
    version?.effectiveDate,
    ...streams.map((stream) => nextServiceChange(stream, plans, at)),
    ...overrides.flatMap(({ from, until }) => [from, until]),
  ]);
}
