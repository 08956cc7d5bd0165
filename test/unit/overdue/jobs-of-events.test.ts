import { type NewBusEvent, SystemTag } from '../../../lib/index.ts';
import { readOverdueJson } from '../../../lib/overdue/config/read-config.ts';
import type { OverdueConfig } from '../../../lib/overdue/index.ts';
import { defaultOverdueConfig, jobsOfEvents, overdueNotification } from '../../../lib/overdue/index.ts';
import { readOverdueJob } from '../../../lib/overdue/triggers/overdue-jobs.ts';
import { expect, instant } from '../../support/unit.ts';

const NOW = instant(Date.UTC(2024, 0, 5, 10));
const TIME = { timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'DAYS', number: 5 } };

const configWith = (...conditions: readonly object[]): OverdueConfig =>
  readOverdueJson(
    JSON.stringify({
      overdueStates: conditions.map((condition, index) => ({ name: `S${index}`, condition })),
    }),
  );

const event = (type: NewBusEvent['type'], payload: object = {}, accountRecordId: number | null = 7) =>
  ({ type, accountRecordId, payload: { ...payload } }) as const;

const tagged = (type: 'TAG_CREATION' | 'TAG_DELETION', tagDefinitionId: string, objectType = 'ACCOUNT') =>
  event(type, { tagDefinitionId, objectType });

/** Returns `REFRESH 7` for each wake-up. */
const jobsAfter = (config: OverdueConfig, ...events: readonly NewBusEvent[]): readonly string[] =>
  jobsOfEvents(events, config, NOW).map(({ action, accountRecordId }) => `${action} ${accountRecordId}`);

describe('overdue work requested by events (overdue §7)', () => {
  const config = configWith(TIME);

  for (const type of [
    'INVOICE_PAYMENT_SUCCESS',
    'INVOICE_PAYMENT_FAILED',
    'INVOICE_CREATION',
    'INVOICE_ADJUSTMENT',
  ] as const)
    it(`refreshes the account after ${type}`, () =>
      expect(jobsAfter(config, event(type))).to.eql(['REFRESH 7']));

  it('ignores changes that do not affect debt', () => {
    const types = ['ACCOUNT_CHANGE', 'SUBSCRIPTION_CHANGE', 'PAYMENT_FAILED', 'NULL_INVOICE'] as const;
    expect(jobsAfter(config, ...types.map((type) => event(type)))).to.eql([]);
  });

  it('refreshes an account when its payer changes or the account is new', () => {
    const changes = { changesPayer: true };
    expect(jobsAfter(config, event('ACCOUNT_CHANGE', changes))).to.eql(['REFRESH 7']);
    expect(jobsAfter(config, event('ACCOUNT_CREATION', changes))).to.eql(['REFRESH 7']);
  });

  it('clears the account when OVERDUE_ENFORCEMENT_OFF is added and refreshes it when the tag is removed', () => {
    const tag = SystemTag.OVERDUE_ENFORCEMENT_OFF;
    expect(jobsAfter(config, tagged('TAG_CREATION', tag))).to.eql(['CLEAR 7']);
    expect(jobsAfter(config, tagged('TAG_DELETION', tag))).to.eql(['REFRESH 7']);
  });

  it('refreshes the account when a control tag changes and a condition includes or excludes that tag', () => {
    for (const criterion of ['controlTagInclusion', 'controlTagExclusion']) {
      const naming = configWith(TIME, { [criterion]: 'PARTNER' });
      expect(jobsAfter(naming, tagged('TAG_CREATION', SystemTag.PARTNER))).to.eql(['REFRESH 7']);
      expect(jobsAfter(naming, tagged('TAG_DELETION', SystemTag.PARTNER))).to.eql(['REFRESH 7']);
      expect(jobsAfter(naming, tagged('TAG_CREATION', SystemTag.TEST))).to.eql([]);
      expect(jobsAfter(naming, tagged('TAG_CREATION', SystemTag.PARTNER, 'BUNDLE'))).to.eql([]);
    }
    expect(jobsAfter(config, tagged('TAG_CREATION', SystemTag.PARTNER))).to.eql([]);
  });

  it('is empty if the configuration has no state to enter', () => {
    const events = [event('INVOICE_CREATION'), tagged('TAG_CREATION', SystemTag.OVERDUE_ENFORCEMENT_OFF)];
    expect(jobsAfter(defaultOverdueConfig, ...events)).to.eql([]);
  });

  it('contains one entry per action and account for all events of a transaction, with requests to clear first', () => {
    const events = [
      event('INVOICE_CREATION', {}, 9),
      event('INVOICE_PAYMENT_FAILED', {}, 9),
      event('INVOICE_ADJUSTMENT', {}, 3),
      tagged('TAG_CREATION', SystemTag.OVERDUE_ENFORCEMENT_OFF),
      event('INVOICE_CREATION'),
      event('TENANT_CONFIG_CHANGE', {}, null),
    ];
    expect(jobsAfter(config, ...events)).to.eql(['CLEAR 7', 'REFRESH 3', 'REFRESH 7', 'REFRESH 9']);
  });
});

describe('overdue queue entry', () => {
  const wakeUp = {
    accountRecordId: 7,
    action: 'REFRESH',
    asked: NOW,
    spreads: true,
    causedBy: null,
  } as const;
  const keyOf = (more: object) => overdueNotification({ ...wakeUp, ...more }).uniqueKey;

  it('has one key per action and account, and a separate key for a refresh that another account caused (overdue §2.3)', () => {
    expect(keyOf({ action: 'CHECK' })).to.equal('overdue-check:7');
    expect(keyOf({})).to.equal('overdue-refresh:7');
    expect(keyOf({ action: 'CLEAR' })).to.equal('overdue-clear:7');
    expect(keyOf({ causedBy: 12 })).to.equal('overdue-refresh:7:12');
  });

  it('keeps the requested time if the entry runs late', () => {
    const due = instant(NOW + 60_000);
    const { payload, effectiveDate } = overdueNotification({ ...wakeUp, causedBy: 12, due });
    expect(effectiveDate).to.equal(due);
    expect(readOverdueJob(payload)).to.eql({ action: 'REFRESH', asked: NOW, spreads: true, causedBy: 12 });
  });

  it('is rejected if the payload has another type', () => {
    expect(() => readOverdueJob({ action: 'LOOK', asked: '2024-01-01T00:00:00.000Z' })).to.throw(/action/);
    expect(() => readOverdueJob({ action: 'CHECK', asked: 'now' })).to.throw(/instant/);
  });
});
