import type { HealthData, ParkedAccountView, SampleSeries } from '../../../lib/monitoring/index.ts';
import type { AccessLine } from '../../../lib/ports/storage/index.ts';
import type { QueueEntryView } from '../../../lib/queues/index.ts';
import {
  type NodeInfo,
  type PluginInfo,
  PluginState,
  ProcessingState,
  QueueName,
} from '../../../lib/records/index.ts';
import { stringifyExactJson } from '../../../lib/values/money/index.ts';
import { formatInstant, type Instant } from '../../../lib/values/time/index.ts';
import { field, model } from '../wire/model.ts';
import { bool, enumeration, int, recordNumber, text, timestamp, uuid } from '../wire/scalars.ts';
import { listOf, type WireType } from '../wire/wire-type.ts';

/** Absent texts and dates are empty here, absent numbers 0 (platform §12.1 rule 4). */
const shownDate = (at: Instant | null): string => (at === null ? '' : formatInstant(at));
const dateOf = (read: (entry: QueueEntryView) => Instant | null) =>
  field(text(), 'R', { from: (entry: QueueEntryView) => shownDate(read(entry)) });

/** Generated clients have no name for an empty value of an enumeration: the document says text. */
const stateOrEmpty: WireType<string> = {
  request: text().request,
  answer: enumeration({ ...ProcessingState, '': '' }).answer,
  get json() {
    return text().json;
  },
};

const entryFields = {
  recordId: field(recordNumber, 'R'),
  className: field(text(), 'R', { from: classNameOf }),
  eventJson: field(text(), 'R', { from: ({ event }: QueueEntryView) => stringifyExactJson(event) }),
  userToken: field(text(), 'R', { from: ({ userToken }: QueueEntryView) => userToken ?? '' }),
  createdDate: dateOf(({ createdDate }) => createdDate),
  creatingOwner: field(text(), 'R', { from: () => '' }),
  processingOwner: field(text(), 'R', {
    from: ({ processingOwner }: QueueEntryView) => processingOwner ?? '',
  }),
  processingAvailableDate: dateOf(({ availableDate }) => availableDate),
  processingState: field(stateOrEmpty, 'R', {
    from: ({ state, isCleared }: QueueEntryView) => (isCleared ? '' : state),
  }),
  errorCount: field(int(), 'R'),
  searchKey1: field(int(), 'R', { from: ({ accountRecordId }: QueueEntryView) => accountRecordId ?? 0 }),
  searchKey2: field(int(), 'R', { from: ({ tenantRecordId }: QueueEntryView) => tenantRecordId }),
};

/** Of a push the type of its event (platform §12.1 rule 4). */
function classNameOf({ topic, event }: QueueEntryView): string {
  return topic === QueueName.PUSH_NOTIFICATIONS ? String(event.eventType) : topic;
}

export const BusEvent = model('BusEvent', entryFields);

export const Notification = model('Notification', {
  ...entryFields,
  queueName: field(text(), 'R', { from: ({ topic }: QueueEntryView) => topic }),
  effectiveDate: dateOf(({ dueDate, isCleared }) => (isCleared ? null : dueDate)),
  futureUserToken: field(text(), 'R', { from: ({ userToken }: QueueEntryView) => userToken ?? '' }),
});

const HealthPluginService = model('HealthPluginServiceInfo', {
  serviceTypeName: field(text(), 'R'),
  registrationName: field(text(), 'R'),
});

const HealthPlugin = model('HealthPluginInfo', {
  pluginKey: field(text(), 'R', { from: ({ pluginKey }: PluginInfo) => pluginKey ?? '' }),
  bundleSymbolicName: field(text(), 'R', { from: ({ pluginName }: PluginInfo) => pluginName }),
  pluginName: field(text(), 'R'),
  version: field(text(), 'R', { from: ({ version }: PluginInfo) => version ?? '' }),
  pluginState: field(enumeration(PluginState), 'R', { from: ({ state }: PluginInfo) => state }),
  isSelectedForStart: field(bool, 'R', { from: () => true }),
  services: field(listOf(HealthPluginService), 'R'),
});

/** A node, with the time of the answer. */
export interface NodeAtTime extends NodeInfo {
  readonly at: Instant;
  readonly businessNow: Instant;
}

/** One version stands for the parts of which the reference has one each. */
const version = field(text(), 'R', { from: (node: NodeAtTime) => node.version });

const HealthNode = model('HealthNodeInfo', {
  time: field(int(), 'R', { from: ({ at }: NodeAtTime) => at }),
  kbClock: field(text(), 'R', {
    from: ({ businessNow }: NodeAtTime) => `${formatInstant(businessNow).slice(0, -1)}000000`,
  }),
  nodeName: field(text(), 'R'),
  bootTime: field(timestamp, 'R', { from: ({ bootDate }: NodeAtTime) => bootDate }),
  lastUpdatedDate: field(timestamp, 'R'),
  killbillVersion: version,
  apiVersion: version,
  platformVersion: version,
  commonVersion: version,
  pluginApiVersion: version,
  pluginInfos: field(listOf(HealthPlugin), 'R', { from: ({ plugins }: NodeAtTime) => plugins }),
});

const ParkedAccount = model('ParkedAccount', {
  accountId: field(uuid, 'R'),
  accountRecordId: field(recordNumber, 'R'),
  externalKey: field(text(), 'R'),
  parkedDate: field(timestamp, 'R', { from: ({ parkedDate }: ParkedAccountView) => parkedDate }),
});

const loggedAt = field(text(), 'R', { from: ({ atMs }: AccessLine) => logDate(atMs) });

const AccessLogLine = model('AccessLog', {
  nodeName: field(text(), 'R'),
  hostName: field(text(), 'R'),
  timeStamp: loggedAt,
  timestamp: loggedAt,
  method: field(text(), 'R'),
  uri: field(text(), 'R'),
  statusCode: field(text(), 'R', { from: ({ statusCode }: AccessLine) => String(statusCode) }),
  bytesSent: field(text(), 'R', {
    from: ({ bytesSent }: AccessLine) => (bytesSent === null ? '-' : String(bytesSent)),
  }),
});

export const HealthDataModel = model('HealthData', {
  nodeInfos: field(listOf(HealthNode), 'R', {
    from: ({ nodes, at, businessNow }: HealthData) => nodes.map((node) => ({ ...node, at, businessNow })),
  }),
  parkedAccounts: field(listOf(ParkedAccount), 'R'),
  lateBusEvents: field(listOf(BusEvent), 'R'),
  lateNotifications: field(listOf(Notification), 'R'),
  recentBusEvents: field(listOf(BusEvent), 'R'),
  recentNotifications: field(listOf(Notification), 'R'),
  recentAccessLogs: field(listOf(AccessLogLine), 'R', {
    from: ({ recentRequests }: HealthData) => recentRequests,
  }),
});

export const SamplesModel = model('SamplesForSampleKindAndHost', {
  nodeName: field(text(), 'R'),
  eventGroup: field(text(), 'R'),
  eventCategory: field(text(), 'R'),
  sampleKind: field(text(), 'R'),
  sampleSerializationFormat: field(text(), 'R', { from: () => 'csv' }),
  samples: field(text(), 'R', {
    from: ({ samples }: SampleSeries) =>
      samples.map(({ atMs, value }) => `${Math.floor(atMs / 1_000)},${shownValue(value)}`).join(','),
  }),
});

/** Six fractional digits at most. */
function shownValue(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toFixed(6)));
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Such as `10/Mar/2025:10:00:05 +0000`. */
function logDate(ms: number): string {
  const [date = '', time = ''] = formatInstant(ms as Instant).split('T');
  const [year, month, day] = date.split('-');
  return `${day}/${months[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
}
