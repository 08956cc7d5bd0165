import type { JsonSchema } from '../../wire/wire-type.ts';
import { accountModels } from './account-models.ts';
import { catalogEntryModels } from './catalog-entry-models.ts';
import { catalogModels } from './catalog-models.ts';
import { couponModels } from './coupon-models.ts';
import { featureModels } from './feature-models.ts';
import { invoiceModels } from './invoice-models.ts';
import { overdueModels } from './overdue-models.ts';
import { pathSegments } from './path-segments.ts';
import { paymentModels } from './payment-models.ts';
import { queryParameters } from './query-parameters.ts';
import { reportModels } from './report-models.ts';
import { serverModels } from './server-models.ts';
import { sharedProperties } from './shared-properties.ts';
import { subscriptionModels } from './subscription-models.ts';
import { tenantModels } from './tenant-models.ts';
import type { Texts } from './texts.ts';

/** Descriptions of all models and their properties. */
export const modelTexts: Texts = {
  ...sharedProperties,
  ...accountModels,
  ...subscriptionModels,
  ...invoiceModels,
  ...paymentModels,
  ...catalogModels,
  ...catalogEntryModels,
  ...couponModels,
  ...overdueModels,
  ...featureModels,
  ...reportModels,
  ...serverModels,
  ...tenantModels,
};

/** Returns the component of a model, with the descriptions of the model and its properties. */
export function describedModel(name: string, component: JsonSchema): JsonSchema {
  const schemas = component.properties as Readonly<Record<string, JsonSchema>>;
  const described = Object.entries(schemas).map(([property, schema]) => [
    property,
    withText(schema, modelTexts[`${name}.${property}`] ?? modelTexts[property]),
  ]);
  return withText({ ...component, properties: Object.fromEntries(described) }, modelTexts[name]);
}

export function queryText(operationId: string, name: string): string | undefined {
  return queryParameters[`${operationId}.${name}`] ?? queryParameters[name];
}

export function segmentText(name: string): string | undefined {
  return pathSegments[name] ?? modelTexts[name];
}

/** Adds text, such as a note on dialects, in front of the schema's own description. */
function withText(schema: JsonSchema, text: string | undefined): JsonSchema {
  if (text === undefined) return schema;
  const { description: note } = schema;
  return { ...schema, description: typeof note === 'string' ? `${text}. ${note}` : text };
}
