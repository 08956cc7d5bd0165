import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { CallContext, PaymentTransaction } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { OpenCall } from '../gateways/call-operation.ts';
import { newOperation } from '../planning/charge-records.ts';
import type { OperationFacts, OperationRequest, OperationRules } from '../planning/operation-facts.ts';
import type { OperationPlan } from '../planning/operation-plan.ts';
import { checkCommits, leaseUntil } from '../planning/reserved-call.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import { hasLapsed } from '../state/payment-state.ts';

/** What an operation is decided with, under the account's lock. */
export interface Deciding {
  /** As the control plugins have left it. */
  readonly request: OperationRequest;
  readonly facts: OperationFacts;
  readonly rules: OperationRules;
  readonly session: WriteSession;
}

/** What is asked for, and how it is decided once the facts are known. */
export interface Work {
  readonly request: OperationRequest;
  /** True: the built-in invoice control stands first (§2.3 rule 9). */
  readonly isOfInvoice?: boolean;
  /** False: the engine tries again what a control plugin has given a date for; default true. */
  readonly isApiPayment?: boolean;
  plan(deciding: Deciding): OperationPlan | Promise<OperationPlan>;
}

/** What is reserved, before its gateway is called. */
export type Reservation =
  | { readonly kind: 'WAIT'; readonly accountId: Uuid }
  | {
      readonly kind: 'SETTLED';
      readonly paymentId: Uuid;
      readonly transaction: Pick<PaymentTransaction, 'id'>;
    }
  | { readonly kind: 'CALL'; readonly call: OpenCall };

interface Reserving extends Deciding {
  readonly context: CallContext;
  readonly config: PaymentConfig;
  readonly ids: IdGenerator;
  readonly attemptId: Uuid | null;
  /** Ids of what is new; null = any. */
  readonly made: { readonly paymentId: Uuid; readonly transactionId: Uuid } | null;
  /** The number of a new payment; null = it is taken in the transaction. */
  readonly paymentNumber: number | null;
}

/** One call of its own. */
const ALONE = { count: 1, parallelCalls: 1 } as const;

/** The Reserve step of one operation (§5.1 rule 1): what a call needs to be recoverable is stored before it is made. */
export async function reserveOperation(plan: OperationPlan, reserving: Reserving): Promise<Reservation> {
  const { session, facts, request, config, context, rules } = reserving;
  const { pluginTimeoutMs: timeoutMs } = config;
  if (plan.kind === 'WAIT') return { kind: 'WAIT', accountId: facts.account.id };
  if (plan.kind === 'SETTLED') return { ...plan, paymentId: plan.transaction.paymentId };
  checkCommits(context, plan);
  const lapsed = facts.transactions.filter((each) => hasLapsed(each, rules.now)).map(({ id }) => id);
  await session.payments.endLeases(lapsed, { now: rules.now });
  const lease = leaseUntil(rules.now, { ...ALONE, timeoutMs });
  const open = { timeoutMs, caller: context };
  if (plan.kind === 'COMPLETE') return reserveCompletion(plan, { ...reserving, lease, open });
  const tools = { ids: reserving.ids, now: rules.now, leaseUntil: lease, attemptId: reserving.attemptId };
  const planned = newOperation(request, facts, { ...tools, plan, made: reserving.made });
  await insert(session, planned, reserving);
  return { kind: 'CALL', call: { ...planned, ...open } };
}

/** A completion leases what is pending; one whose outcome is told already asks nobody. */
async function reserveCompletion(
  { transaction, gateway, told, outcome }: Extract<OperationPlan, { kind: 'COMPLETE' }>,
  {
    session,
    facts: { account, payment },
    request,
    rules: { now },
    lease,
    open,
  }: Reserving & {
    readonly lease: ReturnType<typeof leaseUntil>;
    readonly open: Pick<OpenCall, 'timeoutMs' | 'caller'>;
  },
): Promise<Reservation> {
  assertInvariant(payment, 'What is completed belongs to a payment', { transactionId: transaction.id });
  const leased = await session.payments.leaseTransactions([transaction.id], { now, leaseUntil: lease });
  if (leased.length === 0) return { kind: 'WAIT', accountId: account.id };
  const { id: paymentId, paymentMethodId } = payment;
  const { properties } = request;
  const call = { ...open, account, gateway, paymentId, paymentMethodId, properties, told };
  const leasedTransaction = { ...transaction, leaseUntil: lease };
  return { kind: 'CALL', call: { ...call, transaction: leasedTransaction, ...(outcome && { outcome }) } };
}

async function insert(
  session: WriteSession,
  { newPayment, transaction }: ReturnType<typeof newOperation>,
  { facts: { payment }, paymentNumber: taken }: Pick<Reserving, 'facts' | 'paymentNumber'>,
): Promise<void> {
  if (payment !== null) session.payments.noteUpdates([payment]); // §5.1 rule 4
  if (newPayment === null) return session.payments.insertTransactions([transaction]);
  const paymentNumber = taken ?? (await session.payments.takePaymentNumbers(1));
  await Promise.all([
    session.payments.insertPayments([{ ...newPayment, paymentNumber }]),
    session.payments.insertTransactions([transaction]),
  ]);
}
