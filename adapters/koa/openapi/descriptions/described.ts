import type { JsonSchema } from '../../wire/wire-type.ts';
import { accountModels } from './account-models.ts';
import { catalogEntryModels } from './catalog-entry-models.ts';
import { catalogModels } from './catalog-models.ts';
import { invoiceModels } from './invoice-models.ts';
import type { ModelTexts } from './model-text.ts';
import { overdueModels } from './overdue-models.ts';
import { pathSegments } from './path-segments.ts';
import { paymentModels } from './payment-models.ts';
import { queryParameters } from './query-parameters.ts';
import { serverModels } from './server-models.ts';
import { sharedProperties } from './shared-properties.ts';
import { subscriptionModels } from './subscription-models.ts';
import { tenantModels } from './tenant-models.ts';

/** What the documents say of every model. */
export const modelTexts: ModelTexts = {
  ...accountModels,
  ...subscriptionModels,
  ...invoiceModels,
  ...paymentModels,
  ...catalogModels,
  ...catalogEntryModels,
  ...overdueModels,
  ...serverModels,
  ...tenantModels,
};

/** The component of a model with what it is and what each of its properties means. */
export function describedModel(name: string, component: JsonSchema): JsonSchema {
  const { about, properties = {} } = modelTexts[name] ?? {};
  const schemas = component.properties as Readonly<Record<string, JsonSchema>>;
  const described = Object.entries(schemas).map(([property, schema]) => [
    property,
    withText(schema, properties[property] ?? sharedProperties[property]),
  ]);
  return withText({ ...component, properties: Object.fromEntries(described) }, about);
}

/** What a query parameter asks for in an operation. */
export function queryText(operationId: string, name: string): string | undefined {
  return queryParameters[`${operationId}.${name}`] ?? queryParameters[name];
}

/** What a segment of a path names. */
export function segmentText(name: string): string | undefined {
  return pathSegments[name];
}

/** The schema with a text before what it says itself, such as which form is that of a dialect. */
function withText(schema: JsonSchema, text: string | undefined): JsonSchema {
  if (text === undefined) return schema;
  const { description: note } = schema;
  return { ...schema, description: typeof note === 'string' ? `${text}. ${note}` : text };
}
