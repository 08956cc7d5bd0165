import { Granularity } from '../../../../lib/monitoring/index.ts';
import { QueueKind } from '../../../../lib/records/index.ts';
import { invalidParameter } from '../../../../lib/values/errors/index.ts';
import { MAX_NAMED_ENTRIES, MAX_SHOWN_ENTRIES } from '../../../../lib/values/limits.ts';
import { BusEvent, HealthDataModel, Notification, SamplesModel } from '../../models/health.ts';
import { jsonListBody } from '../../routing/body.ts';
import { inArea, pluginRoute, type Route } from '../../routing/route.ts';
import {
  instantParameter,
  integer,
  optionalChoice,
  plainText,
  textList,
  wholeTexts,
  withoutNulls,
} from '../../wire/query.ts';
import { recordNumber } from '../../wire/scalars.ts';
import { listOf } from '../../wire/wire-type.ts';

const base = '/health';

const { BUS, NOTIFICATION } = QueueKind;
const kinds = [
  { kind: BUS, path: 'bus', model: BusEvent, name: 'BusEntries', words: 'bus entries' },
  {
    kind: NOTIFICATION,
    path: 'notifications',
    model: Notification,
    name: 'Notifications',
    words: 'notifications',
  },
] as const;
const upkeep = {
  permission: 'admin:update',
  body: jsonListBody(recordNumber, 'RecordIds'),
  success: { status: 200 },
} as const;

/** Routes for stuck or failed entries of each kind (platform §12.4, §12.5). */
const entryRoutes: readonly Route[] = kinds.flatMap(({ kind, path, model, name, words }) => [
  pluginRoute(`fix${name}`, `PUT ${base}/${path}/fixup`, {
    ...upkeep,
    summary: `Release stuck ${words} by record id, so that any node can process them immediately`,
    async handle({ billing, context, body }) {
      await billing.queues.free(context, { kind, recordIds: body });
    },
  }),
  pluginRoute(`listFailed${name}`, `GET ${base}/${path}/failed`, {
    summary: `List the ${words} that were given up, oldest first`,
    permission: 'admin:health',
    query: {
      from: instantParameter,
      to: instantParameter,
      maxNumberOfRows: integer(MAX_SHOWN_ENTRIES, { minimum: 1, maximum: MAX_NAMED_ENTRIES }),
    },
    shows: listOf(model),
    handle: ({ billing, context, query: { maxNumberOfRows: limit, ...dates } }) =>
      billing.queues.failed(context, { kind, ...withoutNulls(dates), limit }),
  }),
  pluginRoute(`reinsert${name}`, `PUT ${base}/${path}/failed`, {
    ...upkeep,
    summary: `Retry ${words} that were given up, by record id`,
    async handle({ billing, context, body }) {
      await billing.queues.putBack(context, { kind, recordIds: body });
    },
  }),
]);

/** See platform §12. */
export const monitoringRoutes: readonly Route[] = inArea('health', [
  pluginRoute('getHealthData', `GET ${base}/data`, {
    summary: 'Get the state of nodes, parked accounts, late and recent queue entries, and recent requests',
    permission: 'admin:health',
    shows: HealthDataModel,
    isLong: true,
    handle: ({ billing, context }) => billing.monitoring.data(context),
  }),
  pluginRoute('getHostSamples', `GET ${base}/host_samples`, {
    summary: 'Get metric samples of the nodes as time series',
    permission: 'admin:health',
    query: {
      startTimeParameter: instantParameter,
      endTimeParameter: instantParameter,
      from: instantParameter,
      to: instantParameter,
      hostNames: textList,
      group: plainText,
      category_and_sample_kind: wholeTexts,
      granularity: optionalChoice(Granularity),
    },
    shows: listOf(SamplesModel),
    isLong: true,
    handle: ({ billing, context, query }) =>
      billing.monitoring.samples(context, {
        from: oneOf(query.startTimeParameter, query.from, 'startTimeParameter and from'),
        to: oneOf(query.endTimeParameter, query.to, 'endTimeParameter and to'),
        nodeNames: query.hostNames,
        eventGroup: query.group ?? undefined,
        kinds: query.category_and_sample_kind.map(kindOf),
        granularity: query.granularity ?? undefined,
      }),
  }),
  ...entryRoutes,
]);

function oneOf<T>(one: T | null, other: T | null, names: string): T | undefined {
  if (one !== null && other !== null) throw invalidParameter(`Use only one of ${names}`);
  return one ?? other ?? undefined;
}

function kindOf(pair: string) {
  const [eventCategory = '', sampleKind = '', ...more] = pair.split(',').map((part) => part.trim());
  if (eventCategory !== '' && sampleKind !== '' && more.length === 0) return { eventCategory, sampleKind };
  throw invalidParameter('category_and_sample_kind is not of the form category,sampleKind', { pair });
}
