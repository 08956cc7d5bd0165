/**
 * Limits that several files share, with unit and reason. Other limits are in the file that uses them. Every loop,
 * queue, retry, cache and input has a named limit. Comments name the server properties that override a value.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const KIBIBYTE = 1_024;
const MEBIBYTE = 1_024 * KIBIBYTE;

// Limits of dates and times

/** The first year of a `LocalDate` or `Instant`. The last year is limited by `yyyy` (http-api §9). */
export const MIN_YEAR = 1;
export const MAX_YEAR = 9_999;

// Limits of numbers

/** Maximum number of digits of an amount, rate or quantity on the wire (http-api §9 rule 5). */
export const MAX_INTEGER_DIGITS = 15;
export const MAX_FRACTION_DIGITS = 9;

/** Maximum number of integer digits of a usage amount (usage §2.4). A sum of 10^11 such amounts is exact. */
export const MAX_USAGE_INTEGER_DIGITS = 20;

/** Maximum number of characters of a number literal, including insignificant zeros. */
export const MAX_NUMBER_CHARACTERS = 128;

/** The bounds of signed 32-bit integers in rows. */
export const MIN_STORED_INTEGER = -2_147_483_648;
export const MAX_STORED_INTEGER = 2_147_483_647;

// Limits of billing

/** Maximum number of billing periods of a subscription in one run, which allows daily billing for 27 years. */
export const MAX_PERIODS_PER_RUN = 10_000;

/**
 * Number of accounts checked in one transaction after a catalog change. The transaction takes about ten milliseconds
 * on PostgreSQL.
 */
export const ACCOUNTS_PER_CATALOG_CHANGE_PAGE = 200;

/**
 * Maximum number of years between today and the start of a subscription, so that its timeline stays in the calendar.
 */
export const MAX_REQUESTED_DATE_YEARS = 100;

/** Maximum number of months from today to a target date (`invoice.maxNumberOfMonthsInFuture`). */
export const MAX_TARGET_DATE_MONTHS = 36;

/** Maximum number of characters of the service and of the name of a blocking state. */
export const MAX_BLOCKING_STATE_NAME_CHARACTERS = 50;

/** Maximum number of items per subscription and local day (`invoice.maxDailyNumberOfItemsSafetyBound`). */
export const MAX_DAILY_ITEMS_PER_SUBSCRIPTION = 15;

// Limits of usage (usage §1.1)

/** Maximum number of characters of a tracking id and of the name of a unit. */
export const MAX_TRACKING_ID_CHARACTERS = 128;
export const MAX_UNIT_NAME_CHARACTERS = 255;

/** Default limit for the lines of one bulk call (`usage.bulk.…`, usage §2.5). */
export const MAX_BULK_USAGE_LINES = 50_000;
export const MAX_BULK_USAGE_BYTES = 32 * MEBIBYTE;

/** Number of points processed in one turn of some milliseconds. It is also the minimum weight of a line. */
export const BULK_USAGE_POINTS_PER_TURN = 1_000;

// Limits of usage sources (usage §9)

/** Maximum number of stored tracking ids per subscription in a result and in a billed interval. */
export const MAX_SUPPLIED_TRACKING_IDS = 10_000;

/** Maximum number of concurrent calls of usage sources for a batch of due work. */
export const MAX_CONCURRENT_USAGE_CALLS = 8;

// Limits of catalog documents (catalog §3.2)

/** Maximum nesting of elements. The grammar needs 12. */
export const MAX_XML_DEPTH = 24;

/** Maximum number of attributes of one element. The root with its schema location has 3. */
export const MAX_XML_ATTRIBUTES = 16;

/** Maximum number of characters of an element or attribute name. */
export const MAX_XML_NAME_CHARACTERS = 255;

/** Maximum number of characters of one text value. */
export const MAX_XML_TEXT_CHARACTERS = 4_096;

/** Number of catalog parts that are stored, read or hashed at the same time. */
export const CATALOG_PARTS_AT_ONCE = 1_000;

/** Maximum number of listed validation errors per document. Further errors are only counted. */
export const MAX_LISTED_PROBLEMS = 1_000;

/** Maximum number of cached catalogs, each with all versions of a tenant. */
export const MAX_CACHED_CATALOGS = 200;

/** Maximum number of characters of all cached catalogs, except for the catalog in use. */
export const MAX_CACHED_CATALOG_CHARACTERS = 64 * MEBIBYTE;

// Limits of catalog plugins (catalog §16)

/** Time limit of a catalog plugin's call. Every operation of the tenant waits for the call. */
export const CATALOG_PLUGIN_TIMEOUT_MS = 10 * SECOND_MS;

// Limits of entitlement plugins (subscriptions §22)

/** Maximum number of characters of a plugin's abort reason. */
export const MAX_ABORT_REASON_CHARACTERS = 1_000;

// Limits of invoice plugins (invoicing §13)

/** Maximum number of concurrent calls of invoice plugins for a batch of due work. */
export const MAX_CONCURRENT_INVOICE_CALLS = 8;

/** Maximum number of plugin calls of a run for an account that keeps changing. */
export const MAX_INVOICE_CONSULTATIONS = 5;

// Limits of pushes (platform §10.2)

/** Number of a tenant's deliveries that are loaded at a time. */
export const PUSH_LOAD_SIZE = 200;

/** Lease time of a tenant's pushes. After this time, another node serves the tenant. */
export const PUSH_LEASE_MS = 30 * SECOND_MS;

/** Default number of events in a result. */
export const DEFAULT_EVENTS = 100;
export const MAX_EVENTS = 1_000;

/** Maximum wait for an event, less than `MAX_REQUEST_MS`. */
export const MAX_EVENT_WAIT_MS = 30 * SECOND_MS;

/** Interval at which a waiting reader checks for events from other nodes. */
export const EVENT_POLL_MS = SECOND_MS;

/** Maximum time span in a configuration, so that dates stay in the calendar. */
export const MAX_SETTING_SPAN_MS = 100 * 365 * DAY_MS;

/**
 * Maximum number of 100 ms steps that a call waits for a busy account. The wait is not longer than a request
 * (platform §16).
 */
export const MAX_LOCK_WAIT_STEPS = 600;

// Limits of requests (platform §16)

/** Maximum nesting of lists and objects in a JSON body. The deepest model has 5 levels. */
export const MAX_JSON_DEPTH = 64;

/** Maximum number of bytes of the header block (`server.limits.header`). */
export const MAX_HEADER_BYTES = 16 * KIBIBYTE;

/** Time limit of a request (`server.limits.requestTime`), except streams and `callCompletion`. */
export const MAX_REQUEST_MS = MINUTE_MS;

/** Time limit of request headers. */
export const MAX_HEADERS_MS = 10 * SECOND_MS;

/** Maximum number of concurrent connections of a server (`server.limits.connections`). */
export const MAX_CONNECTIONS = 2_000;

/** Default page size. */
export const DEFAULT_PAGE_SIZE = 100;

/**
 * Maximum number of rows of one account in a result without pages: bundles, subscriptions and their events, invoices
 * with their items, payments with their transactions (`server.limits.rows`). They take some 20 MB of JSON.
 */
export const MAX_ANSWER_ROWS = 50_000;

/**
 * Number of subscriptions and blocking states read by one statement. Also the number of rows computed in one turn of
 * some milliseconds.
 */
export const SUBSCRIPTIONS_READ_AT_ONCE = 1_000;
export const RECORDS_READ_AT_ONCE = 5_000;
export const ROWS_OF_TURN = 1_000;

/**
 * Maximum number of notifications without credentials per second, tenant and gateway (`server.limits.rate.gateways`).
 */
export const GATEWAY_NOTIFICATION_RATE = 20;

/** Maximum pagination total. Larger totals are omitted (`server.pagination.countThreshold`). */
export const MAX_COUNTED_RECORDS = 20_000;

/** Maximum wait of `callCompletion` (`server.callCompletion.maxSec`). */
export const MAX_COMPLETION_WAIT_MS = 120 * SECOND_MS;

/**
 * Maximum number of characters of an external key (code 5, EXTERNAL_KEY_LIMIT_EXCEEDED) and of an `Idempotency-Key`.
 */
export const MAX_EXTERNAL_KEY_CHARACTERS = 255;

/** Retention of the response to an `Idempotency-Key` (`server.idempotency.retention`). */
export const IDEMPOTENCY_RETENTION_MS = DAY_MS;

/** Age at which an unfinished request is treated as crashed, so that a repeated request runs again. */
export const IDEMPOTENCY_ABANDONED_MS = 10 * MINUTE_MS;

// Limits of security (platform §6–§8)

/** Window for counting failed logins. */
export const LOGIN_FAILURE_WINDOW_MS = 15 * MINUTE_MS;

/** Idle time after which a login session ends (`rbac.globalSessionTimeout`). */
export const SESSION_IDLE_MS = HOUR_MS;

/** Lifetime of a token (`security.token.lifetime`). */
export const TOKEN_LIFETIME_MS = HOUR_MS;

/** Maximum clock difference between servers that token checks tolerate. */
export const TOKEN_CLOCK_TOLERANCE_MS = MINUTE_MS;

/** Number of encrypted texts that a rotation of the server key reads and replaces in one transaction. */
export const ENCRYPTED_TEXTS_PER_BATCH = 200;

export const SIGNING_KEY_LIFETIME_MS = 90 * DAY_MS;

/** Cache time of published keys. */
export const KEY_SET_CACHE_MS = 10 * MINUTE_MS;

/** Minimum pause between lookups of an unknown key id. */
export const KEY_SET_PAUSE_MS = MINUTE_MS;

// Limits of tags and custom fields (accounts §1.2)

export const MAX_TAG_DEFINITION_NAME_CHARACTERS = 20;
export const MAX_TAG_DEFINITION_DESCRIPTION_CHARACTERS = 200;
export const MAX_CUSTOM_FIELD_NAME_CHARACTERS = 64;
export const MAX_CUSTOM_FIELD_VALUE_CHARACTERS = 255;

// Limits of the storage

/**
 * Maximum pause between statements of a writing transaction. The pause is shorter than a lease, so that a hanging
 * node blocks nobody for long. Computations between statements take a fraction of this time.
 */
export const DATABASE_IDLE_MS = 20 * SECOND_MS;

/** Milliseconds that SQLite waits for its write lock. */
export const SQLITE_BUSY_TIMEOUT_MS = 5 * SECOND_MS;

/** Duration of one step of the wait for a busy account. The wait has `invoice.globalLock.retries` steps. */
export const LOCK_WAIT_STEP_MS = 100;

// Limits of the queue (platform §4.3 and §9)

/**
 * Number of entries per claim, which equals `notificationq.main.claimed` (10) × `nbThreads` (10) in Kill Bill.
 * Accounts of a claim share transactions, which makes runs fast.
 */
export const QUEUE_CLAIM_LIMIT = 100;

/** Maximum number of entries of busy accounts whose attempts are counted. */
export const MAX_BUSY_ENTRIES_COUNTED = 10_000;

/** Lease time of a claim in system time (`….claim.time`). The lease is renewed after a third of this time. */
export const QUEUE_LEASE_MS = 30 * SECOND_MS;

/** Interval of the polling fallback (`….sleep`). */
export const QUEUE_POLL_MS = 3 * SECOND_MS;

/** Number of handler failures before an entry is FAILED (`….max.failure.retry`). */
export const QUEUE_MAX_FAILURES = 3;

/** Pauses before the next attempt of a failed handler, in system time. */
export const QUEUE_RETRY_PAUSES_MS: readonly number[] = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS];

/** Number of expired leases before an entry is reaped (`….maxReDispatchCount`). */
export const QUEUE_MAX_LAPSES = 10;
export const QUEUE_REAP_THRESHOLD_MS = 10 * MINUTE_MS;
export const QUEUE_REAP_SCHEDULE_MS = 3 * MINUTE_MS;

/** Retention of finished entries (`queue.history.retention`). */
export const QUEUE_HISTORY_RETENTION_MS = 90 * DAY_MS;

/** Number of rows purged by one statement. */
export const QUEUE_PURGE_SIZE = 1_000;

/** Time for which the bus entries of an account wait for an earlier entry that failed. */
export const QUEUE_ORDER_WAIT_MS = MINUTE_MS;

/** Maximum length of a list of late, busy or failed entries. */
export const MAX_QUEUE_LOOK = 1_000;

/** Interval between heartbeats of a node (platform §15 rule 1). */
export const NODE_BEAT_MS = 30 * SECOND_MS;
export const NODE_LISTED_MS = 5 * MINUTE_MS;

/** Time that a shutdown waits for running handlers. */
export const QUEUE_SHUTDOWN_WAIT_MS = 15 * SECOND_MS;

/** Polling interval while a call waits for quiet queues and gets no signals (platform §14.2). */
export const QUEUE_SETTLE_POLL_MS = 50;

// Limits of health checks (platform §13)

/** Time limit of the database in health checks. */
export const HEALTH_ANSWER_MS = 2 * SECOND_MS;

/** Maximum number of late queue entries of a healthy node. */
export const MAX_LATE_ENTRIES = 1_000;

/**
 * Maximum number of entries per list of the health report. Also the default number of failed entries (platform §12).
 */
export const MAX_SHOWN_ENTRIES = 100;

/** Maximum number of entries listed or retried by one call. */
export const MAX_NAMED_ENTRIES = 1_000;

/** Retention period of samples. */
export const SAMPLES_KEPT_MS = 14 * DAY_MS;

/** Maximum clock difference between a node and its database. */
export const MAX_CLOCK_SKEW_MS = 5 * SECOND_MS;

// Limits of payments

/** Maximum number of concurrent gateway calls of a node. */
export const MAX_CONCURRENT_GATEWAY_CALLS = 30;

/** Number of rows of an export that are read at a time (accounts §16 rule 4). */
export const EXPORT_BATCH_ROWS = 500;

/** Number of records that a check of stored data reads at a time. */
export const CHECKED_RECORDS_AT_ONCE = 5_000;

// Limits of cells (cells §1)

/** Number of possible cells. Record ids of a cell have the cell's number as remainder when divided by this number. */
export const CELL_NUMBERS = 256;

/** Interval at which a node asks the directory for changed places of tenants. */
export const PLACES_POLL_MS = SECOND_MS;

/**
 * Time for which a node uses the places of tenants without a successful look at the directory's revision. A move starts
 * to stop writes only after this time, so that no node uses an older place.
 */
export const PLACE_LEASE_MS = 2 * SECOND_MS;

/** Time limit of one cell in a call that asks all cells. */
export const CELL_ANSWER_MS = 5 * SECOND_MS;

/** Time that a move waits for due work of the tenant that is running, before it stops the writes (cells §3.1). */
export const MOVE_HOLD_MS = 3 * SECOND_MS;

/** Interval at which a move looks for due work that is still running. */
export const MOVE_LOOK_MS = 50;

/** Time after a move until the rows in the source are deleted. Until then, slow reads of the source can end. */
export const MOVE_CLEANUP_MS = MINUTE_MS;

/** Time for which a node repeats writes that end a request, while the move of the tenant rejects them. */
export const MOVE_PATIENCE_MS = 10 * SECOND_MS;

/** Number of rows that a move deletes at a time in the cell that the tenant has left. */
export const MOVE_DELETED_ROWS = 10_000;

/** Number of logged writes that a move copies at a time. */
export const MOVE_LOGGED_ROWS = 5_000;

/** Number of record ids that a move reserves for writes of the source until it stops them. */
export const MOVE_RESERVED_IDS = 100_000;

/** Number of times a move repeats a comparison or a copy that concurrent writes have changed. */
export const MOVE_ATTEMPTS = 10;
