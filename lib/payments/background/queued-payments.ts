import { effectsOnAccounts, hasEffect, TagEffect } from '../../control-tags/index.ts';
import type { Ports } from '../../ports/index.ts';
import { type ClaimedEntry, LeaseLostError, LockWait, type WriteSession } from '../../ports/storage/index.ts';
import {
  ActingComponent,
  AttemptState,
  BusEventType,
  type CallContext,
  CallOrigin,
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type PaymentAttempt,
  QueueName,
} from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, type QueueHandler } from '../../runtime/index.ts';
import { BillingError, InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import { type Charge, callsOrDone, reserveCharges } from '../machine/invoice-charges.ts';
import type { PaymentMachine, PaymentPorts } from '../machine/payment-machine.ts';
import { PaymentService } from '../machine/payment-service.ts';
import type { PaymentRequest } from '../planning/plan-reservation.ts';
import { oldestFirst } from '../planning/reservation.ts';
import type { Consulted } from '../plugins/attempt-control.ts';
import type { AnsweredCall } from '../plugins/call-gateway.ts';
import { pluginsAmong } from '../plugins/control-calls.ts';
import { hasOnlyBegun } from '../state/outcome-consequences.ts';
import {
  readInvoiceRetryJob,
  readRetryJob,
  releaseNotification,
  uuidOf,
} from '../state/payment-notifications.ts';

/** Pays each newly committed invoice with the account's default payment method (§9.1 rule 1). */
export function automaticPaymentHandler(machine: PaymentMachine) {
  const payments = new PaymentRun(machine);
  return {
    name: 'payment-service:automatic-payment',
    topics: [BusEventType.INVOICE_CREATION],
    idle: () => machine.idle(),
    handle: (batch: HandlerBatch) => {
      const run = { batch, entries: batch.entries, actor: ActingComponent.PAYMENT_REQUEST };
      return payments.run(run, ({ payload }) => ({ invoiceId: uuidOf(payload, 'invoiceId'), retry: null }));
    },
  };
}

/**
 * Repeats failed automatic payments when their retry is due (§8.3), and makes payments whose hold has been released
 * (§9.3).
 */
export function paymentRetryHandler(machine: PaymentMachine) {
  const payments = new PaymentRun(machine);
  const operations = new OperationRetries(machine);
  const isOfInvoice = ({ payload }: ClaimedEntry) => payload.invoiceId != null;
  return {
    name: 'payment-service:retry',
    topics: [QueueName.PAYMENT_RETRY],
    idle: () => machine.idle(),
    handle: async (batch: HandlerBatch) => {
      const entries = batch.entries.filter(isOfInvoice);
      await payments.run({ batch, entries, actor: ActingComponent.PAYMENT_RETRY }, readRequest);
      const others = batch.entries.filter((entry) => !isOfInvoice(entry));
      await operations.run(batch, others);
    },
  };
}

function readRequest({ payload }: ClaimedEntry) {
  if ('holdId' in payload) {
    const invoiceId = uuidOf(payload, 'invoiceId');
    return { invoiceId, retry: null, holdId: uuidOf(payload, 'holdId') };
  }
  const retry = readInvoiceRetryJob(payload);
  return { invoiceId: retry.invoiceId, retry };
}

/** Reads the request from the payload of an entry. Throws if the payload is of another kind. */
type ReadRequest = (entry: ClaimedEntry) => Omit<PaymentRequest, 'accountRecordId'>;

interface Run {
  readonly batch: HandlerBatch;
  readonly entries: readonly ClaimedEntry[];
  readonly actor: ActingComponent;
}

interface QueuedRequest extends PaymentRequest {
  readonly entry: ClaimedEntry;
}

type Answered = Charge<QueuedRequest> & AnsweredCall;

/** Makes the payments of a batch. Uses one transaction per step for all entries. */
class PaymentRun {
  readonly #machine: PaymentMachine;

  constructor(machine: PaymentMachine) {
    this.#machine = machine;
  }

  async run(run: Run, read: ReadRequest): Promise<void> {
    const requests = readRequests(run, read);
    if (requests.length === 0) return;
    let busy: readonly ClaimedEntry[] = [];
    await this.#machine.run<Charge<QueuedRequest>, void>({
      parallelCalls: MAX_CONCURRENT_GATEWAY_CALLS,
      write: (work) => this.#write(run, run.entries, work),
      look: async (session, { consulted }) => {
        const { step, waiting } = await this.#look(session, run, { requests, consulted });
        busy = waiting;
        return step;
      },
      record: (answered) => this.#record(run, answered),
      // If the work fails, its entries fail too and are retried.
      comesAgain: () => true,
    });
    run.batch.busy(busy);
  }

  #write<T>(
    { actor, batch }: Run,
    entries: readonly ClaimedEntry[],
    work: (session: WriteSession) => Promise<T>,
  ) {
    const authorship = batchAuthorship(entries, actor, this.#machine.ports.clock.now());
    return this.#machine.ports.storage.write(batch.tenant, authorship, work);
  }

  /**
   * Ends the entries that need no further work. Entries of busy accounts, and entries that wait for another payment,
   * are retried.
   */
  async #look(
    session: WriteSession,
    { batch, actor }: Run,
    { requests, consulted }: { readonly requests: readonly QueuedRequest[]; readonly consulted: Consulted },
  ) {
    const accounts = await session.tryLockAccounts(requests.map(({ accountRecordId }) => accountRecordId));
    const locked = new Set(accounts.map(({ recordId }) => recordId));
    const ours = requests.filter(({ accountRecordId }) => locked.has(accountRecordId));
    const step = await reserveCharges(this.#machine, session, {
      requests: ours,
      accounts,
      consulted,
      paysEmptyInvoices: true,
      parallelCalls: MAX_CONCURRENT_GATEWAY_CALLS,
      callerOf: ({ entry: { userToken } }) => ({ tenant: batch.tenant, userName: actor, userToken }),
      keyOf: ({ entry }) => entry,
    });
    if (step.kind === 'CONSULT') return { step, waiting: [] };
    const { planned, calls } = step;
    const stopped = ours.filter(({ entry }) => consulted.stopped.has(entry));
    await endHolds(session, stopped);
    const unlocked = requests.filter((request) => !ours.includes(request)).map(({ entry }) => entry);
    const held = planned.flatMap(({ request, plan }) => (plan.kind === 'WAIT' ? request.entry : []));
    const waiting = new Set([...unlocked, ...held]);
    const calling = new Set(calls.map(({ request }) => request.entry));
    const done = requests
      .map(({ entry }) => entry)
      .filter((each) => !waiting.has(each) && !calling.has(each));
    if (done.length > 0) await batch.finish(session, done);
    return { step: callsOrDone(calls, undefined), waiting: [...waiting] };
  }

  /**
   * Records all results in one transaction. If an account is busy or the transaction fails, records the results one by
   * one.
   */
  async #record(run: Run, answered: readonly Answered[]) {
    let left = answered;
    try {
      left = await this.#write(run, run.entries, (session) => this.#recordTogether(session, run, answered));
    } catch (error) {
      const facts = { err: error, count: answered.length };
      this.#machine.ports.logger.warn(facts, 'recording payments together failed; recording one by one');
    }
    for (const charge of left) await this.#recordAlone(run, charge);
  }

  async #recordTogether(session: WriteSession, run: Run, answered: readonly Answered[]) {
    const accounts = await session.tryLockAccounts(answered.map(({ account }) => account.recordId));
    const locked = new Set(accounts.map(({ recordId }) => recordId));
    const ours = answered.filter(({ account }) => locked.has(account.recordId));
    const entries = ours.map(({ request }) => request.entry);
    await this.#machine.record(session, ours);
    await run.batch.finish(session, entries);
    return answered.filter(({ account }) => !locked.has(account.recordId));
  }

  async #recordAlone(run: Run, charge: Answered) {
    const leave = (error: unknown): void => {
      this.#machine.logUnrecorded(error, [charge]);
      run.batch.failed(charge.request.entry, error);
    };
    await this.#recordOne(run, charge, { finish: true }).catch((error: unknown) => {
      if (!(error instanceof LeaseLostError)) return leave(error);
      // Another node has claimed the entry and will find the payment reserved. This node must still record the result.
      return this.#recordOne(run, charge, { finish: false }).catch(leave);
    });
  }

  async #recordOne(run: Run, charge: Answered, { finish }: { readonly finish: boolean }) {
    const { entry } = charge.request;
    await this.#write(run, [entry], async (session) => {
      await session.lockAccounts([charge.account.id], { wait: LockWait.PAYMENT });
      await this.#machine.record(session, [charge]);
      if (finish) await run.batch.finish(session, [entry]);
    });
  }
}

/** Ends the holds of payments that a control plugin stopped. Nothing else would retry these payments (§9.3). */
async function endHolds(session: WriteSession, stopped: readonly QueuedRequest[]) {
  const held = stopped.filter(({ holdId }) => holdId !== undefined);
  if (held.length === 0) return;
  const holds = await session.payments.findHoldsByInvoices(held.map(({ invoiceId }) => invoiceId));
  const over = new Set(held.map(({ holdId }) => holdId));
  await session.payments.endHolds(holds.filter(({ id }) => over.has(id)));
}

function readRequests({ batch, entries }: Run, read: ReadRequest) {
  return entries.flatMap((entry) => {
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

/**
 * Repeats operations on the date that a control plugin requested (§8.3). Each repetition is a new attempt with the same
 * keys.
 */
class OperationRetries {
  readonly #ports: PaymentPorts;
  readonly #payments: PaymentService;

  constructor(machine: PaymentMachine) {
    this.#ports = machine.ports;
    this.#payments = new PaymentService(machine);
  }

  /**
   * Processes the entries one after another. Each entry creates an attempt. If the entry is delivered again, the
   * attempt shows that it was already processed.
   */
  async run(batch: HandlerBatch, entries: readonly ClaimedEntry[]): Promise<void> {
    for (const entry of entries) await this.#runOne(batch, entry);
  }

  async #runOne(batch: HandlerBatch, entry: ClaimedEntry) {
    try {
      const { attemptId } = readRetryJob(entry.payload);
      const origin = await this.#originOf(batch, attemptId);
      const hasEnded = origin === null || (await this.#repeat(batch, entry, origin));
      const authorship = batchAuthorship([entry], ActingComponent.PAYMENT_RETRY, this.#ports.clock.now());
      await this.#ports.storage.write(batch.tenant, authorship, async (session) => {
        if (!hasEnded) await this.#recordRefusal(session, origin);
        await batch.finish(session, [entry]);
      });
    } catch (error) {
      if (error instanceof BillingError && error.facts.isBusy === true) batch.busy([entry]);
      else batch.failed(entry, error);
    }
  }

  /** Returns the attempt to repeat. Returns null if it has been repeated or decided in the meantime. */
  async #originOf(batch: HandlerBatch, attemptId: PaymentAttempt['id']) {
    return this.#ports.storage.read(batch.tenant, async (session) => {
      const [origin] = await session.payments.findAttemptsByIds([attemptId]);
      if (origin?.stateName !== 'RETRIED') return null;
      const runs = await session.payments.findAttemptsByPaymentKeys([origin.paymentExternalKey]);
      const { transactionExternalKey: key } = origin;
      const transactions = await session.payments.findTransactionsByKeys([key]);
      const own = runs.filter(
        (run) => run.transactionExternalKey === key && !hasOnlyBegun(run, transactions),
      );
      return own.at(-1)?.id === origin.id ? origin : null;
    });
  }

  /** Stores an attempt for a retry that was rejected before it started (§3.3). */
  async #recordRefusal(session: WriteSession, origin: PaymentAttempt) {
    const runs = await session.payments.findAttemptsByPaymentKeys([origin.paymentExternalKey]);
    const own = runs.filter((run) => run.transactionExternalKey === origin.transactionExternalKey);
    if (own.at(-1)?.id !== origin.id) return;
    const { recordId: _, ...run } = origin;
    const { createdDate } = session.authorship;
    const ended = { transactionId: null, stateName: AttemptState.ABORTED, pluginProperties: [] };
    const refused = { ...run, ...ended, id: this.#ports.ids.next(), isApiPayment: false, createdDate };
    await session.payments.insertAttempts([refused]);
  }

  /**
   * Repeats the operation. Returns false if the operation was rejected, in which case the entry counts as finished, not
   * as failed.
   */
  async #repeat(batch: HandlerBatch, entry: ClaimedEntry, origin: PaymentAttempt) {
    const context: CallContext = {
      tenant: batch.tenant,
      userName: ActingComponent.PAYMENT_RETRY,
      principal: null,
      reasonCode: null,
      comments: null,
      userToken: entry.userToken,
      callOrigin: CallOrigin.INTERNAL,
      createdDate: this.#ports.clock.now(),
    };
    try {
      await this.#payments.runPlanned(context, {
        request: requestOfAttempt(origin),
        isOfInvoice: origin.pluginNames.includes(INVOICE_PAYMENT_CONTROL_PLUGIN),
        isApiPayment: false,
      });
      return true;
    } catch (error) {
      if (!(error instanceof BillingError) || error.facts.isBusy === true) throw error;
      const facts = { err: error, attemptId: origin.id };
      this.#ports.logger.info(facts, 'a retried payment failed; its attempt has the error');
      return false;
    }
  }
}

function requestOfAttempt(origin: PaymentAttempt) {
  return {
    operation: origin.transactionType,
    accountId: origin.accountId,
    paymentId: null,
    paymentExternalKey: origin.paymentExternalKey,
    transactionExternalKey: origin.transactionExternalKey,
    paymentMethodId: origin.paymentMethodId,
    amount: origin.amount,
    currency: origin.currency,
    effectiveDate: null,
    properties: origin.pluginProperties ?? [],
    controlPlugins: pluginsAmong(origin.pluginNames),
  };
}

/**
 * Releases the held payments of an account that has neither AUTO_PAY_OFF nor MANUAL_PAY (§9.3). The oldest invoice
 * comes first.
 */
export function holdReleaseHandler({ storage, clock }: Pick<Ports, 'storage' | 'clock'>): QueueHandler {
  return {
    name: 'payment-service:hold-release',
    topics: [BusEventType.TAG_DELETION],
    handle: async (batch) => {
      const entries = batch.entries.filter(endsAStop);
      if (entries.length === 0) return;
      const authorship = batchAuthorship(entries, ActingComponent.PAYMENT_REQUEST, clock.now());
      const busy = await storage.write(batch.tenant, authorship, async (session) => {
        const accounts = await session.tryLockAccounts(
          entries.flatMap((entry) => entry.accountRecordId ?? []),
        );
        const locked = new Set<number | null>(accounts.map(({ recordId }) => recordId));
        const ours = entries.filter(({ accountRecordId }) => locked.has(accountRecordId));
        const accountIds = accounts.map(({ id }) => id);
        await release(session, accountIds);
        await batch.finish(session, ours);
        return entries.filter((entry) => !ours.includes(entry));
      });
      if (busy.length > 0) batch.busy(busy);
    },
  };
}

function endsAStop({ payload }: ClaimedEntry) {
  return hasEffect(payload.tagDefinitionId, TagEffect.HOLDS_PAYMENTS);
}

async function release(session: WriteSession, accountIds: readonly Uuid[]) {
  const tags = await effectsOnAccounts(session, accountIds);
  const free = accountIds.filter((id) => !tags.has(id, TagEffect.HOLDS_PAYMENTS));
  const holds = await session.payments.findHoldsByAccounts(free);
  const invoices = await session.invoices.findByIds(holds.map(({ invoiceId }) => invoiceId));
  const now = session.authorship.createdDate;
  session.schedule(oldestFirst(holds, invoices).map((hold) => releaseNotification(hold, now)));
}
