import { LineStatus, RecordingFaultCode, UnbilledReason } from '../../../lib/usage/index.ts';
import { alike, field, maybe, model } from '../wire/model.ts';
import {
  bool,
  date,
  decimalNumber,
  enumeration,
  int,
  recordDate,
  text,
  timestamp,
  usageAmount,
  uuid,
} from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';

const required = { required: true } as const;

export const UsageRecord = model('UsageRecord', {
  recordDate: field(recordDate, 'I', required),
  amount: field(usageAmount, 'I', required),
});

export const UnitUsageRecord = model('UnitUsageRecord', {
  unitType: field(text(255), 'I', required),
  usageRecords: field(listOf(UsageRecord), 'I', required),
});

/** See json-models §10. */
export const SubscriptionUsageRecord = model('SubscriptionUsageRecord', {
  subscriptionId: field(uuid, 'I', required),
  trackingId: field(text(128), 'I'),
  unitUsageRecords: field(listOf(UnitUsageRecord), 'I', required),
});

const ReportedLine = model('UsageReportLine', {
  index: int({ minimum: 0 }),
  subscriptionId: maybe(uuid),
  trackingId: maybe(text(128)),
  status: enumeration(LineStatus),
  code: maybe(enumeration(RecordingFaultCode)),
  message: maybe(text()),
});

const count = int({ minimum: 0 });

export const UsageReport = model('UsageReport', {
  ...alike(count, 'received', 'accepted', 'duplicates', 'conflicts', 'rejected'),
  failures: listOf(ReportedLine),
  failuresTruncated: bool,
});

const RolledUpUnit = model('RolledUpUnit', { unitType: text(255), amount: decimalNumber });

export const RolledUpUsage = model('RolledUpUsage', {
  subscriptionId: uuid,
  startDate: timestamp,
  endDate: timestamp,
  rolledUpUnits: listOf(RolledUpUnit),
});

export const UnbilledUsage = model('UnbilledUsage', {
  unitType: text(255),
  amount: decimalNumber,
  reason: enumeration(UnbilledReason),
  usageName: maybe(text(255)),
  startDate: date,
  endDate: date,
});
