import {
  type CountedSource,
  inOrderOfConsumption,
  planDraws,
  quotaBalance,
} from '../../../lib/features/evaluation/quota-draws.ts';
import { quietLimits, reachedThresholds } from '../../../lib/features/evaluation/quota-thresholds.ts';
import type { QuotaOverage } from '../../../lib/records/index.ts';
import { day } from '../../support/features/feature-facts.ts';
import { at, nextId } from '../../support/subscriptions/example.ts';
import { decimal, expect, formatDecimal, formatInstant } from '../../support/unit.ts';

interface Parts {
  readonly overage?: QuotaOverage;
  readonly resetsAt?: string | null;
  readonly since?: string;
  readonly unit?: string | null;
}

let order = 0;

function source(planName: string, given: string, parts: Parts = {}): CountedSource {
  const { overage = 'BLOCK', resetsAt = '2026-05-01', since = '2026-03-01', unit = 'call' } = parts;
  order += 1;
  const amount = decimal(given);
  const id = nextId();
  return {
    subscriptionId: id,
    subscriptionRecordId: order,
    planName,
    phaseName: `${planName}-evergreen`,
    quantity: 1,
    override: null,
    value: { kind: 'QUOTA', amount, per: 'MONTH', overage, perQuantity: false },
    amount,
    quota: {
      ownerId: id,
      since: at(since),
      order,
      span: { start: day('2026-04-01'), end: day('2026-05-01') },
      resetsAt: resetsAt === null ? null : at(resetsAt),
      unit,
    },
  };
}

/** Formats `a 5, b 3 unbounded, over 2 billed by a`. */
function planned(
  sources: readonly CountedSource[],
  amount: string,
  used: Readonly<Record<string, string>> = {},
) {
  const usedOf = ({ planName }: CountedSource) => decimal(used[planName ?? ''] ?? '0');
  const plan = planDraws(sources, usedOf, decimal(amount));
  if (plan === null) return null;
  const draws = plan.draws.map(({ source: { planName }, amount: drawn, isUnbounded }) => {
    return `${planName} ${formatDecimal(drawn)}${isUnbounded ? ' unbounded' : ''}`;
  });
  const over = plan.overage.isZero() ? [] : [`over ${formatDecimal(plan.overage)}`];
  const billed = plan.billed === null ? [] : [`billed by ${plan.billed.planName}`];
  return [...draws, ...over, ...billed].join(', ');
}

describe('quota draws and thresholds (features §4)', () => {
  it('use the period that ends first, then the oldest subscription', () => {
    const ever = source('ever', '1', { resetsAt: null, since: '2025-01-01' });
    const younger = source('younger', '1', { since: '2026-02-02' });
    const older = source('older', '1', { since: '2026-02-01' });
    const next = source('next', '1', { since: '2026-02-01' });
    const soon = source('soon', '1', { resetsAt: '2026-04-20' });
    const names = inOrderOfConsumption([ever, younger, older, next, soon]).map(({ planName }) => planName);
    expect(names).to.eql(['soon', 'older', 'next', 'younger', 'ever']);
  });

  it('use the remaining amount of each counter', () => {
    const sources = [source('a', '5'), source('b', '10')];
    expect(planned(sources, '4')).to.equal('a 4');
    expect(planned(sources, '9', { a: '2' })).to.equal('a 3, b 6');
    expect(planned(sources, '9', { a: '7' })).to.equal('b 9');
    expect(planned(sources, '15')).to.equal('a 5, b 10');
  });

  it('are rejected beyond blocking quotas and without any quota', () => {
    expect(planned([source('a', '5'), source('b', '10')], '15.0000000001')).to.equal(null);
    expect(planned([], '1')).to.equal(null);
  });

  it('count the rest on the first quota that allows overage', () => {
    const sources = [
      source('a', '5'),
      source('b', '1', { overage: 'ALLOW' }),
      source('c', '1', { overage: 'ALLOW' }),
    ];
    expect(planned(sources, '9')).to.equal('a 5, c 1, b 3 unbounded, over 2');
    expect(planned(sources, '2', { a: '5', b: '1', c: '1' })).to.equal('b 2 unbounded, over 2');
  });

  it('bill the rest on the first quota that bills overage, even if another quota allows overage', () => {
    const sources = [
      source('a', '5', { overage: 'ALLOW' }),
      source('b', '1', { overage: 'BILL' }),
      source('c', '1', { overage: 'BILL' }),
    ];
    expect(planned(sources, '9')).to.equal('a 5, b 1, c 1, over 2, billed by b');
  });

  it('block the rest if no plan prices the unit of the quota', () => {
    expect(planned([source('a', '5', { overage: 'BILL', unit: null })], '6')).to.equal(null);
  });

  it('never leave a negative balance', () => {
    const sources = [source('a', '5'), source('b', '3', { resetsAt: null })];
    const { used, remaining, resetsAt } = quotaBalance(sources, ({ planName }) =>
      decimal(planName === 'a' ? 7 : 1),
    );
    expect([used, remaining].map(formatDecimal)).to.eql(['8', '2']);
    expect(resetsAt === null ? null : formatInstant(resetsAt)).to.equal('2026-05-01T00:00:00.000Z');
  });
});

describe('quota thresholds (features §5)', () => {
  const reached = (used: string, announced = 0, amount = '1000') =>
    reachedThresholds([100, 80], { used: decimal(used), amount: decimal(amount), announced });

  it('are reached once, in ascending order', () => {
    expect([reached('799.99'), reached('800'), reached('1000')]).to.eql([[], [80], [80, 100]]);
    expect([reached('1000', 80), reached('5000', 100)]).to.eql([[100], []]);
  });

  it('are reached just above the values that quietLimits returns, but not at these values', () => {
    const amount = decimal('33.3333333333');
    const limits = quietLimits([100, 80], amount);
    expect(limits.map(({ announced, upTo }) => `${announced} ${formatDecimal(upTo)}`)).to.eql([
      '0 26.6666666666',
      '80 33.3333333332',
      '100 33.3333333333',
    ]);
    for (const { announced, upTo } of limits.slice(0, -1)) {
      const next = formatDecimal(upTo.plus('1e-10'));
      expect(reached(formatDecimal(upTo), announced, '33.3333333333')).to.eql([]);
      expect(reached(next, announced, '33.3333333333')).to.have.length(1);
    }
  });

  it('are not reached if the quota is 0', () => {
    expect(reached('5', 0, '0')).to.eql([]);
  });
});
