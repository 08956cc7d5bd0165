import type { PhaseType, PlanAlignmentChange } from '../../../lib/records/catalog/catalog-enumerations.ts';
import {
  changeOrigin,
  currentPhase,
  nextPhase,
  phaseTimeline,
} from '../../../lib/subscriptions/timeline/phase-timeline.ts';
import { transitionsOf } from '../../../lib/subscriptions/timeline/transitions.ts';
import { at, exampleCatalog } from '../../support/subscriptions/example.ts';
import { choice, dated, event } from '../../support/subscriptions/lifecycle.ts';
import { expect, formatLocalDate, UTC } from '../../support/unit.ts';

// An add-on started on 2023-08-05 in a bundle started on 08-01, changed on 08-15 to a plan TRIAL 30 DAYS + EVERGREEN.
const effective = dated('2023-08-15');
const origins = { alignStart: dated('2023-08-05'), bundleStart: dated('2023-08-01') };
const { plan } = exampleCatalog.resolvePlan('archive-monthly', at('2023-08-15'), at('2023-08-15'));
const own = transitionsOf([choice('CREATE', '2023-08-05', 'backup-monthly-trial')], exampleCatalog);

/** Returns `TRIAL, then 2023-08-31`, or only the phase if no PHASE follows. */
function phasesBy(
  alignment: PlanAlignmentChange,
  more: { priceListName?: string; phaseType?: PhaseType; transitions?: typeof own } = {},
): string {
  const { priceListName = 'DEFAULT', phaseType = null, transitions = own } = more;
  const origin = changeOrigin({ alignment, origins, transitions, effective, plan, priceListName, phaseType });
  const timeline = phaseTimeline({ plan, ...origin, zone: UTC });
  const current = currentPhase(timeline, effective.at);
  const next = nextPhase(timeline, effective.at);
  const phase = current?.phase.type ?? 'none';
  return next === undefined ? phase : `${phase}, then ${formatLocalDate(next.start.date)}`;
}

describe('phases after a plan change (subscriptions W6 "Change alignment")', () => {
  it('count from the bundle start with START_OF_BUNDLE', () =>
    expect(phasesBy('START_OF_BUNDLE')).to.equal('TRIAL, then 2023-08-31'));

  it('count from the subscription start with START_OF_SUBSCRIPTION', () =>
    expect(phasesBy('START_OF_SUBSCRIPTION')).to.equal('TRIAL, then 2023-09-04'));

  it('count from the change with CHANGE_OF_PLAN', () => {
    expect(phasesBy('CHANGE_OF_PLAN')).to.equal('TRIAL, then 2023-09-14');
    expect(phasesBy('CHANGE_OF_PLAN', { phaseType: 'EVERGREEN' })).to.equal('EVERGREEN');
  });

  it('count from the change of price list with CHANGE_OF_PRICELIST', () => {
    expect(phasesBy('CHANGE_OF_PRICELIST', { priceListName: 'club' })).to.equal('TRIAL, then 2023-09-14');
    expect(phasesBy('CHANGE_OF_PRICELIST')).to.equal('TRIAL, then 2023-09-04');
  });

  it('count from the first of several consecutive choices of the same price list with CHANGE_OF_PRICELIST', () => {
    const moved = (...lists: readonly string[]) =>
      transitionsOf(
        lists.map((priceListName, index) =>
          choice(index === 0 ? 'CREATE' : 'CHANGE', `2023-08-0${5 + index}`, {
            phaseName: 'backup-monthly-trial',
            priceListName,
          }),
        ),
        exampleCatalog,
      );
    const by = (...lists: readonly string[]) =>
      phasesBy('CHANGE_OF_PRICELIST', { transitions: moved(...lists) });
    expect(by('DEFAULT', 'club', 'DEFAULT', 'DEFAULT')).to.equal('TRIAL, then 2023-09-06');
    expect(by('DEFAULT', 'DEFAULT', 'DEFAULT')).to.equal('TRIAL, then 2023-09-04');
    expect(by('DEFAULT', 'club')).to.equal('TRIAL, then 2023-09-14');
    const pending = [...moved('DEFAULT'), ...moved('DEFAULT')];
    expect(phasesBy('CHANGE_OF_PRICELIST', { transitions: pending })).to.equal('TRIAL, then 2023-09-04');
  });

  it('start with the original phase of the subscription if the new plan contains that phase', () => {
    const evergreen = transitionsOf(
      [choice('CREATE', '2023-08-05', 'support-monthly-evergreen')],
      exampleCatalog,
    );
    expect(phasesBy('START_OF_BUNDLE', { transitions: evergreen })).to.equal('EVERGREEN');
    const term = transitionsOf([choice('CREATE', '2023-08-05', 'support-6m-fixedterm')], exampleCatalog);
    expect(phasesBy('START_OF_BUNDLE', { transitions: term })).to.equal('TRIAL, then 2023-08-31');
    const later = transitionsOf(
      [
        choice('CREATE', '2023-08-05', 'backup-monthly-trial'),
        event('PHASE', '2023-08-10', { phaseName: 'backup-monthly-evergreen' }),
      ],
      exampleCatalog,
    );
    expect(phasesBy('START_OF_SUBSCRIPTION', { transitions: later })).to.equal('TRIAL, then 2023-09-04');
  });
});
