import type { GatewayOperation, IdGenerator, PaymentGateway } from '../../ports/index.ts';
import {
  type Account,
  AttemptState,
  type AutoPayHold,
  type CallContext,
  type Invoice,
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  isUnresolved,
  type New,
  type NewNotification,
  type Payment,
  type PaymentAttempt,
  type PaymentMethod,
  type PaymentTransaction,
  type PluginProperty,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import { assertInvariant, BillingError, ErrorCode, invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import { addMilliseconds, type Instant } from '../../values/time/index.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import { lacksMember } from '../state/payment-errors.ts';
import { janitorCheck, recoveryNotification } from '../state/payment-notifications.ts';
import type { OperationTable } from '../state/payment-state.ts';

/** One operation of a gateway that is reserved: what is asked, of whom (§5.1). */
export interface ReservedCall {
  readonly account: Account;
  /** Null: nobody is asked, such as of a chargeback, which the network has made (§2.1 rule 3). */
  readonly gateway: PaymentGateway | null;
  readonly paymentId: Uuid;
  readonly paymentMethodId: Uuid;
  readonly transaction: New<PaymentTransaction>;
  readonly properties: readonly PluginProperty[];
  /** True: control plugins hear of it, so that it cannot end in the transaction that reserves it. */
  readonly isControlled?: boolean;
  /** True: what nobody is asked about is recorded as a failure. */
  readonly isRefused?: boolean;
}

/** A run of an operation about which control plugins are asked before it is reserved (§8.1). */
export interface BegunRun {
  /** As stored: INIT, without a transaction, and without properties, of which plugins may strip secrets. */
  readonly attempt: New<PaymentAttempt>;
  /** What was planned before the plugins were asked: its ids are taken. */
  readonly planned: {
    readonly paymentId: Uuid;
    readonly transactionId: Uuid;
    readonly isNewPayment: boolean;
    /** What is settled of an invoice, in its currency; null: the run pays none. */
    readonly settles: Decimal | null;
  };
}

/** The same, as control plugins have left it. */
export interface ConsultedRun extends BegunRun {
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  readonly paymentMethodId: Uuid | null;
  readonly properties: readonly PluginProperty[];
}

/** False where nobody is asked, and for a gateway whose operation is part of the storage transaction (§2.4 rule 1). */
export function hasOutsideEffect({
  gateway,
  isControlled = false,
}: Pick<ReservedCall, 'gateway' | 'isControlled'>): boolean {
  return isControlled || (gateway !== null && gateway.capabilities?.sideEffectFree !== true);
}

/** §5.1 rule 1: the check that finds what a crash leaves, at the end of the lease plus the first delay. */
export function firstCheck({ transaction }: ReservedCall, config: PaymentConfig): NewNotification | null {
  const { leaseUntil: from } = transaction;
  if (from === null || !isUnresolved(transaction)) return null;
  const check = janitorCheck({ status: transaction.status, check: 0, from }, config);
  return check && recoveryNotification(transaction, check);
}

/**
 * A gateway is called once what recovery needs is committed (§5.1 rule 1). The transaction of a host commits when the host
 * says so, after the call: a crash would leave money moved and nothing stored.
 * @throws BillingError INVALID_PARAMETER (60002).
 */
export function checkCommits(
  { tenant }: Pick<CallContext, 'tenant'>,
  call: Pick<ReservedCall, 'gateway' | 'isControlled'>,
): void {
  if (tenant.within === undefined || !hasOutsideEffect(call)) return;
  throw invalidParameter(
    `Payment gateway "${call.gateway?.name}" cannot be called within a transaction of the host: ` +
      'make the payment after its commit; nothing was attempted',
    { pluginName: call.gateway?.name ?? null },
  );
}

/**
 * Decides once more where a transaction's key was taken between the look and the insert, by another account: the rules of
 * keys say then whose it is and what became of it (§4.1 rule 3, §4.2), where the index only knows that it is in use (§1.7
 * rule 2). Nothing of the first decision is stored, and no gateway has been called.
 */
export async function decidedOnKeys<T>(decide: () => Promise<T>): Promise<T> {
  try {
    return await decide();
  } catch (error) {
    if (isRace(error)) return decide();
    throw error;
  }
}

/** What the rules of keys refuse names the transaction that has the key. */
function isRace(error: unknown): boolean {
  return (
    error instanceof BillingError &&
    error.code === ErrorCode.PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS &&
    error.facts.transactionId === undefined
  );
}

/** Time after the call's limit until nobody can still be recording its answer (§5.1 rule 1). */
const LEASE_MARGIN_MS = 30_000;

/** Leaves time for every call: they start in waves of `parallelCalls`, each at most one timeout long. */
export function leaseUntil(
  now: Instant,
  calls: { readonly count: number; readonly parallelCalls: number; readonly timeoutMs: number },
): Instant {
  const waves = Math.max(1, Math.ceil(calls.count / calls.parallelCalls));
  return addMilliseconds(now, waves * calls.timeoutMs + LEASE_MARGIN_MS);
}

/** The member of a gateway that runs a transaction of this type (§2.1); a chargeback calls nobody. */
const memberOf = {
  AUTHORIZE: 'authorize',
  CAPTURE: 'capture',
  PURCHASE: 'purchase',
  REFUND: 'refund',
  CREDIT: 'credit',
  VOID: 'void',
} as const satisfies Partial<Record<TransactionType, keyof PaymentGateway>>;

/** What the gateway is called by for a transaction of this type. */
export function operationOf(gateway: PaymentGateway, type: TransactionType): GatewayOperation {
  assertInvariant(type !== TransactionType.CHARGEBACK, 'A chargeback calls no gateway', {});
  const operation = gateway[memberOf[type]];
  assertInvariant(operation, 'An operation that a gateway lacks must be refused before', { type });
  return operation.bind(gateway) as GatewayOperation;
}

/** @throws BillingError PAYMENT_PLUGIN_EXCEPTION (7199) if the gateway cannot do it. */
export function checkOffers(gateway: PaymentGateway, type: TransactionType): void {
  if (type === TransactionType.CHARGEBACK || gateway[memberOf[type]] !== undefined) return;
  throw lacksMember(gateway.name, memberOf[type]);
}

/** Everything known about the invoice of a request, under the account's lock. */
export interface ReservationFacts {
  readonly account: Account;
  readonly invoice: Invoice;
  /** Payment rows of the invoice; their payments; the transactions and attempts of these, in creation order. */
  readonly rows: readonly InvoicePayment[];
  readonly payments: readonly Payment[];
  readonly transactions: readonly PaymentTransaction[];
  readonly attempts: readonly PaymentAttempt[];
  /** The default method of the account and the methods of the payments. */
  readonly methods: ReadonlyMap<Uuid, PaymentMethod>;
  /** The account carries a tag that holds automatic payments back. */
  readonly isHeldBack: boolean;
  /** The active hold of the invoice, if one was looked for. */
  readonly hold: AutoPayHold | null;
  /** What an API payment asks for; absent = an automatic one. */
  readonly api?: ApiPayment;
  /** The run that control plugins have let pass; absent = none was asked. */
  readonly consulted?: ConsultedRun;
  /** What has the keys that an API payment gives, of any invoice. */
  readonly keyed: KeyedRecords;
}

export interface PlanTools {
  readonly ids: IdGenerator;
  readonly gateways: ReadonlyMap<string, PaymentGateway>;
  readonly now: Instant;
  readonly leaseUntil: Instant;
  readonly allowEmptyInvoice: boolean;
  /** The tenant's own tables of operations, by plugin name (§3.1). */
  readonly stateMachines: ReadonlyMap<string, OperationTable>;
}

export interface StoredPayments
  extends Pick<ReservationFacts, 'rows' | 'payments' | 'transactions' | 'attempts' | 'keyed'> {
  readonly methods: readonly PaymentMethod[];
}

/** The facts of an invoice, and its rows that must be repaired first (§9.2 rule 2). */
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

/** A payment of an invoice that a call asks for (§9.6). */
export interface ApiPayment {
  readonly methodId: Uuid | null;
  readonly amount: Decimal | null;
  readonly paymentKey: string | null;
  readonly transactionKey: string | null;
  readonly properties: readonly PluginProperty[];
  /** Control plugins by name; null = those of the tenant. */
  readonly controlPlugins: readonly string[] | null;
  /**
   * True: it waits for another payment of the invoice, and an account without a method is an error; false: what cannot
   * be paid now is passed over.
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
  /** The run that was stored when it was held back. */
  readonly held: PaymentAttempt;
}

/** Returns the retry that the hold stands for; null = the hold stands for the first payment of its invoice (§9.3). */
export function heldRetryOf(
  { attemptId }: Pick<AutoPayHold, 'attemptId'>,
  { attempts, payments }: Pick<ReservationFacts, 'attempts' | 'payments'>,
): HeldRetry | null {
  const held = attempts.find(({ id }) => id === attemptId);
  const payment = payments.find(({ externalKey }) => externalKey === held?.paymentExternalKey);
  const origin = attempts.findLast(
    ({ stateName, paymentExternalKey, transactionExternalKey }) =>
      stateName === AttemptState.RETRIED &&
      paymentExternalKey === held?.paymentExternalKey &&
      transactionExternalKey === held.transactionExternalKey,
  );
  return held && payment && origin ? { payment, origin, held } : null;
}

/** The holds in the order in which they are released: the oldest invoice first (§9.3). */
export function oldestFirst(
  holds: readonly AutoPayHold[],
  invoices: readonly Invoice[],
): readonly AutoPayHold[] {
  const order = invoices
    .toSorted((a, b) => a.invoiceDate - b.invoiceDate || a.invoiceNumber - b.invoiceNumber)
    .map(({ id }) => id);
  return holds.toSorted((a, b) => order.indexOf(a.invoiceId) - order.indexOf(b.invoiceId));
}

/** An ATTEMPT row that does not know yet that its transaction succeeded. */
interface LostSuccess {
  readonly row: InvoicePayment;
  readonly transaction: PaymentTransaction;
}

/** §9.2 rule 2: rows that are not SUCCESS while a transaction with their key is. */
export function lostSuccesses(
  rows: readonly InvoicePayment[],
  transactions: readonly PaymentTransaction[],
): readonly LostSuccess[] {
  return rows.flatMap((row) => {
    if (row.type !== InvoicePaymentType.ATTEMPT || row.status === InvoicePaymentStatus.SUCCESS) return [];
    const transaction = transactions.find(
      (candidate) =>
        candidate.externalKey === row.transactionExternalKey &&
        candidate.transactionType === TransactionType.PURCHASE &&
        candidate.status === TransactionStatus.SUCCESS,
    );
    return transaction ? [{ row, transaction }] : [];
  });
}
