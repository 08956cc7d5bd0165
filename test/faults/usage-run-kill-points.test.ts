import type { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import type { NewUsageLine, TenantBilling, Uuid } from '../../lib/index.ts';
import { formatDecimal, OnDuplicate, parseLocalDate } from '../../lib/index.ts';
import { type DatabaseTemplate, eachDatabase, type TestDatabase } from '../support/databases.ts';
import { expect, isLongRun, itemLines, rowsOf, shopIn, shopTemplate } from '../support/index.ts';
import { usageCatalog } from '../support/usage/usage-catalog.ts';
import { DyingProcess } from './dying-process.ts';
import { expectSameAfterDeath, openOnlyNode, settled } from './only-node.ts';

const BEGINS = '2026-04-01T00:00:00Z';

interface StoryEngine {
  readonly billing: Billing<never>;
  readonly acme: TenantBilling;
  readonly clock: ReturnType<typeof fakeClock>;
}

/** Work during which the process dies, and which its successor repeats. */
interface Story {
  readonly name: string;
  readonly prepare: (engine: StoryEngine, ids: readonly Uuid[]) => Promise<void>;
  readonly run: (engine: StoryEngine, ids: readonly Uuid[]) => Promise<unknown>;
  readonly leads: readonly string[];
}

const planNames = ['sms-payg', 'packs-top', 'api-std', 'club'];

function lineOf(subscriptionId: Uuid, text: string): NewUsageLine {
  const [amount = '', unitType = '', recordDate = ''] = text.split(' ');
  return {
    subscriptionId,
    trackingId: text,
    unitUsageRecords: [{ unitType, usageRecords: [{ recordDate, amount }] }],
  };
}

async function record(acme: TenantBilling, of: Uuid | undefined, text: string): Promise<void> {
  if (of === undefined) throw new Error('no subscription');
  await acme.usage.record({ ...lineOf(of, text), subscriptionId: of }, { onDuplicate: OnDuplicate.IGNORE });
}

const settle = ({ billing }: StoryEngine): Promise<void> => settled(billing);

const stories: readonly Story[] = [
  {
    name: 'a run with four subscriptions, late points and credits for voided usage',
    prepare: async (engine, [sms, packs, std, club]) => {
      const { acme, clock } = engine;
      await record(acme, sms, '199 sms 2026-04-10');
      await record(acme, packs, '995 packs 2026-04-10');
      await record(acme, std, '40 calls 2026-04-11');
      clock.set('2026-05-01T00:00:00Z');
      await settle(engine);
      await record(acme, sms, '101 sms 2026-04-20');
      await record(acme, packs, '20 packs 2026-04-20');
      await acme.usage.void(std ?? '', '40 calls 2026-04-11');
      await record(acme, club, '13 videos 2026-05-03');
      await record(acme, sms, '5 sms 2026-05-03T04:05:06Z');
      clock.set('2026-06-01T00:00:00Z');
    },
    run: settle,
    leads: [
      'REPAIR_ADJ 2026-04-01..2026-05-01 -8980',
      'REPAIR_ADJ 2026-04-01..2026-05-01 -40',
      'USAGE 2026-04-01..2026-05-01 5.9',
      'USAGE 2026-05-01..2026-06-01 2.95',
      'USAGE 2026-05-01..2026-06-01 18',
    ],
  },
  {
    name: 'single and bulk recording with a void',
    prepare: async () => undefined,
    run: async ({ acme }, [sms, packs, std]) => {
      await record(acme, sms, '3 sms 2026-04-02');
      const lines = [sms, packs, std].flatMap((id) =>
        id === undefined
          ? []
          : ['7 sms 2026-04-03', '8 packs 2026-04-03', '9 calls 2026-04-04'].map((text) => lineOf(id, text)),
      );
      const { accepted, duplicates, failures } = await acme.usage.recordAll(lines);
      expect([accepted + duplicates, failures]).to.eql([9, []]);
      await acme.usage.void(std ?? '', '9 calls 2026-04-04');
      await record(acme, std, '1 calls 2026-04-04');
    },
    leads: ['calls 19', 'packs 24', 'sms 24'],
  },
  {
    name: 'recording that passes thresholds, with their events',
    prepare: async ({ acme }) => {
      const terms = {
        'sms-usage': { thresholds: { quantity: { sms: [3, 10, 11] }, amount: { USD: 1 } } },
        'std-usage': { thresholds: { quantity: { calls: 9 } } },
      };
      await acme.keyValues.add('USAGE_TERMS', JSON.stringify(terms));
    },
    run: async (engine, [sms, , std]) => {
      if (sms === undefined || std === undefined) throw new Error('no subscription');
      const { acme } = engine;
      await record(acme, sms, '3 sms 2026-04-02');
      await settle(engine);
      await acme.usage.recordAll([lineOf(sms, '7 sms 2026-04-03'), lineOf(std, '9 calls 2026-04-04')]);
      await settle(engine);
    },
    leads: ['event QUANTITY sms 3', 'event QUANTITY sms 10', 'event AMOUNT USD 1', 'event QUANTITY calls 9'],
  },
];

const THRESHOLD_EVENTS = `
  select payload from bw_queue_entries where topic = 'USAGE_THRESHOLD'
  union all
  select payload from bw_queue_history where topic = 'USAGE_THRESHOLD'`;

async function thresholdEventsIn(database: TestDatabase): Promise<readonly string[]> {
  const rows = await rowsOf(database, THRESHOLD_EVENTS);
  const lines = rows.map(({ payload }) => {
    const { metaData } = typeof payload === 'string' ? JSON.parse(payload) : payload;
    const { unitType, currency, threshold } = metaData;
    return `event ${unitType === null ? 'AMOUNT' : 'QUANTITY'} ${unitType ?? currency} ${threshold}`;
  });
  return lines.toSorted();
}

async function subscriptionsOf(acme: TenantBilling): Promise<readonly Uuid[]> {
  const { rows } = await acme.accounts.page({ offset: 0, limit: 10 });
  const bundles = await Promise.all(rows.map(({ id }) => acme.subscriptions.bundlesOfAccount(id)));
  const all = bundles.flat().flatMap(({ subscriptions }) => subscriptions);
  return planNames.map((name) => {
    const found = all.find(({ planName }) => planName === name);
    if (found === undefined) throw new Error(`nobody has ${name}`);
    return found.subscriptionId;
  });
}

function templateOf(story: Story, index: number): DatabaseTemplate {
  return {
    name: `usage_run_kill_points_${index}`,
    from: shopTemplate(null),
    async prepare(database) {
      const clock = fakeClock(BEGINS);
      const billing = await openOnlyNode(database, { clock });
      const { acme } = await shopIn(billing);
      await acme.uploadCatalog(usageCatalog);
      const { id: accountId } = await acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
      for (const planName of planNames) await acme.createSubscription({ accountId, planName });
      await settle({ billing, acme, clock });
      await story.prepare({ billing, acme, clock }, await subscriptionsOf(acme));
      await billing.close();
    },
  };
}

async function linesOf(acme: TenantBilling): Promise<readonly string[]> {
  const { rows } = await acme.accounts.page({ offset: 0, limit: 10 });
  const lines: string[] = [];
  for (const { id: accountId } of rows) {
    for (const invoice of await acme.invoices.ofAccount({ accountId, withItems: true }))
      lines.push(...itemLines(invoice), `tracking ids ${invoice.trackingIds.toSorted().join(', ')}`);
    const again = await acme.invoices.dryRun({ accountId, targetDate: parseLocalDate('2026-06-01') });
    lines.push(`left: ${again === null ? 'nothing' : itemLines(again).join(', ')}`);
  }
  const sums = new Map<string, number>();
  for (const id of await subscriptionsOf(acme)) {
    const { rolledUpUnits } = await acme.usage.rollUp(id, { startDate: '2026-01-01', endDate: '2027-01-01' });
    for (const { unitType, amount } of rolledUpUnits)
      sums.set(unitType, (sums.get(unitType) ?? 0) + Number(formatDecimal(amount)));
  }
  return [...lines, ...[...sums].map(([unit, sum]) => `${unit} ${sum}`).toSorted()];
}

eachDatabase((kind, open) => {
  describe('usage process killed at any storage call', function () {
    this.timeout(isLongRun ? 0 : 300_000);

    for (const [index, story] of stories.entries())
      it(`completes ${story.name} once (usage §10 rules 2 and 3)`, async () => {
        const template = templateOf(story, index);
        const every = { sqlite: 29, postgresql: 97 }[kind];
        await expectSameAfterDeath(dieAt, { leads: story.leads, every, turn: index, atLeastSteps: 10 });

        async function dieAt(step: number) {
          const database = await open(template);
          const clock = fakeClock(index === 0 ? '2026-06-01T00:00:00Z' : BEGINS);
          const process = new DyingProcess(Number.POSITIVE_INFINITY);
          const dying = await openOnlyNode(database, { clock, process });
          const { acme } = await shopIn(dying);
          const ids = await subscriptionsOf(acme);
          process.dieIn(step);
          await story.run({ billing: dying, acme, clock }, ids).catch((error: unknown) => {
            if (!process.isDead) throw error;
          });
          expect(process.isDead, `step ${step} was reached`).to.equal(Number.isFinite(step));
          const { steps } = process;
          process.end();
          await dying.close().catch(() => undefined);
          const billing = await openOnlyNode(database, { clock });
          try {
            const next = await shopIn(billing);
            await story.run({ billing, acme: next.acme, clock }, ids);
            expect(await Array.fromAsync(billing.checks.breaches())).to.eql([]);
            return { steps, lines: [...(await linesOf(next.acme)), ...(await thresholdEventsIn(database))] };
          } finally {
            await billing.close();
          }
        }
      });
  });
});
