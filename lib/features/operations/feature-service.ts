import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { CallContext, WithContext } from '../../records/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, decimal, formatDecimal } from '../../values/money/index.ts';
import { explainFeature } from '../evaluation/explanation.ts';
import { featureView } from '../evaluation/feature-views.ts';
import type { FeatureAt } from '../evaluation/features-at.ts';
import { planDraws } from '../evaluation/quota-draws.ts';
import type { AccountFeatures } from '../loading/feature-cache.ts';
import type {
  FeatureExplanation,
  FeatureOperations,
  FeaturesRequest,
  FeatureView,
} from './feature-operations.ts';
import { featureOf, featureReading } from './feature-reading.ts';
import { overrideOperations } from './override-service.ts';
import { quotaOperations } from './quota-service.ts';

const ONE = decimal(1);

/** Operations on features of accounts. */
export function featureOperations(
  ports: Pick<Ports, 'storage' | 'ids' | 'sha256' | 'systemClock'>,
  catalogs: CatalogProvider,
  settingsOf: SettingsOf,
) {
  const reading = featureReading(ports, catalogs, settingsOf);

  const loadFeatures = async (
    context: CallContext,
    { accountId, at }: FeaturesRequest,
  ): Promise<AccountFeatures> =>
    at == null || at === context.createdDate
      ? reading.current(context, accountId)
      : reading.at(context, accountId, at);

  return {
    async of(context: CallContext, request: FeaturesRequest): Promise<readonly FeatureView[]> {
      const { features, used } = await loadFeatures(context, request);
      return [...features.features.values()]
        .map((feature) => featureView(feature, used.of(feature.name)))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },

    async can(
      context: CallContext,
      accountId: Uuid,
      ...[name, amount = ONE]: readonly [feature: string, amount?: Decimal]
    ): Promise<boolean> {
      if (amount.isNegative()) throw negativeAmount(amount);
      const current = await reading.current(context, accountId);
      return allows(current, featureOf(current, name), amount);
    },

    async explain(
      context: CallContext,
      request: FeaturesRequest & { readonly feature: string },
    ): Promise<FeatureExplanation> {
      const found = await loadFeatures(context, request);
      const feature = featureOf(found, request.feature);
      return { ...featureView(feature, found.used.of(feature.name)), reasons: explainFeature(feature) };
    },

    ...quotaOperations(ports, reading),
    ...overrideOperations(ports, catalogs),
  } satisfies FeatureOperations<WithContext>;
}

/** Returns true if the account may use the amount of the feature (§3). */
function allows({ used }: AccountFeatures, { name, value, counted }: FeatureAt, amount: Decimal): boolean {
  switch (value.kind) {
    case 'SWITCH':
      return value.isOn;
    case 'NUMBER':
      return value.amount === null || amount.lessThanOrEqualTo(value.amount);
    case 'TEXT':
      return value.text !== null;
    case 'QUOTA':
      return planDraws(counted, used.of(name), amount) !== null;
  }
}

function negativeAmount(amount: Decimal) {
  return invalidParameter(`Invalid amount ${formatDecimal(amount)}. Use an amount from 0`, { amount });
}
