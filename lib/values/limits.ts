/**
 * Every bound of the engine, one named constant each, with its unit and its reason. A loop, queue, retry, cache or input
 * without a bound of this file is a defect. Where a server property can replace a value, the comment names it.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const KIBIBYTE = 1_024;
const MEBIBYTE = 1_024 * KIBIBYTE;

// Time

/** Time zones whose formatter is kept, each about 25 KiB; more than the 418 canonical zones of the tz database. */
export const MAX_CACHED_ZONES = 640;

/** Bisections of a 48 h window down to one second (2^18 s > 48 h), in the search for the transition of a local-time gap. */
export const MAX_TRANSITION_SEARCH_STEPS = 18;

/** First and last year of a `LocalDate` or `Instant`: what `yyyy` can write (http-api §9). */
export const MIN_YEAR = 1;
export const MAX_YEAR = 9_999;

/**
 * First and last day that a clock can be moved to. The queue counts its time from 1970; from the last day, billing still
 * looks ahead 100 years for a requested date and 100 for a target date.
 */
export const FIRST_CLOCK_DAY = '1970-01-02';
export const LAST_CLOCK_DAY = '8999-12-31';

/** Characters of a date-time on the wire: the longest useful one with offset and bracketed zone is under 80. */
export const MAX_WIRE_DATE_TIME_CHARACTERS = 128;

/** Entries of a time span list such as a retry schedule: more would outlive the object that is retried. */
export const MAX_TIME_SPAN_LIST = 100;

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

/** Earlier revisions of one catalog that are kept in memory; they share their versions with it. */
export const MAX_EARLIER_CATALOGS = 16;

/** Accounts that the report on a candidate catalog names as no longer billable; beyond it they are only counted. */
export const MAX_LISTED_UNBILLABLE_ACCOUNTS = 100;

/** Accounts that a change of the catalog concerns, listed at once by their numbers. */
export const ACCOUNTS_PER_CATALOG_CHANGE_LIST = 10_000;

/** Accounts looked at in one transaction after a change of the catalog: some ten milliseconds on PostgreSQL. */
export const ACCOUNTS_PER_CATALOG_CHANGE_PAGE = 200;

/** Accounts looked through in one transaction when a tenant's overdue configuration has no condition any more. */
export const ACCOUNTS_PER_OVERDUE_PAGE = 200;

/** Years from today that the start of a subscription may lie, either way: its timeline stays inside the calendar. */
export const MAX_REQUESTED_DATE_YEARS = 100;

/** Months ahead of today that a target date may lie (`invoice.maxNumberOfMonthsInFuture`). */
export const MAX_TARGET_DATE_MONTHS = 36;

/** Accounts whose invoices are foreseen at a time where plugins or usage sources are asked: each reads by itself. */
export const MAX_CONCURRENT_NOTICES = 4;

/** States of an overdue configuration, each of which an evaluation may look at; people use three to five. */
export const MAX_OVERDUE_STATES = 100;

/** Characters of an overdue configuration, which is read in one go into memory: some milliseconds, of a hostile one 0.2 s. */
export const MAX_OVERDUE_CONFIG_CHARACTERS = 256 * KIBIBYTE;

/** Characters of the service and of the name of a blocking state. */
export const MAX_BLOCKING_STATE_NAME_CHARACTERS = 50;

/** Items per subscription and local day before a run is refused (`invoice.maxDailyNumberOfItemsSafetyBound`). */
export const MAX_DAILY_ITEMS_PER_SUBSCRIPTION = 15;

/** Items of used credit that are read at once, to take credit back. */
export const RECLAIMED_CREDITS_AT_ONCE = 100;

// Usage (usage §1.1)

/** Characters of a tracking id, and of the name of a unit. */
export const MAX_TRACKING_ID_CHARACTERS = 128;
export const MAX_UNIT_NAME_CHARACTERS = 255;

/**
 * Points of one submission, which is stored in one transaction: on SQLite this many take 0.2 s, for which all others wait.
 */
export const MAX_SUBMISSION_POINTS = 10_000;

/** Lines, bytes, and lines of a transaction of one bulk call (`usage.bulk.…`, usage §2.5), unless the deployment says otherwise. */
export const MAX_BULK_USAGE_LINES = 50_000;
export const MAX_BULK_USAGE_BYTES = 32 * MEBIBYTE;
export const BULK_USAGE_CHUNK_LINES = 5_000;

/** The lines of a transaction are held in memory. */
export const MAX_SETTING_BULK_BYTES = 1_024 * MEBIBYTE;
export const MAX_SETTING_CHUNK_LINES = 50_000;

/** Transactions of one chunk that are under way at once: they share no subscription. */
export const BULK_USAGE_CHUNKS_AT_ONCE = 4;

/** Lines for which a transaction of their own is worth its commit. */
export const BULK_USAGE_LINES_OF_A_SHARE = 1_000;

/**
 * Points of such a transaction, where lines have many; one line may have more. SQLite stores these in 70 ms, for which all
 * others wait.
 */
export const BULK_USAGE_CHUNK_POINTS = 5_000;

/** Points that are read or placed in one turn, and what a line counts for at least: some milliseconds. */
export const BULK_USAGE_POINTS_PER_TURN = 1_000;

/** Bulk calls that a process records at once of a tenant, and of all: further ones are refused before they are read. */
export const MAX_BULK_USAGE_CALLS = 16;
export const MAX_BULK_USAGE_CALLS_OF_ALL = 64;

/** Points of all bulk calls that are stored at once: on SQLite, everybody waits for what is under way. */
export const BULK_USAGE_POINTS_STORED_AT_ONCE = 5_000;

/** Failures that the report on a bulk call lists. */
export const MAX_LISTED_USAGE_FAILURES = 1_000;

/** Parts of a timeline of usage: the hours of a year, or the days of 27. */
export const MAX_USAGE_BUCKETS = 10_000;

/** Subscriptions whose usage is archived one after another, days of them at a time, and points, where these are many. */
export const ARCHIVED_SUBSCRIPTIONS_PER_PAGE = 100;
export const ARCHIVED_DAYS_PER_TRANSACTION = 1_000;
export const ARCHIVED_POINTS_PER_TRANSACTION = 100_000;

/** Tracking ids that are looked at in one transaction, whether they can be forgotten. */
export const FORGOTTEN_KEYS_PER_TRANSACTION = 5_000;

/** How long what recording knows of a subscription counts, and of how many it is known (usage §2.5). */
export const METERED_SUBSCRIPTION_MS = SECOND_MS;
export const MAX_METERED_SUBSCRIPTIONS = 100_000;

/** Thresholds of one unit or currency in the terms of a usage: one for every percent. */
export const MAX_THRESHOLDS = 100;

/** How soon a subscription is looked at again that something was recorded for meanwhile. */
export const THRESHOLD_LOOK_PAUSE_MS = SECOND_MS;

/** Faults of a document of usage terms that its error lists, and after how many it is read no further. */
export const MAX_LISTED_TERMS_FAULTS = 100;
export const MAX_TERMS_FAULTS = 1_000;

/** Dated entries of one usage in the terms: daily ones for almost three years. */
export const MAX_TERMS_ENTRIES = 1_000;

// Usage sources (usage §9)

/** Time limit of one call of a usage source, and of reading all records that it answers with. */
export const USAGE_SOURCE_TIMEOUT_MS = 10 * SECOND_MS;
export const USAGE_SOURCE_STREAM_TIMEOUT_MS = 120 * SECOND_MS;

/** Records that are read in one turn: some milliseconds. */
export const SUPPLIED_RECORDS_PER_TURN = 500;

/** Tracking ids of a subscription that are kept of one answer, and of one billed interval. */
export const MAX_SUPPLIED_TRACKING_IDS = 10_000;

/** Accounts of one batch of due work whose usage is asked for at the same time. */
export const MAX_CONCURRENT_USAGE_CALLS = 8;

/** After that queued work asks a source again that has failed without saying when to come again. */
export const USAGE_SOURCE_PAUSE_MS = 30 * SECOND_MS;

// Catalog documents (catalog §3.2)

/** Nesting of elements; the grammar needs 12. */
export const MAX_XML_DEPTH = 24;

/** Attributes of one element; the root with its schema location has 3. */
export const MAX_XML_ATTRIBUTES = 16;

/** Characters of an element or attribute name. */
export const MAX_XML_NAME_CHARACTERS = 255;

/** Characters of one text value. */
export const MAX_XML_TEXT_CHARACTERS = 4_096;

/** Elements of one document: bounds memory and the time of a parse. */
export const MAX_XML_ELEMENTS = 1_000_000;

/** Bytes of one document, before parsing starts (`server.limits.text`). */
export const MAX_XML_BYTES = 10 * MEBIBYTE;

/** Characters and elements of a tenant's payment state machine (payments §3.1); the engine's own would have 400 elements. */
export const MAX_STATE_MACHINE_CHARACTERS = MEBIBYTE;
export const MAX_STATE_MACHINE_ELEMENTS = 20_000;

/** State machines of all tenants that stay parsed. */
export const MAX_CACHED_STATE_MACHINES = 500;

/** Bounds of one catalog version (platform §16): products, plans, price lists, and the cases of all rules together. */
export const MAX_CATALOG_PRODUCTS = 5_000;
export const MAX_CATALOG_PLANS = 10_000;
export const MAX_CATALOG_PRICE_LISTS = 200;
export const MAX_CATALOG_RULE_CASES = 5_000;

/** Phases of one plan. */
export const MAX_PLAN_PHASES = 20;

/** Characters of a document that are parsed in one step, which takes some milliseconds. */
export const XML_CHARACTERS_PER_STEP = 32_768;

/** Processor time that a long computation takes in one turn before others get theirs. */
export const MAX_SLICE_MS = 20;

/** Catalog parts that are stored, read or hashed at once. */
export const CATALOG_PARTS_AT_ONCE = 1_000;

/** Validation errors listed for one document; the rest is counted. */
export const MAX_LISTED_PROBLEMS = 1_000;

/** Years that one phase may last. */
export const MAX_PHASE_YEARS = 1_000;

/** Catalogs of accounts with plans of their own, kept per tenant. */
export const MAX_CACHED_ACCOUNT_CATALOGS = 1_000;

/** Catalogs (all versions of one tenant) kept in memory. */
export const MAX_CACHED_CATALOGS = 200;

/** Characters of the texts from which those catalogs are put together; the catalog in use is kept whatever its size. */
export const MAX_CACHED_CATALOG_CHARACTERS = 64 * MEBIBYTE;

/** What a row of a plan in the entry catalog counts for, besides its characters. */
export const CHARACTERS_OF_PLAN_ROW = 1_000;

/** Plans, products and frames of catalogs that are kept decoded, of all catalogs together; each takes a few KiB. */
export const MAX_DECODED_CATALOG_PARTS = 10_000;

/** Override plans kept in memory with each catalog; any other costs one statement. */
export const MAX_CACHED_OVERRIDE_PLANS = 1_000;

// Catalog plugins (catalog §16)

/** Time limit of one call of a catalog plugin: every operation of the tenant waits for it. */
export const CATALOG_PLUGIN_TIMEOUT_MS = 10 * SECOND_MS;

/** Calls to a plugin with a catalog per account that one batch of due work makes at once. */
export const MAX_CONCURRENT_CATALOG_CALLS = 10;

/** Catalogs of plugins kept under their stamps, one per tenant and plugin. */
export const MAX_CACHED_PLUGIN_CATALOGS = 200;

// Entitlement plugins (subscriptions §22)

/** Time limit of one call of an entitlement plugin: the caller of the operation waits for it. */
export const ENTITLEMENT_PLUGIN_TIMEOUT_MS = 10 * SECOND_MS;

/** Characters of each text of an error that host code has thrown. */
export const MAX_PLAIN_ERROR_CHARACTERS = 10_000;

/** Causes of such an error that are kept. */
export const MAX_PLAIN_CAUSES = 8;

/** Simple members, and elements of a list among them, that are kept of such an error. */
export const MAX_PLAIN_FACTS = 50;

/** Members of a plugin's answer among which promises are looked for. */
export const MAX_SEARCHED_MEMBERS = 200;

/** Characters of a plugin's reason for an abort that the caller is shown. */
export const MAX_ABORT_REASON_CHARACTERS = 1_000;

// Invoice plugins (invoicing §13)

/** Time limit of one call of an invoice plugin: no lock is held meanwhile, but the account's run waits for it. */
export const INVOICE_PLUGIN_TIMEOUT_MS = 10 * SECOND_MS;

/** Accounts of one batch of due work whose plugins are asked at the same time. */
export const MAX_CONCURRENT_INVOICE_CALLS = 8;

/** How often a run asks its plugins about an account that others keep changing meanwhile. */
export const MAX_INVOICE_CONSULTATIONS = 5;

/** How often in a row a plugin may put a queued run off with `RetryLater` before its account is parked. */
export const MAX_INVOICE_RETRIES = 50;

/** Items, groups and properties of one answer. */
export const MAX_PLUGIN_ITEMS = 1_000;
export const MAX_PLUGIN_PROPERTIES = 1_000;

/** Invoices that a plugin's look at those of an account reads at once. */
export const INVOICES_SEEN_AT_ONCE = 100;

// Plugins of any kind

/** Longest wait that a plugin can ask for with `RetryLater`. */
export const MAX_RETRY_LATER_MS = DAY_MS;

// Tenant configuration (platform §3, §4)

/** Characters of a tenant key. */
export const MAX_TENANT_KEY_CHARACTERS = 255;

/** Bytes of a tenant value (`server.limits.text`). */
export const MAX_TENANT_VALUE_BYTES = 10 * MEBIBYTE;

/** Characters of a configuration and of usage terms, which are read in one turn: a hostile document takes 0.1 s. */
export const MAX_TENANT_DOCUMENT_CHARACTERS = 256 * KIBIBYTE;

/** Characters of a callback URL. */
export const MAX_CALLBACK_URL_CHARACTERS = 2_000;

/** Random bytes of a secret that signs pushes, and how long a replaced one goes on signing. */
export const SIGNING_SECRET_BYTES = 32;
export const SIGNING_SECRET_OVERLAP_MS = DAY_MS;

/** How often a node compares its clock with the database's: a clock that is put right meanwhile is wrong for no longer than a lease. */
export const COMPARE_TIME_EVERY_MS = 10 * SECOND_MS;

// Pushes (platform §10.2)

/** Within what time an attempt of a push must connect, and must have its answer. */
export const PUSH_TIMEOUT_MS = 15 * SECOND_MS;

/** Connections that the pushes of one tenant use at a time. */
export const PUSHES_AT_A_TIME = 10;

/** Tenants whose pushes a node sends at a time; up to that number a slow receiver holds back nobody else's. */
export const PUSHING_TENANTS = 500;

/** Deliveries of a tenant that are loaded at once, and of how many of one account no more are loaded. */
export const PUSH_LOAD_SIZE = 200;
export const PUSH_ENOUGH_OF_ACCOUNT = 50;

/** Lease of a tenant's pushes; a node that dies is followed by another after that. */
export const PUSH_LEASE_MS = 30 * SECOND_MS;

/** How often a node looks for due pushes by itself. */
export const PUSH_POLL_MS = 3 * SECOND_MS;

/** How long an event sink of the host may take for an event, and the shortest pause before it gets the same again. */
export const EVENT_SINK_TIMEOUT_MS = 30 * SECOND_MS;
export const EVENT_SINK_LEAST_PAUSE_MS = SECOND_MS;

/** How long a sink is kept after its last use at least: the nodes that have it say so every few minutes. */
export const EVENT_SINK_LEAST_KEPT_MS = DAY_MS;

/** Characters of the name of an event sink. */
export const MAX_EVENT_SINK_NAME_CHARACTERS = 100;

/** Events of one answer: without a limit, and at most. */
export const DEFAULT_EVENTS = 100;
export const MAX_EVENTS = 1_000;

/** How long a reader may wait for an event; a request has to be answered within `MAX_REQUEST_MS`. */
export const MAX_EVENT_WAIT_MS = 30 * SECOND_MS;

/** How often who waits for events looks for those of other nodes. */
export const EVENT_POLL_MS = SECOND_MS;

/** Characters of the reason of a failed attempt that are kept. */
export const MAX_DELIVERY_ERROR_CHARACTERS = 500;

/** Tenant configurations kept in memory, parsed. */
export const MAX_CACHED_CONFIGURATIONS = 1_000;

/** Entries of a list in a configuration, such as a retry schedule. */
export const MAX_SETTING_LIST = 100;

/** Names in a configuration that are listed one by one as having no effect. */
export const MAX_LISTED_SETTING_NAMES = 20;

/** Longest time span in a configuration: a date that many years ahead still lies inside the calendar. */
export const MAX_SETTING_SPAN_MS = 100 * 365 * DAY_MS;

/** Records up to which pages can be counted (`server.pagination.countThreshold`). */
export const MAX_SETTING_DAYS = 36_500;
export const MAX_SETTING_COUNT = 1_000_000_000;

/**
 * How often payment attempts that nobody ended are looked for (`payment.janitor.rate`), from which age
 * (`payment.janitor.attempts.delay`), and how many at once (payments §7.2 rule 4).
 */
export const ATTEMPT_SWEEP_MS = HOUR_MS;
export const OPEN_ATTEMPT_MS = 12 * HOUR_MS;
export const MAX_SWEPT_ATTEMPTS = 1_000;

/** Longest `payment.plugin.timeout`: timers of the runtime end at 24 days, and the lease of every call must end soon. */
export const MAX_SETTING_GATEWAY_TIMEOUT_MS = HOUR_MS;

/** Steps of 100 ms that a call may wait for a busy account: no longer than a request may take (platform §16). */
export const MAX_LOCK_WAIT_STEPS = 600;

// Requests (platform §16)

/** Bytes of a JSON body (`server.limits.json`). */
export const MAX_JSON_BODY_BYTES = MEBIBYTE;

/** Bytes of a streamed body that are cut into records before others may have their turn: a tenth of a millisecond. */
export const BODY_BYTES_PER_TURN = 64 * KIBIBYTE;

/**
 * A streamed body may keep its reader waiting for this time, and for the time that its bytes take at the least speed: its call
 * holds one of a bounded number of places. The time for which the server does not read does not count.
 */
export const STREAMED_BODY_PATIENCE_MS = 5 * SECOND_MS;
export const MIN_STREAMED_BYTES_PER_SECOND = KIBIBYTE;

/** Levels of lists and objects in a JSON body; the deepest model has 5. */
export const MAX_JSON_DEPTH = 64;

/** Bytes of an XML or text body (`server.limits.text`). */
export const MAX_TEXT_BODY_BYTES = 10 * MEBIBYTE;

/**
 * How much of a body that is too large is read before the refusal is sent, and for how long: a client that is still
 * sending would otherwise see a broken connection instead of the answer.
 */
export const MAX_DRAINED_BYTES = 64 * MEBIBYTE;
export const MAX_DRAIN_MS = 10 * SECOND_MS;

/** Bytes of the header block (`server.limits.header`). */
export const MAX_HEADER_BYTES = 16 * KIBIBYTE;

/** Bytes of a URL (`server.limits.url`). */
export const MAX_URL_BYTES = 8 * KIBIBYTE;

/** How long a request may take (`server.limits.requestTime`); streams and waits on `callCompletion` are exempt. */
export const MAX_REQUEST_MS = MINUTE_MS;

/** How long the headers of a request may take. */
export const MAX_HEADERS_MS = 10 * SECOND_MS;

/** Connections of a server at a time (`server.limits.connections`). */
export const MAX_CONNECTIONS = 2_000;

/**
 * How long a connection without a call is kept: longer than clients and proxies keep theirs (usually 60 to 90 s), so that
 * they close first. Where the server closes first, a call that a client sends at that moment ends in a reset.
 */
export const KEPT_CONNECTION_MS = 2 * MINUTE_MS;

/** How long the reader of a streamed answer may read nothing before the answer is broken off. */
export const STALLED_READER_MS = MINUTE_MS;

/** Elements of a request array (`server.limits.list`). */
export const MAX_REQUEST_LIST = 1_000;

/** Records of a page when the caller names no limit. */
export const DEFAULT_PAGE_SIZE = 100;

/** Records of a page at most (`server.limits.page`); larger requests are cut. */
export const MAX_PAGE_SIZE = 10_000;

/**
 * Rows of one account in an answer without pages: bundles, subscriptions and their events, invoices with their items,
 * payments with their transactions (`server.limits.rows`). Some 20 MB of JSON.
 */
export const MAX_ANSWER_ROWS = 50_000;

/** Stored records that an answer with pages holds in memory at a time; a page up to this size is one snapshot. */
export const RECORDS_OF_WINDOW = 20_000;

/**
 * How much is read, or made, before others get their turn, some milliseconds of work each: bundles, subscriptions and
 * states of one statement, and rows.
 */
export const BUNDLES_READ_AT_ONCE = 200;
export const SUBSCRIPTIONS_READ_AT_ONCE = 1_000;
export const RECORDS_READ_AT_ONCE = 5_000;
export const ROWS_OF_TURN = 1_000;

/** Bytes of a gateway's notification, which is taken as it comes (payments §11.2). */
export const MAX_NOTIFICATION_BYTES = MEBIBYTE;

/** Notifications per second of one tenant and gateway that come without credentials (`server.limits.rate.gateways`). */
export const GATEWAY_NOTIFICATION_RATE = 20;

/** Notifications of one tenant and gateway whose signatures a node verifies at a time (payments §11.2). */
export const MAX_NOTIFICATIONS_VERIFIED_AT_ONCE = 20;

/** What a gateway may answer to a notification: characters of the answer, headers, and characters of each. */
export const MAX_NOTIFICATION_ANSWER_CHARACTERS = MEBIBYTE;
export const MAX_NOTIFICATION_HEADERS = 32;
export const MAX_NOTIFICATION_HEADER_CHARACTERS = 2_048;

/** Characters of the fields of a gateway's own page, as JSON. */
export const MAX_HOSTED_FORM_CHARACTERS = 256 * KIBIBYTE;

/** Burst: the requests of this many seconds may be made at once (`server.limits.rate.tenant`, `.principal`). */
export const RATE_BURST_SECONDS = 2;

/** Tenants and callers whose requests are counted; one that is forgotten may make a burst again. */
export const MAX_RATE_BUCKETS = 10_000;

/** Records counted for pagination totals; beyond it totals are left out (`server.pagination.countThreshold`). */
export const MAX_COUNTED_RECORDS = 20_000;

/** Longest wait of `callCompletion` (`server.callCompletion.maxSec`), and the longest that can be set. */
export const MAX_COMPLETION_WAIT_MS = 120 * SECOND_MS;
export const MAX_SETTING_COMPLETION_SEC = 3_600;

/** Characters of an external key (code 5, EXTERNAL_KEY_LIMIT_EXCEEDED) and of an `Idempotency-Key`. */
export const MAX_EXTERNAL_KEY_CHARACTERS = 255;

/** How long the answer to an `Idempotency-Key` is kept (`server.idempotency.retention`), and rows of one purge. */
export const IDEMPOTENCY_RETENTION_MS = DAY_MS;
export const IDEMPOTENCY_PURGE_SIZE = 1_000;

/** Age at which an unfinished request counts as cut off by a crash, so that a repeat runs it anew. */
export const IDEMPOTENCY_ABANDONED_MS = 10 * MINUTE_MS;

/** Keys that a node remembers to release, because the database was unreachable or full. */
export const MAX_LEFT_CLAIMS = 10_000;

/** How often a key is read again whose request goes away between two statements, before the caller is told to come again. */
export const IDEMPOTENCY_CLAIM_ATTEMPTS = 3;

/** Credentials whose slow hash check is remembered: keeps authentication off the hot path. */
export const MAX_CACHED_CREDENTIALS = 10_000;

/** How long a verified credential is believed without a new check. */
export const CACHED_CREDENTIAL_MS = MINUTE_MS;

// Security (platform §6–§8)

/** Calls of one kind that are done together. */
export const MAX_SHARED_CALLS = 100;

/** How long calls may wait for an earlier one like them to end, to be done together afterwards. */
export const SHARED_CALL_WAIT_MS = 10;

/** Users and clients kept in memory with their permissions. */
export const MAX_CACHED_PRINCIPALS = 10_000;

/** Characters of the name of a user, role or client. */
export const MAX_SECURITY_NAME_CHARACTERS = 128;

/** Characters of a password outside test mode, and of any secret: hashing must not take a megabyte. */
export const MIN_PASSWORD_CHARACTERS = 8;
export const MAX_SECRET_CHARACTERS = 1_024;

/** Failed logins that lock a name, and an address, when they happen within the window; and for how long. */
export const MAX_LOGIN_FAILURES_OF_NAME = 10;
export const MAX_LOGIN_FAILURES_OF_ADDRESS = 50;
export const LOGIN_FAILURE_WINDOW_MS = 15 * MINUTE_MS;
export const LOGIN_LOCK_MS = 15 * MINUTE_MS;

/** Idle time after which a login session ends (`rbac.globalSessionTimeout`), and how exactly its last use is kept. */
export const SESSION_IDLE_MS = HOUR_MS;
export const SESSION_TOUCH_MS = MINUTE_MS;

/** Life of a token (`security.token.lifetime`). */
export const TOKEN_LIFETIME_MS = HOUR_MS;

/** By how much the clocks of two servers may differ when times of a token are checked. */
export const TOKEN_CLOCK_TOLERANCE_MS = MINUTE_MS;

/** Characters of a token; the header block has 16 KiB. */
export const MAX_TOKEN_CHARACTERS = 8 * KIBIBYTE;

/** How long a signing key signs. */
export const SIGNING_KEY_LIFETIME_MS = 90 * DAY_MS;

/** How long a key that no longer signs is kept: longer than any token that it has signed, which live 30 days at most. */
export const SIGNING_KEY_RETENTION_MS = 60 * DAY_MS;

/** How long published keys, ours and those of other issuers, may be remembered. */
export const KEY_SET_CACHE_MS = 10 * MINUTE_MS;

/** Pause before an unknown key id, or an issuer that could not be reached, is looked up again. */
export const KEY_SET_PAUSE_MS = MINUTE_MS;
export const KEY_SET_FAILURE_PAUSE_MS = 10 * SECOND_MS;

/** How long an issuer may take to answer, and how large its key set may be. */
export const KEY_SET_TIMEOUT_MS = 5 * SECOND_MS;
export const MAX_KEY_SET_BYTES = 256 * KIBIBYTE;

// Tags and custom fields (accounts §1.2)

export const MAX_TAG_DEFINITION_NAME_CHARACTERS = 20;
export const MAX_TAG_DEFINITION_DESCRIPTION_CHARACTERS = 200;
export const MAX_CUSTOM_FIELD_NAME_CHARACTERS = 64;
export const MAX_CUSTOM_FIELD_VALUE_CHARACTERS = 255;

// Storage

/** Re-runs of an operation after a serialisation failure, deadlock or busy database. */
export const MAX_TRANSACTION_RETRIES = 10;

/** Pause before re-run n is a random part of `min(2^n × first, longest)`. */
export const FIRST_TRANSACTION_RETRY_PAUSE_MS = 5;
export const LONGEST_TRANSACTION_RETRY_PAUSE_MS = 500;

/**
 * How long a database server may be silent before it is asked whether it is there, and how long it may take to answer:
 * together with a second try well below the 5 s within which every call is answered (http-api §12, 60018).
 */
export const DATABASE_SILENCE_MS = SECOND_MS;
export const DATABASE_PROBE_MS = 1_500;

/**
 * How long a transaction that writes may leave its server waiting: a node that hangs in one holds up nobody for as long as
 * a lease. The longest computation between two statements takes a fraction of it.
 */
export const DATABASE_IDLE_MS = 20 * SECOND_MS;

/** How long a new connection to a database server may take. */
export const DATABASE_CONNECT_MS = 4 * SECOND_MS;

/**
 * How long a statement may take while the server answers; a connection may have broken silently. Longer than the longest
 * wait for a lock (`MAX_LOCK_WAIT_STEPS`).
 */
export const DATABASE_STATEMENT_MS = 120 * SECOND_MS;

/** How long SQLite waits for its write lock. */
export const SQLITE_BUSY_TIMEOUT_MS = 5 * SECOND_MS;

/**
 * How long a call waits for a busy account: `invoice.globalLock.retries` × this; the second value where the storage was
 * told nothing.
 */
export const LOCK_WAIT_STEP_MS = 100;
export const ACCOUNT_LOCK_WAIT_MS = 5 * SECOND_MS;

// Queue (platform §4.3 and §9)

/**
 * Entries of one claim: `notificationq.main.claimed` (10) for each of the `nbThreads` (10) that the reference would run.
 * Accounts of one claim share their transactions, which makes a run fast.
 */
export const QUEUE_CLAIM_LIMIT = 100;

/** Claims of one node that are worked on at a time, so that a slow gateway does not hold up other accounts. */
export const QUEUE_WORKERS = 4;

/** How long due work waits for a busy worker before another one begins. */
export const QUEUE_HELP_AFTER_MS = 20;

/** Queue entries of busy accounts whose attempts a node counts. */
export const MAX_BUSY_ENTRIES_COUNTED = 10_000;

/**
 * Lease of a claim in system time (`….claim.time`), renewed when a third of it has passed, and the shortest that can be
 * set.
 */
export const QUEUE_LEASE_MS = 30 * SECOND_MS;
export const MIN_QUEUE_LEASE_MS = SECOND_MS;

/** Pace of the polling fallback (`….sleep`), and what it can be set to. */
export const QUEUE_POLL_MS = 3 * SECOND_MS;
export const MIN_QUEUE_POLL_MS = 10;
export const MAX_QUEUE_POLL_MS = HOUR_MS;

/** Handler failures before an entry is FAILED (`….max.failure.retry`). */
export const QUEUE_MAX_FAILURES = 3;

/** Pauses before the next attempt of a failed handler, in system time. */
export const QUEUE_RETRY_PAUSES_MS: readonly number[] = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS];

/** Pause before an entry is tried again for which the database had no room or whose account stays busy. */
export const QUEUE_PASSING_PAUSE_MS = 5 * SECOND_MS;

/** Settable bounds for failures of a handler (`….max.failure.retry`) and entries of a claim (`….claimed`, `….nbThreads`). */
export const MAX_SETTING_FAILURES = 1_000;
export const MAX_SETTING_CLAIM = 10_000;

/** How often a claiming node looks for leases that have ended. */
export const QUEUE_TAKE_BACK_EVERY_MS = SECOND_MS;

/**
 * How often an entry is taken back before the reaper records it (`….maxReDispatchCount`), how long ago it must have been
 * claimed first (`….reapThreshold`), and the interval of the reaper (`….reapSchedule`).
 */
export const QUEUE_MAX_LAPSES = 10;
export const QUEUE_REAP_THRESHOLD_MS = 10 * MINUTE_MS;
export const QUEUE_REAP_SCHEDULE_MS = 3 * MINUTE_MS;

/** Interval at which old records are purged. */
export const PURGE_SCHEDULE_MS = 3 * MINUTE_MS;

/** How long finished entries are kept (`queue.history.retention`), and how many one purge statement takes. */
export const QUEUE_HISTORY_RETENTION_MS = 90 * DAY_MS;

/** A date is not over everywhere when it is in UTC, and its run may be some hours late (invoicing §8.1). */
export const TOLD_INVOICE_OVER_MS = 2 * DAY_MS;
export const QUEUE_PURGE_SIZE = 1_000;

/** How long bus entries of an account wait for an earlier one that failed. */
export const QUEUE_ORDER_WAIT_MS = MINUTE_MS;

/** Entries that the list of queues reads at once, and that one look at what is late, busy or failed can give. */
export const QUEUE_LIST_PAGE = 500;
export const MAX_QUEUE_LOOK = 1_000;

/** Characters of the reason for which an operator parks an account, as of a comment. */
export const MAX_PARKING_REASON_CHARACTERS = 255;

/** How often a node gives a sign of life, and how long without one it is still listed (platform §15 rule 1). */
export const NODE_BEAT_MS = 30 * SECOND_MS;
export const NODE_LISTED_MS = 5 * MINUTE_MS;

/** How long, and how often, a start asks for a name that another node has. */
export const NODE_NAME_WAIT_MS = 5 * SECOND_MS;
export const NODE_NAME_PAUSE_MS = 250;

/** How long what a node that has gone was is still stored. */
export const NODE_KEPT_MS = DAY_MS;

/** How often a node looks for what all nodes are told. */
export const NODE_LISTEN_MS = 5 * SECOND_MS;

/** After what time no broadcast with a lower number can become visible any more: each is a short transaction. */
export const BROADCAST_SETTLED_MS = MINUTE_MS;

/** Broadcasts that are read at once, and before the last one at a node's start that it does not look at again. */
export const BROADCASTS_AT_ONCE = 1_000;

/** Characters of the type of a command to nodes, and how many properties it has. */
export const MAX_NODE_COMMAND_TYPE_CHARACTERS = 255;
export const MAX_NODE_COMMAND_PROPERTIES = 100;

/** How long shutdown waits for running handlers. */
export const QUEUE_SHUTDOWN_WAIT_MS = 15 * SECOND_MS;

/** Interval at which a wait for quiet queues looks again when nothing signals (platform §14.2). */
export const QUEUE_SETTLE_POLL_MS = 50;

/** How long `settle` processes the queue unless told otherwise, in system time. */
export const SETTLE_TIMEOUT_MS = MINUTE_MS;

/** How long `settleThrough` lets time pass unless told otherwise, in system time. */
export const SETTLE_THROUGH_TIMEOUT_MS = 10 * MINUTE_MS;

// Health (platform §13)

/** How long the database may take to answer. */
export const HEALTH_ANSWER_MS = 2 * SECOND_MS;

/** How far behind its due date a queue entry counts as late (`health.lateThreshold`). */
export const LATE_THRESHOLD_MS = MINUTE_MS;

/** How many queue entries may be late, and how late one may be, before a node counts as ill. */
export const MAX_LATE_ENTRIES = 1_000;
export const MAX_LATENESS_MS = 10 * MINUTE_MS;

/** Entries of each list of the health report, and of failed entries unless more are asked for (platform §12). */
export const MAX_SHOWN_ENTRIES = 100;

/** Entries that are looked at, or put back, by one call. */
export const MAX_NAMED_ENTRIES = 1_000;

/** The last entries of the server, among which the recent ones of a tenant are looked for. */
export const MAX_RECENT_ENTRIES = 50_000;

/** Accounts that the health report shows as parked. */
export const MAX_SHOWN_PARKED = 50;

/** How often each node stores samples, how long they are kept, and how many values one call tells. */
export const SAMPLES_EVERY_MS = MINUTE_MS;
export const SAMPLES_KEPT_MS = 14 * DAY_MS;
export const MAX_SAMPLE_VALUES = 500_000;

/** How long the access log is kept (`accesslog.retention`), and what of it the health report shows. */
export const ACCESS_RETENTION_MS = 2 * DAY_MS;
export const MAX_SHOWN_ACCESS_MS = 2 * DAY_MS;
export const MAX_SHOWN_ACCESS_LINES = 1_000;

/** Requests of the access log are stored together: so many, or after this time; beyond so many, they are lost. */
export const ACCESS_FLUSH_LINES = 500;
export const ACCESS_FLUSH_MS = 5 * SECOND_MS;
export const MAX_ACCESS_LINES_HELD = 10_000;

/** Characters of a URI in the access log. */
export const MAX_ACCESS_URI = 2_000;

/** Log files of one diagnostic, and the last bytes that are read of each. */
export const MAX_LOG_FILES = 20;
export const MAX_LOG_BYTES = 5 * 1_024 * 1_024;

/** Rows of samples and of the access log that are deleted at a time. */
export const ACCESS_PURGE_SIZE = 5_000;

/** From when to when failed entries are looked at by one call. */
export const MAX_FAILED_RANGE_MS = 90 * DAY_MS;

/** By how much the clocks of a node and of its database may differ. */
export const MAX_CLOCK_SKEW_MS = 5 * SECOND_MS;

// Payments

/** Time limit of one gateway call (`payment.plugin.timeout`). */
export const GATEWAY_TIMEOUT_MS = 30 * SECOND_MS;

/** The same in test mode, unless it is set: tests of gateways that do not answer should not take half a minute. */
export const TEST_GATEWAY_TIMEOUT_MS = 5 * SECOND_MS;

/** Gateway calls of one node that run at once. */
export const MAX_CONCURRENT_GATEWAY_CALLS = 30;

/** Characters of a message or reference from a gateway that are kept; answers from outside are claims. */
export const MAX_GATEWAY_TEXT_CHARACTERS = 4_096;

/** Rows of an export that are read at a time, and bytes of it that go out at a time (accounts §16 rule 4). */
export const EXPORT_BATCH_ROWS = 500;
export const EXPORT_PIECE_BYTES = 65_536;

/** Size of the free text of an invoice item, in bytes of UTF-8 (invoicing §1.2). */
export const MAX_ITEM_DETAILS_BYTES = 65_536;

/** How much a check of the stored data looks at in one piece. */
export const CHECKED_TENANTS_AT_ONCE = 100;
export const CHECKED_ACCOUNTS_AT_ONCE = 100;
export const CHECKED_INVOICES_AT_ONCE = 1_000;
export const CHECKED_RECORDS_AT_ONCE = 5_000;

// Documents (invoicing §14)

/** Locales whose formats of numbers and dates are kept: some 60 KiB each. */
export const MAX_CACHED_DOCUMENT_FORMATS = 64;

/**
 * An uploaded template: characters (a logo of 180 kB as a data URL fits), tags, and how deep sections may be nested. The
 * last two bound the time of mustache.js: characters without any markup, and blanks, in a row.
 */
export const MAX_TEMPLATE_CHARACTERS = 256 * KIBIBYTE;
export const MAX_TEMPLATE_TAGS = 5_000;
export const MAX_TEMPLATE_DEPTH = 16;

/** Parts of a name in a template, such as `invoice.amount`; keys of translations have some five. */
export const MAX_TEMPLATE_PATH_PARTS = 16;
export const MAX_TEMPLATE_PLAIN_CHARACTERS = 10_000;
export const MAX_TEMPLATE_BLANKS = 200;

/** Characters of an amount, a quantity, a day or a period as a host's formatter may write it. */
export const MAX_FORMATTED_CHARACTERS = 1_000;

/** Items of an invoice that is made a document of: some 400 pages. */
export const MAX_DOCUMENT_ITEMS = 10_000;

/** Parts of names and repeats that one document is filled with (at most some 700 ms), and characters that it may have. */
export const MAX_TEMPLATE_STEPS = 1_000_000;
export const MAX_DOCUMENT_CHARACTERS = 32 * MEBIBYTE;

/** Characters and entries of an uploaded translation: two names for each of 10,000 plans fit. */
export const MAX_PROPERTIES_CHARACTERS = MEBIBYTE;
export const MAX_PROPERTIES_ENTRIES = 25_000;

/** Characters of templates, and of translations, that stay parsed. */
export const MAX_CACHED_DOCUMENT_TEXT_CHARACTERS = 8 * MEBIBYTE;
