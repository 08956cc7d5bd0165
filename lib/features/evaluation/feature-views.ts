import { UNLIMITED } from '../../catalog/index.ts';
import { FeatureKind } from '../../records/index.ts';
import { type Decimal, formatDecimal } from '../../values/money/index.ts';
import type { CombinedValue } from './combined-value.ts';
import type { FeatureSource } from './feature-source.ts';
import type { FeatureAt } from './features-at.ts';
import { quotaBalance, type UsedOf } from './quota-draws.ts';

/** Returns the feature for hosts. */
export function featureView({ name, kind, value, sources, counted }: FeatureAt, usedOf: UsedOf) {
  const amount = 'amount' in value ? value.amount : null;
  const balance = kind === FeatureKind.QUOTA ? quotaBalance(counted, usedOf) : null;
  return {
    name,
    kind,
    isOn: value.kind === FeatureKind.SWITCH ? value.isOn : null,
    text: value.kind === FeatureKind.TEXT ? value.text : null,
    amount,
    isUnlimited: value.kind === FeatureKind.NUMBER && amount === null,
    used: balance?.used ?? null,
    remaining: balance?.remaining ?? null,
    resetsAt: balance?.resetsAt ?? null,
    sources: sources.map(sourceView),
  };
}

function sourceView(source: FeatureSource) {
  const { subscriptionId, planName, phaseName, override, quota } = source;
  return {
    subscriptionId,
    planName,
    phaseName,
    overrideId: override?.id ?? null,
    value: contributedText(source),
    resetsAt: quota?.resetsAt ?? null,
  };
}

/** Returns the contribution of a source as text, after multiplication by the quantity. */
export function contributedText({ value, amount }: FeatureSource): string {
  if (value.kind === FeatureKind.TEXT) return value.text;
  return value.kind === FeatureKind.SWITCH ? String(value.isOn) : amountText(amount);
}

/**
 * Returns a combined value as text: `true`, an amount, `UNLIMITED` or the text itself. Returns null for a TEXT without
 * a source.
 */
export function combinedText(value: CombinedValue): string | null {
  if (value.kind === FeatureKind.TEXT) return value.text;
  return value.kind === FeatureKind.SWITCH ? String(value.isOn) : amountText(value.amount);
}

function amountText(amount: Decimal | null): string {
  return amount === null ? UNLIMITED : formatDecimal(amount);
}
