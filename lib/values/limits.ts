/**
 * Bounds that several files share, one named constant each, with its unit and its reason; a bound with one reader is beside it.
 * A loop, queue, retry, cache or input without a named bound is a defect. Where a server property can replace a value, the
 * comment names it.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const KIBIBYTE = 1_024;
const MEBIBYTE = 1_024 * KIBIBYTE;

// Time

/** First and last year of a `LocalDate` or `Instant`: what `yyyy` can write (http-api §9). */
export const MIN_YEAR = 1;
export const MAX_YEAR = 9_999;

// Numbers

/** Digits of an amount, rate or quantity on the wire (http-api §9 rule 5). */
export const MAX_INTEGER_DIGITS = 15;
export const MAX_FRACTION_DIGITS = 9;

/** Integer digits of a recorded usage amount (usage §2.4): a sum of 10^11 of them is still exact. */
export const MAX_USAGE_INTEGER_DIGITS = 20;

/** Characters of a number literal that are read, leading and trailing zeros included. */
export const MAX_NUMBER_CHARACTERS = 128;

/** Whole numbers that a row holds: 32 bits with a sign. */
export const MIN_STORED_INTEGER = -2_147_483_648;
export const MAX_STORED_INTEGER = 2_147_483_647;

// Billing

/** Billing periods that one subscription may catch up in one run: daily billing for more than 27 years. */
export const MAX_PERIODS_PER_RUN = 10_000;

/** Accounts looked at in one transaction after a change of the catalog: some ten milliseconds on PostgreSQL. */
export const ACCOUNTS_PER_CATALOG_CHANGE_PAGE = 200;

/** Years from today that the start of a subscription may lie, either way: its timeline stays inside the calendar. */
export const MAX_REQUESTED_DATE_YEARS = 100;

/** Months ahead of today that a target date may lie (`invoice.maxNumberOfMonthsInFuture`). */
export const MAX_TARGET_DATE_MONTHS = 36;

/** Characters of the service and of the name of a blocking state. */
export const MAX_BLOCKING_STATE_NAME_CHARACTERS = 50;

/** Items per subscription and local day before a run is refused (`invoice.maxDailyNumberOfItemsSafetyBound`). */
export const MAX_DAILY_ITEMS_PER_SUBSCRIPTION = 15;

// Usage (usage §1.1)

/** Characters of a tracking id, and of the name of a unit. */
export const MAX_TRACKING_ID_CHARACTERS = 128;
export const MAX_UNIT_NAME_CHARACTERS = 255;

/** Default lines and bytes of one bulk call (`usage.bulk.…`, usage §2.5). */
export const MAX_BULK_USAGE_LINES = 50_000;
export const MAX_BULK_USAGE_BYTES = 32 * MEBIBYTE;

/** Points that are read or placed in one turn, and what a line counts for at least: some milliseconds. */
export const BULK_USAGE_POINTS_PER_TURN = 1_000;

// Usage sources (usage §9)

/** Tracking ids of a subscription that are kept of one answer, and of one billed interval. */
export const MAX_SUPPLIED_TRACKING_IDS = 10_000;

/** Accounts of one batch of due work whose usage is asked for at the same time. */
export const MAX_CONCURRENT_USAGE_CALLS = 8;

// Catalog documents (catalog §3.2)

/** Nesting of elements; the grammar needs 12. */
export const MAX_XML_DEPTH = 24;

/** Attributes of one element; the root with its schema location has 3. */
export const MAX_XML_ATTRIBUTES = 16;

/** Characters of an element or attribute name. */
export const MAX_XML_NAME_CHARACTERS = 255;

/** Characters of one text value. */
export const MAX_XML_TEXT_CHARACTERS = 4_096;

/** Catalog parts that are stored, read or hashed at once. */
export const CATALOG_PARTS_AT_ONCE = 1_000;

/** Validation errors listed for one document; the rest is counted. */
export const MAX_LISTED_PROBLEMS = 1_000;

/** Catalogs (all versions of one tenant) kept in memory. */
export const MAX_CACHED_CATALOGS = 200;

/** Characters of the texts from which those catalogs are put together; the catalog in use is kept whatever its size. */
export const MAX_CACHED_CATALOG_CHARACTERS = 64 * MEBIBYTE;

// Catalog plugins (catalog §16)

/** Time limit of one call of a catalog plugin: every operation of the tenant waits for it. */
export const CATALOG_PLUGIN_TIMEOUT_MS = 10 * SECOND_MS;

// Entitlement plugins (subscriptions §22)

/** Characters of a plugin's reason for an abort that the caller is shown. */
export const MAX_ABORT_REASON_CHARACTERS = 1_000;

// Invoice plugins (invoicing §13)

/** Accounts of one batch of due work whose plugins are asked at the same time. */
export const MAX_CONCURRENT_INVOICE_CALLS = 8;

/** How often a run asks its plugins about an account that others keep changing meanwhile. */
export const MAX_INVOICE_CONSULTATIONS = 5;

// Pushes (platform §10.2)

/** Deliveries of a tenant that are loaded at once. */
export const PUSH_LOAD_SIZE = 200;

/** Lease of a tenant's pushes; a node that dies is followed by another after that. */
export const PUSH_LEASE_MS = 30 * SECOND_MS;

/** Events of one answer: without a limit, and at most. */
export const DEFAULT_EVENTS = 100;
export const MAX_EVENTS = 1_000;

/** How long a reader may wait for an event; a request has to be answered within `MAX_REQUEST_MS`. */
export const MAX_EVENT_WAIT_MS = 30 * SECOND_MS;

/** How often who waits for events looks for those of other nodes. */
export const EVENT_POLL_MS = SECOND_MS;

/** Longest time span in a configuration: a date that many years ahead still lies inside the calendar. */
export const MAX_SETTING_SPAN_MS = 100 * 365 * DAY_MS;

/** Steps of 100 ms that a call may wait for a busy account: no longer than a request may take (platform §16). */
export const MAX_LOCK_WAIT_STEPS = 600;

// Requests (platform §16)

/** Levels of lists and objects in a JSON body; the deepest model has 5. */
export const MAX_JSON_DEPTH = 64;

/** Bytes of the header block (`server.limits.header`). */
export const MAX_HEADER_BYTES = 16 * KIBIBYTE;

/** How long a request may take (`server.limits.requestTime`); streams and waits on `callCompletion` are exempt. */
export const MAX_REQUEST_MS = MINUTE_MS;

/** How long the headers of a request may take. */
export const MAX_HEADERS_MS = 10 * SECOND_MS;

/** Connections of a server at a time (`server.limits.connections`). */
export const MAX_CONNECTIONS = 2_000;

/** Records of a page when the caller names no limit. */
export const DEFAULT_PAGE_SIZE = 100;

/**
 * Rows of one account in an answer without pages: bundles, subscriptions and their events, invoices with their items,
 * payments with their transactions (`server.limits.rows`). Some 20 MB of JSON.
 */
export const MAX_ANSWER_ROWS = 50_000;

/**
 * Subscriptions and blocking states that one statement reads, and rows that are made in one turn: some milliseconds of work,
 * before others get theirs.
 */
export const SUBSCRIPTIONS_READ_AT_ONCE = 1_000;
export const RECORDS_READ_AT_ONCE = 5_000;
export const ROWS_OF_TURN = 1_000;

/** Notifications per second of one tenant and gateway that come without credentials (`server.limits.rate.gateways`). */
export const GATEWAY_NOTIFICATION_RATE = 20;

/** Records counted for pagination totals; beyond it totals are left out (`server.pagination.countThreshold`). */
export const MAX_COUNTED_RECORDS = 20_000;

/** Longest wait of `callCompletion` (`server.callCompletion.maxSec`). */
export const MAX_COMPLETION_WAIT_MS = 120 * SECOND_MS;

/** Characters of an external key (code 5, EXTERNAL_KEY_LIMIT_EXCEEDED) and of an `Idempotency-Key`. */
export const MAX_EXTERNAL_KEY_CHARACTERS = 255;

/** How long the answer to an `Idempotency-Key` is kept (`server.idempotency.retention`). */
export const IDEMPOTENCY_RETENTION_MS = DAY_MS;

/** Age at which an unfinished request counts as cut off by a crash, so that a repeat runs it anew. */
export const IDEMPOTENCY_ABANDONED_MS = 10 * MINUTE_MS;

// Security (platform §6–§8)

/** Time within which failed logins are counted together. */
export const LOGIN_FAILURE_WINDOW_MS = 15 * MINUTE_MS;

/** Idle time after which a login session ends (`rbac.globalSessionTimeout`). */
export const SESSION_IDLE_MS = HOUR_MS;

/** Life of a token (`security.token.lifetime`). */
export const TOKEN_LIFETIME_MS = HOUR_MS;

/** By how much the clocks of two servers may differ when times of a token are checked. */
export const TOKEN_CLOCK_TOLERANCE_MS = MINUTE_MS;

/** How long a signing key signs. */
export const SIGNING_KEY_LIFETIME_MS = 90 * DAY_MS;

/** How long published keys, ours and those of other issuers, may be remembered. */
export const KEY_SET_CACHE_MS = 10 * MINUTE_MS;

/** Pause before an unknown key id is looked up again. */
export const KEY_SET_PAUSE_MS = MINUTE_MS;

// Tags and custom fields (accounts §1.2)

export const MAX_TAG_DEFINITION_NAME_CHARACTERS = 20;
export const MAX_TAG_DEFINITION_DESCRIPTION_CHARACTERS = 200;
export const MAX_CUSTOM_FIELD_NAME_CHARACTERS = 64;
export const MAX_CUSTOM_FIELD_VALUE_CHARACTERS = 255;

// Storage

/**
 * How long a transaction that writes may leave its server waiting: a node that hangs in one holds up nobody for as long as
 * a lease. The longest computation between two statements takes a fraction of it.
 */
export const DATABASE_IDLE_MS = 20 * SECOND_MS;

/** How long SQLite waits for its write lock. */
export const SQLITE_BUSY_TIMEOUT_MS = 5 * SECOND_MS;

/** How long a call waits for a busy account: `invoice.globalLock.retries` × this. */
export const LOCK_WAIT_STEP_MS = 100;

// Queue (platform §4.3 and §9)

/**
 * Entries of one claim: `notificationq.main.claimed` (10) for each of the `nbThreads` (10) that the reference would run.
 * Accounts of one claim share their transactions, which makes a run fast.
 */
export const QUEUE_CLAIM_LIMIT = 100;

/** Queue entries of busy accounts whose attempts a node counts. */
export const MAX_BUSY_ENTRIES_COUNTED = 10_000;

/** Lease of a claim in system time (`….claim.time`), renewed when a third of it has passed. */
export const QUEUE_LEASE_MS = 30 * SECOND_MS;

/** Interval of the polling fallback (`….sleep`). */
export const QUEUE_POLL_MS = 3 * SECOND_MS;

/** Handler failures before an entry is FAILED (`….max.failure.retry`). */
export const QUEUE_MAX_FAILURES = 3;

/** Pauses before the next attempt of a failed handler, in system time. */
export const QUEUE_RETRY_PAUSES_MS: readonly number[] = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS];

/**
 * How often an entry is taken back before the reaper records it (`….maxReDispatchCount`), how long ago it must have been
 * claimed first (`….reapThreshold`), and the interval of the reaper (`….reapSchedule`).
 */
export const QUEUE_MAX_LAPSES = 10;
export const QUEUE_REAP_THRESHOLD_MS = 10 * MINUTE_MS;
export const QUEUE_REAP_SCHEDULE_MS = 3 * MINUTE_MS;

/** How long finished entries are kept (`queue.history.retention`). */
export const QUEUE_HISTORY_RETENTION_MS = 90 * DAY_MS;

/** Rows that one statement of a purge takes. */
export const QUEUE_PURGE_SIZE = 1_000;

/** How long bus entries of an account wait for an earlier one that failed. */
export const QUEUE_ORDER_WAIT_MS = MINUTE_MS;

/** Most entries that a list of late, busy or failed ones returns. */
export const MAX_QUEUE_LOOK = 1_000;

/** How often a node gives a sign of life, and how long without one it is still listed (platform §15 rule 1). */
export const NODE_BEAT_MS = 30 * SECOND_MS;
export const NODE_LISTED_MS = 5 * MINUTE_MS;

/** How long shutdown waits for running handlers. */
export const QUEUE_SHUTDOWN_WAIT_MS = 15 * SECOND_MS;

/** Interval at which a wait for quiet queues looks again when nothing signals (platform §14.2). */
export const QUEUE_SETTLE_POLL_MS = 50;

// Health (platform §13)

/** How long the database may take to answer. */
export const HEALTH_ANSWER_MS = 2 * SECOND_MS;

/** How many queue entries may be late before a node counts as ill. */
export const MAX_LATE_ENTRIES = 1_000;

/** Entries of each list of the health report, and of failed entries unless more are asked for (platform §12). */
export const MAX_SHOWN_ENTRIES = 100;

/** Entries that are looked at, or put back, by one call. */
export const MAX_NAMED_ENTRIES = 1_000;

/** How long samples are kept. */
export const SAMPLES_KEPT_MS = 14 * DAY_MS;

/** By how much the clocks of a node and of its database may differ. */
export const MAX_CLOCK_SKEW_MS = 5 * SECOND_MS;

// Payments

/** Gateway calls of one node that run at once. */
export const MAX_CONCURRENT_GATEWAY_CALLS = 30;

/** Rows of an export that are read at a time (accounts §16 rule 4). */
export const EXPORT_BATCH_ROWS = 500;

/** Records that a check of the stored data reads at once. */
export const CHECKED_RECORDS_AT_ONCE = 5_000;

// Documents (invoicing §14)
