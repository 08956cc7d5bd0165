import { expect } from 'chai';
import type { UsageStretch } from '../../lib/ports/storage/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { type OpenedStorage, openStorage } from '../support/storage/opened-storage.ts';
import { badPlans, onPostgresql, plansOf } from '../support/storage/statement-plans.ts';
import { author } from '../support/storage/stored-records.ts';
import { dayAt, instantAt, point, submission } from '../support/storage/stored-usage.ts';

const SUBSCRIPTIONS = 400;
const DAYS = 60;
const CHUNK = 2_000;

eachDatabase((kind, open) => {
  describe('storage: plans of usage over filled tables', function () {
    this.timeout(120_000);
    let opened: OpenedStorage;
    let made = 0;
    before(async () => {
      opened = await openStorage(kind, open);
      for (let left = 10; left > 0; left -= 1) await record(CHUNK);
      if (opened.database.kind === 'postgresql') {
        await onPostgresql(opened.database.url, (client) => client.query('analyze'));
      }
    });
    after(() => opened.storage.close());

    const record = (count: number) => {
      const lines = Array.from({ length: count }, () => {
        made += 1;
        const at = point(`u${made % 5}`, '1.5', made % DAYS, made % 24);
        return submission(`k${made}`, [at], { subscriptionRecordId: 1 + (made % SUBSCRIPTIONS) });
      });
      return opened.storage.recordUsage(opened.tenant, author(), lines);
    };
    const walks = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
      opened.bound();
      await work();
      const statements = opened.bound();
      expect(statements).not.to.have.length(0);
      // Units have few rows, of which many are read at once.
      const found = await badPlans(opened.database, statements);
      return found.filter((plan) => !/(Seq Scan on bw_usage_units|SCAN bw_usage_units)/.test(plan));
    };

    for (const count of [1, 20, CHUNK]) {
      it(`recording goes along the keys, ${count} at a time`, async () => {
        expect(await walks(() => record(count))).to.deep.equal([]);
      });
    }

    it('what was recorded before is found by its tracking id', async () => {
      made = 0;
      expect(await walks(() => record(20))).to.deep.equal([]);
      made = 20_000;
    });

    it('usage §11: a roll-up reads the rows of its days, and points of the days that it cuts alone', async () => {
      const stretch: UsageStretch = {
        start: instantAt(3, 5),
        end: instantAt(40, 7),
        wholeDays: { first: dayAt(4), last: dayAt(39) },
        cutDays: [dayAt(3), dayAt(40)],
      };
      for (const unit of [null, 'u1']) {
        const sums = () =>
          opened.storage.read(opened.tenant, (session) =>
            session.usage.sums({ subscriptionRecordId: 7, stretches: [stretch], unit }),
          );
        expect(await walks(sums)).to.deep.equal([]);
        opened.bound();
        await sums();
        const plans = await plansOf(opened.database, opened.bound());
        const lines = plans.flatMap(({ plan }) => plan);
        const reads = {
          sqlite: [
            /bw_usage_days|SEARCH d USING PRIMARY KEY \(tenant_record_id=\? AND subscription_record_id=\? AND local_date>\? AND local_date<\?/,
            /SEARCH p USING PRIMARY KEY \(tenant_record_id=\? AND subscription_record_id=\? AND local_date=\?/,
          ],
          postgresql: [
            /Index Cond: .*subscription_record_id = .*local_date >= /,
            /Index Cond: .*subscription_record_id = .*local_date = /,
          ],
        }[kind];
        for (const read of reads)
          expect(
            lines.filter((line) => read.test(line)),
            lines.join('\n'),
          ).not.to.deep.equal([]);
      }
    });

    it('voiding reads the days that the submission lies on alone', async () => {
      const voiding = () =>
        opened.write((session) => session.usage.voidSubmission(1 + (77 % SUBSCRIPTIONS), 'k77'));
      expect(await walks(voiding)).to.deep.equal([]);
    });
  });
});
