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

/** Default lines of one transaction of a bulk call (`usage.bulk.…`, usage §2.5). */
const BULK_USAGE_CHUNK_LINES = 5_000;

/** The lines of a transaction are held in memory. */
const MAX_SETTING_BULK_BYTES = 1_024 * 1_048_576;
const MAX_SETTING_CHUNK_LINES = 50_000;

/** Records up to which pages can be counted (`server.pagination.countThreshold`). */
const MAX_SETTING_DAYS = 36_500;
const MAX_SETTING_COUNT = 1_000_000_000;

/**
 * Interval of the search for payment attempts that nobody ended (`payment.janitor.rate`), and their least age
 * (`payment.janitor.attempts.delay`).
 */
const ATTEMPT_SWEEP_MS = HOUR_MS;
const OPEN_ATTEMPT_MS = 12 * HOUR_MS;

/** Largest `server.callCompletion.maxSec`. */
const MAX_SETTING_COMPLETION_SEC = 3_600;

/** Shortest lease of a claim that can be set. */
const MIN_QUEUE_LEASE_MS = 1_000;

/** Shortest and longest interval of the polling fallback that can be set. */
const MIN_QUEUE_POLL_MS = 10;
const MAX_QUEUE_POLL_MS = HOUR_MS;

/** Settable bounds for failures of a handler (`….max.failure.retry`) and entries of a claim (`….claimed`, `….nbThreads`). */
const MAX_SETTING_FAILURES = 1_000;
const MAX_SETTING_CLAIM = 10_000;

/** How far behind its due date a queue entry counts as late (`health.lateThreshold`). */
const LATE_THRESHOLD_MS = 60_000;

/** How long the access log is kept (`accesslog.retention`). */
const ACCESS_RETENTION_MS = 2 * DAY_MS;

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
