import type { FeatureInput, FeatureSourceView, FeatureView } from '../../../../lib/features/index.ts';
import {
  FeatureKind,
  QuotaOverage,
  QuotaPeriod,
  type FeatureOverride as StoredOverride,
  type WrittenFeatureValue,
} from '../../../../lib/records/index.ts';
import { alike, derivedField, field, maybe, model } from '../../wire/model.ts';
import { bool, decimalNumber, enumeration, text, timestamp, uuid } from '../../wire/scalars.ts';
import { listOf } from '../../wire/wire-type.ts';

const required = { required: true } as const;
const KEY_CHARACTERS = 128;
const TEXT_CHARACTERS = 255;

const FeatureSource = model('FeatureSource', {
  ...alike(maybe(uuid), 'subscriptionId', 'overrideId'),
  ...alike(maybe(text()), 'planName', 'phaseName'),
  value: derivedField(text(), ({ value }: FeatureSourceView) => value),
  resetsAt: maybe(timestamp),
});

const featureMembers = {
  name: text(),
  kind: enumeration(FeatureKind),
  isOn: maybe(bool),
  text: maybe(text()),
  amount: maybe(decimalNumber),
  isUnlimited: derivedField(bool, ({ isUnlimited }: FeatureView) => isUnlimited),
  ...alike(maybe(decimalNumber), 'used', 'remaining'),
  resetsAt: maybe(timestamp),
  sources: listOf(FeatureSource),
} as const;

/** See json-models §10.1. */
export const Feature = model('Feature', featureMembers);

export const FeatureExplanation = model('FeatureExplanation', {
  ...featureMembers,
  reasons: listOf(text()),
});

export const FeatureAnswer = model('FeatureAnswer', { name: text(), allowed: bool });

export const FeatureConsumption = model('FeatureConsumption', {
  amount: field(decimalNumber, 'I'),
  key: field(text(KEY_CHARACTERS), 'I'),
  at: field(timestamp, 'I'),
});

const balance = { ...alike(decimalNumber, 'used', 'remaining'), resetsAt: maybe(timestamp) } as const;

export const ConsumedFeature = model('ConsumedFeature', {
  allowed: bool,
  ...balance,
  overage: decimalNumber,
});

export const FeatureRelease = model('FeatureRelease', { key: field(text(KEY_CHARACTERS), 'I', required) });

export const ReleasedFeature = model('ReleasedFeature', { released: decimalNumber, ...balance });

const overrideMember =
  <K extends keyof WrittenFeatureValue>(name: K) =>
  ({ value }: StoredOverride): WrittenFeatureValue[K] =>
    value[name];

/** The fields that contain the value of an override, in requests and responses. */
const writtenValue = {
  value: field(text(TEXT_CHARACTERS), 'W', { ...required, from: overrideMember('value') }),
  per: field(enumeration(QuotaPeriod), 'W', { nullable: true, from: overrideMember('per') }),
  overage: field(enumeration(QuotaOverage), 'W', { nullable: true, from: overrideMember('overage') }),
  perQuantity: field(bool, 'W', { nullable: true, from: overrideMember('perQuantity') }),
} as const;

export const FeatureOverride = model('FeatureOverride', {
  overrideId: derivedField(uuid, ({ id }: StoredOverride) => id),
  accountId: uuid,
  subscriptionId: field(uuid, 'W', { nullable: true }),
  feature: text(),
  kind: enumeration(FeatureKind),
  ...writtenValue,
  from: field(timestamp, 'W'),
  until: field(timestamp, 'W', { nullable: true }),
  reason: field(text(TEXT_CHARACTERS), 'W', { nullable: true }),
});

type GivenValue = { readonly [K in keyof WrittenFeatureValue]?: WrittenFeatureValue[K] | null };

/** Converts the value in a request for an override to the form that the library expects. */
export function overrideValueOf({ value, per, overage, perQuantity }: GivenValue): FeatureInput {
  const given = value ?? '';
  if (per == null && overage == null && perQuantity == null) return given;
  return {
    amount: given,
    ...(per == null ? {} : { per }),
    ...(overage == null ? {} : { overage }),
    ...(perQuantity == null ? {} : { perQuantity }),
  };
}
