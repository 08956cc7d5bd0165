import type { ActingComponent } from '../context.ts';
import { ACCOUNT_LOCK_WAIT_MS, MAX_CONCURRENT_GATEWAY_CALLS } from '../limits.ts';
import type { GatewayResult, Ports } from '../ports/index.ts';
import { type ClaimedEntry, LeaseLostError, type WriteSession } from '../ports/storage/index.ts';
import type { HandlerBatch } from '../queue/handler.ts';
import { addMilliseconds, type Instant } from '../time/index.ts';
import { batchAuthorship } from './batch-authorship.ts';
import { callGateway, type GatewayCall, inParallel, operationOutcome } from './gateway-call.ts';
import { LateAnswers } from './late-answers.ts';
import { DEFAULT_PAYMENT_CONFIG, type PaymentConfig } from './payment-config.ts';
import type { PaymentRequest, PlannedCharge } from './plan-reservation.ts';
import { recordOutcomes, type Settlement } from './record-outcomes.ts';
import { hasOutsideEffect, type PlannedRequest, reservePayments } from './reserve-payments.ts';
import type { CallOutcome } from './transaction-outcome.ts';

/** Time beyond the call's limit until nobody can still be recording its answer (payments.md §5.1 rule 1). */
const LEASE_MARGIN_MS = 30_000;

export type PaymentPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'gateways'>;

interface QueuedRequest extends PaymentRequest {
  readonly entry: ClaimedEntry;
}

interface Reserved {
  readonly busy: readonly ClaimedEntry[];
  readonly charges: readonly QueuedCharge[];
}

interface QueuedCharge extends PlannedCharge {
  readonly entry: ClaimedEntry;
}

interface AnsweredCharge extends QueuedCharge {
  readonly outcome: CallOutcome;
  /** Of a call that is still running: what it ends in, one day. */
  readonly late: Promise<CallOutcome> | null;
}

/**
 * Reserve, call, record (payments.md §5.1) for the entries of a batch: one write transaction, the gateway calls outside
 * any, one write transaction. Whatever comes between, the recovery notification of Reserve ends the story.
 */
export class PaymentRun {
  readonly #ports: PaymentPorts;
  readonly #config: PaymentConfig;
  readonly #late: LateAnswers;

  constructor(ports: PaymentPorts, config: PaymentConfig = DEFAULT_PAYMENT_CONFIG) {
    this.#ports = ports;
    this.#config = config;
    this.#late = new LateAnswers(ports, config);
  }

  /** Resolves when no late answer that has arrived is still being recorded. */
  idle(): Promise<void> {
    return this.#late.idle();
  }

  /** Pays what the entries ask for; `requestOf` reads an entry and throws on a payload that is not its own. */
  async run(
    batch: HandlerBatch,
    actor: ActingComponent,
    requestOf: (entry: ClaimedEntry) => Omit<PaymentRequest, 'accountRecordId'>,
  ): Promise<void> {
    const requests = readRequests(batch, requestOf);
    if (requests.length === 0) return;
    const { storage, clock } = this.#ports;
    const now = clock.now();
    const authorship = batchAuthorship(batch.entries, actor, now);
    const reserved = await storage.write(batch.tenant, authorship, (session) =>
      this.#reserve(session, batch, requests, now),
    );
    batch.busy(reserved.busy);
    if (reserved.charges.length === 0) return;
    const answered = await this.#call(batch, reserved.charges, actor);
    try {
      await this.#record(batch, answered, actor);
    } finally {
      this.#followLateAnswers(batch, answered, actor);
    }
  }

  async #reserve(
    session: WriteSession,
    batch: HandlerBatch,
    requests: readonly QueuedRequest[],
    now: Instant,
  ): Promise<Reserved> {
    const accounts = await session.tryLockAccounts(requests.map(({ accountRecordId }) => accountRecordId));
    const locked = new Set(accounts.map(({ recordId }) => recordId));
    const ours = requests.filter(({ accountRecordId }) => locked.has(accountRecordId));
    const planned = await reservePayments(session, ours, accounts, {
      ids: this.#ports.ids,
      gateways: this.#ports.gateways,
      now,
      leaseUntil: this.#leaseUntil(now, ours.length),
      allowEmptyInvoice: this.#config.allowEmptyInvoice,
      config: this.#config,
    });
    const charges = planned.flatMap(({ request, plan }) =>
      plan.kind === 'CHARGE' ? [{ ...plan.charge, entry: request.entry }] : [],
    );
    const direct = charges.filter((charge) => !hasOutsideEffect(charge));
    await this.#recordDirect(session, batch, direct);
    const open = new Set(charges.filter(hasOutsideEffect).map(({ entry }) => entry));
    const waiting = planned.filter(({ plan }) => plan.kind === 'WAIT').map(({ request }) => request.entry);
    const unlocked = requests.filter((request) => !ours.includes(request)).map(({ entry }) => entry);
    const done = finishedEntries(planned, open);
    if (done.length > 0) await batch.finish(session, done);
    return { busy: [...unlocked, ...waiting], charges: charges.filter(hasOutsideEffect) };
  }

  /** Room for every call of the batch: they start in waves of the parallelism, each at most one timeout long. */
  #leaseUntil(now: Instant, calls: number): Instant {
    const waves = Math.max(1, Math.ceil(calls / MAX_CONCURRENT_GATEWAY_CALLS));
    return addMilliseconds(now, waves * this.#config.pluginTimeoutMs + LEASE_MARGIN_MS);
  }

  /** Gateways without outside effect: the call belongs to the same transaction (payments.md §2.4 rule 1). */
  async #recordDirect(
    session: WriteSession,
    batch: HandlerBatch,
    charges: readonly QueuedCharge[],
  ): Promise<void> {
    if (charges.length === 0) return;
    const userName = session.authorship.userName;
    const answered = await this.#call(batch, charges, userName);
    await this.#recordLocked(session, answered);
  }

  #call(
    batch: HandlerBatch,
    charges: readonly QueuedCharge[],
    userName: string,
  ): Promise<readonly AnsweredCharge[]> {
    return inParallel(charges, MAX_CONCURRENT_GATEWAY_CALLS, async (charge) => {
      const { leaseUntil } = charge.transaction;
      // A call that has not begun when its lease ends is left out: recovery may already be deciding without it.
      if (leaseUntil !== null && this.#ports.clock.now() >= leaseUntil) {
        const message = 'The payment was not submitted: its time had passed before the call began';
        return { ...charge, outcome: { kind: 'NEVER_RECEIVED', message }, late: null };
      }
      const { reply, late } = await this.#purchase(batch, charge, userName);
      return { ...charge, outcome: operationOutcome(reply), late: late?.then(operationOutcome) ?? null };
    });
  }

  #purchase(
    batch: HandlerBatch,
    charge: QueuedCharge,
    userName: string,
  ): Promise<GatewayCall<GatewayResult | null>> {
    const { transaction, gateway } = charge;
    const request = {
      accountId: charge.account.id,
      paymentId: charge.paymentId,
      transactionId: transaction.id,
      paymentMethodId: charge.paymentMethodId,
      amount: transaction.amount,
      currency: transaction.currency,
      properties: [],
    };
    const now = this.#ports.clock.now();
    const context = { tenantId: batch.tenant.id, userName, userToken: charge.entry.userToken, now };
    return callGateway(() => gateway.purchase(request, context), {
      timeoutMs: this.#config.pluginTimeoutMs,
      systemClock: this.#ports.systemClock,
    });
  }

  /** One transaction for all; accounts that are busy, or all when it fails, are recorded one by one. */
  async #record(
    batch: HandlerBatch,
    answered: readonly AnsweredCharge[],
    actor: ActingComponent,
  ): Promise<void> {
    const { storage, clock, logger } = this.#ports;
    let left: readonly AnsweredCharge[] = answered;
    try {
      const authorship = batchAuthorship(batch.entries, actor, clock.now());
      left = await storage.write(batch.tenant, authorship, async (session) => {
        const accounts = await session.tryLockAccounts(answered.map(({ account }) => account.recordId));
        const locked = new Set(accounts.map(({ recordId }) => recordId));
        const ours = answered.filter(({ account }) => locked.has(account.recordId));
        await this.#recordLocked(session, ours);
        await batch.finish(
          session,
          ours.map(({ entry }) => entry),
        );
        return answered.filter(({ account }) => !locked.has(account.recordId));
      });
    } catch (error) {
      logger.warn(
        { err: error, count: answered.length },
        'recording payments together failed; recording one by one',
      );
    }
    for (const charge of left) await this.#recordAlone(batch, charge, actor);
  }

  async #recordAlone(batch: HandlerBatch, charge: AnsweredCharge, actor: ActingComponent): Promise<void> {
    try {
      await this.#recordOne(batch, charge, actor, true);
    } catch (error) {
      if (!(error instanceof LeaseLostError)) return this.#leaveToRecovery(batch, charge, error);
      // Another node has the entry now and will find the payment reserved; the result is ours to record all the same.
      await this.#recordOne(batch, charge, actor, false).catch((cause: unknown) =>
        this.#leaveToRecovery(batch, charge, cause),
      );
    }
  }

  async #recordOne(
    batch: HandlerBatch,
    charge: AnsweredCharge,
    actor: ActingComponent,
    finish: boolean,
  ): Promise<void> {
    const authorship = batchAuthorship([charge.entry], actor, this.#ports.clock.now());
    await this.#ports.storage.write(batch.tenant, authorship, async (session) => {
      await session.lockAccounts([charge.account.id], { waitMs: ACCOUNT_LOCK_WAIT_MS });
      await this.#recordLocked(session, [charge]);
      if (finish) await batch.finish(session, [charge.entry]);
    });
  }

  async #recordLocked(session: WriteSession, answered: readonly AnsweredCharge[]): Promise<void> {
    const settlements = answered.map(settlementOf);
    const now = session.authorship.createdDate;
    await recordOutcomes(session, settlements, { ids: this.#ports.ids, config: this.#config, now });
  }

  #leaveToRecovery(batch: HandlerBatch, charge: AnsweredCharge, error: unknown): void {
    const facts = { err: error, paymentId: charge.paymentId, transactionId: charge.transaction.id };
    this.#ports.logger.error(
      facts,
      'the result of a gateway call was not recorded; recovery will ask the gateway',
    );
    batch.failed(charge.entry, error);
  }

  #followLateAnswers(batch: HandlerBatch, answered: readonly AnsweredCharge[], actor: ActingComponent): void {
    for (const { late, account, paymentId, transaction, entry } of answered) {
      if (late === null) continue;
      this.#late.follow({
        tenant: batch.tenant,
        accountId: account.id,
        paymentId,
        transactionId: transaction.id,
        userName: actor,
        userToken: entry.userToken,
        answer: late,
      });
    }
  }
}

function readRequests(
  batch: HandlerBatch,
  requestOf: (entry: ClaimedEntry) => Omit<PaymentRequest, 'accountRecordId'>,
): readonly QueuedRequest[] {
  return batch.entries.flatMap((entry) => {
    try {
      if (entry.accountRecordId === null)
        throw new Error(`${entry.topic} entry ${entry.recordId} has no account`);
      return [{ ...requestOf(entry), accountRecordId: entry.accountRecordId, entry }];
    } catch (error) {
      batch.failed(entry, error);
      return [];
    }
  });
}

function finishedEntries(
  planned: readonly PlannedRequest<QueuedRequest>[],
  open: ReadonlySet<ClaimedEntry>,
): readonly ClaimedEntry[] {
  return planned.flatMap(({ request, plan }) =>
    plan.kind === 'WAIT' || open.has(request.entry) ? [] : [request.entry],
  );
}

function settlementOf({ paymentId, transaction, outcome }: AnsweredCharge): Settlement {
  return { paymentId, transactionId: transaction.id, outcome, source: 'CALL' };
}
