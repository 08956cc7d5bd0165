/**
 * Limits that several files share, each with its unit and reason. Other limits are in the file that uses them. Every
 * loop, queue, retry, cache and input has a named limit. If a server property overrides a limit, the limit's comment
 * names the property.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const KIBIBYTE = 1_024;
const MEBIBYTE = 1_024 * KIBIBYTE;

// These limits apply to dates and times.

/**
 * The first year of a `LocalDate` or `Instant`. The last year is 9999, because years have four digits (http-api §9).
 */
export const MIN_YEAR = 1;
export const MAX_YEAR = 9_999;

// These limits apply to numbers.

/**
 * Maximum number of digits before the decimal point of an amount, rate or quantity in requests and responses (http-api
 * §9 rule 5).
 */
export const MAX_INTEGER_DIGITS = 15;
export const MAX_FRACTION_DIGITS = 9;

/**
 * Maximum number of digits before the decimal point of a usage amount (usage §2.4). The sum of 10^11 such amounts is
 * still exact.
 */
export const MAX_USAGE_INTEGER_DIGITS = 20;

/** Maximum number of characters of a number literal, including insignificant zeros. */
export const MAX_NUMBER_CHARACTERS = 128;

/** The range of signed 32-bit integers, which database columns can store. */
export const MIN_STORED_INTEGER = -2_147_483_648;
export const MAX_STORED_INTEGER = 2_147_483_647;

// These limits apply to billing.

/** Maximum number of billing periods of a subscription in one run. This is enough for 27 years of daily billing. */
export const MAX_PERIODS_PER_RUN = 10_000;

/**
 * Number of accounts that are checked in one transaction after a catalog change. The transaction takes about ten
 * milliseconds on PostgreSQL.
 */
export const ACCOUNTS_PER_CATALOG_CHANGE_PAGE = 200;

/**
 * Maximum number of years between today and the start of a subscription. With this limit, the subscription's timeline
 * does not exceed the calendar.
 */
export const MAX_REQUESTED_DATE_YEARS = 100;

/** Maximum number of months from today to a target date (`invoice.maxNumberOfMonthsInFuture`). */
export const MAX_TARGET_DATE_MONTHS = 36;

/** Maximum number of characters in the service or the name of a blocking state. */
export const MAX_BLOCKING_STATE_NAME_CHARACTERS = 50;

/** Maximum number of items per subscription and local day (`invoice.maxDailyNumberOfItemsSafetyBound`). */
export const MAX_DAILY_ITEMS_PER_SUBSCRIPTION = 15;

// These limits apply to usage (usage §1.1).

/** Maximum number of characters in a tracking id or in the name of a unit. */
export const MAX_TRACKING_ID_CHARACTERS = 128;
export const MAX_UNIT_NAME_CHARACTERS = 255;

/** Default limit for the number of lines in one bulk call (`usage.bulk.…`, usage §2.5). */
export const MAX_BULK_USAGE_LINES = 50_000;
export const MAX_BULK_USAGE_BYTES = 32 * MEBIBYTE;

/**
 * Number of usage points that are processed before other work can run. Processing them takes a few milliseconds. Each
 * line counts as at least this many points.
 */
export const BULK_USAGE_POINTS_PER_TURN = 1_000;

// These limits apply to usage sources (usage §9).

/** Maximum number of tracking ids that are stored per subscription in a result and in a billed interval. */
export const MAX_SUPPLIED_TRACKING_IDS = 10_000;

/** Maximum number of concurrent calls to usage sources for a batch of due work. */
export const MAX_CONCURRENT_USAGE_CALLS = 8;

// These limits apply to catalog documents (catalog §3.2).

/** Maximum nesting depth of XML elements. Catalogs need a depth of 12. */
export const MAX_XML_DEPTH = 24;

/** Maximum number of attributes of one XML element. The root element has 3 if it names its schema. */
export const MAX_XML_ATTRIBUTES = 16;

/** Maximum number of characters in the name of an element or attribute. */
export const MAX_XML_NAME_CHARACTERS = 255;

/** Maximum number of characters in one text value. */
export const MAX_XML_TEXT_CHARACTERS = 4_096;

/** Number of catalog parts that are stored, read or hashed at a time. */
export const CATALOG_PARTS_AT_ONCE = 1_000;

/** Maximum number of validation errors that are listed per document. Further errors are only counted. */
export const MAX_LISTED_PROBLEMS = 1_000;

/** Maximum number of cached catalogs. Each contains all catalog versions of one tenant. */
export const MAX_CACHED_CATALOGS = 200;

/** Maximum number of characters in all cached catalogs, except for the catalog in use. */
export const MAX_CACHED_CATALOG_CHARACTERS = 64 * MEBIBYTE;

// These limits apply to catalog plugins (catalog §16).

/** Time limit for a call to a catalog plugin. All operations of the tenant wait for the call. */
export const CATALOG_PLUGIN_TIMEOUT_MS = 10 * SECOND_MS;

// These limits apply to entitlement plugins (subscriptions §22).

/** Maximum number of characters in a plugin's reason for an abort. */
export const MAX_ABORT_REASON_CHARACTERS = 1_000;

// These limits apply to invoice plugins (invoicing §13).

/** Maximum number of concurrent calls to invoice plugins for a batch of due work. */
export const MAX_CONCURRENT_INVOICE_CALLS = 8;

/** Maximum number of times that a run calls the invoice plugins if the account keeps changing. */
export const MAX_INVOICE_CONSULTATIONS = 5;

// These limits apply to pushes (platform §10.2).

/** Number of deliveries of a tenant that are loaded at a time. */
export const PUSH_LOAD_SIZE = 200;

/**
 * Time for which one node has the exclusive right to send a tenant's pushes. Afterward, another node may send them.
 */
export const PUSH_LEASE_MS = 30 * SECOND_MS;

/** Default number of events in a result. */
export const DEFAULT_EVENTS = 100;
export const MAX_EVENTS = 1_000;

/** Maximum time that a call waits for an event. It is shorter than `MAX_REQUEST_MS`. */
export const MAX_EVENT_WAIT_MS = 30 * SECOND_MS;

/** Interval at which a waiting reader checks for events from other nodes. */
export const EVENT_POLL_MS = SECOND_MS;

/** Maximum time span in a configuration. With this limit, dates do not exceed the calendar. */
export const MAX_SETTING_SPAN_MS = 100 * 365 * DAY_MS;

/**
 * Maximum number of steps of 100 ms for which a call waits for a busy account. The wait cannot be longer than a request
 * (platform §16).
 */
export const MAX_LOCK_WAIT_STEPS = 600;

// These limits apply to requests (platform §16).

/** Maximum nesting depth of lists and objects in a JSON body. The deepest model has 5 levels. */
export const MAX_JSON_DEPTH = 64;

/** Maximum size of the request headers in bytes (`server.limits.header`). */
export const MAX_HEADER_BYTES = 16 * KIBIBYTE;

/** Time limit of a request (`server.limits.requestTime`). It does not apply to streams and `callCompletion`. */
export const MAX_REQUEST_MS = MINUTE_MS;

/** Time limit of request headers. */
export const MAX_HEADERS_MS = 10 * SECOND_MS;

/** Maximum number of concurrent connections of a server (`server.limits.connections`). */
export const MAX_CONNECTIONS = 2_000;

/** Default page size. */
export const DEFAULT_PAGE_SIZE = 100;

/**
 * Maximum number of rows of one account in a result that has no pages (`server.limits.rows`). The rows are bundles,
 * subscriptions and their events, invoices and their items, and payments and their transactions. They take about 20 MB
 * of JSON.
 */
export const MAX_ANSWER_ROWS = 50_000;

/**
 * Number of subscriptions and blocking states that one statement reads. It is also the number of rows that are computed
 * before other work can run.
 */
export const SUBSCRIPTIONS_READ_AT_ONCE = 1_000;
export const RECORDS_READ_AT_ONCE = 5_000;
export const ROWS_OF_TURN = 1_000;

/**
 * Maximum number of notifications without credentials per second for each tenant and gateway
 * (`server.limits.rate.gateways`).
 */
export const GATEWAY_NOTIFICATION_RATE = 20;

/**
 * Maximum total that a list reports in its pagination headers. Larger totals are omitted
 * (`server.pagination.countThreshold`).
 */
export const MAX_COUNTED_RECORDS = 20_000;

/** Maximum time for which `callCompletion` waits (`server.callCompletion.maxSec`). */
export const MAX_COMPLETION_WAIT_MS = 120 * SECOND_MS;

/**
 * Maximum number of characters in an external key or an `Idempotency-Key`. A longer external key causes error 5,
 * EXTERNAL_KEY_LIMIT_EXCEEDED.
 */
export const MAX_EXTERNAL_KEY_CHARACTERS = 255;

/** Time for which the response to a request with an `Idempotency-Key` is kept (`server.idempotency.retention`). */
export const IDEMPOTENCY_RETENTION_MS = DAY_MS;

/** Age at which an unfinished request is assumed to have crashed. From that age on, a repeated request runs again. */
export const IDEMPOTENCY_ABANDONED_MS = 10 * MINUTE_MS;

// These limits apply to security (platform §6–§8).

/** Window for counting failed logins. */
export const LOGIN_FAILURE_WINDOW_MS = 15 * MINUTE_MS;

/** Time without use after which a login session ends (`rbac.globalSessionTimeout`). */
export const SESSION_IDLE_MS = HOUR_MS;

/** Lifetime of a token (`security.token.lifetime`). */
export const TOKEN_LIFETIME_MS = HOUR_MS;

/** Maximum clock difference between servers that token checks tolerate. */
export const TOKEN_CLOCK_TOLERANCE_MS = MINUTE_MS;

/** Number of encrypted values that are replaced in one transaction when the server key is rotated. */
export const ENCRYPTED_TEXTS_PER_BATCH = 200;

export const SIGNING_KEY_LIFETIME_MS = 90 * DAY_MS;

/** Cache time of published keys. */
export const KEY_SET_CACHE_MS = 10 * MINUTE_MS;

/** Minimum pause between two lookups of an unknown key id. */
export const KEY_SET_PAUSE_MS = MINUTE_MS;

// These limits apply to tags and custom fields (accounts §11, §12).

export const MAX_TAG_DEFINITION_NAME_CHARACTERS = 20;
export const MAX_TAG_DEFINITION_DESCRIPTION_CHARACTERS = 200;
export const MAX_CUSTOM_FIELD_NAME_CHARACTERS = 64;
export const MAX_CUSTOM_FIELD_VALUE_CHARACTERS = 255;

// These limits apply to the storage.

/**
 * Maximum pause between two statements of a writing transaction. It is shorter than a lease, so that a hanging node
 * does not block other nodes for long. The computations between statements take only a fraction of this time.
 */
export const DATABASE_IDLE_MS = 20 * SECOND_MS;

/** Time in milliseconds for which SQLite waits for its write lock. */
export const SQLITE_BUSY_TIMEOUT_MS = 5 * SECOND_MS;

/** Length of one step in the wait for a busy account. The number of steps is `invoice.globalLock.retries`. */
export const LOCK_WAIT_STEP_MS = 100;

// These limits apply to the queue (platform §4.3 and §9).

/**
 * Number of entries that are claimed at a time. It equals `notificationq.main.claimed` (10) × `nbThreads` (10) in Kill
 * Bill. The accounts of a claim share transactions, which makes runs fast.
 */
export const QUEUE_CLAIM_LIMIT = 100;

/** Maximum number of entries for busy accounts whose attempts are counted. */
export const MAX_BUSY_ENTRIES_COUNTED = 10_000;

/**
 * Time for which a claim is valid, in system time (`….claim.time`). The claim is renewed after a third of this time.
 */
export const QUEUE_LEASE_MS = 30 * SECOND_MS;

/** Interval at which the queue is polled in case a signal was missed (`….sleep`). */
export const QUEUE_POLL_MS = 3 * SECOND_MS;

/** Number of times that a handler may fail before its entry becomes FAILED (`….max.failure.retry`). */
export const QUEUE_MAX_FAILURES = 3;

/** Pauses before a failed handler is called again, in system time. */
export const QUEUE_RETRY_PAUSES_MS: readonly number[] = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS];

/** Number of claims of an entry that may expire before the entry is given up (`….maxReDispatchCount`). */
export const QUEUE_MAX_LAPSES = 10;
export const QUEUE_REAP_THRESHOLD_MS = 10 * MINUTE_MS;
export const QUEUE_REAP_SCHEDULE_MS = 3 * MINUTE_MS;

/** Time for which finished entries are kept (`queue.history.retention`). */
export const QUEUE_HISTORY_RETENTION_MS = 90 * DAY_MS;

/** Number of rows purged by one statement. */
export const QUEUE_PURGE_SIZE = 1_000;

/** Maximum time for which an account's bus entries wait for an earlier entry that failed. */
export const QUEUE_ORDER_WAIT_MS = MINUTE_MS;

/** Maximum length of a list with late, busy or failed entries. */
export const MAX_QUEUE_LOOK = 1_000;

/** Interval between heartbeats of a node (platform §15 rule 1). */
export const NODE_BEAT_MS = 30 * SECOND_MS;
export const NODE_LISTED_MS = 5 * MINUTE_MS;

/** Time for which a shutdown waits for handlers that are still running. */
export const QUEUE_SHUTDOWN_WAIT_MS = 15 * SECOND_MS;

/** Polling interval of a call that waits until the queues are empty and that gets no signals (platform §14.2). */
export const QUEUE_SETTLE_POLL_MS = 50;

// These limits apply to health checks (platform §13).

/** Maximum time that the database may take to respond to a health check. */
export const HEALTH_ANSWER_MS = 2 * SECOND_MS;

/** Maximum number of late queue entries on a healthy node. */
export const MAX_LATE_ENTRIES = 1_000;

/**
 * Maximum number of entries in each list of the health report, and the default number of failed entries (platform §12).
 */
export const MAX_SHOWN_ENTRIES = 100;

/** Maximum number of entries that one call lists or retries. */
export const MAX_NAMED_ENTRIES = 1_000;

/** Retention period of samples. */
export const SAMPLES_KEPT_MS = 14 * DAY_MS;

/** Maximum difference between the clocks of a node and its database. */
export const MAX_CLOCK_SKEW_MS = 5 * SECOND_MS;

// These limits apply to payments.

/** Maximum number of concurrent gateway calls on one node. */
export const MAX_CONCURRENT_GATEWAY_CALLS = 30;

/** Number of rows that an export reads at a time (accounts §16 rule 4). */
export const EXPORT_BATCH_ROWS = 500;

/** Number of records that a data check reads at a time. */
export const CHECKED_RECORDS_AT_ONCE = 5_000;

// These limits apply to cells (cells §1).

/** Maximum number of cells. The remainder of a record id divided by this number is the number of the record's cell. */
export const CELL_NUMBERS = 256;

/** Interval at which a node asks the directory whether tenants have moved. */
export const PLACES_POLL_MS = SECOND_MS;

/**
 * Time for which a node relies on the known places of tenants if it cannot ask the directory for changes. A move waits
 * this long before it stops writes, so that no node uses an outdated place.
 */
export const PLACE_LEASE_MS = 2 * SECOND_MS;

/** Time limit for each cell in a call that queries all cells. */
export const CELL_ANSWER_MS = 5 * SECOND_MS;

/** Time for which a move waits for running due work of the tenant before it stops the writes (cells §3.1). */
export const MOVE_HOLD_MS = 3 * SECOND_MS;

/** Interval at which a move checks for due work that is still running. */
export const MOVE_LOOK_MS = 50;

/**
 * Time between a move and the deletion of the rows in the source. During this time, slow reads of the source can
 * finish.
 */
export const MOVE_CLEANUP_MS = MINUTE_MS;

/** Time for which a node repeats the final write of a request while a move of the tenant rejects writes. */
export const MOVE_PATIENCE_MS = 10 * SECOND_MS;

/**
 * Interval at which the process of a move sends a heartbeat, and at which nodes look for processes that have stopped
 * sending heartbeats.
 */
export const MOVE_RENEW_MS = 5 * SECOND_MS;

/** Time without a heartbeat after which the process of a move counts as dead. */
export const MOVE_SILENT_MS = 15 * SECOND_MS;

/** Number of rows that a move deletes at a time in the cell that the tenant has left. */
export const MOVE_DELETED_ROWS = 10_000;

/** Number of logged writes that a move copies at a time. */
export const MOVE_LOGGED_ROWS = 5_000;

/** Number of record ids that a move reserves for writes in the source until it stops these writes. */
export const MOVE_RESERVED_IDS = 100_000;

/** Number of times that a move repeats a comparison or a copy because concurrent writes have changed the rows. */
export const MOVE_ATTEMPTS = 10;
