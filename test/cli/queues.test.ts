import { changedText, entryText, lookAtQueues, type QueueOptions } from '../../adapters/cli/queues.ts';
import { addMilliseconds, instant } from '../../lib/values/time/index.ts';
import { anyDatabase, codeOf, expect } from '../support/index.ts';
import type { LateEntryView } from '../support/plain-views.ts';
import { openStorage } from '../support/storage/opened-storage.ts';
import { author, newId } from '../support/storage/stored-records.ts';

const QUEUE = 'payment-service:retry';

anyDatabase.describe('billwright queues', (open, kind) => {
  it('lists queues, requeues abandoned entries and releases stuck entries with text or JSON output', async () => {
    const opened = await openStorage(kind, open);
    const { storage, tenant, database } = opened;
    const [account] = await opened.newAccounts(1);
    const now = instant(Math.floor(Date.now() / 1_000) * 1_000);
    const dueDate = addMilliseconds(now, -10 * 60_000);
    await storage.write(tenant, author(), async (session) =>
      session.schedule(
        [1, 2].map(() => ({
          queueName: QUEUE,
          accountRecordId: account?.recordId ?? 0,
          effectiveDate: dueDate,
          payload: {},
          uniqueKey: null,
        })),
      ),
    );
    const claimed = await storage.queue.claim({
      node: 'n1',
      claimId: newId(),
      limit: 1,
      topics: [QUEUE],
      businessNow: now,
      systemNowMs: now,
      leaseEndsAtMs: now + 60_000,
    });
    await storage.queue.fail(claimed.map((entry) => ({ entry, reason: 'Error: declined' })));
    await storage.close();
    const failedId = claimed[0]?.recordId ?? 0;

    const look = (options: Partial<QueueOptions>) =>
      lookAtQueues({
        database: database.kind === 'sqlite' ? database.path : database.url,
        look: 'late',
        records: [],
        configuration: {},
        ...options,
      });
    const entries = async (options: Partial<QueueOptions>) => {
      const looked = await look(options);
      return 'entries' in looked ? looked.entries : [];
    };
    const whose = `tenant ${tenant.id} account ${account?.id}`;
    const due = new Date(dueDate).toISOString();
    const late = await entries({ tenant: tenant.id, account: account?.id, kind: 'notification', limit: '5' });
    expect(late.map(entryText)).to.eql([
      `NOTIFICATION ${late[0]?.recordId} ${QUEUE} due ${due} ${whose}: NO_NODE, no node was active in the last five minutes`,
    ]);
    expect((late[0] as LateEntryView).cause).to.equal('NO_NODE');
    expect((await entries({ look: 'failed' })).map(entryText)).to.eql([
      `NOTIFICATION ${failedId} ${QUEUE} due ${due} ${whose}: FAILED after 0 retries, Error: declined`,
    ]);
    expect(await entries({ look: 'busy' })).to.eql([]);
    const putBack = { look: 'put-back', kind: 'notification', records: [String(failedId)] } as const;
    expect(await look(putBack)).to.eql({ putBack: 1 });
    expect(await look(putBack)).to.eql({ putBack: 0 });
    const lateId = late[0]?.recordId ?? 0;
    const freed = await look({ look: 'free', kind: 'notification', records: [failedId, lateId].map(String) });
    expect(freed).to.eql({ freed: 1 });
    expect('entries' in freed || changedText(freed)).to.equal('1 freed.');
    expect(await entries({})).to.have.length(2);
    for (const wrong of [{ kind: 'both' }, { limit: 'many' }, { tenant: 'nobody' }])
      expect(Reflect.get((await codeOf(look(wrong))) as object, 'name')).to.equal('UsageError');
  });
});
