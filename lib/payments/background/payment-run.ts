import { type ClaimedEntry, LeaseLostError, LockWait, type WriteSession } from '../../ports/storage/index.ts';
import type { ActingComponent } from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch } from '../../runtime/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import { type Charge, InvoiceCharges } from '../machine/invoice-charges.ts';
import type { PaymentMachine, Step } from '../machine/payment-machine.ts';
import type { PaymentRequest } from '../planning/plan-reservation.ts';
import type { Consulted } from '../plugins/attempt-control.ts';
import type { AnsweredCall } from '../plugins/call-operation.ts';

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

type Answered = Charge<QueuedRequest> & AnsweredCall;

/** Pays what the entries of a batch ask for; each look at them is one transaction. */
export class PaymentRun {
  readonly #machine: PaymentMachine;
  readonly #charges: InvoiceCharges;

  constructor(machine: PaymentMachine) {
    this.#machine = machine;
    this.#charges = new InvoiceCharges(machine);
  }

  /** Resolves once no late answer is being recorded any more. */
  idle(): Promise<void> {
    return this.#machine.idle();
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
      // What fails here fails with its entries, which come again.
      comesAgain: () => true,
    });
    run.batch.busy(busy);
  }

  #write<T>(
    { actor, batch }: Run,
    entries: readonly ClaimedEntry[],
    work: (session: WriteSession) => Promise<T>,
  ): Promise<T> {
    const authorship = batchAuthorship(entries, actor, this.#machine.ports.clock.now());
    return this.#machine.ports.storage.write(batch.tenant, authorship, work);
  }

  /** Entries that are done end here; those of busy accounts, and those that wait for another payment, come again. */
  async #look(
    session: WriteSession,
    { batch, actor }: Run,
    { requests, consulted }: { readonly requests: readonly QueuedRequest[]; readonly consulted: Consulted },
  ): Promise<{
    readonly step: Step<Charge<QueuedRequest>, void>;
    readonly waiting: readonly ClaimedEntry[];
  }> {
    const accounts = await session.tryLockAccounts(requests.map(({ accountRecordId }) => accountRecordId));
    const locked = new Set(accounts.map(({ recordId }) => recordId));
    const ours = requests.filter(({ accountRecordId }) => locked.has(accountRecordId));
    const round = {
      requests: ours,
      accounts,
      paysEmptyInvoices: true,
      parallelCalls: MAX_CONCURRENT_GATEWAY_CALLS,
      callerOf: ({ entry: { userToken } }: QueuedRequest) => {
        return { tenant: batch.tenant, userName: actor, userToken };
      },
      keyOf: ({ entry }: QueuedRequest) => entry,
    };
    const step = await this.#charges.look(session, round, consulted);
    if (step.kind === 'CONSULT') return { step, waiting: [] };
    const { planned, calls } = step;
    await endHolds(
      session,
      ours.filter(({ entry }) => consulted.stopped.has(entry)),
    );
    const unlocked = requests.filter((request) => !ours.includes(request)).map(({ entry }) => entry);
    const held = planned.flatMap(({ request, plan }) => (plan.kind === 'WAIT' ? request.entry : []));
    const waiting = new Set([...unlocked, ...held]);
    const calling = new Set(calls.map(({ request }) => request.entry));
    const done = requests
      .map(({ entry }) => entry)
      .filter((each) => !waiting.has(each) && !calling.has(each));
    if (done.length > 0) await batch.finish(session, done);
    if (calls.length === 0) return { step: { kind: 'DONE', result: undefined }, waiting: [...waiting] };
    return { step: { kind: 'CALL', calls }, waiting: [...waiting] };
  }

  /** Records all answers in one transaction; those of busy accounts, or all if the transaction fails, one by one. */
  async #record(run: Run, answered: readonly Answered[]): Promise<void> {
    let left = answered;
    try {
      left = await this.#write(run, run.entries, (session) => this.#recordTogether(session, run, answered));
    } catch (error) {
      const facts = { err: error, count: answered.length };
      this.#machine.ports.logger.warn(facts, 'recording payments together failed; recording one by one');
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
    await this.#machine.record(session, ours);
    await run.batch.finish(session, entries);
    return answered.filter(({ account }) => !locked.has(account.recordId));
  }

  async #recordAlone(run: Run, charge: Answered): Promise<void> {
    const leave = (error: unknown): void => {
      this.#machine.logUnrecorded(error, [charge]);
      run.batch.failed(charge.request.entry, error);
    };
    await this.#recordOne(run, charge, { finish: true }).catch((error: unknown) => {
      if (!(error instanceof LeaseLostError)) return leave(error);
      // Another node has the entry now and will find the payment reserved; the result is still ours to record.
      return this.#recordOne(run, charge, { finish: false }).catch(leave);
    });
  }

  async #recordOne(run: Run, charge: Answered, { finish }: { readonly finish: boolean }): Promise<void> {
    const { entry } = charge.request;
    await this.#write(run, [entry], async (session) => {
      await session.lockAccounts([charge.account.id], { wait: LockWait.PAYMENT });
      await this.#machine.record(session, [charge]);
      if (finish) await run.batch.finish(session, [entry]);
    });
  }
}

/** A hold whose payment a control plugin has stopped ends: it was asked, and nothing would ask again (§9.3). */
async function endHolds(session: WriteSession, stopped: readonly QueuedRequest[]): Promise<void> {
  const held = stopped.filter(({ holdId }) => holdId !== undefined);
  if (held.length === 0) return;
  const holds = await session.payments.findHoldsByInvoices(held.map(({ invoiceId }) => invoiceId));
  const over = new Set(held.map(({ holdId }) => holdId));
  await session.payments.endHolds(holds.filter(({ id }) => over.has(id)));
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
