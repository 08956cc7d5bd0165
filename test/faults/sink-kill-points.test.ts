import { expect } from 'chai';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import type { PublishedEvent } from '../../lib/index.ts';
import { eachDatabase, type TestDatabase } from '../support/databases.ts';
import { isLongRun, sampled } from '../support/long-run.ts';
import { plainHasher } from '../support/plain-hasher.ts';
import { storageAt } from '../support/storage/opened-storage.ts';
import { migrated } from '../support/storage.ts';
import { pushableSystemClock, recordingLogger } from '../support/system-time.ts';
import { DyingProcess } from './dying-process.ts';

const NOW = '2025-03-10T10:00:00Z';
const LEASE_MS = 30_000;

eachDatabase((kind, open) => {
  describe('event sink process killed at any statement or event', function () {
    this.timeout(300_000);

    it('delivers the events in order per account, and repeats an event only under the same id (platform §10.6 rule 4)', async () => {
      const { steps } = await dieAt(Number.POSITIVE_INFINITY);
      expect(steps).to.be.greaterThan(30);
      const all = Array.from({ length: steps }, (_, step) => step + 1);
      let repeated = 0;
      for (const step of sampled(all, kind === 'sqlite' ? 4 : 12)) repeated += (await dieAt(step)).repeated;
      // Some process died after an event was delivered and before storing that.
      if (isLongRun) expect(repeated).to.be.greaterThan(0);
    });

    /** Plays the story in a process that dies at that step, and completes it in another. */
    async function dieAt(step: number): Promise<{ readonly steps: number; readonly repeated: number }> {
      const process = new DyingProcess(Number.POSITIVE_INFINITY);
      const database = await open(migrated);
      const taken: PublishedEvent[] = [];
      const first = await engineAt(database, { taken, process });
      process.dieIn(step);
      await story(first).catch((error: unknown) => {
        if (!String(error).includes(DyingProcess.DEATH)) throw error;
      });
      const { steps } = process;
      await first.close().catch(() => undefined);

      const second = await engineAt(database, { taken, aheadMs: LEASE_MS + 1_000 });
      expect(await second.settle()).to.equal(true);
      const tenant = await second.tenants.getByApiKey('acme').catch(() => null);
      const ids = taken.map(({ id }) => id);
      const firstTime = taken.filter(({ id }, index) => ids.indexOf(id) === index);
      if (tenant !== null) {
        const { events } = await second.as({ tenant: tenant.id, user: 'test' }).events.list({});
        const shown = events.map(({ cursor: _, ...event }) => event);
        for (const accountId of new Set(shown.map((event) => event.accountId))) {
          const ofAccount = (event: PublishedEvent) => event.accountId === accountId;
          expect(firstTime.filter(ofAccount)).to.eql(shown.filter(ofAccount));
        }
        expect(firstTime).to.have.length(shown.length);
      } else expect(taken).to.eql([]);
      await second.close();
      return { steps, repeated: taken.length - firstTime.length };
    }

    async function story(billing: Billing<never>): Promise<void> {
      const tenant = await billing.tenants.create(
        { userName: 'test' },
        { apiKey: 'acme', apiSecret: 'secret' },
      );
      const acme = billing.as({ tenant, user: 'test' });
      const first = await acme.createAccount({ currency: 'USD' });
      await acme.accounts.update(first.id, { changes: { name: 'Ada' } });
      await acme.createAccount({ currency: 'EUR' });
      await billing.settle();
    }

    async function engineAt(
      database: TestDatabase,
      {
        taken,
        process,
        aheadMs = 0,
      }: {
        readonly taken: PublishedEvent[];
        readonly process?: DyingProcess;
        readonly aheadMs?: number;
      },
    ): Promise<Billing<never>> {
      const systemClock = pushableSystemClock();
      systemClock.push(aheadMs);
      return Billing.open<never>({
        storage: storageAt(database, process && (() => process.step())),
        clock: fakeClock(NOW),
        systemClock,
        hasher: plainHasher(),
        logger: recordingLogger(),
        pushSender: null,
        eventSinks: [
          {
            name: 'books',
            onEvent: (event) => {
              process?.step();
              taken.push(event);
              process?.step();
            },
          },
        ],
      });
    }
  });
});
