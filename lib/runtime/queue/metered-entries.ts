import type { Clock, Meters } from '../../ports/index.ts';
import { type QueueEntry, QueueKind } from '../../records/index.ts';

const incoming = { BUS: 'queue.bus.incoming', NOTIFICATION: 'queue.notifications.incoming' } as const;
const latency = { BUS: 'queue.bus.latency', NOTIFICATION: 'queue.notifications.latency' } as const;

/** Counts entries that this node has taken up (platform §12.2). */
export function meterTaken(meters: Meters | undefined, entries: readonly QueueEntry[]): void {
  if (meters === undefined) return;
  for (const [kind, of] of Map.groupBy(entries, (entry) => entry.kind))
    meters.mark(incoming[kind], of.length);
}

/** Times entries that this node is done with, from when they could have been taken up (business time). */
export function meterDone(
  { meters, clock }: { readonly meters?: Meters | undefined; readonly clock: Clock },
  entries: readonly QueueEntry[],
): void {
  if (meters === undefined) return;
  for (const { kind, createdDate, effectiveDate } of entries) {
    const due = kind === QueueKind.BUS || createdDate > effectiveDate ? createdDate : effectiveDate;
    const sinceMs = clock.msUntil === undefined ? clock.now() - due : -clock.msUntil(due);
    meters.time(latency[kind], Math.max(0, sinceMs));
  }
}
