import { openApi } from '../../../adapters/koa/index.ts';
import { exampleIds } from '../../../adapters/koa/openapi/examples/named-examples.ts';
import { isIdParameter } from '../../../adapters/koa/routing/path.ts';
import type { Route } from '../../../adapters/koa/routing/route.ts';
import type { JsonSchema } from '../../../adapters/koa/wire/wire-type.ts';
import { type Sample, withIds } from './samples.ts';
import type { World } from './world.ts';

const parameters = shownParameters(await openApi());
const ids: ReadonlySet<unknown> = new Set(Object.values(exampleIds));

/** Operations with a query parameter or segment that those before them do not have, under this name and example. */
export const firstToShow: ReadonlySet<string> = new Set([
  ...new Map(
    [...parameters]
      .toReversed()
      .flatMap(([operationId, each]) =>
        each.filter((one) => one.in !== 'header').map((one) => [`${one.name} ${one.example}`, operationId]),
      ),
  ).values(),
]);

/** Parameters that exclude each other: a call for each set, which leaves the others out. */
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
  // The account would have a catalog of its own from then on.
  createCatalogEntries: [['accountId']],
  createPlan: [['accountId']],
  // A day is enough: the customers are invoiced for all the time that passes.
  updateTestClockTime: [['weeks', 'months', 'years']],
  // The world has another gateway that takes notifications.
  receiveGatewayNotification: [['pluginName']],
  // Only the operator says which directories there are.
  getDiagnostic: [['logsDir']],
};

/** The sample with every parameter as the document shows it, but for those left out, and with ids that the world has. */
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
  // Each of these calls is another request.
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

/** A parameter of an operation with what the document shows for it. */
export interface ShownParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly example: unknown;
  /** Whether a page that fills forms with examples fills in this one. */
  readonly isFilledIn: boolean;
}

interface Documented {
  readonly operationId: string;
  readonly parameters?: readonly (ShownParameter & { readonly schema: JsonSchema })[];
}

/** The parameters of every operation of an OpenAPI document. */
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

/**
 * What a tool shows for a schema of an OpenAPI document: the examples of the properties put together, enumerations by
 * their first value, and null or nothing where an object would hold one of its own kind again.
 * @throws Error where a text or number has no example.
 */
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
