import { field, model } from '../wire/model.ts';
import { decimalNumber, recordDate, text, timestamp, usageAmount, uuid } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';

const required = { required: true } as const;

const UsageRecord = model('UsageRecord', {
  recordDate: field(recordDate, 'I', required),
  amount: field(usageAmount, 'I', required),
});

const UnitUsageRecord = model('UnitUsageRecord', {
  unitType: field(text(255), 'I', required),
  usageRecords: field(listOf(UsageRecord), 'I', required),
});

/** What a subscription has used, as it is recorded (json-models §10). */
export const SubscriptionUsageRecord = model('SubscriptionUsageRecord', {
  subscriptionId: field(uuid, 'I', required),
  trackingId: field(text(128), 'I'),
  unitUsageRecords: field(listOf(UnitUsageRecord), 'I', required),
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
