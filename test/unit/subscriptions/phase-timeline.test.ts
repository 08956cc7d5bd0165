import type { PhaseType } from '../../../lib/records/catalog/catalog-enumerations.ts';
import {
  createAnchor,
  currentPhase,
  nextPhase,
  phaseTimeline,
} from '../../../lib/subscriptions/timeline/phase-timeline.ts';
import { phase, plan, version } from '../../support/catalogs/catalog-document.ts';
import { at } from '../../support/subscriptions/example.ts';
import { expectError } from '../../support/subscriptions/lifecycle.ts';
import { ErrorCode, expect, formatInstant, localDateOf, timeZone } from '../../support/unit.ts';

const threePhases = version({
  plans: plan('p-m', 'P', {
    initialPhases:
      phase('TRIAL', { fixed: '' }) + phase('DISCOUNT', { unit: 'MONTHS', number: 1, price: '5' }),
  }),
}).findPlan('p-m');

function timeline(anchor: string, zone = 'UTC', firstPhaseType: PhaseType | null = null) {
  const tz = timeZone(zone);
  const start = { at: at(anchor), date: localDateOf(at(anchor), tz) };
  return phaseTimeline({ plan: threePhases, anchor: start, firstPhaseType, zone: tz });
}

function starts(...input: Parameters<typeof timeline>): readonly string[] {
  return timeline(...input).map((entry) => `${entry.phase.type} ${formatInstant(entry.start.at)}`);
}

describe('phase timeline', () => {
  it('starts each phase after the previous one, from the first or the requested phase (catalog W13 "Phase chain")', () => {
    expect(starts('2024-01-01T08:00Z')).to.eql([
      'TRIAL 2024-01-01T08:00:00.000Z',
      'DISCOUNT 2024-01-31T08:00:00.000Z',
      'EVERGREEN 2024-02-29T08:00:00.000Z',
    ]);
    expect(starts('2024-01-01T08:00Z', 'UTC', 'DISCOUNT')).to.eql([
      'DISCOUNT 2024-01-01T08:00:00.000Z',
      'EVERGREEN 2024-02-01T08:00:00.000Z',
    ]);
    expectError(
      () => timeline('2024-01-01T08:00Z', 'UTC', 'FIXEDTERM'),
      ErrorCode.SUBSCRIPTION_CREATE_BAD_PHASE,
    );
  });

  it('keeps the anchor’s time of day for phases after a gap in local time', () =>
    expect(starts('2026-02-06T07:30Z', 'America/New_York')).to.eql([
      'TRIAL 2026-02-06T07:30:00.000Z',
      'DISCOUNT 2026-03-08T07:00:00.000Z',
      'EVERGREEN 2026-04-08T06:30:00.000Z',
    ]));

  it('puts a phase in force at its exact start', () => {
    const entries = timeline('2024-01-01');
    const at31 = at('2024-01-31');
    expect(currentPhase(entries, at31)?.phase.type).to.equal('DISCOUNT');
    expect(nextPhase(entries, at31)?.phase.type).to.equal('EVERGREEN');
    expect(currentPhase(entries, at('2024-01-30T23:59:59Z'))?.phase.type).to.equal('TRIAL');
    expect(currentPhase(entries, at('2023-12-31'))).to.equal(undefined);
    expect(nextPhase(entries, at('2030-01-01'))).to.equal(undefined);
  });
});

describe('phase alignment of a new subscription', () => {
  it('starts the phases with the subscription or with its bundle', () => {
    const origins = {
      alignStart: { at: at('2024-03-01'), date: localDateOf(at('2024-03-01'), timeZone('UTC')) },
      bundleStart: { at: at('2024-01-01'), date: localDateOf(at('2024-01-01'), timeZone('UTC')) },
    };
    expect(createAnchor('START_OF_SUBSCRIPTION', origins)).to.equal(origins.alignStart);
    expect(createAnchor('START_OF_BUNDLE', origins)).to.equal(origins.bundleStart);
  });
});
