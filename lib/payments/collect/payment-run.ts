import type { Ports } from '../../ports/index.ts';
import { type ClaimedEntry, LeaseLostError, LockWait, type WriteSession } from '../../ports/storage/index.ts';
import type { ActingComponent } from '../../records/index.ts';
import type { HandlerBatch } from '../../runtime/index.ts';
import { batchAuthorship, inParallel } from '../../runtime/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import { addMilliseconds, type Instant } from '../../values/time/index.ts';
import { recordOutcomes } from '../outcomes/record-outcomes.ts';
import { LateAnswers } from '../recovery/late-answers.ts';
import type { PaymentRequest } from '../reservation/plan-reservation.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import type { PaymentConfigOf } from '../tenant-payment-config.ts';
import { type Answer, type OpenCharge, purchase } from './purchase.ts';
import { hasOutsideEffect, reservePayments } from './reserve-payments.ts';

/** Time beyond the call's limit until nobody can still be recording its answer (§5.1 rule 1). */
export const LEASE_MARGIN_MS = 30_000;

export type PaymentPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'gateways'>;

/** Reads what an entry asks for; throws on a payload that is not its own. */
export type ReadRequest = (entry: ClaimedEntry) => Omit<PaymentRequest, 'accountRecordId'>;

/** A batch and who works on it. */
interface Run {
  readonly batch: HandlerBatch;
  readonly actor: ActingComponent;
}

interface QueuedRequest extends PaymentRequest {
  readonly entry: ClaimedEntry;
}

interface QueuedCharge extends OpenCharge {
  readonly entry: ClaimedEntry;
}

interface Reserved {
  readonly busy: readonly ClaimedEntry[];
  /** Charges whose gateway is to be called now. */
  readonly charges: readonly QueuedCharge[];
}

type AnsweredCharge = QueuedCharge & Answer;

/**
 * Reserve, call, record (§5.1) for the entries of a batch: one write transaction, the gateway calls outside
 * any, one write transaction. Whatever comes between, the recovery notification of Reserve ends the story.
 */
export class PaymentRun {
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

  /** Pays what the entries of the batch ask for. */
  async run(batch: HandlerBatch, actor: ActingComponent, read: ReadRequest): Promise<void> {
    const requests = readRequests(batch, read);
    if (requests.length === 0) return;
    const run = { batch, actor };
    const reserved = await this.#write(run, batch.entries, (session) =>
      this.#reserve(session, run, requests),
    );
    batch.busy(reserved.busy);
    if (reserved.charges.length === 0) return;
    const answered = await this.#call(run, reserved.charges);
    try {
      await this.#record(run, answered);
    } finally {
      this.#followLateAnswers(run, answered);
    }
  }

  #write<T>(
    run: Run,
    entries: readonly ClaimedEntry[],
    work: (session: WriteSession) => Promise<T>,
  ): Promise<T> {
    const authorship = batchAuthorship(entries, run.actor, this.#ports.clock.now());
    return this.#ports.storage.write(run.batch.tenant, authorship, work);
  }

  async #reserve(session: WriteSession, run: Run, requests: readonly QueuedRequest[]): Promise<Reserved> {
    const accounts = await session.tryLockAccounts(requests.map(({ accountRecordId }) => accountRecordId));
    const locked = new Set(accounts.map(({ recordId }) => recordId));
    const ours = requests.filter(({ accountRecordId }) => locked.has(accountRecordId));
    const now = session.authorship.createdDate;
    const input = { requests: ours, accounts };
    const config = await this.#configOf(session);
    const planned = await reservePayments(session, input, {
      ids: this.#ports.ids,
      gateways: this.#ports.gateways,
      now,
      leaseUntil: leaseUntil(now, ours.length, config),
      allowEmptyInvoice: config.allowEmptyInvoice,
      config,
    });
    const charges = planned.flatMap(({ request, plan }) =>
      plan.kind === 'CHARGE'
        ? [{ ...plan.charge, entry: request.entry, timeoutMs: config.pluginTimeoutMs }]
        : [],
    );
    await this.#recordDirect(session, run, charges);
    const open = charges.filter(hasOutsideEffect);
    const waiting = new Set(
      planned.flatMap(({ request, plan }) => (plan.kind === 'WAIT' ? [request.entry] : [])),
    );
    const unlocked = requests.filter((request) => !ours.includes(request)).map(({ entry }) => entry);
    const calling = new Set(open.map(({ entry }) => entry));
    const done = ours.map(({ entry }) => entry).filter((entry) => !waiting.has(entry) && !calling.has(entry));
    if (done.length > 0) await run.batch.finish(session, done);
    return { busy: [...unlocked, ...waiting], charges: open };
  }

  /** Gateways without outside effect: the call belongs to the same transaction (§2.4 rule 1). */
  async #recordDirect(session: WriteSession, run: Run, charges: readonly QueuedCharge[]): Promise<void> {
    const direct = charges.filter((charge) => !hasOutsideEffect(charge));
    if (direct.length > 0) await this.#recordLocked(session, await this.#call(run, direct));
  }

  #call(run: Run, charges: readonly QueuedCharge[]): Promise<readonly AnsweredCharge[]> {
    return inParallel(charges, MAX_CONCURRENT_GATEWAY_CALLS, async (charge) => ({
      ...charge,
      ...(await purchase(charge, callerOf(run, charge), this.#ports)),
    }));
  }

  /** One transaction for all; accounts that are busy, or all when it fails, are recorded one by one. */
  async #record(run: Run, answered: readonly AnsweredCharge[]): Promise<void> {
    let left: readonly AnsweredCharge[] = answered;
    try {
      left = await this.#write(run, run.batch.entries, (session) =>
        this.#recordTogether(session, run, answered),
      );
    } catch (error) {
      const facts = { err: error, count: answered.length };
      this.#ports.logger.warn(facts, 'recording payments together failed; recording one by one');
    }
    for (const charge of left) await this.#recordAlone(run, charge);
  }

  /** Returns the charges of accounts that were busy. */
  async #recordTogether(
    session: WriteSession,
    run: Run,
    answered: readonly AnsweredCharge[],
  ): Promise<readonly AnsweredCharge[]> {
    const accounts = await session.tryLockAccounts(answered.map(({ account }) => account.recordId));
    const locked = new Set(accounts.map(({ recordId }) => recordId));
    const ours = answered.filter(({ account }) => locked.has(account.recordId));
    const entries = ours.map(({ entry }) => entry);
    await this.#recordLocked(session, ours);
    await run.batch.finish(session, entries);
    return answered.filter(({ account }) => !locked.has(account.recordId));
  }

  async #recordAlone(run: Run, charge: AnsweredCharge): Promise<void> {
    try {
      await this.#recordOne(run, charge, { finish: true });
    } catch (error) {
      if (!(error instanceof LeaseLostError)) return this.#leaveToRecovery(run, charge, error);
      // Another node has the entry now and will find the payment reserved; the result is ours to record all the same.
      await this.#recordOne(run, charge, { finish: false }).catch((cause: unknown) =>
        this.#leaveToRecovery(run, charge, cause),
      );
    }
  }

  async #recordOne(
    run: Run,
    charge: AnsweredCharge,
    { finish }: { readonly finish: boolean },
  ): Promise<void> {
    await this.#write(run, [charge.entry], async (session) => {
      await session.lockAccounts([charge.account.id], { wait: LockWait.PAYMENT });
      await this.#recordLocked(session, [charge]);
      if (finish) await run.batch.finish(session, [charge.entry]);
    });
  }

  async #recordLocked(session: WriteSession, answered: readonly AnsweredCharge[]): Promise<void> {
    const settlements = answered.map(({ paymentId, transaction, outcome }) => ({
      paymentId,
      transactionId: transaction.id,
      outcome,
      source: 'CALL' as const,
    }));
    const now = session.authorship.createdDate;
    const config = await this.#configOf(session);
    await recordOutcomes(session, settlements, { ids: this.#ports.ids, config, now });
  }

  #leaveToRecovery(run: Run, charge: AnsweredCharge, error: unknown): void {
    const facts = { err: error, paymentId: charge.paymentId, transactionId: charge.transaction.id };
    this.#ports.logger.error(
      facts,
      'the result of a gateway call was not recorded; recovery will ask the gateway',
    );
    run.batch.failed(charge.entry, error);
  }

  #followLateAnswers(run: Run, answered: readonly AnsweredCharge[]): void {
    for (const { late, account, paymentId, transaction, entry } of answered) {
      if (late === null) continue;
      this.#late.follow({
        tenant: run.batch.tenant,
        accountId: account.id,
        paymentId,
        transactionId: transaction.id,
        userName: run.actor,
        userToken: entry.userToken,
        answer: late,
      });
    }
  }
}

function callerOf({ batch, actor }: Run, { entry }: QueuedCharge) {
  return { tenantId: batch.tenant.id, userName: actor, userToken: entry.userToken };
}

/** Room for every call of the batch: they start in waves of the parallelism, each at most one timeout long. */
function leaseUntil(now: Instant, calls: number, { pluginTimeoutMs }: PaymentConfig): Instant {
  const waves = Math.max(1, Math.ceil(calls / MAX_CONCURRENT_GATEWAY_CALLS));
  return addMilliseconds(now, waves * pluginTimeoutMs + LEASE_MARGIN_MS);
}

function readRequests(batch: HandlerBatch, read: ReadRequest): readonly QueuedRequest[] {
  return batch.entries.flatMap((entry) => {
    const { accountRecordId, topic, recordId } = entry;
    try {
      if (accountRecordId === null) throw new InvariantError(`${topic} entry ${recordId} has no account`);
      return [{ ...read(entry), accountRecordId, entry }];
    } catch (error) {
      batch.failed(entry, error);
      return [];
    }
  });
}
