import { decimal } from '../../../lib/values/money/index.ts';
import {
  ConsumedFeature,
  Feature,
  FeatureAnswer,
  FeatureConsumption,
  FeatureExplanation,
  FeatureOverride,
  FeatureRelease,
  overrideValueOf,
  ReleasedFeature,
} from '../models/features/feature.ts';
import { jsonBody, optionalJsonBody } from '../routing/body.ts';
import { inArea, type Route, tenantRoute } from '../routing/route.ts';
import { amountParameter, instantParameter, requiredParameter, uuidParameter } from '../wire/query.ts';
import { listOf } from '../wire/wire-type.ts';

const features = '/accounts/{accountId}/features' as const;
const feature = `${features}/{feature}` as const;
const at = { at: instantParameter };
const unknown = ['FEATURE_NOT_FOUND'] as const;
const quotaErrors = [...unknown, 'FEATURE_NOT_A_QUOTA'] as const;

/** See features §3. */
export const featureRoutes: readonly Route[] = inArea('features', [
  tenantRoute('getFeatures', `GET ${features}`, {
    summary: 'List the features of an account at an instant',
    permission: 'feature:view',
    query: at,
    shows: listOf(Feature),
    handle: ({ billing, context, params, query }) => billing.features.of(context, { ...params, ...query }),
  }),
  tenantRoute('canUseFeature', `GET ${feature}`, {
    summary: 'Check whether an account may use an amount of a feature now',
    permission: 'feature:view',
    query: { amount: amountParameter },
    shows: FeatureAnswer,
    fails: unknown,
    async handle({ billing, context, params: { accountId, feature: name }, query }) {
      const amount = query.amount ?? decimal(1);
      return { name, allowed: await billing.features.can(context, accountId, name, amount) };
    },
  }),
  tenantRoute('explainFeature', `GET ${feature}/explanation`, {
    summary: 'Get a feature of an account with the reasons for its value',
    permission: 'feature:view',
    query: at,
    shows: FeatureExplanation,
    fails: unknown,
    handle: ({ billing, context, params, query }) =>
      billing.features.explain(context, { ...params, ...query }),
  }),
  tenantRoute('consumeFeature', `POST ${feature}/consume`, {
    summary: 'Consume an amount of a quota; a refusal is a result, not an error',
    permission: 'feature:consume',
    body: optionalJsonBody(FeatureConsumption),
    shows: ConsumedFeature,
    fails: [...quotaErrors, 'QUOTA_KEY_REUSED'],
    handle: ({ billing, context, params, body }) => {
      const { amount, key = null, at: instant = null } = body ?? {};
      return billing.features.consume(context, { ...params, ...(amount && { amount }), key, at: instant });
    },
  }),
  tenantRoute('releaseFeature', `POST ${feature}/release`, {
    summary: 'Undo the consumption recorded with a key, once, and void its usage',
    permission: 'feature:consume',
    body: jsonBody(FeatureRelease),
    shows: ReleasedFeature,
    fails: [...quotaErrors, 'QUOTA_USE_NOT_FOUND', 'USAGE_RECORD_ARCHIVED'],
    handle: ({ billing, context, params, body: { key } }) =>
      billing.features.release(context, { ...params, key: key ?? '' }),
  }),
  tenantRoute('overrideFeature', `POST ${feature}/overrides`, {
    summary: 'Override a feature of an account or subscription for a period of time',
    permission: 'feature:override',
    body: jsonBody(FeatureOverride),
    shows: FeatureOverride,
    fails: [...unknown, 'FEATURE_VALUE_INVALID', 'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID'],
    handle: ({ billing, context, params, body }) => {
      const { subscriptionId = null, from = null, until = null, reason = null } = body;
      const request = { ...params, subscriptionId, from, until, reason, value: overrideValueOf(body) };
      return billing.features.override(context, request);
    },
  }),
  tenantRoute('endFeatureOverride', `DELETE ${feature}/overrides`, {
    summary: 'End an override of a feature now',
    permission: 'feature:override',
    query: { overrideId: requiredParameter(uuidParameter) },
    fails: ['FEATURE_OVERRIDE_NOT_FOUND'],
    async handle({ billing, context, params, query: { overrideId } }) {
      await billing.features.endOverride(context, overrideId, params);
    },
  }),
]);
