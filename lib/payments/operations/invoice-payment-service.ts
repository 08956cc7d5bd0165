import { lockAccount } from '../../accounts/index.ts';
import { addAccountCredit, balanceOf, loadUnpaidInvoices } from '../../invoicing/index.ts';
import { LockWait, type WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type CallContext,
  type Invoice,
  type InvoicePayment,
  TransactionType,
} from '../../records/index.ts';
import { BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, statedAmount, sum } from '../../values/money/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import {
  AccountCharges,
  callsOrDone,
  type ReservedPayment,
  WITH_DEFAULTS,
} from '../machine/invoice-charges.ts';
import type { PaymentMachine, Step } from '../machine/payment-machine.ts';
import {
  type Deciding,
  type Done,
  type Operation,
  PaymentService,
  readResult,
} from '../machine/payment-service.ts';
import { checkExternalKey, externalMethodOf, methodOfAccount } from '../methods/stored-methods.ts';
import type {
  ChargebackReversalInput,
  CompletionInput,
  InvoiceChargebackInput,
  InvoicePaymentInput,
  InvoicePaymentOperations,
  InvoiceRefundInput,
  PayAllInput,
  PaymentResult,
} from '../payment-operations.ts';
import { noDefaultMethod, type OpenPayment } from '../planning/invoice-payment-check.ts';
import { checkRequestedAmount, type OperationFacts, paidRows } from '../planning/operation-facts.ts';
import { planByKey, planOperation, planRefusedChargeback } from '../planning/operation-plan.ts';
import type { ReservationPlan } from '../planning/plan-reservation.ts';
import { adjustedRefund, sharesOf } from '../planning/refund-adjustments.ts';
import type { ApiPayment } from '../planning/reservation.ts';
import type { Consulted } from '../plugins/attempt-control.ts';
import { checkRefundable, type PaidRows, paidRowOf } from '../state/invoice-remainder.ts';
import { badParameter, failureOfCall, registeredGateway } from '../state/payment-errors.ts';
import { isLeased } from '../state/payment-state.ts';
import { completePayment, requestOf } from './direct-payments.ts';

type Paid =
  | { readonly kind: 'NOTHING' }
  /** The request has the key of a payment that is still open. */
  | { readonly kind: 'RESENT'; readonly open: OpenPayment }
  | ({ readonly kind: 'CHARGED' } & Done);

const NOTHING: Paid = { kind: 'NOTHING' };

/** Payments of invoices (§9). */
export class InvoicePaymentService implements InvoicePaymentOperations<[CallContext]> {
  readonly #machine: PaymentMachine;
  readonly #payments: PaymentService;
  readonly #charges: AccountCharges;

  constructor(machine: PaymentMachine) {
    this.#machine = machine;
    this.#payments = new PaymentService(machine);
    this.#charges = new AccountCharges(machine);
  }

  async pay(context: CallContext, input: InvoicePaymentInput): Promise<PaymentResult | null> {
    checkExternalKey(input.externalKey ?? null);
    checkExternalKey(input.transactionExternalKey ?? null);
    if (input.isExternal && input.paymentMethodId) throw bothMethods();
    const paid = await this.#charges.run<Paid>(
      context,
      (session, consulted) => this.#look(session, context, { input, consulted }),
      ([call]) => (call ? { kind: 'CHARGED', ...call } : { kind: 'NOTHING' }),
    );
    switch (paid.kind) {
      case 'NOTHING':
        return null;
      case 'CHARGED': {
        const failure = failureOfCall(paid.outcome, paid);
        if (failure !== null) throw failure;
        return readResult(this.#machine.ports.storage, context, paid);
      }
      case 'RESENT':
        return (await this.#resend(context, paid.open, input)) ?? this.pay(context, input);
      default:
        return paid satisfies never;
    }
  }

  async payAll(context: CallContext, input: PayAllInput) {
    if (input.isExternal && input.paymentMethodId) throw bothMethods();
    if (input.amount?.lessThanOrEqualTo(0)) throw badParameter('amount', 'must be more than 0');
    let tried: readonly Invoice[] = [];
    await this.#charges.run<void>(
      context,
      async (session, consulted) => {
        const { account, payments, due, amount } = await this.#findRequested(session, context, input);
        tried = due;
        const step = await this.#charges.reserve(session, { context, account, payments }, consulted);
        if (step.kind === 'CONSULT') return step;
        const paid = sum(step.planned.flatMap(({ plan }) => listSettledAmounts(plan)));
        if (input.isExternal && amount !== null)
          await this.#creditRest(session, account, { ...input, rest: amount.minus(paid) });
        return callsOrDone(step.calls, undefined);
      },
      () => undefined,
    );
    return tried.length === 0 ? null : paidInvoices(tried);
  }

  async refund(context: CallContext, input: InvoiceRefundInput) {
    if (input.isExternal) return this.#refundElsewhere(context, input);
    return this.#payments.runPlanned(context, {
      request: requestOf(TransactionType.REFUND, input),
      isOfInvoice: true,
      plan: async (deciding) => {
        const { request, facts, rules } = deciding;
        const paid = paidRow(facts, input.paymentId);
        const known = planByKey(request, facts, rules);
        if (known !== null) return known;
        const { amount, adjustments } = await refundOf(deciding, input, { paid, of: paidRows(facts) });
        const plan = planOperation({ ...request, amount }, facts, rules);
        const invoiceRefund = { paymentId: input.paymentId, invoicePaymentId: paid.id, adjustments };
        return plan.kind === 'NEW' ? { ...plan, invoiceRefund } : plan;
      },
    });
  }

  async chargeback(context: CallContext, input: InvoiceChargebackInput) {
    if (input.amount == null || input.amount.lessThanOrEqualTo(0)) {
      const code = ErrorCode.INVOICE_CHARGE_BACK_AMOUNT_IS_NEGATIVE;
      throw billingError(code, 'A chargeback needs an amount above 0');
    }
    const request = requestOf(TransactionType.CHARGEBACK, input);
    const plan = input.recordsExcess ? planRefusedChargeback : planOperation;
    return this.#payments.runPlanned(context, { request, isOfInvoice: true, plan: ofInvoice(plan) });
  }

  async reverseChargeback(context: CallContext, input: ChargebackReversalInput) {
    const request = requestOf('CHARGEBACK_REVERSAL', input);
    return this.#payments.runPlanned(context, { request, isOfInvoice: true, plan: ofInvoice(planOperation) });
  }

  async complete(context: CallContext, input: CompletionInput) {
    const { paymentId } = input;
    if (paymentId != null) {
      const rows = await this.#machine.ports.storage.read(context.tenant, (session) =>
        session.payments.findInvoicePaymentsByPayments([paymentId]),
      );
      paidRow({ rows }, paymentId);
    }
    return completePayment(this.#payments, context, input);
  }

  async #look(
    session: WriteSession,
    context: CallContext,
    { input, consulted }: { readonly input: InvoicePaymentInput; readonly consulted: Consulted },
  ): Promise<Step<ReservedPayment, Paid>> {
    const stop = consulted.stopped.get(input.invoiceId);
    if (stop) return { kind: 'DONE', result: ignorePluginAbort(stop.error) };
    const asked = { ...(await this.#prepareRequest(session, context, input)), paysEmptyInvoices: true };
    const step = await this.#charges.reserve(session, { context, ...asked }, consulted);
    if (step.kind === 'CONSULT') return step;
    const plan = step.planned[0]?.plan;
    if (plan?.kind === 'CHARGE')
      return callsOrDone(step.calls, { kind: 'CHARGED', ...plan.charge, outcome: null });
    if (plan?.kind !== 'WAIT')
      return { kind: 'DONE', result: plan?.open ? { kind: 'RESENT', open: plan.open } : NOTHING };
    const { lockRetries: patience } = await this.#machine.configOf(session);
    return { kind: 'WAIT', accountId: asked.account.id, patience, consultsAgain: true };
  }

  async #prepareRequest(session: WriteSession, context: CallContext, input: InvoicePaymentInput) {
    const { invoiceId } = input;
    const [invoice] = await session.invoices.findByIds([invoiceId]);
    if (!invoice || (input.accountId ?? invoice.accountId) !== invoice.accountId)
      throw billingError(ErrorCode.INVOICE_NOT_FOUND, `No invoice could be found for id ${invoiceId}`, {
        invoiceId,
      });
    const account = await lockForPayment(session, invoice.accountId);
    const api: ApiPayment = {
      methodId: await this.#methodOf(session, account, input),
      amount: amountOf(input, context, { currency: invoice.currency, rest: balanceOf(invoice) }),
      paymentKey: input.externalKey || null,
      transactionKey: input.transactionExternalKey || null,
      properties: input.properties ?? [],
      controlPlugins: input.controlPlugins ?? null,
      waits: true,
    };
    return { account, payments: [{ invoiceId, api }] };
  }

  /** Returns the unpaid invoices of the locked account and the share of the amount that each invoice gets. */
  async #findRequested(session: WriteSession, context: CallContext, input: PayAllInput) {
    const account = await lockForPayment(session, input.accountId);
    const due = await dueInvoices(session, account, input);
    const rest = sum(due.map((invoice) => balanceOf(invoice)));
    const amount = amountOf(input, context, { currency: account.currency, rest });
    if (due.length === 0) return { account, payments: [], due: [], amount };
    const methodId = await this.#methodOf(session, account, input);
    await this.#checkUsable(session, account, methodId ?? account.paymentMethodId);
    const { properties = [], controlPlugins = null } = input;
    const shares = sharesOf(due, amount);
    const payments = shares.map(({ invoice, amount }) => ({
      invoiceId: invoice.id,
      api: { ...WITH_DEFAULTS, methodId, amount, properties, controlPlugins },
    }));
    return { account, payments, due: shares.map(({ invoice }) => invoice), amount };
  }

  /**
   * Queries the gateway about an open payment, and completes the payment if it is pending (§4.1 rule 4, §4.2). Returns
   * null if the payment has failed.
   */
  async #resend(
    context: CallContext,
    { payment, transaction }: OpenPayment,
    { properties }: InvoicePaymentInput,
  ) {
    const { externalKey: transactionExternalKey } = transaction;
    const paid = { paymentId: payment.id, transactionExternalKey, properties: properties ?? [] };
    let hasFailed = false;
    const result = await this.#payments.runPlanned(context, {
      request: requestOf(TransactionType.PURCHASE, paid),
      isOfInvoice: true,
      plan: ({ request, facts, rules }) => {
        const known = planByKey(request, facts, rules);
        hasFailed = known === null;
        return known ?? { kind: 'SETTLED', transaction };
      },
    });
    return hasFailed ? null : result;
  }

  /** Returns the requested method or the external method. Null means the account's default method. */
  async #methodOf(
    session: WriteSession,
    account: Account,
    input: Pick<InvoicePaymentInput, 'isExternal' | 'paymentMethodId'>,
  ) {
    if (input.isExternal) return externalMethodOf(session, account, this.#machine.ports.ids);
    if (input.paymentMethodId == null) return null;
    return (await methodOfAccount(session, account.id, input.paymentMethodId)).id;
  }

  /**
   * Checks that the method can pay an invoice.
   * @throws BillingError if there is no method, or if it cannot pay an invoice.
   */
  async #checkUsable(session: WriteSession, { id }: Account, methodId: Uuid | null) {
    if (methodId === null) throw noDefaultMethod(id);
    const [method] = await session.payments.findMethodsByIds([methodId]);
    if (method) registeredGateway(this.#machine.ports.gateways, method.pluginName);
  }

  /** Credits the rest of an external payment that exceeds the total of all invoices (§9.6 rule 2). */
  async #creditRest(
    session: WriteSession,
    account: Account,
    { rest: amount, mayCredit }: { readonly rest: Decimal } & Pick<PayAllInput, 'mayCredit'>,
  ) {
    if (amount.lessThanOrEqualTo(0)) return;
    // The error is thrown within the transaction, so that nothing is paid.
    if (mayCredit === false)
      throw billingError(
        ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS,
        'The overpayment becomes account credit, which requires the permission account:credit',
        { permission: 'account:credit' },
      );
    const description = 'Paid beyond the unpaid invoices';
    await addAccountCredit(session, { account, amount, description }, this.#machine.ports.ids);
  }

  /**
   * Makes a refund through a method other than the payment's method. The refund is a separate payment (§9.5 rule 2).
   */
  async #refundElsewhere(context: CallContext, input: InvoiceRefundInput) {
    const { paymentId } = input;
    const accountId = await this.#machine.ports.storage.read(context.tenant, async (session) => {
      const [payment] = await session.payments.findByIds([paymentId]);
      if (!payment) throw noInvoicePayment(paymentId);
      return payment.accountId;
    });
    return this.#payments.runPlanned(context, {
      request: requestOf(TransactionType.CREDIT, { ...input, accountId, paymentId: null, externalKey: null }),
      isOfInvoice: true,
      plan: async (deciding) => {
        const { request: asked, facts, rules, session } = deciding;
        const reads = session.payments;
        const own = await reads.findTransactions([paymentId]);
        if (own.some((each) => isLeased(each, rules.now))) return { kind: 'WAIT' };
        const methodId = await this.#methodOfRefund(session, facts, asked.paymentMethodId);
        const [method = null] = await reads.findMethodsByIds([methodId]);
        const rows = await reads.findInvoicePaymentsByPayments([paymentId]);
        const paid = paidRow({ rows }, paymentId);
        const known = planByKey(asked, { ...facts, method }, rules);
        if (known !== null) return known;
        const { amount, adjustments } = await refundOf(deciding, input, { paid, of: null });
        const currency = asked.currency ?? paid.currency;
        if (currency !== paid.currency)
          throw badParameter('currency', `must be ${paid.currency}, the currency of the payment`);
        const request = { ...asked, amount, currency: paid.currency, paymentMethodId: methodId };
        const plan = planOperation(request, { ...facts, method }, rules);
        if (plan.kind !== 'NEW') return plan;
        const open = await reads.findOpenInvoiceRefunds([facts.account.recordId]);
        checkRefundable(request, { paid, rows, transactions: [...own, ...open] });
        return { ...plan, invoiceRefund: { paymentId, invoicePaymentId: paid.id, adjustments } };
      },
    });
  }

  /**
   * Returns the method for a refund. This is the method of the payment that is repeated, otherwise the requested
   * method, otherwise the account's external method.
   */
  async #methodOfRefund(session: WriteSession, { account, payment }: OperationFacts, named: Uuid | null) {
    const begun = payment?.paymentMethodId ?? null;
    if (begun === null) return named ?? externalMethodOf(session, account, this.#machine.ports.ids);
    if (named === null || named === begun) return begun;
    throw badParameter(
      'paymentMethodId',
      `must be ${begun}, the payment method that this refund started with`,
    );
  }
}

/**
 * Returns the requested amount. An amount equal to the whole balance may have any number of digits.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for too many digits, PAYMENT_INVALID_PARAMETER (7031) for a
 * rounding error around 0.
 */
function amountOf(
  { amount }: Pick<InvoicePaymentInput, 'amount'>,
  { roundsFloatNoise }: CallContext,
  { currency, rest }: { readonly currency: Currency | null; readonly rest: Decimal },
) {
  if (amount == null || currency === null) return amount ?? null;
  return statedAmount(amount, { currency, roundsFloatNoise, rest });
}

/** Returns the amount of the invoice that a payment settles, in the invoice's currency. */
function listSettledAmounts(plan: ReservationPlan) {
  if (plan.kind !== 'CHARGE') return [];
  const row = plan.charge.newRow ?? plan.charge.changedRow;
  return row === null ? [] : [row.amount];
}

/**
 * Returns the result of a stopped payment. If a control plugin aborts the payment, nothing is paid, and this is not
 * treated as an error (§9.2).
 */
function ignorePluginAbort(error: unknown) {
  if (error instanceof BillingError && error.code === ErrorCode.PAYMENT_PLUGIN_API_ABORTED) return NOTHING;
  throw error;
}

/** Returns the unpaid invoices up to the target date. Excludes migrated invoices. */
async function dueInvoices(session: WriteSession, account: Account, { targetDate }: PayAllInput) {
  const last = targetDate ?? localDateOf(session.authorship.createdDate, account.timeZone);
  const unpaid = await loadUnpaidInvoices(session, [account.id]);
  const due = unpaid.filter(
    (invoice) => !invoice.isMigration && (invoice.targetDate ?? invoice.invoiceDate) <= last,
  );
  return due.toSorted((a, b) => a.invoiceDate - b.invoiceDate || a.invoiceNumber - b.invoiceNumber);
}

function paidInvoices(tried: readonly Invoice[]) {
  const dates = tried
    .map(({ targetDate, invoiceDate }) => targetDate ?? invoiceDate)
    .toSorted((a, b) => a - b);
  return {
    invoiceIds: tried.map(({ id }) => id),
    startDate: dates[0] ?? null,
    endDate: dates.at(-1) ?? null,
  };
}

/**
 * Returns the amount and the item adjustments of a refund.
 * @param of Rows of the refunded payment. Null if the refund is a separate payment, which is in the invoice's currency.
 */
async function refundOf(
  { request, facts, rules, session }: Deciding,
  { isAdjusted = false, adjustments = [] }: InvoiceRefundInput,
  { paid: { invoiceId, currency }, of }: { readonly paid: InvoicePayment; readonly of: PaidRows | null },
) {
  const amount = checkRequestedAmount(request, facts, rules);
  const items = isAdjusted && adjustments.length > 0 ? await session.invoices.findItems([invoiceId]) : [];
  const { roundsFloatNoise } = rules;
  return adjustedRefund({ amount, isAdjusted, adjustments }, { items, of, currency, roundsFloatNoise });
}

/**
 * Returns a function that first checks that the payment has an invoice, then calls `plan`.
 * @throws (when the returned function is called) BillingError INVOICE_PAYMENT_NOT_FOUND (4900).
 */
function ofInvoice(plan: typeof planOperation): Operation['plan'] {
  return ({ request, facts, rules }) => {
    paidRow(facts, facts.payment?.id ?? null);
    return plan(request, facts, rules);
  };
}

/**
 * Returns the row that links the payment to its invoice.
 * @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900) if none exists.
 */
function paidRow({ rows }: Pick<OperationFacts, 'rows'>, paymentId: Uuid | null) {
  const paid = paidRowOf(rows);
  if (!paid) throw noInvoicePayment(paymentId);
  return paid;
}

async function lockForPayment(session: WriteSession, accountId: Uuid) {
  const [account] = await session.lockAccounts([accountId], { wait: LockWait.PAYMENT });
  return account ?? lockAccount(session, accountId);
}

function noInvoicePayment(paymentId: Uuid | null) {
  const message = `No invoice payment could be found for payment ${paymentId}`;
  return billingError(ErrorCode.INVOICE_PAYMENT_NOT_FOUND, message, { paymentId });
}

function bothMethods() {
  const message =
    'An external payment cannot have a paymentMethodId; it uses the external payment method of the account';
  return billingError(ErrorCode.INVALID_PARAMETER, message, { parameter: 'paymentMethodId' });
}
