import {
  DAY_MS,
  HOUR_MS,
  IDEMPOTENCY_ABANDONED_MS,
  IDEMPOTENCY_RETENTION_MS,
  MAX_ANSWER_ROWS,
  MAX_BULK_USAGE_BYTES,
  MAX_BULK_USAGE_LINES,
  MAX_COMPLETION_WAIT_MS,
  MAX_COUNTED_RECORDS,
  MAX_SETTING_SPAN_MS,
  QUEUE_HISTORY_RETENTION_MS,
  QUEUE_LEASE_MS,
  QUEUE_MAX_FAILURES,
  QUEUE_MAX_LAPSES,
  QUEUE_POLL_MS,
  QUEUE_REAP_SCHEDULE_MS,
  QUEUE_REAP_THRESHOLD_MS,
} from '../../values/limits.ts';
import { flag, integer, milliseconds, names, size, span } from './property.ts';

/** Default number of lines per transaction of a bulk call (`usage.bulk.…`, usage §2.5). */
const BULK_USAGE_CHUNK_LINES = 5_000;

/**
 * Upper limits of the settings for bulk calls. They are necessary because the lines of a transaction are kept in
 * memory.
 */
const MAX_SETTING_BULK_BYTES = 1_024 * 1_048_576;
const MAX_SETTING_CHUNK_LINES = 50_000;

const MAX_SETTING_DAYS = 36_500;
const MAX_SETTING_COUNT = 1_000_000_000;

const MAX_SETTING_CLAIM = 10_000;

const secondMs = 1_000;
const failures = integer(QUEUE_MAX_FAILURES, { min: 0, max: 1_000 });
/**
 * Number of entries to claim or to handle at a time. If the property is not set, the value is null, each claim takes
 * entries of both kinds, and the engine chooses the number.
 */
const entries = integer(null, { min: 1, max: MAX_SETTING_CLAIM });
const lease = span(QUEUE_LEASE_MS, { min: secondMs, max: MAX_SETTING_SPAN_MS });
const poll = milliseconds(QUEUE_POLL_MS, { min: 10, max: HOUR_MS });
const reapThreshold = span(QUEUE_REAP_THRESHOLD_MS, { min: 0, max: MAX_SETTING_SPAN_MS });
const reapSchedule = span(QUEUE_REAP_SCHEDULE_MS, { min: secondMs, max: MAX_SETTING_SPAN_MS });
const lapses = integer(QUEUE_MAX_LAPSES, { min: 1, max: MAX_SETTING_CLAIM });

/** Describes the server-wide properties of the engine (platform §4.3). The HTTP server has its own settings. */
export const serverProperties = {
  'notifications.allowPrivateNetworks': flag(false),
  'server.callCompletion.maxSec': integer(MAX_COMPLETION_WAIT_MS / secondMs, { min: 0, max: 3_600 }),
  'server.idempotency.retention': span(IDEMPOTENCY_RETENTION_MS, {
    min: IDEMPOTENCY_ABANDONED_MS,
    max: MAX_SETTING_SPAN_MS,
  }),
  'server.limits.rows': integer(MAX_ANSWER_ROWS, { min: 1, max: MAX_SETTING_COUNT }),
  'server.pagination.countThreshold': integer(MAX_COUNTED_RECORDS, { min: 0, max: MAX_SETTING_COUNT }),
  /** A queue entry is late if it is still unprocessed this long after its due date. */
  'health.lateThreshold': span(60 * secondMs),
  /** Directories that diagnostics may read. The first one contains the log files. */
  'health.diagnostic.logDirs': names(),
  /** Time for which logged requests are kept. If the value is 0, no requests are kept. */
  'accesslog.retention': span(2 * DAY_MS),
  'queue.history.retention': span(QUEUE_HISTORY_RETENTION_MS),
  /**
   * Interval between searches for unfinished payment attempts. It is also the minimum age of the attempts that a search
   * finds.
   */
  'payment.janitor.rate': span(HOUR_MS, { min: secondMs, max: MAX_SETTING_SPAN_MS }),
  'payment.janitor.attempts.delay': span(12 * HOUR_MS),
  'usage.bulk.maxRecords': integer(MAX_BULK_USAGE_LINES, { min: 1, max: MAX_SETTING_COUNT }),
  'usage.bulk.maxBytes': size(MAX_BULK_USAGE_BYTES, { min: 1, max: MAX_SETTING_BULK_BYTES }),
  'usage.bulk.chunkSize': integer(BULK_USAGE_CHUNK_LINES, { min: 1, max: MAX_SETTING_CHUNK_LINES }),
  /** Number of days for which tracking ids of archived usage are kept. Null means that they are never deleted. */
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
