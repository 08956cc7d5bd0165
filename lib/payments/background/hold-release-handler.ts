import { effectsOnAccounts, hasEffect, TagEffect } from '../../control-tags/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import { ActingComponent, BusEventType } from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, type QueueHandler } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { oldestFirst } from '../planning/reservation-facts.ts';
import { releaseNotification } from '../state/payment-notifications.ts';

/**
 * Releases what AUTO_PAY_OFF and MANUAL_PAY held back, once an account has neither of them (§9.3): each hold gets a due
 * entry, that of the oldest invoice first. If the event is delivered twice, the entries are already there.
 */
export class HoldReleaseHandler implements QueueHandler {
  readonly name = 'payment-service:hold-release';
  readonly topics: readonly string[] = [BusEventType.TAG_DELETION];
  readonly #ports: Pick<Ports, 'storage' | 'clock'>;

  constructor(ports: Pick<Ports, 'storage' | 'clock'>) {
    this.#ports = ports;
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const entries = batch.entries.filter(endsAStop);
    if (entries.length === 0) return;
    const authorship = batchAuthorship(entries, ActingComponent.PAYMENT_REQUEST, this.#ports.clock.now());
    const busy = await this.#ports.storage.write(batch.tenant, authorship, async (session) => {
      const accounts = await session.tryLockAccounts(entries.flatMap((entry) => entry.accountRecordId ?? []));
      const locked = new Set(accounts.map(({ recordId }) => recordId));
      const ours = entries.filter(({ accountRecordId }) => locked.has(accountRecordId ?? 0));
      await release(
        session,
        accounts.map(({ id }) => id),
      );
      await batch.finish(session, ours);
      return entries.filter((entry) => !ours.includes(entry));
    });
    if (busy.length > 0) batch.busy(busy);
  }
}

function endsAStop({ payload }: ClaimedEntry): boolean {
  return hasEffect(payload.tagDefinitionId, TagEffect.HOLDS_PAYMENTS);
}

async function release(session: WriteSession, accountIds: readonly Uuid[]): Promise<void> {
  const tags = await effectsOnAccounts(session, accountIds);
  const free = accountIds.filter((id) => !tags.has(id, TagEffect.HOLDS_PAYMENTS));
  const holds = await session.payments.findHoldsByAccounts(free);
  const invoices = await session.invoices.findByIds(holds.map(({ invoiceId }) => invoiceId));
  const now = session.authorship.createdDate;
  session.schedule(oldestFirst(holds, invoices).map((hold) => releaseNotification(hold, now)));
}
