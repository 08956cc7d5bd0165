import { loadUnpaidInvoices } from '../../invoicing/load-open-invoices.ts';
import type { Ports } from '../../ports/index.ts';
import { LockWait, type ReadSession, type WriteSession } from '../../ports/storage/index.ts';
import type { Account, CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { addMilliseconds } from '../../values/time/index.ts';
import { recordOutcomes } from '../outcomes/record-outcomes.ts';
import { LateAnswers } from '../recovery/late-answers.ts';
import type { PaymentConfigOf } from '../tenant-payment-config.ts';
import { LEASE_MARGIN_MS } from './payment-run.ts';
import { type Answer, type OpenCharge, purchase } from './purchase.ts';
import { hasOutsideEffect, reservePayments } from './reserve-payments.ts';

type PaymentPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'gateways'>;
type AnsweredCharge = OpenCharge & Answer;

/**
 * Pays the unpaid invoices of an account with one of its methods because a call asks for it (§10.1 rule 7):
 * reserved with the change that the call makes, charged after its commit, the oldest invoice first.
 */
export class UnpaidInvoicePayments {
  readonly #ports: PaymentPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #late: LateAnswers;

  constructor(ports: PaymentPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#late = new LateAnswers(ports, configOf);
  }

  /** Resolves when no late answer that has arrived is still being recorded. */
  idle(): Promise<void> {
    return this.#late.idle();
  }

  /**
   * Reserves the payment of each unpaid invoice of the locked account; what cannot be paid now is passed over (§9.2).
   * Gateways without outside effect are charged in the same transaction.
   * @returns the charges that `make` is to be called with once the transaction is committed.
   */
  async reserve(
    session: WriteSession,
    { context, account, paymentMethodId }: Reserving,
  ): Promise<readonly OpenCharge[]> {
    const invoices = await loadUnpaidInvoices(session, [account.id]);
    if (invoices.length === 0) return [];
    const config = await this.#configOf(session);
    const { pluginTimeoutMs: timeoutMs } = config;
    const now = session.authorship.createdDate;
    const requests = invoices.map(({ id: invoiceId }) => ({
      accountRecordId: account.recordId,
      invoiceId,
      retry: null,
      paymentMethodId,
    }));
    const planned = await reservePayments(
      session,
      { requests, accounts: [account] },
      {
        ids: this.#ports.ids,
        gateways: this.#ports.gateways,
        now,
        // The calls come one after another.
        leaseUntil: addMilliseconds(now, requests.length * timeoutMs + LEASE_MARGIN_MS),
        allowEmptyInvoice: false,
        config,
      },
    );
    const charges = planned.flatMap(({ plan }) =>
      plan.kind === 'CHARGE' ? [{ ...plan.charge, timeoutMs }] : [],
    );
    const direct = charges.filter((charge) => !hasOutsideEffect(charge));
    if (direct.length > 0) await this.#record(session, await this.#call(context, direct));
    return charges.filter(hasOutsideEffect);
  }

  /** Calls the gateway for each and records what it says; whatever comes between, recovery ends the story. */
  async make(context: CallContext, charges: readonly OpenCharge[]): Promise<void> {
    const [first] = charges;
    if (!first) return;
    const answered = await this.#call(context, charges);
    try {
      await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
        await session.lockAccounts([first.account.id], { wait: LockWait.PAYMENT });
        await this.#record(session, answered);
      });
    } catch (error) {
      const facts = { err: error, accountId: first.account.id, count: answered.length };
      this.#ports.logger.error(
        facts,
        'the results of gateway calls were not recorded; recovery will ask the gateway',
      );
    }
    for (const { late, account, paymentId, transaction } of answered) {
      if (late === null) continue;
      const { tenant, userName, userToken } = context;
      const transactionId = transaction.id;
      this.#late.follow({
        tenant,
        userName,
        userToken,
        accountId: account.id,
        paymentId,
        transactionId,
        answer: late,
      });
    }
  }

  async #call(context: CallContext, charges: readonly OpenCharge[]): Promise<readonly AnsweredCharge[]> {
    const { userName, userToken } = context;
    const caller = { tenantId: context.tenant.id, userName, userToken };
    const answered: AnsweredCharge[] = [];
    // One at a time: what the method can still pay goes to the oldest.
    for (const charge of charges) {
      answered.push({ ...charge, ...(await purchase(charge, caller, this.#ports)) });
    }
    return answered;
  }

  async #record(session: WriteSession, answered: readonly AnsweredCharge[]): Promise<void> {
    const settlements = answered.map(({ paymentId, transaction, outcome }) => ({
      paymentId,
      transactionId: transaction.id,
      outcome,
      source: 'CALL' as const,
    }));
    const config = await this.#configOf(session);
    const now = session.authorship.createdDate;
    await recordOutcomes(session, settlements, { ids: this.#ports.ids, config, now });
  }
}

interface Reserving {
  readonly context: CallContext;
  readonly account: Account;
  readonly paymentMethodId: Uuid;
}

/**
 * Unpaid invoices are paid with a method only if it is, or becomes, the default, or the account has one (§10.1 rule 2).
 * @throws BillingError INVALID_PARAMETER (60002).
 */
export async function checkPayable(
  session: ReadSession,
  account: Account,
  isDefault: boolean,
): Promise<void> {
  if (isDefault || account.paymentMethodId !== null) return;
  const unpaid = await loadUnpaidInvoices(session, [account.id]);
  if (unpaid.length === 0) return;
  throw new BillingError({
    code: ErrorCode.INVALID_PARAMETER,
    message:
      `payAllUnpaidInvoices needs a default payment method, which account ${account.id} does not have; ` +
      'send isDefault=true too',
    facts: { accountId: account.id },
  });
}
