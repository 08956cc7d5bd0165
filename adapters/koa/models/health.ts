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
import { withLazy } from '../wire/lazy-values.ts';
import { alike, derivedField, model } from '../wire/model.ts';
import { bool, enumeration, int, recordNumber, text, timestamp, uuid } from '../wire/scalars.ts';
import { listOf, type WireType } from '../wire/wire-type.ts';

/** Returns a date, or an empty string if the date is missing. Missing numbers become 0 (platform §12.1 rule 4). */
const dateOf = (read: (entry: QueueEntryView) => Instant | null) =>
  derivedField(text(), (entry: QueueEntryView) => {
    const at = read(entry);
    return at === null ? '' : formatInstant(at);
  });

/**
 * A state or an empty string. The API document declares a plain string, because generated clients cannot name an empty
 * enumeration value.
 */
const stateOrEmpty: WireType<string> = withLazy(
  { request: text().request, answer: enumeration({ ...ProcessingState, '': '' }).answer },
  { json: () => text().json },
);

const entryFields = {
  recordId: recordNumber,
  className: derivedField(text(), classNameOf),
  eventJson: derivedField(text(), ({ event }: QueueEntryView) => stringifyExactJson(event)),
  userToken: derivedField(text(), ({ userToken }: QueueEntryView) => userToken ?? ''),
  createdDate: dateOf(({ createdDate }) => createdDate),
  creatingOwner: derivedField(text(), () => ''),
  processingOwner: derivedField(text(), ({ processingOwner }: QueueEntryView) => processingOwner ?? ''),
  processingAvailableDate: dateOf(({ availableDate }) => availableDate),
  processingState: derivedField(stateOrEmpty, ({ state, isCleared }: QueueEntryView) =>
    isCleared ? '' : state,
  ),
  errorCount: int(),
  searchKey1: derivedField(int(), ({ accountRecordId }: QueueEntryView) => accountRecordId ?? 0),
  searchKey2: derivedField(int(), ({ tenantRecordId }: QueueEntryView) => tenantRecordId),
};

/** Returns the class name of a queue entry. For pushes, this is the event type (platform §12.1 rule 4). */
function classNameOf({ topic, event }: QueueEntryView): string {
  return topic === QueueName.PUSH_NOTIFICATIONS ? String(event.eventType) : topic;
}

export const BusEvent = model('BusEvent', entryFields);

export const Notification = model('Notification', {
  ...entryFields,
  queueName: derivedField(text(), ({ topic }: QueueEntryView) => topic),
  effectiveDate: dateOf(({ dueDate, isCleared }) => (isCleared ? null : dueDate)),
  futureUserToken: derivedField(text(), ({ userToken }: QueueEntryView) => userToken ?? ''),
});

const HealthPluginService = model('HealthPluginServiceInfo', {
  serviceTypeName: text(),
  registrationName: text(),
});

const HealthPlugin = model('HealthPluginInfo', {
  pluginKey: derivedField(text(), ({ pluginKey }: PluginInfo) => pluginKey ?? ''),
  bundleSymbolicName: derivedField(text(), ({ pluginName }: PluginInfo) => pluginName),
  pluginName: text(),
  version: derivedField(text(), ({ version }: PluginInfo) => version ?? ''),
  pluginState: derivedField(enumeration(PluginState), ({ state }: PluginInfo) => state),
  isSelectedForStart: derivedField(bool, () => true),
  services: listOf(HealthPluginService),
});

export interface NodeAtTime extends NodeInfo {
  readonly at: Instant;
  readonly businessNow: Instant;
}

/**
 * Version of the server. In Kill Bill, each part has its own version; in this server, all parts have the same version.
 */
const version = derivedField(text(), (node: NodeAtTime) => node.version);

const HealthNode = model('HealthNodeInfo', {
  time: derivedField(int(), ({ at }: NodeAtTime) => at),
  kbClock: derivedField(
    text(),
    ({ businessNow }: NodeAtTime) => `${formatInstant(businessNow).slice(0, -1)}000000`,
  ),
  nodeName: text(),
  bootTime: derivedField(timestamp, ({ bootDate }: NodeAtTime) => bootDate),
  lastUpdatedDate: timestamp,
  ...alike(version, 'killbillVersion', 'apiVersion', 'platformVersion', 'commonVersion'),
  pluginApiVersion: version,
  pluginInfos: derivedField(listOf(HealthPlugin), ({ plugins }: NodeAtTime) => plugins),
});

const ParkedAccount = model('ParkedAccount', {
  accountId: uuid,
  accountRecordId: recordNumber,
  externalKey: text(),
  parkedDate: derivedField(timestamp, ({ parkedDate }: ParkedAccountView) => parkedDate),
});

const loggedAt = derivedField(text(), ({ atMs }: AccessLine) => logDate(atMs));

const AccessLogLine = model('AccessLog', {
  nodeName: text(),
  hostName: text(),
  timeStamp: loggedAt,
  timestamp: loggedAt,
  method: text(),
  uri: text(),
  statusCode: derivedField(text(), ({ statusCode }: AccessLine) => String(statusCode)),
  bytesSent: derivedField(text(), ({ bytesSent }: AccessLine) =>
    bytesSent === null ? '-' : String(bytesSent),
  ),
});

export const HealthDataModel = model('HealthData', {
  nodeInfos: derivedField(listOf(HealthNode), ({ nodes, at, businessNow }: HealthData) =>
    nodes.map((node) => ({ ...node, at, businessNow })),
  ),
  parkedAccounts: listOf(ParkedAccount),
  lateBusEvents: listOf(BusEvent),
  lateNotifications: listOf(Notification),
  recentBusEvents: listOf(BusEvent),
  recentNotifications: listOf(Notification),
  recentAccessLogs: derivedField(listOf(AccessLogLine), ({ recentRequests }: HealthData) => recentRequests),
});

export const SamplesModel = model('SamplesForSampleKindAndHost', {
  ...alike(text(), 'nodeName', 'eventGroup', 'eventCategory', 'sampleKind'),
  sampleSerializationFormat: derivedField(text(), () => 'csv'),
  samples: derivedField(text(), ({ samples }: SampleSeries) =>
    samples.map(({ atMs, value }) => `${Math.floor(atMs / 1_000)},${shownValue(value)}`).join(','),
  ),
});

/** Returns a number with at most six fractional digits. */
function shownValue(value: number): string {
  return String(Number.isInteger(value) ? value : Number(value.toFixed(6)));
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns a time in the format of access logs, such as `10/Mar/2025:10:00:05 +0000`. */
function logDate(ms: number): string {
  const [date = '', time = ''] = formatInstant(ms as Instant).split('T');
  const [year, month, day] = date.split('-');
  return `${day}/${months[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
}
