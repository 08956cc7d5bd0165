import { expect } from 'chai';
import { invoicingConfigOf } from '../../../lib/invoicing/proposals/invoicing-config.ts';
import { paymentConfig } from '../../../lib/payments/state/payment-config.ts';
import type { ReadSession } from '../../../lib/ports/storage/index.ts';
import type { ConfigurationObject } from '../../../lib/tenants/configuration/read-configuration.ts';
import { readConfiguration } from '../../../lib/tenants/configuration/read-configuration.ts';
import { DEFAULT_TENANT_SETTINGS } from '../../../lib/tenants/configuration/settings.ts';
import { GATEWAY_TIMEOUT_MS } from '../../../lib/tenants/configuration/tenant-properties.ts';

const session = {} as ReadSession;

function settingsOf(object: ConfigurationObject) {
  const { settings, problems } = readConfiguration(object);
  expect(problems).to.eql([]);
  return async () => ({ ...DEFAULT_TENANT_SETTINGS, ...settings });
}

describe('tenant properties (platform §4.2)', () => {
  it('configure payments', async () => {
    expect(paymentConfig(await settingsOf({})())).to.eql({
      retryDays: [8, 8, 8],
      failureRetry: { startSeconds: 300, multiplier: 2, maxAttempts: 8 },
      pluginTimeoutMs: GATEWAY_TIMEOUT_MS,
      janitorUnknownDelaysMs: [300_000, 3_600_000, ...Array(5).fill(86_400_000)],
      janitorPendingDelaysMs: [3_600_000, 86_400_000],
      allowEmptyInvoice: false,
      allowsOverRefund: false,
      lockRetries: 50,
      controlPlugins: [],
      overwritesMethod: false,
    });
    const set = settingsOf({
      'org.service.payment.retry.days': '1,2',
      'org.service.payment.failure.retry.start.sec': '60',
      'org.service.payment.failure.retry.multiplier': '3',
      'org.service.payment.failure.retry.max.attempts': '4',
      'org.service.payment.plugin.timeout': '5s',
      'org.service.payment.janitor.unknown.retries': '6m',
      'org.service.payment.janitor.pending.retries': '7m,8m',
      'org.service.payment.allow.emptyInvoice': 'true',
      'org.service.payment.overRefund.allowed': 'true',
      'org.service.payment.globalLock.retries': '3',
      'org.service.payment.invoice.plugin': 'fraud,limits',
      'org.service.payment.method.overwrite': 'true',
    });
    expect(paymentConfig(await set())).to.eql({
      retryDays: [1, 2],
      failureRetry: { startSeconds: 60, multiplier: 3, maxAttempts: 4 },
      pluginTimeoutMs: 5_000,
      janitorUnknownDelaysMs: [360_000],
      janitorPendingDelaysMs: [420_000, 480_000],
      allowEmptyInvoice: true,
      allowsOverRefund: true,
      lockRetries: 3,
      controlPlugins: ['fraud', 'limits'],
      overwritesMethod: true,
    });
  });

  it('configure invoicing', async () => {
    const set = settingsOf({
      'org.service.invoice.enabled': 'false',
      'org.service.invoice.maxNumberOfMonthsInFuture': '7',
      'org.service.invoice.parkAccountsOnAllExceptions': 'false',
      'org.service.invoice.inArrear.mode': 'GREEDY',
      'org.service.invoice.proration.fixed.days': '30',
      'org.service.invoice.parent.commit.local.utc.time': '01:00:00.000',
      'org.service.invoice.sanitySafetyBoundEnabled': 'false',
      'org.service.invoice.maxDailyNumberOfItemsSafetyBound': '-1',
      'org.service.invoice.plugin': 'tax, groups',
      'org.service.subscription.align.effectiveDateForExistingSubscriptions': 'true',
      'org.service.invoice.readMaxRawUsagePreviousPeriod': '3',
      'org.service.invoice.item.result.behavior.mode': 'DETAIL',
      'org.service.invoice.usage.overflow': 'LAST_TIER',
      'org.service.invoice.usage.lateMode': 'NEXT_PERIOD',
      'org.service.invoice.usage.beyondLookback': 'NEXT_PERIOD',
      'org.service.invoice.usage.negativeDelta': 'FAIL',
      'org.service.invoice.disable.usage.zero.amount': 'true',
      'org.service.invoice.parkAccountsWithUnknownUsage': 'true',
      'org.service.invoice.usage.collectionInterval': 'PT1H',
      'org.service.invoice.disable.trial.zero.amount': 'true',
      'org.service.invoice.dryRunNotificationSchedule': '7d',
      'org.service.invoice.trackingIds.maxReturned': '5',
    });
    const changed = {
      isAutomatic: false,
      dropsFreeTrials: true,
      maxMonthsInFuture: 7,
      parksOnAllErrors: false,
      inArrearMode: 'GREEDY',
      prorationFixedDays: 30,
      parentCommitTimeOfDay: 3_600_000,
      sanitySafetyBoundEnabled: false,
      maxDailyItems: -1,
      plugins: ['tax', 'groups'],
      alignPriceChanges: true,
      usage: {
        lookBackPeriods: 3,
        itemMode: 'DETAIL',
        overflow: 'LAST_TIER',
        lateMode: 'NEXT_PERIOD',
        beyondLookBack: 'NEXT_PERIOD',
        negativeDelta: 'FAIL',
        negativeDeltaOfSources: 'FAIL',
        dropsZeroItems: true,
        refusesUnknownUnits: true,
      },
      collectionInterval: { months: 0, days: 0, milliseconds: 3_600_000 },
      noticeLeadMs: 604_800_000,
      maxTrackingIds: 5,
    };
    expect(await invoicingConfigOf(set)(session)).to.eql(changed);
    // One by one, so that the test detects swapped flags.
    for (const [name, field] of [
      ['invoice.enabled', 'isAutomatic'],
      ['invoice.parkAccountsOnAllExceptions', 'parksOnAllErrors'],
      ['invoice.sanitySafetyBoundEnabled', 'sanitySafetyBoundEnabled'],
    ] as const) {
      const one = await invoicingConfigOf(settingsOf({ [`org.service.${name}`]: 'false' }))(session);
      expect(Object.entries(one).filter(([, value]) => value === false)).to.eql([
        [field, false],
        ['dropsFreeTrials', false],
        ['alignPriceChanges', false],
      ]);
    }
  });
});
