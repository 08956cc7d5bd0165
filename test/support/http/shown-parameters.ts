import { openApi } from '../../../adapters/koa/index.ts';
import { exampleIds } from '../../../adapters/koa/openapi/examples/named-examples.ts';
import { isIdParameter } from '../../../adapters/koa/routing/path.ts';
import type { Route } from '../../../adapters/koa/routing/route.ts';
import { withIds } from './example-bodies.ts';
import type { Sample } from './sample.ts';
import { type ShownParameter, shownParameters } from './shown-examples.ts';
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
