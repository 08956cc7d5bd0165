import { fakeClock, sandboxGateway } from '../../adapters/testing/index.ts';
import type { Billing as Engine, TenantBilling, Uuid } from '../../lib/index.ts';
import { type DatabaseTemplate, eachDatabase, type TestDatabase } from '../support/databases.ts';
import { expect, isLongRun, shopIn, shopTemplate, specCatalog } from '../support/index.ts';
import { factsByLibrary } from '../support/overdue/account-facts.ts';
import { overdueXml } from '../support/overdue/overdue-documents.ts';
import { eventsOfAccount, linesOf, pendingChecks } from '../support/overdue/overdue-rows.ts';
import { DyingProcess } from './dying-process.ts';
import { expectSameAfterDeath, openOnlyNode, settled } from './only-node.ts';

const BEGINS = '2012-05-01T00:03:42Z';
const SETTLE_MS = 30_000;

interface StoryEngine {
  readonly acme: TenantBilling;
  runTo(when: string): Promise<void>;
  setTo(when: string): void;
}

interface Story {
  readonly name: string;
  readonly prepare: (engine: StoryEngine) => Promise<void>;
  readonly at: string;
  readonly leads: readonly string[];
}

const config = overdueXml({
  initial: 2,
  states: [
    { name: 'GONE', time: 9, disables: true, policy: 'IMMEDIATE' },
    { name: 'OFF', time: 5, disables: true, every: 3 },
    { name: 'WARNED', time: 2, blocksChanges: true, every: 1 },
  ],
});

async function subscriber(acme: TenantBilling, more: object = {}): Promise<Uuid> {
  const { id: accountId } = await acme.createAccount({ currency: 'USD', ...more });
  const { bundleId } = await acme.createSubscription({ accountId, planName: 'pro-monthly' });
  await acme.createSubscription({ accountId, bundleId, planName: 'backup-monthly' });
  return accountId;
}

const stories: readonly Story[] = [
  {
    name: 'a check that blocks the service',
    prepare: async ({ acme, runTo }) => {
      await subscriber(acme);
      for (const day of ['05-31', '06-02', '06-04']) await runTo(`2012-${day}T00:03:42Z`);
    },
    at: '2012-06-05T00:03:42Z',
    leads: ['state OFF', 'tags AUTO_INVOICING_OFF', 'pro-monthly BLOCKED'],
  },
  {
    name: 'a check that cancels',
    prepare: async ({ acme, runTo }) => {
      await subscriber(acme);
      for (const day of ['05-31', '06-02', '06-05', '06-08']) await runTo(`2012-${day}T00:03:42Z`);
    },
    at: '2012-06-09T00:03:42Z',
    leads: ['state GONE', 'pro-monthly CANCELLED, service ends 06-09, billing ends 06-09'],
  },
  {
    name: 'a payment that clears the account and settles the blocked time',
    prepare: async ({ acme, runTo, setTo }) => {
      const accountId = await subscriber(acme);
      for (const day of ['05-31', '06-02', '06-05']) await runTo(`2012-${day}T00:03:42Z`);
      setTo('2012-06-07T10:00:00Z');
      await acme.invoicePayments.payAll({ accountId, isExternal: true });
    },
    at: '2012-06-07T10:00:00Z',
    leads: ['state clear', 'no tags', 'invoice 3 of 06-07: REPAIR_ADJ 06-05..06-07 -16.66'],
  },
  {
    name: 'a parent debt that blocks the child',
    prepare: async ({ acme, runTo, setTo }) => {
      const { id: parentAccountId } = await acme.createAccount({ currency: 'USD' });
      const accountId = await subscriber(acme, { parentAccountId, isPaymentDelegatedToParent: true });
      for (const day of ['05-31', '06-01', '06-03', '06-05']) await runTo(`2012-${day}T00:03:42Z`);
      setTo('2012-06-06T00:03:42Z');
      expect(accountId).to.not.equal(parentAccountId);
    },
    at: '2012-06-06T00:03:42Z',
    leads: ['state OFF', 'tags AUTO_INVOICING_OFF', 'pro-monthly BLOCKED'],
  },
];

function templateOf(story: Story, index: number): DatabaseTemplate {
  return {
    name: `overdue_kill_points_${index}`,
    from: shopTemplate(specCatalog),
    async prepare(database) {
      const clock = fakeClock(BEGINS);
      const billing = await openOnlyNode(database, { clock, gateways: [sandboxGateway()] });
      const { acme } = await shopIn(billing);
      await acme.overdue.upload(config);
      const setTo = (when: string) => clock.set(when);
      const runTo = async (when: string) => {
        setTo(when);
        await settled(billing);
      };
      await runTo(BEGINS);
      await story.prepare({ acme, runTo, setTo });
      await billing.close();
    },
  };
}

eachDatabase((kind, open) => {
  describe('overdue process killed at any step', function () {
    this.timeout(isLongRun ? 0 : 300_000);

    for (const [index, story] of stories.entries())
      it(`completes ${story.name} once, in one transaction (overdue §5.1)`, async () => {
        const template = templateOf(story, index);
        const every = { sqlite: 61, postgresql: 191 }[kind];
        await expectSameAfterDeath(dieAt, { leads: story.leads, every, turn: index, atLeastSteps: 20 });

        /** A process that dies at that step does the work, then another one with the same name. */
        async function dieAt(step: number) {
          const database = await open(template);
          const clock = fakeClock(story.at);
          const process = new DyingProcess(Number.POSITIVE_INFINITY);
          const dying = await openOnlyNode(database, { clock, process, gateways: [sandboxGateway()] });
          process.dieIn(step);
          await dying.settle({ timeoutMs: SETTLE_MS }).catch(() => false);
          expect(process.isDead, `step ${step} was reached`).to.equal(Number.isFinite(step));
          const { steps } = process;
          process.end();
          await dying.close().catch(() => undefined);
          const billing = await openOnlyNode(database, { clock, gateways: [sandboxGateway()] });
          await settled(billing);
          const lines = await linesIn(billing, database);
          expect(await Array.fromAsync(billing.checks.breaches())).to.eql([]);
          await billing.close();
          return { steps, lines };
        }
      });
  });
});

async function linesIn(billing: Engine<never>, database: TestDatabase): Promise<readonly string[]> {
  const { acme } = await shopIn(billing);
  const { rows } = await acme.accounts.page({ offset: 0, limit: 10 });
  const lines: string[] = [];
  for (const { id } of rows) {
    lines.push(...linesOf(await factsByLibrary(acme, id)));
    lines.push(...(await eventsOfAccount(database, id)).map(({ topic }) => topic).toSorted());
    lines.push(...(await pendingChecks(database, id)));
  }
  return lines;
}
