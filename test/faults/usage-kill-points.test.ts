import type { TenantRef } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { eachDatabase, expect, sampled, type TestDatabase } from '../support/index.ts';
import { openStorage, storageAt } from '../support/storage/opened-storage.ts';
import { author } from '../support/storage/stored-records.ts';
import {
  areNumberedWithoutGaps,
  daysOfPoints,
  point,
  storedDays,
  storedPoints,
  submission,
} from '../support/storage/stored-usage.ts';
import { DyingProcess } from './dying-process.ts';

const POINTS = 3;
const lines = Array.from({ length: 40 }, (_, index) =>
  submission(
    `k${index}`,
    Array.from({ length: POINTS }, (_each, more) =>
      point(`u${(index + more) % 4}`, `${index}.5`, more, index % 24),
    ),
    { subscriptionRecordId: 1 + (index % 3) },
  ),
);

/** Like a caller that repeats every unanswered call. */
async function recordAll(storage: Storage<never>, tenant: TenantRef): Promise<void> {
  await storage.recordUsage(tenant, lines.slice(0, 20));
  await storage.write(tenant, author(), (session) => session.usage.voidSubmission(2, 'k1'));
  await storage.recordUsage(tenant, lines.slice(10));
  await storage.write(tenant, author(), (session) => session.usage.voidSubmission(1, 'k30'));
}

eachDatabase.describe('usage process killed at any statement', (open, kind) => {
  it('stores each submission completely or not at all, and only once after a retry (usage §2.1 rule 5)', async () => {
    const { steps, stored: unchangedWalk } = await dieAt(Number.POSITIVE_INFINITY);
    expect(steps).to.be.greaterThan(15);
    const all = Array.from({ length: steps }, (_, step) => step + 1);
    for (const step of sampled(all, kind === 'sqlite' ? 2 : 6))
      expect((await dieAt(step)).stored, `after a death at statement ${step} of ${steps}`).to.eql(
        unchangedWalk,
      );
  });

  async function dieAt(step: number) {
    const process = new DyingProcess(Number.POSITIVE_INFINITY);
    const { database, storage: healthy, tenant } = await openStorage(kind, open);
    await healthy.close();
    const dying = storageAt(database, () => process.step());
    await dying.prepare();
    process.dieIn(step);
    await recordAll(dying, tenant).catch((error: unknown) => {
      if (!String(error).includes(DyingProcess.DEATH)) throw error;
    });
    expect(process.isDead).to.equal(Number.isFinite(step));
    const { steps } = process;
    await dying.close();
    await expectWholeSubmissions(database);
    const again = storageAt(database);
    await again.prepare();
    await recordAll(again, tenant);
    await again.close();
    await expectWholeSubmissions(database);
    return { steps, stored: Object.fromEntries(await storedDays(database)) };
  }

  async function expectWholeSubmissions(database: TestDatabase): Promise<void> {
    const points = await storedPoints(database);
    expect(points.length % POINTS).to.equal(0);
    expect(areNumberedWithoutGaps(points)).to.equal(true);
    expect(await storedDays(database)).to.eql(daysOfPoints(points));
  }
});
