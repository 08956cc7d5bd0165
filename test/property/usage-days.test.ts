import type { TenantRef } from '../../lib/index.ts';
import type { UsagePoint, UsageSubmission } from '../../lib/records/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { expect, fc, storedRuns } from '../support/property.ts';
import { sharedStorage } from '../support/storage/opened-storage.ts';
import { author } from '../support/storage/stored-records.ts';
import {
  areNumberedWithoutGaps,
  daysOfPoints,
  point,
  storedDays,
  storedPoints,
  submission,
} from '../support/storage/stored-usage.ts';

const amount = fc
  .tuple(fc.bigInt({ min: -(10n ** 29n) + 1n, max: 10n ** 29n - 1n }), fc.integer({ min: 0, max: 9 }))
  .map(([digits, scale]) => {
    const text = String(digits < 0n ? -digits : digits).padStart(10, '0');
    const fraction = scale === 0 ? '' : `.${text.slice(-scale)}`;
    return `${digits < 0n ? '-' : ''}${text.slice(0, Math.min(20, text.length - scale))}${fraction}`;
  });
const points: fc.Arbitrary<UsagePoint> = fc
  .tuple(fc.constantFrom('a', 'b'), amount, fc.nat(2), fc.nat(23))
  .map(([unit, decimal, day, hour]) => point(unit, decimal, day, hour));
const submissions: fc.Arbitrary<UsageSubmission> = fc
  .tuple(fc.nat(30), fc.array(points, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 2 }))
  .map(([key, of, subscriptionRecordId]) => submission(`k${key}`, of, { subscriptionRecordId }));
type Step =
  | { readonly kind: 'record'; readonly chunk: readonly UsageSubmission[] }
  | { readonly kind: 'void'; readonly trackingId: string; readonly subscriptionRecordId: number };
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: submissions.map((one) => ({ kind: 'record' as const, chunk: [one] })) },
  {
    weight: 2,
    arbitrary: fc.array(submissions, { maxLength: 30 }).map((chunk) => ({ kind: 'record' as const, chunk })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 2 })).map(([key, subscriptionRecordId]) => ({
      kind: 'void' as const,
      trackingId: `k${key}`,
      subscriptionRecordId,
    })),
  },
);

eachDatabase((kind, open) => {
  describe('usage day sums', function () {
    this.timeout(0);
    const opened = sharedStorage(kind, open);

    it('equal the sum of their points after any concurrent recording and voiding (usage §11.5)', async () => {
      let voided = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(steps, { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
          async (rounds) => {
            const tenant = await opened.newTenant();
            for (const round of rounds) await Promise.all(round.map((step) => take(tenant, step)));
            const isOwn = (bucket: string): boolean => bucket.startsWith(`${tenant.recordId}: `);
            const stored = (await storedPoints(opened.database)).filter(({ bucket }) => isOwn(bucket));
            const days = [...(await storedDays(opened.database))].filter(([bucket]) => isOwn(bucket));
            voided += stored.filter(({ isVoided }) => isVoided).length;
            expect(areNumberedWithoutGaps(stored)).to.equal(true);
            expect(new Map(days)).to.eql(daysOfPoints(stored));
          },
        ),
        { numRuns: 5 * storedRuns },
      );
      expect(voided).to.be.greaterThan(0);
    });

    async function take(tenant: TenantRef, step: Step): Promise<unknown> {
      if (step.kind === 'record') return opened.storage.recordUsage(tenant, step.chunk);
      const { subscriptionRecordId, trackingId } = step;
      return opened.storage.write(tenant, author(), (session) =>
        session.usage.voidSubmission(subscriptionRecordId, trackingId),
      );
    }
  });
});
