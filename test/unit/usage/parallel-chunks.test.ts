import { expect } from 'chai';
import type { Authorship, TenantRef, UsageSubmission } from '../../../lib/records/index.ts';
import type { PreparedLine } from '../../../lib/usage/operations/line-preparation.ts';
import {
  BULK_USAGE_LINES_OF_A_SHARE,
  sharesOf,
  storeChunk,
} from '../../../lib/usage/operations/store-submissions.ts';
import { submission } from '../../support/storage/stored-usage.ts';

const refuse = async (): Promise<never> => {
  throw new Error('no transaction is needed');
};

function lines(count: number, subscriptions: number): readonly UsageSubmission[] {
  return Array.from({ length: count }, (_, index) =>
    submission(`k${index}`, [], { subscriptionRecordId: 1 + ((index * 7) % subscriptions) }),
  );
}

describe('parallel usage chunks', () => {
  it('share no subscription, and keep the line order of each subscription (usage §11.2 rule 3)', () => {
    const all = lines(2 * BULK_USAGE_LINES_OF_A_SHARE + 1, 90);
    const shares = sharesOf(all);
    expect(shares).to.have.length(3);
    const owners = shares.map(
      ({ submissions }) => new Set(submissions.map((each) => each.subscriptionRecordId)),
    );
    expect(owners.reduce((sum, { size }) => sum + size, 0)).to.equal(90);
    for (const { submissions, places } of shares) {
      expect(places).to.eql(places.toSorted((a, b) => a - b));
      expect(submissions).to.eql(places.map((place) => all[place]));
    }
    expect(shares.flatMap(({ places }) => places).toSorted((a, b) => a - b)).to.eql([...all.keys()]);
  });

  it('form a single chunk for a few lines or one subscription (usage §11.2 rule 3)', () => {
    expect(sharesOf(lines(BULK_USAGE_LINES_OF_A_SHARE, 9))).to.have.length(1);
    expect(sharesOf(lines(5_000, 1))).to.have.length(1);
    expect(sharesOf([])).to.eql([]);
  });

  it('have an outcome per line, and are stored in parallel except within a host transaction', async () => {
    const all = lines(2_500, 90);
    for (const within of [undefined, {}]) {
      let [running, most] = [0, 0];
      const storage = {
        write: refuse,
        recordUsage: async (_tenant: TenantRef, given: readonly UsageSubmission[]) => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
          return given.map(({ trackingId }) => (trackingId.endsWith('3') ? 'other usage' : null));
        },
      };
      const tenant = { ...(within === undefined ? {} : { within }) } as TenantRef;
      const prepared = all.map(
        (one): PreparedLine => ({ subscriptionId: null, trackingId: one.trackingId, submission: one }),
      );
      const stored = await storeChunk(
        { storage, tenant, authorship: {} as Authorship, mayPassThresholds: false },
        prepared,
      );
      const expected = all.map(({ trackingId }) => (trackingId.endsWith('3') ? 'CONFLICT' : 'ACCEPTED'));
      expect('outcomes' in stored && stored.outcomes).to.eql(expected);
      expect(most).to.equal(within === undefined ? 3 : 1);
    }
  });

  it('report a storage failure after the other chunks have ended', async () => {
    let ended = 0;
    const storage = {
      write: refuse,
      recordUsage: async (_tenant: TenantRef, given: readonly UsageSubmission[]) => {
        if (given.some(({ subscriptionRecordId }) => subscriptionRecordId === 2)) throw new Error('full');
        await new Promise((resolve) => setImmediate(resolve));
        ended += 1;
        return given.map(() => null);
      },
    };
    const prepared = lines(2_500, 90).map(
      (one): PreparedLine => ({ subscriptionId: null, trackingId: one.trackingId, submission: one }),
    );
    const stored = await storeChunk(
      { storage, tenant: {} as TenantRef, authorship: {} as Authorship, mayPassThresholds: false },
      prepared,
    );
    expect('error' in stored && (stored.error as Error).message).to.equal('full');
    expect(ended).to.equal(2);
  });
});
