import { FeatureCombination, FeatureKind, type QuotaOverage } from '../../records/index.ts';
import { decimal, formatDecimal } from '../../values/money/index.ts';
import { formatInstant } from '../../values/time/index.ts';
import type { FeatureSource } from './feature-source.ts';
import { combinedText, contributedText } from './feature-views.ts';
import type { FeatureAt } from './features-at.ts';

/** Returns the explanation of a feature's value. It has one sentence for each source and one for the result. */
export function explainFeature(feature: FeatureAt): readonly string[] {
  const { name, sources } = feature;
  const result = combinedText(feature.value) ?? 'nothing';
  if (sources.length === 0) {
    return [`No active subscription and no override has the feature "${name}", so the result is ${result}.`];
  }
  return [...sources.map(reasonOf), ...(sources.length > 1 ? [combination(feature, result)] : [])];
}

function reasonOf(source: FeatureSource): string {
  const { override, subscriptionId, planName, phaseName } = source;
  const value = `${contributedText(source)}${terms(source)}`;
  if (override === null) {
    return `Subscription ${subscriptionId} has ${value} from plan ${planName}, phase ${phaseName}.`;
  }
  const target = subscriptionId === null ? 'the account' : `subscription ${subscriptionId}`;
  const until = override.until === null ? '' : ` until ${formatInstant(override.until)}`;
  const reason = override.reason === null ? '' : `: ${override.reason}`;
  return `An override gives ${target} ${value} from ${formatInstant(override.from)}${until}${reason}.`;
}

/** Returns the terms that explain an amount, such as ` (250 for each of 4, per MONTH, then BLOCK)`. */
function terms({ value, quantity }: FeatureSource): string {
  if (value.kind !== FeatureKind.NUMBER && value.kind !== FeatureKind.QUOTA) return '';
  const each =
    value.perQuantity && value.amount !== null
      ? [`${formatDecimal(value.amount)} for each of ${formatDecimal(decimal(quantity))}`]
      : [];
  const quota =
    value.kind === FeatureKind.QUOTA ? [`per ${value.per}`, `beyond it ${beyond[value.overage]}`] : [];
  const parts = [...each, ...quota];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

const beyond: Readonly<Record<QuotaOverage, string>> = {
  BLOCK: 'blocked',
  ALLOW: 'allowed',
  BILL: 'billed as usage',
};

function combination({ kind, combine }: FeatureAt, result: string): string {
  switch (kind) {
    case FeatureKind.SWITCH:
      return `One of them is enough, so the result is ${result}.`;
    case FeatureKind.TEXT:
      return `The first of them decides, so the result is ${result}.`;
    case FeatureKind.NUMBER:
      return `The ${combine === FeatureCombination.MAX ? 'largest' : 'sum'} of them is ${result}.`;
    case FeatureKind.QUOTA:
      return `Each of them has its own counter. Their sum is ${result}.`;
  }
}
