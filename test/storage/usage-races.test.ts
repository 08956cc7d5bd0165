import type { Storage } from '../../lib/ports/storage/index.ts';
import type { UsageSubmission } from '../../lib/records/index.ts';
import { eachDatabase, expect, onPostgresql } from '../support/index.ts';
import { freshStorage, sharedStorage, storageAt } from '../support/storage/opened-storage.ts';
import {
  areNumberedWithoutGaps,
  daysOfPoints,
  point,
  recordSubmissions,
  storedDays,
  storedPoints,
  submission,
} from '../support/storage/stored-usage.ts';

const CALLERS = 50;

eachDatabase.describe('concurrent usage recording', (open, kind) => {
  const opened = freshStorage(kind, open);

  const record = (submissions: readonly UsageSubmission[]) => recordSubmissions(opened, submissions);
  const expectWhole = async (count: number) => {
    const points = await storedPoints(opened.database);
    expect(points).to.have.length(count);
    expect(areNumberedWithoutGaps(points)).to.equal(true);
    expect(await storedDays(opened.database)).to.eql(daysOfPoints(points));
  };

  it(`accepts one of ${CALLERS} concurrent submissions with the same tracking id (usage §2.1 rule 7)`, async () => {
    const given = Array.from({ length: CALLERS }, (_, index) =>
      submission('k', [point(`unit ${index % 3}`, String(index % 2))]),
    );
    const outcomes = await Promise.all(given.map((each) => record([each])));
    const accepted = given.filter((_, index) => outcomes[index]?.[0] === 'ACCEPTED');
    expect(accepted).to.have.length(1);
    const expected = given.map(({ fingerprint }, index) => {
      if (outcomes[index]?.[0] === 'ACCEPTED') return 'ACCEPTED';
      return fingerprint === accepted[0]?.fingerprint ? 'DUPLICATE' : 'CONFLICT';
    });
    expect(outcomes.flat()).to.eql(expected);
    await expectWhole(1);
  });

  it('completes all chunks with the same tracking ids, units and days in opposite order (usage §10 rule 4)', async () => {
    const lines = Array.from({ length: 60 }, (_, index) =>
      submission(
        `k${index}`,
        [point(`u${index % 4}`, '1', index % 5), point(`u${index % 3}`, '2', index % 2)],
        { subscriptionRecordId: 1 + (index % 3) },
      ),
    );
    const own = (caller: number) =>
      lines.map((line) => ({ ...line, trackingId: `${line.trackingId} of ${caller}` }));
    const chunks = Array.from({ length: 20 }, (_, caller) => {
      const chunk = [...lines, ...own(caller)];
      return caller % 2 === 0 ? chunk : chunk.toReversed();
    });
    const outcomes = await Promise.all(chunks.map(record));
    expect(outcomes.flat().filter((outcome) => outcome === 'ACCEPTED')).to.have.length(60 * 21);
    expect(outcomes.flat().filter((outcome) => outcome === 'DUPLICATE')).to.have.length(60 * 19);
    await expectWhole(60 * 21 * 2);
  });

  it('keeps day sums equal to their points, even if points are voided at the same time (usage §2.2)', async () => {
    const of = (caller: number) =>
      Array.from({ length: 8 }, (_, index) =>
        submission(`k${caller} ${index}`, [
          point('u', `${index}`, index % 3, caller % 20),
          point('v', '1', caller % 3),
        ]),
      );
    await record(of(0));
    const work = Array.from({ length: 24 }, (_, index) =>
      index % 3 === 0
        ? opened.writing.usage.voidSubmission(1, `k0 ${Math.floor(index / 3)}`)
        : record(of(index + 1)),
    );
    await Promise.all(work);
    await expectWhole(8 * 2 * 17);
  });
});

onPostgresql.describe('usage recording on PostgreSQL', (open) => {
  const opened = sharedStorage('postgresql', open);
  let other: Storage<never>;
  before(async () => {
    other = storageAt(opened.database);
  });
  after(() => other.close());

  it('does not wait for account locks (usage §10 rule 1)', async () => {
    const [account] = await opened.newAccounts(1);
    await opened.write(async (session) => {
      await session.lockAccounts([account.id], { waitMs: 1_000 });
      const recorded = await other.recordUsage(opened.tenant, [
        submission('k', [point('sms', '1')], { accountRecordId: account.recordId }),
      ]);
      expect(recorded).to.eql([null]);
    });
  });

  it('stores a chunk in one self-committing statement, plus two statements for new unit names (usage §11.2)', async () => {
    const chunk = (key: string, unit: string) =>
      Array.from({ length: 100 }, (_, index) => submission(`${key}${index}`, [point(unit, '1', index % 4)]));
    opened.bound();
    await opened.storage.recordUsage(opened.tenant, chunk('a', 'new'));
    expect(opened.statements()).to.have.length(3);
    await opened.storage.recordUsage(opened.tenant, chunk('b', 'new'));
    expect(opened.statements()).to.have.length(1);
    await opened.storage.recordUsage(opened.tenant, chunk('b', 'new'));
    expect(opened.statements()).to.have.length(1);
  });
});
