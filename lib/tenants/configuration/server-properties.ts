import {
  ACCESS_RETENTION_MS,
  ATTEMPT_SWEEP_MS,
  BULK_USAGE_CHUNK_LINES,
  IDEMPOTENCY_ABANDONED_MS,
  IDEMPOTENCY_RETENTION_MS,
  LATE_THRESHOLD_MS,
  MAX_ANSWER_ROWS,
  MAX_BULK_USAGE_BYTES,
  MAX_BULK_USAGE_LINES,
  MAX_COMPLETION_WAIT_MS,
  MAX_COUNTED_RECORDS,
  MAX_QUEUE_POLL_MS,
  MAX_SETTING_BULK_BYTES,
  MAX_SETTING_CHUNK_LINES,
  MAX_SETTING_CLAIM,
  MAX_SETTING_COMPLETION_SEC,
  MAX_SETTING_COUNT,
  MAX_SETTING_DAYS,
  MAX_SETTING_FAILURES,
  MAX_SETTING_SPAN_MS,
  MIN_QUEUE_LEASE_MS,
  MIN_QUEUE_POLL_MS,
  OPEN_ATTEMPT_MS,
  QUEUE_HISTORY_RETENTION_MS,
  QUEUE_LEASE_MS,
  QUEUE_MAX_FAILURES,
  QUEUE_MAX_LAPSES,
  QUEUE_POLL_MS,
  QUEUE_REAP_SCHEDULE_MS,
  QUEUE_REAP_THRESHOLD_MS,
} from '../../values/limits.ts';
import { flag, integer, milliseconds, names, size, span } from './property.ts';

const secondMs = 1_000;
const failures = integer(QUEUE_MAX_FAILURES, { min: 0, max: MAX_SETTING_FAILURES });
/** Null = not set: entries of both kinds share claims, whose size the engine decides. */
const entries = integer(null, { min: 1, max: MAX_SETTING_CLAIM });
const lease = span(QUEUE_LEASE_MS, { min: MIN_QUEUE_LEASE_MS, max: MAX_SETTING_SPAN_MS });
const poll = milliseconds(QUEUE_POLL_MS, { min: MIN_QUEUE_POLL_MS, max: MAX_QUEUE_POLL_MS });
const reapThreshold = span(QUEUE_REAP_THRESHOLD_MS, { min: 0, max: MAX_SETTING_SPAN_MS });
const reapSchedule = span(QUEUE_REAP_SCHEDULE_MS, { min: secondMs, max: MAX_SETTING_SPAN_MS });
const lapses = integer(QUEUE_MAX_LAPSES, { min: 1, max: MAX_SETTING_CLAIM });

/** Properties of the engine that hold for the whole server (platform §4.3); the HTTP server has settings of its own. */
export const serverProperties = {
  'notifications.allowPrivateNetworks': flag(false),
  'server.callCompletion.maxSec': integer(MAX_COMPLETION_WAIT_MS / secondMs, {
    min: 0,
    max: MAX_SETTING_COMPLETION_SEC,
  }),
  'server.idempotency.retention': span(IDEMPOTENCY_RETENTION_MS, {
    min: IDEMPOTENCY_ABANDONED_MS,
    max: MAX_SETTING_SPAN_MS,
  }),
  'server.limits.rows': integer(MAX_ANSWER_ROWS, { min: 1, max: MAX_SETTING_COUNT }),
  'server.pagination.countThreshold': integer(MAX_COUNTED_RECORDS, { min: 0, max: MAX_SETTING_COUNT }),
  'health.lateThreshold': span(LATE_THRESHOLD_MS),
  /** Paths; the first one is that of the log files. */
  'health.diagnostic.logDirs': names(),
  /** 0 = requests are not kept. */
  'accesslog.retention': span(ACCESS_RETENTION_MS),
  'queue.history.retention': span(QUEUE_HISTORY_RETENTION_MS),
  'payment.janitor.rate': span(ATTEMPT_SWEEP_MS, { min: secondMs, max: MAX_SETTING_SPAN_MS }),
  'payment.janitor.attempts.delay': span(OPEN_ATTEMPT_MS, { min: 0, max: MAX_SETTING_SPAN_MS }),
  'usage.bulk.maxRecords': integer(MAX_BULK_USAGE_LINES, { min: 1, max: MAX_SETTING_COUNT }),
  'usage.bulk.maxBytes': size(MAX_BULK_USAGE_BYTES, { min: 1, max: MAX_SETTING_BULK_BYTES }),
  'usage.bulk.chunkSize': integer(BULK_USAGE_CHUNK_LINES, { min: 1, max: MAX_SETTING_CHUNK_LINES }),
  /** Null = for good. */
  'usage.keyRetentionDays': integer(null, { min: 1, max: MAX_SETTING_DAYS }),
  'persistent.bus.main.max.failure.retry': failures,
  'persistent.bus.main.claimed': entries,
  'persistent.bus.main.claim.time': lease,
  'persistent.bus.main.sleep': poll,
  'persistent.bus.main.nbThreads': entries,
  'persistent.bus.main.reapThreshold': reapThreshold,
  'persistent.bus.main.reapSchedule': reapSchedule,
  'persistent.bus.main.maxReDispatchCount': lapses,
  'persistent.bus.main.off': flag(false),
  'notificationq.main.max.failure.retry': failures,
  'notificationq.main.claimed': entries,
  'notificationq.main.claim.time': lease,
  'notificationq.main.sleep': poll,
  'notificationq.main.notification.nbThreads': entries,
  'notificationq.main.reapThreshold': reapThreshold,
  'notificationq.main.reapSchedule': reapSchedule,
  'notificationq.main.maxReDispatchCount': lapses,
  'notificationq.main.notification.off': flag(false),
} as const;
