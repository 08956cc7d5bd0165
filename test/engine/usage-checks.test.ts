import type { CheckedInvariant } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, itemLines, rowsOf } from '../support/index.ts';
import { UsageStage } from '../support/usage/usage-stage.ts';

const damages: readonly (readonly [CheckedInvariant, string, RegExp])[] = [
  [
    'USAGE',
    `update bw_usage_days set amount_sum = '99' where point_count = 2`,
    /The usage of packs on 2026-04-10 is stored as 99 of 2 points, at most 995, but its points add up to 995 of 2 points/,
  ],
  ['USAGE', `update bw_usage_days set amount_max = '7' where point_count = 2`, /at most 7, but its points/],
  ['USAGE', `update bw_usage_days set point_count = 3 where point_count = 2`, /of 3 points/],
  [
    'USAGE',
    `update bw_usage_intervals set item_ids = '[]'
      where record_id = (select min(record_id) from bw_usage_intervals)`,
    /Item [-0-9a-f]+ is billed by 0 usage intervals instead of one/,
  ],
  [
    'USAGE',
    `update bw_usage_intervals set invoice_id = (select invoice_id from bw_usage_intervals order by record_id desc limit 1)`,
    /which is not a usage item of its invoice/,
  ],
  [
    'REFERENCE',
    `update bw_usage_intervals set subscription_id = invoice_id`,
    /usage_intervals.subscription_id of record/,
  ],
  [
    'REPAIRS',
    `update bw_invoice_items set repairable = '1' where item_type = 'USAGE'`,
    /has a stored remainder of .*, but its repairs and adjustments leave /,
  ],
];

eachDatabaseByTurns.describe('usage consistency check', (open) => {
  let stage: UsageStage;
  const breaches = () => Array.fromAsync(stage.engine.billing.checks.breaches());
  beforeEach(async () => {
    stage = await UsageStage.begin(open, { planName: 'packs-top', from: '2026-04-01' });
    await stage.use('995 packs 2026-04-10', 'first');
    await stage.use('8 packs 2026-04-10', 'void');
    await stage.engine.acme.usage.void(stage.subscriptionId, 'void');
    await stage.runTo('2026-05-01');
    await stage.use('20 packs 2026-04-20T05:00:00Z', 'late');
    await stage.runTo('2026-06-01');
  });

  it('finds no errors after late usage, voids, credits and a void invoice that is billed again', async () => {
    expect((await stage.lines()).at(-1)).to.contain('REPAIR_ADJ 2026-04-01..2026-05-01 -8980');
    expect(await breaches()).to.eql([]);
    await stage.engine.acme.invoices.void((await stage.last()).id);
    expect(await breaches()).to.eql([]);
    expect(itemLines(await stage.run('2026-06-01'))).to.include('USAGE 2026-05-01..2026-06-01 0');
    expect(await breaches()).to.eql([]);
  });

  it('reports days that differ from their points, and items that no interval bills', async () => {
    for (const [invariant, damage, message] of damages) {
      const own = (await damaged(damage)).filter((each) => each.invariant === invariant);
      expect(own.map((each) => each.message).join('\n'), damage).to.match(message);
      expect(own[0]?.tenantId, damage).to.equal(stage.engine.tenant.id);
    }
  });

  async function damaged(damage: string) {
    const { database } = stage.engine;
    const tables = ['bw_usage_days', 'bw_usage_intervals', 'bw_invoice_items'];
    for (const table of tables)
      await rowsOf(database, `create table kept_${table} as select * from ${table}`);
    await rowsOf(database, damage);
    const found = await breaches();
    for (const table of tables) {
      await rowsOf(database, `delete from ${table}`);
      await rowsOf(database, `insert into ${table} select * from kept_${table}`);
      await rowsOf(database, `drop table kept_${table}`);
    }
    return found;
  }
});
