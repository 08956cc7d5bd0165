import { openApi } from '../../../adapters/koa/index.ts';
import { exampleIds } from '../../../adapters/koa/openapi/examples/named-examples.ts';
import { isIdParameter } from '../../../adapters/koa/routing/path.ts';
import type { Route } from '../../../adapters/koa/routing/route.ts';
import type { JsonSchema } from '../../../adapters/koa/wire/wire-type.ts';
import { type Sample, withIds } from './samples.ts';
import type { World } from './world.ts';

const parameters = shownParameters(await openApi());
const ids: ReadonlySet<unknown> = new Set(Object.values(exampleIds));

/** Operations with a query parameter or path segment that earlier operations do not have. */
export const firstToShow: ReadonlySet<string> = new Set([
  ...new Map(
    [...parameters]
      .toReversed()
      .flatMap(([operationId, each]) =>
        each.filter((one) => one.in !== 'header').map((one) => [`${one.name} ${one.example}`, operationId]),
      ),
  ).values(),
]);

/** Sets of mutually exclusive parameters: one call for each set omits it. */
export const leftOutOf: Readonly<Record<string, readonly (readonly string[])[]>> = {
  changeSubscriptionPlan: [['requestedDate'], ['billingPolicy']],
  getInvoicesForAccount: [
    ['unpaidInvoicesOnly', 'startDate'],
    ['withMigrationInvoices', 'includeInvoiceComponents'],
  ],
  payAllInvoices: [['externalPayment'], ['paymentMethodId']],
  getHostSamples: [
    ['from', 'to'],
    ['startTimeParameter', 'endTimeParameter'],
  ],
  // It would give the account its own catalog.
  createCatalogEntries: [['accountId']],
  createPlan: [['accountId']],
  // One day is enough: customers are invoiced for the elapsed time.
  updateTestClockTime: [['weeks', 'months', 'years']],
  // The test world uses another gateway for notifications.
  receiveGatewayNotification: [['pluginName']],
  getDiagnostic: [['logsDir']],
  // The server of the contract has one database.
  createTenant: [['cell']],
};

/** Returns the sample with all documented parameters except `leftOut`, using the ids of the test world. */
export function asShown(
  route: Route,
  sample: Sample,
  { world, leftOut }: { readonly world: World; readonly leftOut: readonly string[] },
): Sample {
  const all = parameters.get(route.operationId) ?? [];
  const at = (place: ShownParameter['in']) =>
    all.filter((each) => each.in === place && !leftOut.includes(each.name));
  const own = new URLSearchParams(sample.query);
  const query = new URLSearchParams();
  for (const { name, example } of at('query')) {
    for (const each of [example].flat()) {
      const value = ids.has(each) ? (own.get(name) ?? withIds(each, { ...world }) ?? world.unknownId) : each;
      query.append(name, String(value));
    }
  }
  const segments = at('path')
    .filter(({ name }) => !isIdParameter(name))
    .map(({ name, example }) => [name, encodeURIComponent(String(example))]);
  // An idempotency key or request id must differ between calls.
  const headers = at('header').map(({ name, example }) => [
    name.toLowerCase(),
    name === 'Idempotency-Key' ? `${example}-${world.next()}` : String(example),
  ]);
  return {
    ...sample,
    query: query.toString(),
    segments: { ...sample.segments, ...Object.fromEntries(segments) },
    headers: { ...sample.headers, ...Object.fromEntries(headers) },
  };
}

export interface ShownParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly example: unknown;
  /** True if documentation pages should prefill the parameter with its example. */
  readonly isFilledIn: boolean;
}

interface Documented {
  readonly operationId: string;
  readonly parameters?: readonly (ShownParameter & { readonly schema: JsonSchema })[];
}

export function shownParameters(document: JsonSchema): ReadonlyMap<string, readonly ShownParameter[]> {
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return new Map(
    operations.map(({ operationId, parameters = [] }) => [
      operationId,
      parameters.map(({ schema, ...parameter }) => ({
        ...parameter,
        example: parameter.example ?? firstOf(schema.examples),
        isFilledIn: parameter.example !== undefined,
      })),
    ]),
  );
}

/** Returns the example of a schema, from properties and first enumeration values. @throws Error if one is missing. */
export function shownValue(schema: JsonSchema, models: Models, within: readonly string[] = []): unknown {
  const { $ref, examples, anyOf, enum: values, const: only, items, properties, type } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (Array.isArray(values)) return values[0];
  if (only !== undefined) return only;
  if (typeof $ref === 'string') {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return within.includes(name) ? null : shownValue(models[name] ?? {}, models, [...within, name]);
  }
  if (Array.isArray(anyOf)) return shownValue(anyOf[0], models, within);
  if (typeof properties === 'object') {
    const members = Object.entries(properties as Models);
    return Object.fromEntries(
      members.map(([name, each]) => [name, shownValue(each, models, [...within, name])]),
    );
  }
  const [kind] = [type].flat();
  if (kind === 'array')
    return [shownValue(items as JsonSchema, models, within)].filter((each) => each !== null);
  if (kind === 'boolean') return true;
  if (kind === 'string' || kind === 'number' || kind === 'integer')
    throw new Error(`No example for ${within.join('.')}: ${JSON.stringify(schema)}`);
  return {};
}

type Models = Readonly<Record<string, JsonSchema>>;

function firstOf(examples: unknown): unknown {
  return Array.isArray(examples) ? examples[0] : undefined;
}
