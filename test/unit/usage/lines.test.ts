import { expect } from 'chai';
import { LineReport } from '../../../lib/usage/recording/line-report.ts';
import type { SubmittedLine } from '../../../lib/usage/recording/read-submission.ts';
import { readLine, UnreadableLine } from '../../../lib/usage/recording/read-submission.ts';
import { RecordingFaultCode } from '../../../lib/usage/recording/recording-faults.ts';

const id = '0190163d-8694-739b-aea5-966c26f8ad91';
const unitUsageRecords = [{ unitType: 'sms', usageRecords: [{ recordDate: '2026-04-01', amount: '5' }] }];

function readingOf(line: SubmittedLine): string {
  const read = readLine(line, { negativeAmounts: false });
  return 'fault' in read ? read.fault.code : JSON.stringify(read.usage.subscription);
}

describe('lines of a bulk call', () => {
  for (const [line, result] of [
    [{ subscriptionId: id, trackingId: 't', unitUsageRecords }, `{"id":"${id}"}`],
    [{ subscriptionExternalKey: 'k', trackingId: 't', unitUsageRecords }, '{"externalKey":"k"}'],
    [
      { subscriptionId: id, subscriptionExternalKey: 'k', trackingId: 't', unitUsageRecords },
      `{"id":"${id}"}`,
    ],
    [{ trackingId: 't', unitUsageRecords }, 'MISSING_FIELD'],
    [{ subscriptionId: id, unitUsageRecords }, 'MISSING_TRACKING_ID'],
    [{ subscriptionId: id, trackingId: '', unitUsageRecords }, 'MISSING_TRACKING_ID'],
    [{ subscriptionId: id, trackingId: 'x'.repeat(129), unitUsageRecords }, 'MALFORMED'],
    [{ subscriptionExternalKey: 'x'.repeat(256), trackingId: 't', unitUsageRecords }, 'MALFORMED'],
    [{ subscriptionId: id, trackingId: 't' }, 'MISSING_FIELD'],
    [new UnreadableLine('is not JSON'), 'MALFORMED'],
    [[] as SubmittedLine, 'MALFORMED'],
  ] as const)
    it(`yield ${result} for ${JSON.stringify(line).slice(0, 90)} (usage §2.5)`, () =>
      expect(readingOf(line)).to.equal(result));

  it('are all counted, but only the first thousand failures are listed (usage §2.5)', () => {
    const report = new LineReport({ isFull: false });
    const fault = { code: RecordingFaultCode.MALFORMED, message: 'wrong', facts: {} };
    report.add({ subscriptionId: null, trackingId: 'a', result: { outcome: 'ACCEPTED' } });
    for (let line = 0; line < 1_000; line += 1)
      report.add({ subscriptionId: null, trackingId: null, result: { fault } });
    expect(report.report.failures).to.have.length(1_000);
    expect(report.report.failures[0]).to.include({ index: 1, status: 'REJECTED', message: 'wrong' });
    expect(report.report.failuresTruncated).to.equal(false);
    report.add({ subscriptionId: null, trackingId: 'a', result: { outcome: 'CONFLICT' } });
    const { failures, failuresTruncated, ...counts } = report.report;
    expect(counts).to.eql({ received: 1_002, accepted: 1, duplicates: 0, conflicts: 1, rejected: 1_000 });
    expect([failures.length, failuresTruncated]).to.eql([1_000, true]);
  });
});
