import type {
  Account,
  Authorship,
  Broadcast,
  New,
  NewBusEvent,
  NewNotification,
  PluginSwitch,
  TenantRef,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { AccountReads, AccountWrites, OverdueReads, OverdueWrites } from './accounts.ts';
import type { AuditReads, ExportReads } from './audit.ts';
import type { CatalogEntryReads, CatalogEntryWrites, CatalogReads, CatalogWrites } from './catalogs.ts';
import type { CheckReads } from './checks.ts';
import type { CreditNoteReads, CreditNoteWrites, InvoiceReads, InvoiceWrites } from './invoices.ts';
import type { PaymentReads, PaymentWrites } from './payments.ts';
import type { EventReads, PushReads, PushWrites } from './push.ts';
import type { ClaimedEntry, NotificationReads } from './queue.ts';
import type { QueuePages } from './queue-entries.ts';
import type { SubscriptionReads, SubscriptionWrites } from './subscriptions.ts';
import type { CustomFieldReads, CustomFieldWrites, TagReads, TagWrites } from './tags.ts';
import type {
  KeyValueReads,
  KeyValueWrites,
  SigningSecretReads,
  SigningSecretWrites,
  TenantRevisions,
} from './tenants.ts';
import type { UsageReads, UsageWrites } from './usage.ts';

/** One consistent snapshot of one tenant's rows; it can see no other tenant (lib/README.md rule 15). */
export interface ReadSession {
  readonly tenant: TenantRef;
  /** Read once per session, and again after the lock of the tenant's row was taken. */
  revisions(): Promise<TenantRevisions>;
  readonly keyValues: KeyValueReads;
  readonly signingSecrets: SigningSecretReads;
  readonly accounts: AccountReads;
  readonly catalogs: CatalogReads;
  readonly catalogEntries: CatalogEntryReads;
  readonly subscriptions: SubscriptionReads;
  readonly invoices: InvoiceReads;
  readonly creditNotes: CreditNoteReads;
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
}

/** Which of the tenant's settings says how long to wait for a busy account (platform §15 rule 2). */
export const LockWait = { INVOICE: 'INVOICE', PAYMENT: 'PAYMENT' } as const;
export type LockWait = (typeof LockWait)[keyof typeof LockWait];

/** Gives how many milliseconds a session waits for a busy account. */
export type LockWaitOf = (session: ReadSession, wait: LockWait) => Promise<number>;

/** Gives whether the tenant of a session writes credit notes. */
export type WritesCreditNotesOf = (session: ReadSession) => Promise<boolean>;

/** Types of bus events that a tenant leaves out (platform §4.2). */
export interface SkippedEvents {
  readonly notStored: readonly string[];
  /** Stored, but given to no handler. */
  readonly notDispatched: readonly string[];
}

/** Gives the skipped events of a session's tenant; asked once per transaction that publishes. */
export type SkippedEventsOf = (session: ReadSession) => Promise<SkippedEvents>;

/**
 * Gives what the bus events of a transaction ask for besides, also those that the tenant leaves out; asked once per
 * transaction that publishes, right before its commit.
 */
export type AskedByEvents = (
  session: WriteSession,
  events: readonly NewBusEvent[],
) => Promise<readonly NewNotification[]>;

/** Gives the id by which the outside is to know an event; null = it is not told. */
export type EventIdOf = (event: NewBusEvent) => Uuid | null;

/**
 * One transaction of one tenant. Writes of audited records also write their audit rows (with the record as it is after
 * the change), in the same transaction and in bulk. The entries of `publish` and `schedule` are written in it too.
 */
export interface WriteSession extends ReadSession {
  readonly authorship: Authorship;
  readonly keyValues: KeyValueReads & KeyValueWrites;
  readonly signingSecrets: SigningSecretReads & SigningSecretWrites;
  readonly accounts: AccountReads & AccountWrites;
  readonly catalogs: CatalogReads & CatalogWrites;
  readonly catalogEntries: CatalogEntryReads & CatalogEntryWrites;
  readonly subscriptions: SubscriptionReads & SubscriptionWrites;
  readonly invoices: InvoiceReads & InvoiceWrites;
  readonly creditNotes: CreditNoteReads & CreditNoteWrites;
  readonly payments: PaymentReads & PaymentWrites;
  readonly overdue: OverdueReads & OverdueWrites;
  readonly usage: UsageReads & UsageWrites;
  readonly tags: TagReads & TagWrites;
  readonly customFields: CustomFieldReads & CustomFieldWrites;
  readonly deliveries: PushReads & PushWrites;
  /**
   * Takes the locks of these accounts in ascending record id and returns the accounts as they are under the lock; unknown
   * ids are left out. Waits for a busy one as long as the tenant's setting says (by default that of calls other than
   * payments), or at most `waitMs`, then throws BillingError 60018 ACCOUNT_BUSY. A single account that is free is locked
   * without reading the tenant's settings.
   */
  lockAccounts(
    accountIds: readonly Uuid[],
    options?: { readonly wait: LockWait } | { readonly waitMs: number },
  ): Promise<readonly Account[]>;
  /** Takes those of the locks that are free right now, without waiting; busy and unknown accounts are left out. */
  tryLockAccounts(accountRecordIds: readonly number[]): Promise<readonly Account[]>;
  /** Appends bus events to the outbox of this transaction, in order. */
  publish(events: readonly NewBusEvent[]): void;
  /** Tells all nodes something once this transaction is committed (platform §11). */
  broadcast(told: New<Broadcast>): void;
  /** Keeps what a command to all nodes has made of a plugin; null: it runs. */
  switchPlugin(pluginName: string, state: PluginSwitch['state'] | null): Promise<void>;
  /** Appends notifications to this transaction; where a live entry has the same `uniqueKey`, this is a no-op. */
  schedule(notifications: readonly NewNotification[]): void;
  /** Removes live AVAILABLE notifications with these keys (outcome REMOVED). */
  unschedule(uniqueKeys: readonly string[]): Promise<void>;
  /**
   * Removes the account's live AVAILABLE notifications that fall due after the instant, of all queues except that of
   * pushes (outcome REMOVED), those of this transaction included.
   */
  unscheduleFuture(accountRecordId: number, after: Instant): Promise<void>;
  /**
   * Ends claimed entries as PROCESSED in this transaction: what the handler wrote and the entry's outcome commit
   * together. Throws LeaseLostError (the transaction rolls back) when a claim is no longer ours.
   */
  finish(entries: readonly ClaimedEntry[]): Promise<void>;
  /** Marks `handler` as done with these entries in this transaction; they stay claimed for their other handlers. */
  markDone(entries: readonly ClaimedEntry[], handler: string): Promise<void>;
}

/**
 * Another transaction has changed what the work builds on, between a read and the lock or the write. Thrown inside
 * `Storage.write`, it rolls back what the work has done and runs it again from the start, a bounded number of times; then
 * the call ends with BillingError 60018 BUSY, this message and these facts.
 */
export class ConcurrentChangeError extends Error {
  override readonly name = 'ConcurrentChangeError';
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.facts = Object.freeze({ ...facts });
  }
}

/** The claim of a queue entry has ended or passed to another node, so the work must be rolled back. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}
