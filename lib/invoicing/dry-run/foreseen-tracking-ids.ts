import type { ReadSession } from '../../ports/storage/index.ts';
import type { DryRunInvoice } from '../evaluation/dry-run-walk.ts';

/** Of the usage that the invoice would be the first to bill, after those of a reused draft; computed, not stored (usage §7.6). */
export async function foreseenTrackingIds(
  session: ReadSession,
  { run }: DryRunInvoice,
  limit: number,
): Promise<readonly string[]> {
  const points = run.evaluations.flatMap(({ subscriptionId, usage }) =>
    usage === null ? [] : { subscriptionId, ranges: usage.intervals.flatMap(({ consumed }) => consumed) },
  );
  const supplied = run.evaluations.flatMap(({ usage }) =>
    (usage?.intervals ?? []).flatMap((interval) => interval.supplied?.trackingIds ?? []),
  );
  const draftId = run.invoice.draft?.invoice.id;
  const drafted =
    draftId === undefined ? [] : (await session.usage.trackingIds([draftId], limit)).get(draftId);
  const recorded = points.length === 0 ? [] : await session.usage.trackingIdsOfPoints(points, limit);
  return [...new Set([...(drafted ?? []), ...recorded, ...supplied])].slice(0, limit);
}
