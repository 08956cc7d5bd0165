import { inspect } from 'node:util';
import { BillingError, instant, parseLocalDate } from '../../lib/index.ts';
import { expectExplained } from '../support/explained-amount.ts';
import { anyDatabase, expect, isLongRun, openEngine, openShop, seed } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';
import { shelfDocuments } from '../support/usage-oracle/metered-shelf.ts';
import { DEFAULT_SETTINGS, type OracleSettings } from '../support/usage-oracle/usage-facts.ts';
import { Random } from './random.ts';
import { Refused, subscribe, usageOperations } from './usage-operations.ts';
import { invoicesOf, type MeteredCustomer, UsageTown } from './usage-town.ts';

/** `BILLWRIGHT_USAGE_LIVES` sets the number of accounts per database. */
const LIVES = isLongRun ? { sqlite: 1_200, postgresql: 600 } : { sqlite: 6, postgresql: 2 };
const configured = process.env.BILLWRIGHT_USAGE_LIVES;
const ROUNDS = isLongRun ? 45 : 20;
const MOST_DAYS_PER_ROUND = 16;
const ACCOUNTS_AT_ONCE = 12;

const ZONES = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Auckland'];

function settingsOf(random: Random): OracleSettings {
  return {
    ...DEFAULT_SETTINGS,
    lookBackPeriods: random.of([-1, 0, 1, 2, 2]),
    itemMode: random.of(['AGGREGATE', 'DETAIL']),
    overflow: random.of(['CAP', 'LAST_TIER']),
    lateMode: random.of(['DELTA', 'DELTA', 'NEXT_PERIOD', 'IGNORE']),
    beyondLookBack: random.of(['REPORT', 'REPORT', 'NEXT_PERIOD']),
    negativeDelta: random.of(['CREDIT', 'CREDIT', 'IGNORE']),
    dropsZeroItems: random.percent(30),
  };
}

anyDatabase.describe('random histories with usage', (open, kind) => {
  const lives = configured === undefined ? LIVES[kind] : Number(configured);

  it(`have the usage cost that an oracle calculates from every point (${lives} accounts, seed ${seed}, usage §6, §7)`, async () => {
    const agreed = { lives: 0, usage: 0, credits: 0, late: 0, explained: 0, foreseen: 0 };
    const accepted = new Map<string, number>();
    for (let from = 0; from < lives; from += ACCOUNTS_AT_ONCE) {
      const random = new Random(seed + from);
      const engine = await openEngine(open, {
        now: '2024-01-29T15:20:11Z',
        catalog: null,
        configuration: { 'org.service.invoice.maxDailyNumberOfItemsSafetyBound': -1 },
      });
      const town = await UsageTown.found(engine);
      try {
        await settle(town, random, Math.min(ACCOUNTS_AT_ONCE, lives - from));
        for (let round = 0; round < ROUNDS; round += 1) {
          await operate(town, random, accepted);
          agreed.foreseen += await pass(town, random);
        }
        agreed.explained += await lookBack(town);
        agreed.lives += town.customers.length;
        for (const key of ['usage', 'credits', 'late'] as const) agreed[key] += town.agreed[key];
      } finally {
        await town.close();
        await engine.close();
      }
    }
    if (isLongRun || configured !== undefined) process.stdout.write(`${inspect({ agreed, accepted })}\n`);
    expect(agreed.lives).to.be.at.least(lives);
    expect(agreed.usage, 'items').to.be.above(5 * lives);
    expect(agreed.late, 'late items').to.be.above(0);
    expect(agreed.foreseen, 'invoices foreseen').to.be.above(0);
    if (isLongRun) expect(agreed.credits, 'credits').to.be.above(0);
  }).timeout(0);
});

async function settle(town: UsageTown, random: Random, accounts: number): Promise<void> {
  const { engine } = town;
  for (let count = 0; count < accounts; count += 1) {
    const settings = settingsOf(random);
    const { acme } = count === 0 ? engine : await openShop(engine.billing, null);
    for (const document of shelfDocuments) await acme.uploadCatalog(document);
    await acme.keyValues.add('PER_TENANT_CONFIG', JSON.stringify(configurationOf(settings)));
    const zone = random.of(ZONES);
    const billCycleDay = random.within(1, 31);
    const { id: accountId } = await acme.createAccount({
      currency: 'USD',
      timeZone: zone,
      billCycleDayLocal: billCycleDay,
    });
    const customer: MeteredCustomer = {
      acme,
      accountId,
      zone,
      billCycleDay,
      settings,
      subscriptions: [],
      seen: new Set(),
      isOff: false,
      isVoided: false,
    };
    town.customers.push(customer);
    await subscribe({ town, random, customer });
    if (random.percent(60)) await subscribe({ town, random, customer });
  }
  await town.settle();
}

function configurationOf(settings: OracleSettings): Readonly<Record<string, string>> {
  const prefix = 'org.service.invoice';
  return {
    [`${prefix}.readMaxRawUsagePreviousPeriod`]: String(settings.lookBackPeriods),
    [`${prefix}.item.result.behavior.mode`]: settings.itemMode,
    [`${prefix}.usage.overflow`]: settings.overflow,
    [`${prefix}.usage.lateMode`]: settings.lateMode,
    [`${prefix}.usage.beyondLookback`]: settings.beyondLookBack,
    [`${prefix}.usage.negativeDelta`]: settings.negativeDelta,
    [`${prefix}.disable.usage.zero.amount`]: String(settings.dropsZeroItems),
  };
}

/** Runs a few operations for each account. The oracle ignores rejected ones. */
async function operate(town: UsageTown, random: Random, accepted: Map<string, number>): Promise<void> {
  for (const customer of town.customers) {
    for (let count = random.within(0, 3); count > 0; count -= 1) {
      const operation = pick(random.next());
      const held = random.of(customer.subscriptions);
      try {
        await operation.run({ town, random, customer, held });
        accepted.set(operation.name, (accepted.get(operation.name) ?? 0) + 1);
      } catch (error) {
        if (!(error instanceof BillingError) && !(error instanceof Refused)) throw error;
      }
    }
  }
  await town.settle();
}

function pick(share: number) {
  let left = share * usageOperations.reduce((sum, { weight }) => sum + weight, 0);
  for (const operation of usageOperations) {
    left -= operation.weight;
    if (left < 0) return operation;
  }
  throw new Error('a share is less than 1');
}

/** Moves the clock and compares each invoice with its dry run. */
async function pass(town: UsageTown, random: Random): Promise<number> {
  const foreseen: {
    readonly customer: MeteredCustomer;
    readonly invoice: InvoiceView;
    readonly seen: number;
    readonly today: number;
  }[] = [];
  for (const customer of town.customers) {
    if (customer.isOff || !random.percent(25)) continue;
    const invoice = await customer.acme.invoices.dryRun({
      accountId: customer.accountId,
      dryRunType: 'UPCOMING_INVOICE',
    });
    if (invoice !== null)
      foreseen.push({ customer, invoice, seen: customer.seen.size, today: town.todayOf(customer) });
  }
  const seconds = random.within(1, MOST_DAYS_PER_ROUND * 86_400);
  await town.passTo(instant(town.engine.clock.now() + seconds * 1_000));
  let count = 0;
  for (const { customer, invoice, seen, today } of foreseen) {
    const { targetDate } = invoice;
    if (targetDate === null || parseLocalDate(targetDate) >= town.todayOf(customer)) continue;
    // Today's run may be over although an event of today is still due.
    if (parseLocalDate(targetDate) === today) continue;
    const since = (await invoicesOf(customer)).slice(seen);
    const made = since.filter((one) => one.targetDate === targetDate);
    // A run with nothing due, such as after an ineffective block, includes late usage.
    if (since.some((one) => one.targetDate !== targetDate && isOfPast(one, today))) continue;
    expect(made.flatMap(linesOf), `foreseen for ${targetDate}`).to.eql(linesOf(invoice));
    expect(made.flatMap(({ trackingIds }) => trackingIds).toSorted()).to.eql(invoice.trackingIds.toSorted());
    count += 1;
  }
  return count;
}

function isOfPast({ items }: InvoiceView, today: number): boolean {
  const own = items.filter(({ itemType }) => itemType !== 'CBA_ADJ');
  return own.every(({ endDate }) => endDate !== null && parseLocalDate(endDate) <= today);
}

/** Without account credit, which other invoices move. */
function linesOf({ items }: InvoiceView): readonly string[] {
  return items
    .filter(({ itemType }) => itemType !== 'CBA_ADJ')
    .map(({ itemType, usageName, planName, startDate, endDate, amount, itemDetails }) =>
      [
        itemType,
        usageName ?? planName,
        startDate && startDate,
        endDate && endDate,
        amount.toFixed(),
        itemDetails,
      ].join(' '),
    );
}

/** Checks all explanations, and compares a full run with a windowed one. */
async function lookBack(town: UsageTown): Promise<number> {
  const { engine } = town;
  expect(await Array.fromAsync(engine.billing.checks.breaches())).to.eql([]);
  expect(engine.logger.lines.filter(({ level }) => level === 'error')).to.eql([]);
  let explained = 0;
  for (const customer of town.customers) {
    const { acme, accountId } = customer;
    expect(await acme.tags.ofAccount(accountId)).to.have.length(customer.isOff ? 1 : 0);
    for (const { items } of await invoicesOf(customer)) {
      for (const { id } of items) {
        expectExplained(await acme.invoices.explain(id));
        explained += 1;
      }
    }
  }
  return explained;
}
