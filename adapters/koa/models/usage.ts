import { LineStatus, RecordingFaultCode, UnbilledReason } from '../../../lib/usage/index.ts';
import { field, model } from '../wire/model.ts';
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

/** What a subscription has used, as it is recorded (json-models §10). */
export const SubscriptionUsageRecord = model('SubscriptionUsageRecord', {
  subscriptionId: field(uuid, 'I', required),
  trackingId: field(text(128), 'I'),
  unitUsageRecords: field(listOf(UnitUsageRecord), 'I', required),
});

const ReportedLine = model('UsageReportLine', {
  index: field(int({ minimum: 0 }), 'R'),
  subscriptionId: field(uuid, 'R', { nullable: true }),
  trackingId: field(text(128), 'R', { nullable: true }),
  status: field(enumeration(LineStatus), 'R'),
  code: field(enumeration(RecordingFaultCode), 'R', { nullable: true }),
  message: field(text(), 'R', { nullable: true }),
});

const count = field(int({ minimum: 0 }), 'R');

/** What has become of the lines of a bulk call (json-models §10). */
export const UsageReport = model('UsageReport', {
  received: count,
  accepted: count,
  duplicates: count,
  conflicts: count,
  rejected: count,
  failures: field(listOf(ReportedLine), 'R'),
  failuresTruncated: field(bool, 'R'),
});

const RolledUpUnit = model('RolledUpUnit', {
  unitType: field(text(255), 'R'),
  amount: field(decimalNumber, 'R'),
});

/** What was used in a stretch of time (json-models §10). */
export const RolledUpUsage = model('RolledUpUsage', {
  subscriptionId: field(uuid, 'R'),
  startDate: field(timestamp, 'R'),
  endDate: field(timestamp, 'R'),
  rolledUpUnits: field(listOf(RolledUpUnit), 'R'),
});

/** Usage that is on no invoice (json-models §10). */
export const UnbilledUsage = model('UnbilledUsage', {
  unitType: field(text(255), 'R'),
  amount: field(decimalNumber, 'R'),
  reason: field(enumeration(UnbilledReason), 'R'),
  usageName: field(text(255), 'R', { nullable: true }),
  startDate: field(date, 'R'),
  endDate: field(date, 'R'),
});
