import type {
  Account,
  Authorship,
  Broadcast,
  New,
  NewBusEvent,
  NewNotification,
  PluginSwitch,
  Rows,
  TenantRef,
} from '../../records/index.ts';
import { enumeration } from '../../values/fields/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { AccountReads, AccountWrites, OverdueReads, OverdueWrites } from './accounts.ts';
import type { AuditReads, ExportReads } from './audit.ts';
import type { CatalogEntryReads, CatalogEntryWrites, CatalogReads, CatalogWrites } from './catalogs.ts';
import type { CheckReads } from './checks.ts';
import type { CouponReads, CouponWrites } from './coupons.ts';
import type { EInvoiceDeliveryReads, EInvoiceDeliveryWrites } from './e-invoices.ts';
import type { FeatureReads, FeatureWrites } from './features.ts';
import type { CreditNoteReads, CreditNoteWrites, InvoiceReads, InvoiceWrites } from './invoices.ts';
import type { PaymentReads, PaymentWrites } from './payments.ts';
import type { EventReads, PushReads, PushWrites } from './push.ts';
import type { ClaimedEntry, NotificationReads } from './queue.ts';
import type { QueuePages } from './queue-entries.ts';
import type { ReportReads, ReportWrites } from './reports.ts';
import type { SubscriptionReads, SubscriptionWrites } from './subscriptions.ts';
import type { CustomFieldReads, CustomFieldWrites, TagReads, TagWrites } from './tags.ts';
import type {
  KeyValueReads,
  KeyValueWrites,
  SellerReads,
  SellerWrites,
  SigningSecretReads,
  SigningSecretWrites,
  TenantRevisions,
} from './tenants.ts';
import type { UsageReads, UsageWrites } from './usage.ts';

/** A consistent snapshot of one tenant's rows, isolated from other tenants (lib/README.md rule 15). */
export interface ReadSession {
  readonly tenant: TenantRef;
  /** Returns the revisions. They are read once per session, and again when the tenant's row is locked. */
  revisions(): Promise<TenantRevisions>;
  readonly keyValues: KeyValueReads;
  readonly signingSecrets: SigningSecretReads;
  readonly sellers: SellerReads;
  readonly accounts: AccountReads;
  readonly catalogs: CatalogReads;
  readonly catalogEntries: CatalogEntryReads;
  readonly subscriptions: SubscriptionReads;
  readonly coupons: CouponReads;
  readonly features: FeatureReads;
  readonly invoices: InvoiceReads;
  readonly creditNotes: CreditNoteReads;
  readonly eInvoiceDeliveries: EInvoiceDeliveryReads;
  readonly payments: PaymentReads;
  readonly overdue: OverdueReads;
  readonly usage: UsageReads;
  readonly tags: TagReads;
  readonly customFields: CustomFieldReads;
  readonly audit: AuditReads;
  readonly exports: ExportReads;
  readonly notifications: NotificationReads;
  readonly deliveries: PushReads;
  readonly queue: QueuePages;
  readonly events: EventReads;
  readonly checks: CheckReads;
  readonly reports: ReportReads;
}

/** The tenant's setting that specifies how long a call waits for a busy account (platform §15 rule 2). */
export const LockWait = enumeration('INVOICE', 'PAYMENT');
export type LockWait = keyof typeof LockWait;

/** Returns the maximum time to wait for a busy account, in milliseconds. */
export type LockWaitOf = (session: ReadSession, wait: LockWait) => Promise<number>;

export type WritesCreditNotesOf = (session: ReadSession) => Promise<boolean>;

/** Types of bus events that a tenant skips (platform §4.2). */
export interface SkippedEvents {
  readonly notStored: readonly string[];
  /** Events that are stored but not passed to handlers. */
  readonly notDispatched: readonly string[];
}

/** Returns the skipped events. Called once for each transaction that publishes events. */
export type SkippedEventsOf = (session: ReadSession) => Promise<SkippedEvents>;

/**
 * Returns additional work for a transaction's bus events, including skipped events. Called once for each transaction
 * that publishes events, before it commits.
 */
export type FollowUpWork = (session: WriteSession, events: readonly NewBusEvent[]) => Rows<NewNotification>;

/** Returns the public id of an event, or null for an internal event. */
export type EventIdOf = (event: NewBusEvent) => Uuid | null;

/**
 * One transaction of one tenant. Writes of audited records include their audit rows (with the record after the
 * change), in bulk. Entries of `publish` and `schedule` belong to the transaction.
 */
export interface WriteSession extends ReadSession {
  readonly authorship: Authorship;
  readonly keyValues: KeyValueReads & KeyValueWrites;
  readonly signingSecrets: SigningSecretReads & SigningSecretWrites;
  readonly sellers: SellerReads & SellerWrites;
  readonly accounts: AccountReads & AccountWrites;
  readonly catalogs: CatalogReads & CatalogWrites;
  readonly catalogEntries: CatalogEntryReads & CatalogEntryWrites;
  readonly subscriptions: SubscriptionReads & SubscriptionWrites;
  readonly coupons: CouponReads & CouponWrites;
  readonly features: FeatureReads & FeatureWrites;
  readonly invoices: InvoiceReads & InvoiceWrites;
  readonly creditNotes: CreditNoteReads & CreditNoteWrites;
  readonly eInvoiceDeliveries: EInvoiceDeliveryReads & EInvoiceDeliveryWrites;
  readonly payments: PaymentReads & PaymentWrites;
  readonly overdue: OverdueReads & OverdueWrites;
  readonly usage: UsageReads & UsageWrites;
  readonly tags: TagReads & TagWrites;
  readonly customFields: CustomFieldReads & CustomFieldWrites;
  readonly deliveries: PushReads & PushWrites;
  readonly reports: ReportReads & ReportWrites;
  /**
   * Locks these accounts in ascending order of record ids and returns their locked state. Unknown ids are omitted.
   * Waits for busy accounts for the time that the tenant's setting defines (by default, the setting for calls other
   * than payments), or for at most `waitMs`. Then throws BillingError 60018 ACCOUNT_BUSY. Locking a single free account
   * reads no settings.
   */
  lockAccounts(
    accountIds: readonly Uuid[],
    options?: { readonly wait: LockWait } | { readonly waitMs: number },
  ): Rows<Account>;
  /** Locks accounts without waiting. Omits busy and unknown accounts. */
  tryLockAccounts(accountRecordIds: readonly number[]): Rows<Account>;
  tryLockAccountsById(accountIds: readonly Uuid[]): Rows<Account>;
  /** Reports a change to the account to the listeners of `Storage.onChange`, for records that are not audited. */
  touch(accountRecordId: number): void;
  /** Appends bus events to the outbox in order. */
  publish(events: readonly NewBusEvent[]): void;
  /** Sends a broadcast to all nodes after the commit (platform §11). */
  broadcast(told: New<Broadcast>): void;
  /** Stores the state of a plugin after a command to all nodes. Null means that the plugin is running. */
  switchPlugin(pluginName: string, state: PluginSwitch['state'] | null): Promise<void>;
  /** Schedules notifications. Skips a notification if a live entry has the same `uniqueKey`. */
  schedule(notifications: readonly NewNotification[]): void;
  /** Removes live AVAILABLE notifications with these keys. Their outcome is REMOVED. */
  unschedule(uniqueKeys: readonly string[]): Promise<void>;
  /**
   * Removes the account's live AVAILABLE notifications that are due after the instant, including notifications of
   * this transaction, except pushes. Their outcome is REMOVED.
   */
  unscheduleFuture(accountRecordId: number, after: Instant): Promise<void>;
  /**
   * Marks claimed entries as PROCESSED together with the handler's writes. If a claim was lost, throws LeaseLostError,
   * which rolls back the transaction.
   */
  finish(entries: readonly ClaimedEntry[]): Promise<void>;
  /** Marks `handler` as done. The entries stay claimed for other handlers. */
  markDone(entries: readonly ClaimedEntry[], handler: string): Promise<void>;
}

/**
 * Thrown if another transaction changed the data between a read and the lock or write. Inside `Storage.write`, the
 * error rolls back and repeats the work a limited number of times. Then the call ends with BillingError 60018 BUSY,
 * which has the message and facts of this error.
 */
export class ConcurrentChangeError extends Error {
  override readonly name = 'ConcurrentChangeError';
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.facts = Object.freeze({ ...facts });
  }
}

/**
 * Thrown if the claim of a queue entry has ended or another node now has the entry. The transaction must then be rolled
 * back.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}
