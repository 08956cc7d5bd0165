import { catalogXml, lists, phase, plan, price, product } from '../support/catalogs/catalog-document.ts';
import type { BenchDatabase } from './bench-database.ts';
import { withRows } from './databases.ts';
import { BEGINS, settle, signUp, TENANT_KEY, TENANT_SECRET, withEngine } from './past.ts';
import { markNow, multiply } from './seed.ts';

/** Charges 1.00 USD a call, monthly in arrear. */
export const USAGE_PLAN = 'metered';
export const USAGE_UNIT = 'calls';
/** Number of days in the first month that have points. */
export const USED_DAYS = 25;
/** When the first month is billed. */
export const USAGE_DUE = '2024-02-01T00:00:00Z';

/** Seeds accounts with one subscription each that starts at midnight on the first of the month, without usage. */
export async function seedMetered(database: BenchDatabase, accounts: number): Promise<void> {
  const tenantId = await withEngine(database, BEGINS, async ({ billing }) => {
    const secrets = { apiKey: TENANT_KEY, apiSecret: TENANT_SECRET };
    const { id } = await billing.tenants.create({ userName: 'bench' }, secrets);
    await billing.as({ tenant: id, user: 'bench' }).uploadCatalog(catalog());
    await settle(billing);
    return id;
  });
  const mark = await withRows(database, markNow);
  await withEngine(database, BEGINS, async ({ billing }) => {
    const acme = billing.as({ tenant: tenantId, user: 'bench' });
    const accountId = await signUp(acme, 0);
    await acme.createSubscription({ accountId, planName: USAGE_PLAN });
    await settle(billing);
  });
  await withRows(database, (rows) => multiply(rows, mark, accounts - 1));
}

/** Records points of 1 call each, the same number on each day, with one submission per day. */
export async function seedUsage(database: BenchDatabase, pointsPerDay: number): Promise<void> {
  const { kind } = database;
  const day = (n: string): string => {
    const text = `'2024-01-' || case when ${n} < 10 then '0' else '' end || ${n}`;
    return kind === 'postgresql' ? `cast(${text} as date)` : text;
  };
  const atMs = Date.parse(`${BEGINS}T00:00:00Z`);
  const numbers = (name: string, most: number): string =>
    `${name} (n) as (select 1 union all select n + 1 from ${name} where n < ${most})`;
  const days = `with recursive ${numbers('d', USED_DAYS)}`;
  const owner = 's.tenant_record_id, s.record_id';
  const no = kind === 'postgresql' ? 'false' : '0';
  await withRows(database, async (rows) => {
    const unit = `(select u.record_id from bw_usage_units u where u.tenant_record_id = s.tenant_record_id)`;
    await rows.transaction(async () => {
      for (const statement of [
        `insert into bw_usage_units (tenant_record_id, name) select record_id, '${USAGE_UNIT}' from bw_tenants`,
        `insert into bw_usage_keys (tenant_record_id, subscription_record_id, tracking_id, fingerprint, first_day, last_day,
           created_by, created_date)
         ${days} select ${owner}, 'day ' || d.n, 'bench', ${day('d.n')}, ${day('d.n')}, 'bench', ${atMs}
         from bw_subscriptions s cross join d order by s.record_id, d.n`,
        `insert into bw_usage_days (tenant_record_id, subscription_record_id, local_date, unit_record_id, account_record_id,
           amount_sum, amount_max, amount_min, last_recorded_for, last_amount, point_count, version)
         ${days} select ${owner}, ${day('d.n')}, ${unit}, s.account_record_id, '${pointsPerDay}'${numeric(kind)},
           '1'${numeric(kind)}, '1'${numeric(kind)}, ${atMs} + (d.n - 1) * 86400000, '1'${numeric(kind)}, ${pointsPerDay}, 0
         from bw_subscriptions s cross join d order by s.record_id, d.n`,
        `insert into bw_usage_points (tenant_record_id, subscription_record_id, local_date, unit_record_id, ordinal,
           recorded_for, is_date_only, amount, key_record_id)
         with recursive ${numbers('p', pointsPerDay)}
         select s.tenant_record_id, s.record_id, k.first_day, ${unit}, p.n, ${atMs} + p.n, ${no}, '1'${numeric(kind)}, k.record_id
         from bw_subscriptions s join bw_usage_keys k on k.tenant_record_id = s.tenant_record_id
           and k.subscription_record_id = s.record_id cross join p
         order by s.record_id, k.first_day, p.n`,
      ])
        await rows.query(statement);
    });
    await rows.rest();
  });
}

function numeric(kind: BenchDatabase['kind']): string {
  return kind === 'postgresql' ? '::numeric' : '';
}

function catalog(): string {
  const prices = `<prices>${price('USD', '1')}</prices>`;
  const block = `<tieredBlock><unit>${USAGE_UNIT}</unit><size>1</size>${prices}<max>-1</max></tieredBlock>`;
  const usages = `<usage name="calls-usage" billingMode="IN_ARREAR" usageType="CONSUMABLE" tierBlockPolicy="ALL_TIERS">
    <billingPeriod>MONTHLY</billingPeriod><tiers><tier><blocks>${block}</blocks></tier></tiers></usage>`;
  return catalogXml({
    effectiveDate: `${BEGINS}T00:00:00Z`,
    catalogName: 'Usage',
    units: [USAGE_UNIT],
    products: product('Metered'),
    plans: plan(USAGE_PLAN, 'Metered', { finalPhase: phase('EVERGREEN', { usages }) }),
    priceLists: lists({ DEFAULT: [USAGE_PLAN] }),
  });
}
