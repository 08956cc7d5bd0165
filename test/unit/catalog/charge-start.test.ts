import type { Plan, PlanPhase } from '../../../lib/catalog/index.ts';
import { isFreeFinitePhase, phaseName, phasesFrom } from '../../../lib/catalog/index.ts';
import { phase, plan, price, TRIAL, version } from '../../support/catalogs/catalog-document.ts';
import { addDuration, expect, formatLocalDate, type LocalDate, parseLocalDate } from '../../support/unit.ts';

function planWith(initialPhases: string, finalPhase?: string): Plan {
  const parts = finalPhase === undefined ? { initialPhases } : { initialPhases, finalPhase };
  return version({ currencies: ['USD', 'EUR'], plans: plan('p-m', 'P', parts) }).findPlan('p-m');
}

/** Returns the start of each phase and the end of the last one. */
function starts(phases: readonly PlanPhase[], start: string): string[] {
  const dates: LocalDate[] = [parseLocalDate(start)];
  for (const { duration } of phases) {
    const last = dates.at(-1);
    if (last === undefined || duration.unit === 'UNLIMITED') break;
    dates.push(addDuration(last, duration));
  }
  return dates.map(formatLocalDate);
}

/** Returns the first phase that is unlimited or has a recurring price above zero. */
function firstCharging(phases: readonly PlanPhase[]): PlanPhase | undefined {
  return phases.find((each) => !isFreeFinitePhase(each));
}

function firstChargeDate(phases: readonly PlanPhase[], start: string): string | undefined {
  const charging = firstCharging(phases);
  const free = charging === undefined ? phases : phases.slice(0, phases.indexOf(charging));
  return starts(free, start).at(-1);
}

describe('plan phases', () => {
  const discount = phase('DISCOUNT', { unit: 'MONTHS', number: 1, price: '5.00' });

  it('begin one after the other, from the first or the requested phase (catalog W13 "Phase chain")', () => {
    const chain = planWith(TRIAL + discount);
    expect(chain.phases.map((each) => each.name)).to.eql(['p-m-trial', 'p-m-discount', 'p-m-evergreen']);
    expect(starts(chain.phases, '2024-01-01')).to.eql(['2024-01-01', '2024-01-31', '2024-02-29']);

    const fromDiscount = phasesFrom(chain, 'DISCOUNT') ?? [];
    expect(starts(fromDiscount, '2024-01-01')).to.eql(['2024-01-01', '2024-02-01']);
    expect(phasesFrom(chain, 'FIXEDTERM'), 'error 1011 of the caller').to.equal(undefined);
    expect(firstChargeDate(chain.phases, '2024-01-01')).to.equal('2024-01-31');
  });

  it('get their names from the plan and the phase type', () =>
    expect(phaseName('pro-monthly', 'FIXEDTERM')).to.equal('pro-monthly-fixedterm'));

  it('are skipped in the search for the first charge if they end and have no price above zero in any currency', () => {
    const zero = phase('DISCOUNT', {
      unit: 'MONTHS',
      number: 2,
      price: price('USD', '0') + price('EUR', '0.00'),
    });
    const priceless = phase('FIXEDTERM', { unit: 'WEEKS', number: 1, period: 'NO_BILLING_PERIOD' });
    const chain = planWith(TRIAL + zero + priceless);

    expect(firstCharging(chain.phases)?.type).to.equal('EVERGREEN');
    expect(firstChargeDate(chain.phases, '2024-01-01')).to.equal('2024-04-07');
  });

  it('can start charging in a trial with a price in any currency', () => {
    const paidTrial = phase('TRIAL', { price: price('USD', '0') + price('EUR', '1') });
    expect(firstCharging(planWith(paidTrial).phases)?.type).to.equal('TRIAL');
  });

  it('end the search for the first charge at an unlimited phase, regardless of its price', () => {
    const free = planWith(TRIAL, phase('EVERGREEN', { price: '0' }));
    expect(firstCharging(free.phases)?.type).to.equal('EVERGREEN');
  });

  it('set the first charge date of a plan without recurring charges to the end of the plan', () => {
    const free = planWith(TRIAL, phase('FIXEDTERM', { unit: 'MONTHS', number: 3, fixed: '9.00' }));
    expect(firstCharging(free.phases)).to.equal(undefined);
    expect(firstChargeDate(free.phases, '2024-01-01')).to.equal('2024-04-30');
  });
});
