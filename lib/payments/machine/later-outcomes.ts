import type { Ports } from '../../ports/index.ts';
import { LockWait, type WriteSession } from '../../ports/storage/index.ts';
import { type CallContext, isUnresolved } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { CallOutcome } from '../claims/gateway-claims.ts';
import { AttemptControl } from '../plugins/attempt-control.ts';
import type { AnsweredCall } from '../plugins/call-operation.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import {
  readOutcome,
  type Settlement,
  settlementsTold,
  type ToldPayment,
} from '../state/transaction-outcome.ts';
import { type RecordedPayments, recordOutcomes } from './record-outcomes.ts';

export type LaterPorts = Pick<
  Ports,
  'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'paymentControls'
>;

type Author = Pick<CallContext, 'tenant'> & Parameters<typeof authorshipOf>[0];

/** Records outcomes that come another way than as an answer in time: late, by a read, or from an operator (§2.2, §7). */
export class LaterOutcomes {
  readonly #ports: LaterPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #control: AttemptControl;
  readonly #applying = new Set<Promise<void>>();

  constructor(ports: LaterPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#control = new AttemptControl(ports, configOf);
  }

  /**
   * Tells the control plugins of the attempts (§8.4), and records the outcomes under the locks of the accounts.
   * @param check whether they still hold, under these locks; default: yes.
   * @returns null if they do not hold any more.
   */
  async record(
    author: Author,
    {
      accountIds,
      settlements,
    }: { readonly accountIds: readonly Uuid[]; readonly settlements: readonly Settlement[] },
    check: (session: WriteSession) => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<RecordedPayments | null> {
    const { storage, ids } = this.#ports;
    const heard = await this.#control.heard(author, settlements, author.createdDate);
    return storage.write(author.tenant, authorshipOf(author), async (session) => {
      await session.lockAccounts(accountIds, { wait: LockWait.PAYMENT });
      if (!(await check(session))) return null;
      return recordOutcomes(session, heard, { ids, configOf: this.#configOf });
    });
  }

  /**
   * Records what gateways told of open transactions during a read (§7.1, §7.2 rule 3). A failure is logged and changes
   * nothing: the read goes on, and the janitor asks again.
   * @returns whether there was something to record.
   */
  async repair(context: CallContext, told: readonly ToldPayment[]): Promise<boolean> {
    const settlements = told.flatMap((each) => settlementsTold(each, context.createdDate));
    if (settlements.length === 0) return false;
    const paymentIds = new Set<Uuid>(settlements.map(({ paymentId }) => paymentId));
    const accountIds = new Set(
      told.flatMap(({ payment: { id, accountId } }) => (paymentIds.has(id) ? accountId : [])),
    );
    try {
      await this.record(context, { accountIds: [...accountIds], settlements });
      return true;
    } catch (error) {
      const facts = { err: error, paymentIds: [...paymentIds] };
      this.#ports.logger.warn(
        facts,
        'what a gateway told of open payments was not recorded; recovery asks again',
      );
      return false;
    }
  }

  /**
   * Records the answers of calls that ran out of time when they arrive, in the background. Failures are logged; the janitor
   * asks later anyway.
   */
  follow(answered: readonly AnsweredCall[]): void {
    for (const call of answered)
      void call.late?.then((outcome) => {
        const work: Promise<void> = this.#apply(call, outcome)
          .catch((error: unknown) =>
            this.#ports.logger.error({ err: error, ...idsOf(call) }, 'a late answer was lost'),
          )
          .finally(() => this.#applying.delete(work));
        this.#applying.add(work);
      });
  }

  /** Resolves once no late answer is being recorded any more; calls that are still running do not count. */
  async idle(): Promise<void> {
    while (this.#applying.size > 0) await Promise.all(this.#applying);
  }

  async #apply(call: AnsweredCall, outcome: CallOutcome): Promise<void> {
    const { caller, account, transaction } = call;
    const createdDate = this.#ports.clock.now();
    const author = { ...caller, reasonCode: null, comments: null, createdDate };
    const { leaseUntil } = transaction;
    const settlement = { ...idsOf(call), outcome, source: 'LATE' as const, leaseUntil };
    const recorded = await this.record(author, { accountIds: [account.id], settlements: [settlement] });
    const after = recorded?.transactions.get(transaction.id);
    if (!after || isUnresolved(after)) return;
    const told = readOutcome(after, outcome);
    if (told.status === after.status || told.status === 'UNKNOWN') return;
    // Decided another way meanwhile; by §1.7 rule 7 only an operator may change it.
    const facts = { ...idsOf(call), recorded: after.status, answered: told.status };
    this.#ports.logger.error(
      facts,
      'a late answer contradicts the recorded outcome; check it with the gateway',
    );
  }
}

function idsOf({ paymentId, transaction: { id: transactionId } }: AnsweredCall) {
  return { paymentId, transactionId };
}
