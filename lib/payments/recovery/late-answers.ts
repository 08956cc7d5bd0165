import type { Ports } from '../../ports/index.ts';
import { LockWait } from '../../ports/storage/index.ts';
import { isUnresolved, type TenantRef } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { recordOutcomes } from '../outcomes/record-outcomes.ts';
import type { CallOutcome } from '../state/gateway-reply.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { readOutcome } from '../state/transaction-outcome.ts';

/** A call that ran out of time and whose transaction is UNKNOWN. */
export interface OverdueCall {
  readonly tenant: TenantRef;
  readonly accountId: Uuid;
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly userName: string;
  readonly userToken: Uuid;
  readonly answer: Promise<CallOutcome>;
}

/** Applies answers that come after their timeout, like a result of recovery (§2.2, last paragraph). */
export class LateAnswers {
  readonly #ports: Pick<Ports, 'storage' | 'clock' | 'ids' | 'logger'>;
  readonly #configOf: PaymentConfigOf;
  readonly #applying = new Set<Promise<void>>();

  constructor(ports: Pick<Ports, 'storage' | 'clock' | 'ids' | 'logger'>, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
  }

  /** Waits for the answer in the background and records it. Failures are logged; the janitor asks later anyway. */
  follow(call: OverdueCall): void {
    void call.answer.then((outcome) => {
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

  async #apply(call: OverdueCall, outcome: CallOutcome): Promise<void> {
    const { storage, clock, ids } = this.#ports;
    const now = clock.now();
    const { userName, userToken } = call;
    const authorship = {
      userName,
      reasonCode: null,
      comments: null,
      createdDate: now,
      userTokenOf: () => userToken,
    };
    const after = await storage.write(call.tenant, authorship, async (session) => {
      await session.lockAccounts([call.accountId], { wait: LockWait.PAYMENT });
      const settlement = { ...idsOf(call), outcome, source: 'LATE' as const };
      const config = await this.#configOf(session);
      const stored = await recordOutcomes(session, [settlement], { ids, config, now });
      return stored.get(call.transactionId);
    });
    if (!after || isUnresolved(after)) return;
    const told = readOutcome(after, outcome);
    if (told.status === after.status || told.status === 'UNKNOWN') return;
    // Decided otherwise meanwhile; by §1.7 rule 7 only an operator may change it.
    const facts = { ...idsOf(call), recorded: after.status, answered: told.status };
    this.#ports.logger.error(
      facts,
      'a late answer contradicts the recorded outcome; check it with the gateway',
    );
  }
}

function idsOf(call: OverdueCall): { readonly paymentId: Uuid; readonly transactionId: Uuid } {
  return { paymentId: call.paymentId, transactionId: call.transactionId };
}
