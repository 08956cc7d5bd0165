import { expect } from 'chai';
import { Billing } from '../../adapters/node/billwright.ts';
import { httpPushSender } from '../../adapters/node/index.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import type { PushSender } from '../../lib/ports/index.ts';
import { eachDatabase, type TestDatabase } from '../support/databases.ts';
import { isLongRun, sampled } from '../support/long-run.ts';
import { plainHasher } from '../support/plain-hasher.ts';
import { openReceiver, type Receiver } from '../support/push/receiver.ts';
import { storageAt } from '../support/storage/opened-storage.ts';
import { migrated } from '../support/storage.ts';
import { pushableSystemClock, recordingLogger } from '../support/system-time.ts';
import { DyingProcess } from './dying-process.ts';

const NOW = '2025-03-10T10:00:00Z';
const author = { userName: 'test' };
const LEASE_MS = 30_000;
/** The number of steps varies, because the queue is polled in real time. */
const LOOKS = 10;

eachDatabase((kind, open) => {
  describe('push process killed at any statement or request', function () {
    this.timeout(300_000);
    const real = httpPushSender();
    let receiver: Receiver;
    before(async () => {
      receiver = await openReceiver();
    });
    after(async () => {
      await real.close?.();
      await receiver.close();
    });

    it('sends exactly the stored events, and repeats an event only under the same id (platform §10.2 rule 1)', async () => {
      const steps = await dieAt(Number.POSITIVE_INFINITY);
      expect(steps).to.be.greaterThan(40);
      const all = Array.from({ length: steps - LOOKS }, (_, step) => step + 1);
      let repeated = 0;
      for (const step of sampled(all, kind === 'sqlite' ? 7 : 21)) {
        const before = receiver.arrived.length;
        await dieAt(step);
        const ids = receiver.arrived.slice(before).map(({ id }) => id);
        repeated += ids.length - new Set(ids).size;
      }
      // Some process died after sending a push and before storing that.
      if (isLongRun) expect(repeated).to.be.greaterThan(0);
    });

    /** Plays the story in a process that dies at that step, and completes it in another. */
    async function dieAt(step: number): Promise<number> {
      const process = new DyingProcess(Number.POSITIVE_INFINITY);
      const database = await open(migrated);
      const before = receiver.arrived.length;
      const first = await engineAt(database, { process });
      process.dieIn(step);
      await story(first).catch((error: unknown) => {
        if (!String(error).includes(DyingProcess.DEATH)) throw error;
      });
      expect(process.isDead).to.equal(Number.isFinite(step));
      const { steps } = process;
      await first.close().catch(() => undefined);

      const second = await engineAt(database, { aheadMs: LEASE_MS + 1_000 });
      expect(await second.settle()).to.equal(true);
      const [tenant] = await tenantsOf(second);
      if (tenant !== undefined) await expectTold(second, tenant, before);
      await second.close();
      return steps;
    }

    async function expectTold(billing: Billing<never>, tenantId: string, before: number): Promise<void> {
      const acme = billing.as({ tenant: tenantId, user: 'test' });
      const accounts = await acme.accounts.page({ offset: 0, limit: 100 });
      const { rows } = await acme.deliveries.list({ offset: 0, limit: 100 });
      const created = rows.filter(({ eventType }) => eventType === 'ACCOUNT_CREATION');
      expect(created.map(({ accountId }) => accountId)).to.eql(accounts.rows.map(({ id }) => id));
      expect(new Set(rows.map(({ status }) => status)).difference(new Set(['PROCESSED'])).size).to.equal(0);
      const arrived = receiver.arrived.slice(before);
      const firstTime = arrived.filter(
        ({ id }, index) => arrived.findIndex((each) => each.id === id) === index,
      );
      expect(firstTime.map(({ id }) => id).toSorted()).to.eql(rows.map(({ id }) => id).toSorted());
      for (const { id: accountId } of accounts.rows) {
        const pushed = firstTime.filter(({ event }) => event.accountId === accountId);
        expect(pushed.map(({ id }) => id)).to.eql(
          rows.filter((row) => row.accountId === accountId).map(({ id }) => id),
        );
      }
    }

    async function tenantsOf(billing: Billing<never>): Promise<readonly string[]> {
      const found = await billing.tenants.getByApiKey('acme').catch(() => null);
      return found === null ? [] : [found.id];
    }

    async function story(billing: Billing<never>): Promise<void> {
      const tenant = await billing.tenants.create(author, { apiKey: 'acme', apiSecret: 'secret' });
      const acme = billing.as({ tenant, user: 'test' });
      await acme.keyValues.add('PUSH_NOTIFICATION_CB', receiver.url);
      const first = await acme.createAccount({ currency: 'USD' });
      await acme.accounts.update(first.id, { changes: { name: 'Ada' } });
      await acme.createAccount({ currency: 'EUR' });
      await billing.settle();
    }

    async function engineAt(
      database: TestDatabase,
      { process, aheadMs = 0 }: { readonly process?: DyingProcess; readonly aheadMs?: number },
    ): Promise<Billing<never>> {
      const storage = storageAt(database, process && (() => process.step()));
      const systemClock = pushableSystemClock();
      systemClock.push(aheadMs);
      const pushSender: PushSender = {
        resolve: (host) => real.resolve(host),
        send: async (push) => {
          process?.step();
          const answer = await real.send(push);
          process?.step();
          return answer;
        },
      };
      return Billing.open<never>({
        storage,
        clock: fakeClock(NOW),
        systemClock,
        hasher: plainHasher(),
        logger: recordingLogger(),
        testMode: true,
        pushSender,
      });
    }
  });
});
