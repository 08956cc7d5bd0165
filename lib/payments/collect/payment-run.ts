import { type ClaimedEntry, LeaseLostError, LockWait, type WriteSession } from '../../ports/storage/index.ts';
import type { ActingComponent } from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch } from '../../runtime/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import type { ControlledRun } from '../control/control-calls.ts';
import type { PaymentRequest } from '../planning/plan-reservation.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { ChargeControl } from './charge-control.ts';
import { type AnsweredCharge, ChargeSteps, type PaymentPorts, type RequestedCharge } from './charge-steps.ts';

/** Reads what an entry asks for; throws on a payload of another kind. */
export type ReadRequest = (entry: ClaimedEntry) => Omit<PaymentRequest, 'accountRecordId'>;

/** A batch, and in whose name it is processed. */
export interface Run {
  readonly batch: HandlerBatch;
  /** Those that are worked on: all of the batch, or some. */
  readonly entries: readonly ClaimedEntry[];
  readonly actor: ActingComponent;
}

interface QueuedRequest extends PaymentRequest {
  readonly entry: ClaimedEntry;
}

type Answered = AnsweredCharge<QueuedRequest>;

/** Requests after the control plugins were asked about them. */
interface Asked {
  readonly requests: readonly QueuedRequest[];
  /** Those that plugins have stopped, with their attempts. */
  readonly stopped: readonly { readonly request: QueuedRequest; readonly attemptId: Uuid }[];
  /** By attempt: whom to tell how it ends. */
  readonly runs: ReadonlyMap<Uuid, ControlledRun>;
  readonly busy: readonly ClaimedEntry[];
}

interface Reserved {
  readonly busy: readonly ClaimedEntry[];
  /** Charges whose gateway has to be called now. */
  readonly charges: readonly RequestedCharge<QueuedRequest>[];
}

/**
 * Reserve, call, record (§5.1) for the entries of a batch: one write transaction, the gateway calls outside any, one
 * write transaction. If anything goes wrong between them, the recovery notification of Reserve resolves it.
 */
export class PaymentRun {
  readonly #ports: PaymentPorts;
  readonly #steps: ChargeSteps;
  readonly #control: ChargeControl;

  constructor(ports: PaymentPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#steps = new ChargeSteps(ports, configOf);
    this.#control = new ChargeControl(ports, this.#steps);
  }

  /** Resolves once no late answer is being recorded any more. */
  idle(): Promise<void> {
    return this.#steps.idle();
  }

  /** Pays what the entries of the batch ask for. */
  async run(run: Run, read: ReadRequest): Promise<void> {
    const { batch } = run;
    const requests = readRequests(run, read);
    if (requests.length === 0) return;
    const asked = this.#control.isHeard ? await this.#ask(run, requests) : uncontrolled(requests);
    const reserved = await this.#write(run, run.entries, (session) => this.#reserve(session, run, asked));
    batch.busy([...asked.busy, ...reserved.busy]);
    if (reserved.charges.length === 0) return;
    const answers = await this.#steps.call(reserved.charges, MAX_CONCURRENT_GATEWAY_CALLS);
    const answered = await this.#control.tell(answers, asked.runs);
    try {
      await this.#record(run, answered);
    } finally {
      this.#steps.followLateAnswers(answered);
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

  /** Asks the control plugins about what would be charged now. */
  async #ask(run: Run, requests: readonly QueuedRequest[]): Promise<Asked> {
    const { batch, actor } = run;
    const { begun, busy } = await this.#write(run, run.entries, async (session) => {
      const accounts = await session.tryLockAccounts(requests.map(({ accountRecordId }) => accountRecordId));
      const locked = new Set(accounts.map(({ recordId }) => recordId));
      const ours = requests.filter(({ accountRecordId }) => locked.has(accountRecordId));
      const callerOf = ({ entry }: QueuedRequest) => callerOfEntry(entry, { batch, actor });
      return {
        begun: await this.#control.begin(session, { requests: ours, accounts }, callerOf),
        busy: requests.filter((request) => !ours.includes(request)),
      };
    });
    const asked = await this.#control.ask(begun);
    const left = new Set([...busy, ...begun.map(({ request }) => request)]);
    const passed = asked.flatMap(({ request, run: known }) => (known ? [request] : []));
    return {
      requests: [...requests.filter((request) => !left.has(request)), ...passed],
      stopped: asked.flatMap(({ request, attemptId, run: known }) => (known ? [] : [{ request, attemptId }])),
      runs: new Map(
        asked.flatMap(({ attemptId, run: known }) => (known ? [[attemptId, known] as const] : [])),
      ),
      busy: busy.map(({ entry }) => entry),
    };
  }

  async #reserve(
    session: WriteSession,
    { batch, actor }: Run,
    { requests, stopped }: Asked,
  ): Promise<Reserved> {
    const held = stopped.flatMap(({ request }) => (request.holdId === undefined ? [] : request));
    const accounts = await session.tryLockAccounts(
      [...requests, ...held].map(({ accountRecordId }) => accountRecordId),
    );
    const locked = new Set(accounts.map(({ recordId }) => recordId));
    const busy = held.filter(({ accountRecordId }) => !locked.has(accountRecordId));
    await endHolds(
      session,
      held.filter((request) => !busy.includes(request)),
    );
    const ours = requests.filter(({ accountRecordId }) => locked.has(accountRecordId));
    const { planned, charges } = await this.#steps.reserve(
      session,
      { requests: ours, accounts, paysEmptyInvoices: true },
      {
        parallelCalls: MAX_CONCURRENT_GATEWAY_CALLS,
        callerOf: ({ entry }) => callerOfEntry(entry, { batch, actor }),
      },
    );
    const waiting = new Set(
      planned.flatMap(({ request, plan }) => (plan.kind === 'WAIT' ? [request.entry] : [])),
    );
    const unlocked = requests.filter((request) => !ours.includes(request)).map(({ entry }) => entry);
    const calling = new Set(charges.map(({ request }) => request.entry));
    const done = ours.map(({ entry }) => entry).filter((entry) => !waiting.has(entry) && !calling.has(entry));
    const over = stopped.flatMap(({ request }) => (busy.includes(request) ? [] : request.entry));
    const ended = [...done, ...over];
    if (ended.length > 0) await batch.finish(session, ended);
    const unreserved = requests.flatMap(({ controlled, entry }) =>
      controlled && !calling.has(entry) ? [controlled.attempt.id] : [],
    );
    await this.#control.abort(session, [...stopped.map(({ attemptId }) => attemptId), ...unreserved]);
    return { busy: [...unlocked, ...waiting, ...busy.map(({ entry }) => entry)], charges };
  }

  /** Records all answers in one transaction; those of busy accounts, or all if the transaction fails, one by one. */
  async #record(run: Run, answered: readonly Answered[]): Promise<void> {
    let left = answered;
    try {
      left = await this.#write(run, run.entries, (session) => this.#recordTogether(session, run, answered));
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
    answered: readonly Answered[],
  ): Promise<readonly Answered[]> {
    const accounts = await session.tryLockAccounts(answered.map(({ account }) => account.recordId));
    const locked = new Set(accounts.map(({ recordId }) => recordId));
    const ours = answered.filter(({ account }) => locked.has(account.recordId));
    const entries = ours.map(({ request }) => request.entry);
    await this.#steps.record(session, ours);
    await run.batch.finish(session, entries);
    return answered.filter(({ account }) => !locked.has(account.recordId));
  }

  async #recordAlone(run: Run, charge: Answered): Promise<void> {
    try {
      await this.#recordOne(run, charge, { finish: true });
    } catch (error) {
      if (!(error instanceof LeaseLostError)) return this.#leaveToRecovery(run, charge, error);
      // Another node has the entry now and will find the payment reserved; the result is still ours to record.
      await this.#recordOne(run, charge, { finish: false }).catch((cause: unknown) =>
        this.#leaveToRecovery(run, charge, cause),
      );
    }
  }

  async #recordOne(run: Run, charge: Answered, { finish }: { readonly finish: boolean }): Promise<void> {
    const { entry } = charge.request;
    await this.#write(run, [entry], async (session) => {
      await session.lockAccounts([charge.account.id], { wait: LockWait.PAYMENT });
      await this.#steps.record(session, [charge]);
      if (finish) await run.batch.finish(session, [entry]);
    });
  }

  #leaveToRecovery(run: Run, charge: Answered, error: unknown): void {
    const facts = { err: error, paymentId: charge.paymentId, transactionId: charge.transaction.id };
    this.#ports.logger.error(
      facts,
      'the result of a gateway call was not recorded; recovery will ask the gateway',
    );
    run.batch.failed(charge.request.entry, error);
  }
}

/** A hold whose payment a control plugin has stopped ends: it was asked, and nothing would ask again (§9.3). */
async function endHolds(session: WriteSession, stopped: readonly QueuedRequest[]): Promise<void> {
  if (stopped.length === 0) return;
  const holds = await session.payments.findHoldsByInvoices(stopped.map(({ invoiceId }) => invoiceId));
  const over = new Set(stopped.map(({ holdId }) => holdId));
  await session.payments.endHolds(holds.filter(({ id }) => over.has(id)));
}

/** What nobody was asked about. */
function uncontrolled(requests: readonly QueuedRequest[]): Asked {
  return { requests, stopped: [], runs: new Map(), busy: [] };
}

function callerOfEntry({ userToken }: ClaimedEntry, { batch, actor }: Pick<Run, 'batch' | 'actor'>) {
  return { tenant: batch.tenant, userName: actor, userToken };
}

function readRequests({ batch, entries }: Run, read: ReadRequest): readonly QueuedRequest[] {
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
