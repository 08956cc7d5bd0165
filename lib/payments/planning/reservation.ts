import type { GatewayOperation, IdGenerator, PaymentGateway } from '../../ports/index.ts';
import {
  type Account,
  type AutoPayHold,
  type CallContext,
  type Invoice,
  type InvoicePayment,
  isUnresolved,
  type New,
  type NewNotification,
  type Payment,
  type PaymentAttempt,
  type PaymentMethod,
  type PaymentTransaction,
  type PluginProperty,
  type TransactionType,
} from '../../records/index.ts';
import { assertInvariant, BillingError, ErrorCode, invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import { addMilliseconds, type Instant } from '../../values/time/index.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import { lacksMember } from '../state/payment-errors.ts';
import { janitorCheck, recoveryNotification } from '../state/payment-notifications.ts';
import type { OperationTable } from '../state/payment-state.ts';

/** A reserved gateway operation (§5.1). */
export interface ReservedCall {
  readonly account: Account;
  /**
   * The gateway, or null if no gateway is called, for example for a chargeback, which the card network makes (§2.1
   * rule 3).
   */
  readonly gateway: PaymentGateway | null;
  readonly paymentId: Uuid;
  readonly paymentMethodId: Uuid;
  readonly transaction: New<PaymentTransaction>;
  readonly properties: readonly PluginProperty[];
  /**
   * True if control plugins are notified. The operation then cannot be completed in the transaction that reserves it.
   */
  readonly isControlled?: boolean;
  /** True if the operation is recorded as a failure without a gateway call. */
  readonly isRefused?: boolean;
}

/** A run that has begun. Control plugins are consulted about it before it is reserved (§8.1). */
export interface BegunRun {
  /**
   * The stored attempt in the state INIT. It has no transaction yet. It has no plugin properties either, because
   * plugins may remove secrets from them.
   */
  readonly attempt: New<PaymentAttempt>;
  /** Ids that were planned before the consultation and remain the same afterward. */
  readonly planned: {
    readonly paymentId: Uuid;
    readonly transactionId: Uuid;
    readonly isNewPayment: boolean;
    /**
     * The amount that settles an invoice, in the invoice's currency. The value is null if the run does not pay an
     * invoice.
     */
    readonly settles: Decimal | null;
  };
}

/** A run with the adjustments that control plugins made. */
export interface ConsultedRun extends BegunRun {
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  readonly paymentMethodId: Uuid | null;
  readonly properties: readonly PluginProperty[];
}

/**
 * Returns true if the gateway has an effect outside the storage transaction (§2.4 rule 1). Returns false if there is no
 * gateway.
 */
export function hasOutsideEffect({
  gateway,
  isControlled = false,
}: Pick<ReservedCall, 'gateway' | 'isControlled'>): boolean {
  return isControlled || (gateway !== null && gateway.capabilities?.sideEffectFree !== true);
}

/**
 * Returns the check that recovers the transaction after a crash. The check is due when the first delay after the end of
 * the lease has passed (§5.1 rule 1).
 */
export function firstCheck({ transaction }: ReservedCall, config: PaymentConfig): NewNotification | null {
  const { leaseUntil: from } = transaction;
  if (from === null || !isUnresolved(transaction)) return null;
  const check = janitorCheck({ status: transaction.status, check: 0, from }, config);
  return check && recoveryNotification(transaction, check);
}

/**
 * Rejects gateway calls inside a host's transaction. That transaction commits only after the call, so a crash would
 * lose the record of moved money (§5.1 rule 1).
 * @throws BillingError INVALID_PARAMETER (60002).
 */
export function checkCommits(
  { tenant }: Pick<CallContext, 'tenant'>,
  call: Pick<ReservedCall, 'gateway' | 'isControlled'>,
): void {
  if (tenant.within === undefined || !hasOutsideEffect(call)) return;
  throw invalidParameter(
    `Payment gateway "${call.gateway?.name}" cannot be called inside a host transaction: ` +
      'make the payment after its commit; nothing was attempted',
    { pluginName: call.gateway?.name ?? null },
  );
}

/**
 * Repeats the decision if another account has used the transaction's key in the meantime. The second decision then
 * reports the conflict according to the key rules (§4.1, §4.2).
 */
export async function retryOnKeyConflict<T>(decide: () => Promise<T>): Promise<T> {
  try {
    return await decide();
  } catch (error) {
    if (isRace(error)) return decide();
    throw error;
  }
}

/**
 * Returns true for an error of the unique index. Unlike the errors of the key rules, such an error does not name a
 * transaction.
 */
function isRace(error: unknown) {
  if (!(error instanceof BillingError)) return false;
  const { code, facts } = error;
  return code === ErrorCode.PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS && facts.transactionId === undefined;
}

/** Milliseconds between the time limit of the call and the end of its lease (§5.1 rule 1). */
const LEASE_MARGIN_MS = 30_000;

/**
 * Returns the end of a lease that is long enough for all calls. Calls run in groups of `parallelCalls`, and each group
 * takes at most one timeout.
 */
export function leaseUntil(
  now: Instant,
  calls: { readonly count: number; readonly parallelCalls: number; readonly timeoutMs: number },
): Instant {
  const waves = Math.max(1, Math.ceil(calls.count / calls.parallelCalls));
  return addMilliseconds(now, waves * calls.timeoutMs + LEASE_MARGIN_MS);
}

/** The gateway function for each transaction type (§2.1). A chargeback has no function. */
const memberOf = {
  AUTHORIZE: 'authorize',
  CAPTURE: 'capture',
  PURCHASE: 'purchase',
  REFUND: 'refund',
  CREDIT: 'credit',
  VOID: 'void',
} as const satisfies Partial<Record<TransactionType, keyof PaymentGateway>>;

/** Returns the gateway function for a transaction type. */
export function operationOf(gateway: PaymentGateway, type: TransactionType): GatewayOperation {
  assertInvariant(type !== 'CHARGEBACK', 'A chargeback must not call a gateway', {});
  const operation = gateway[memberOf[type]];
  assertInvariant(operation, 'The gateway does not support this operation', { type });
  return operation.bind(gateway) as GatewayOperation;
}

/**
 * Checks that the gateway supports an operation.
 * @throws BillingError PAYMENT_PLUGIN_EXCEPTION (7199) if it does not.
 */
export function checkOffers(gateway: PaymentGateway, type: TransactionType): void {
  if (type === 'CHARGEBACK' || gateway[memberOf[type]] !== undefined) return;
  throw lacksMember(gateway.name, memberOf[type]);
}

export interface ReservationFacts {
  readonly account: Account;
  readonly invoice: Invoice;
  /** The invoice's payment rows in creation order. Their payments, transactions and attempts are included. */
  readonly rows: readonly InvoicePayment[];
  readonly payments: readonly Payment[];
  readonly transactions: readonly PaymentTransaction[];
  readonly attempts: readonly PaymentAttempt[];
  /** The default method of the account, and the methods of the payments. */
  readonly methods: ReadonlyMap<Uuid, PaymentMethod>;
  /** True if the account has a tag that holds automatic payments. */
  readonly isHeldBack: boolean;
  /** The active hold of the invoice, if there is one and it was loaded. */
  readonly hold: AutoPayHold | null;
  readonly api?: ApiPayment;
  /** The run that control plugins allowed. The field is absent if no plugins were called. */
  readonly consulted?: ConsultedRun;
  /** Records of any invoice that have the requested keys. */
  readonly keyed: KeyedRecords;
}

export interface PlanTools {
  readonly ids: IdGenerator;
  readonly gateways: ReadonlyMap<string, PaymentGateway>;
  readonly now: Instant;
  readonly leaseUntil: Instant;
  readonly allowEmptyInvoice: boolean;
  /** The tenant's own operation tables by plugin name (§3.1). */
  readonly stateMachines: ReadonlyMap<string, OperationTable>;
}

export interface StoredPayments
  extends Pick<ReservationFacts, 'rows' | 'payments' | 'transactions' | 'attempts' | 'keyed'> {
  readonly methods: readonly PaymentMethod[];
}

/** The data of an invoice, and its rows that must be repaired first (§9.2 rule 2). */
export interface KnownFacts {
  readonly facts: ReservationFacts;
  readonly lost: readonly (LostSuccess & {
    readonly invoice: Invoice;
    readonly attempt: PaymentAttempt | undefined;
  })[];
}

export function factsOf(
  of: Pick<ReservationFacts, 'account' | 'invoice' | 'isHeldBack' | 'hold' | 'api' | 'consulted'>,
  stored: StoredPayments,
): KnownFacts {
  const { invoice } = of;
  const rows = stored.rows.filter(({ invoiceId }) => invoiceId === invoice.id);
  const ids = new Set(rows.map(({ paymentId }) => paymentId));
  const payments = stored.payments.filter(({ id }) => ids.has(id));
  const keys = new Set(payments.map(({ externalKey }) => externalKey));
  const transactions = stored.transactions.filter(({ paymentId }) => ids.has(paymentId));
  const methods = new Map<Uuid, PaymentMethod>(stored.methods.map((method) => [method.id, method]));
  const attempts = stored.attempts.filter(({ paymentExternalKey }) => keys.has(paymentExternalKey));
  const lost = lostSuccesses(rows, transactions).map((found) => {
    const attempt = attempts.find(({ id }) => id === found.transaction.attemptId);
    return { ...found, invoice, attempt };
  });
  const facts = { ...of, rows, payments, transactions, attempts, methods, keyed: stored.keyed };
  return { facts, lost };
}

/** A payment of an invoice that an API call requests (§9.6). */
export interface ApiPayment {
  readonly methodId: Uuid | null;
  readonly amount: Decimal | null;
  readonly paymentKey: string | null;
  readonly transactionKey: string | null;
  readonly properties: readonly PluginProperty[];
  /** The names of control plugins, or null for the tenant's plugins. */
  readonly controlPlugins: readonly string[] | null;
  /**
   * If true, waits for another payment of the invoice, and fails if there is no payment method. If false, skips an
   * invoice that cannot be paid now.
   */
  readonly waits: boolean;
}

export interface KeyedRecords {
  readonly payments: readonly Payment[];
  readonly transactions: readonly PaymentTransaction[];
}

export interface HeldRetry {
  readonly payment: Payment;
  readonly origin: PaymentAttempt;
  /** The attempt that was stored when the payment was put on hold. */
  readonly held: PaymentAttempt;
}

/** Returns the retry that a hold delays. Returns null if the hold delays the first payment of its invoice (§9.3). */
export function heldRetryOf(
  { attemptId }: Pick<AutoPayHold, 'attemptId'>,
  { attempts, payments }: Pick<ReservationFacts, 'attempts' | 'payments'>,
): HeldRetry | null {
  const held = attempts.find(({ id }) => id === attemptId);
  const payment = payments.find(({ externalKey }) => externalKey === held?.paymentExternalKey);
  const origin = attempts.findLast(
    ({ stateName, paymentExternalKey, transactionExternalKey }) =>
      stateName === 'RETRIED' &&
      paymentExternalKey === held?.paymentExternalKey &&
      transactionExternalKey === held.transactionExternalKey,
  );
  return held && payment && origin ? { payment, origin, held } : null;
}

/** Sorts holds in the order of their release, with the oldest invoice first (§9.3). */
export function oldestFirst(holds: readonly AutoPayHold[], invoices: readonly Invoice[]) {
  const order = invoices
    .toSorted((a, b) => a.invoiceDate - b.invoiceDate || a.invoiceNumber - b.invoiceNumber)
    .map(({ id }) => id);
  return holds.toSorted((a, b) => order.indexOf(a.invoiceId) - order.indexOf(b.invoiceId));
}

/** An ATTEMPT row that does not reflect the success of its transaction. */
interface LostSuccess {
  readonly row: InvoicePayment;
  readonly transaction: PaymentTransaction;
}

/**
 * Returns the rows that do not have the status SUCCESS although a transaction with their key succeeded (§9.2 rule 2).
 */
export function lostSuccesses(
  rows: readonly InvoicePayment[],
  transactions: readonly PaymentTransaction[],
): readonly LostSuccess[] {
  return rows.flatMap((row) => {
    if (row.type !== 'ATTEMPT' || row.status === 'SUCCESS') return [];
    const transaction = transactions.find(
      (candidate) =>
        candidate.externalKey === row.transactionExternalKey &&
        candidate.transactionType === 'PURCHASE' &&
        candidate.status === 'SUCCESS',
    );
    return transaction ? [{ row, transaction }] : [];
  });
}
