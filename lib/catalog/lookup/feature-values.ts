import {
  type FeatureDeclaration,
  FeatureKind,
  type FeatureSetting,
  type FeatureValue,
  QuotaOverage,
  type WrittenFeatureValue,
} from '../../records/index.ts';
import { type Decimal, parseWireDecimal } from '../../values/money/index.ts';
import type { Plan, PlanPhase, Product } from '../model/catalog-model.ts';

/** Value of a NUMBER feature without a limit. */
export const UNLIMITED = 'UNLIMITED';

const MAX_FEATURE_TEXT_CHARACTERS = 255;

interface FeatureCatalog {
  readonly features: readonly FeatureDeclaration[];
  productNamed(name: string): Product | undefined;
}

/**
 * Returns the values of a phase by feature name (§3.5). The value of the phase takes precedence over that of the plan,
 * and the value of the plan over that of the product. Features without a value are absent.
 * @param version The version that contains the plan.
 */
export function featureValuesOf(
  version: FeatureCatalog,
  plan: Plan,
  phase: PlanPhase,
): ReadonlyMap<string, FeatureValue> {
  const values = new Map<string, FeatureValue>();
  if (version.features.length === 0) return values;
  const settings = settingsOf(version.productNamed(plan.product), plan, phase);
  for (const { name, kind } of version.features) {
    const setting = settings.get(name);
    const value = setting && parseFeatureValue(kind, setting);
    if (value !== undefined) values.set(name, value);
  }
  return values;
}

type Owner = { readonly features?: readonly FeatureSetting[] } | undefined;

/** Returns the last value of each feature. */
function settingsOf(...owners: readonly Owner[]): ReadonlyMap<string, FeatureSetting> {
  const settings = owners.flatMap((owner) => owner?.features ?? []);
  return new Map(settings.map((setting) => [setting.name, setting]));
}

/** Returns the value, or undefined if its form does not match the kind of the feature. */
export function parseFeatureValue(kind: FeatureKind, written: WrittenFeatureValue): FeatureValue | undefined {
  const allowed = optionsOf[kind];
  const hasOther = OPTIONS.some((option) => written[option] !== null && !allowed.includes(option));
  return hasOther ? undefined : readers[kind](written);
}

const OPTIONS = ['per', 'overage', 'perQuantity'] as const;

const optionsOf: Readonly<Record<FeatureKind, readonly (typeof OPTIONS)[number][]>> = {
  SWITCH: [],
  TEXT: [],
  NUMBER: ['perQuantity'],
  QUOTA: OPTIONS,
};

type Reader = (written: WrittenFeatureValue) => FeatureValue | undefined;

const readers: Readonly<Record<FeatureKind, Reader>> = {
  SWITCH: ({ value }) => {
    if (value !== 'true' && value !== 'false') return undefined;
    return { kind: FeatureKind.SWITCH, isOn: value === 'true' };
  },
  NUMBER: ({ value, perQuantity }) => {
    const amount = value === UNLIMITED ? null : amountOf(value);
    if (amount === undefined) return undefined;
    return { kind: FeatureKind.NUMBER, amount, perQuantity: perQuantity ?? false };
  },
  TEXT: ({ value }) =>
    value.length <= MAX_FEATURE_TEXT_CHARACTERS ? { kind: FeatureKind.TEXT, text: value } : undefined,
  QUOTA: ({ value, per, overage, perQuantity }) => {
    const amount = amountOf(value);
    if (amount === undefined || per === null) return undefined;
    return {
      kind: FeatureKind.QUOTA,
      amount,
      per,
      overage: overage ?? QuotaOverage.BLOCK,
      perQuantity: perQuantity ?? false,
    };
  },
};

function amountOf(text: string): Decimal | undefined {
  const amount = parseWireDecimal(text);
  return amount === undefined || amount.isNegative() ? undefined : amount;
}
