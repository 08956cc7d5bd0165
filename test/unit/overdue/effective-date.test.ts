import { expect } from 'chai';
import { type EffectiveInput, effectiveOf } from '../../../lib/overdue/index.ts';
import {
  type DatedInstant,
  formatInstant,
  formatLocalDate,
  type Instant,
  instant,
  localDateOf,
  parseLocalDate,
  parseWireInstant,
  timeZone,
  UTC,
} from '../../../lib/values/time/index.ts';
import { condition, duration, state, stateAt } from '../../support/overdue/states.ts';

const at = (text: string): Instant => parseWireInstant(text) ?? instant(0);
const reference = at('2012-05-01T00:03:42Z');
const utc = { timeZone: UTC, referenceTime: reference };

/** Instant and date from which on the state is in effect. */
function effective(members: Partial<EffectiveInput> & Pick<EffectiveInput, 'asked' | 'now'>): string {
  const found = effectiveOf({ next: null, anchor: null, account: utc, prevEffective: null, ...members });
  return `${formatInstant(found.at)} ${formatLocalDate(found.date)}`;
}

const dated = (text: string): DatedInstant => ({ at: at(text), date: localDateOf(at(text), UTC) });
const anchor = parseLocalDate('2012-05-31');

describe('Effective date of an overdue state', () => {
  it('overdue §5.3 rule 1: a refresh counts from its event on', () => {
    expect(effective({ asked: at('2012-06-06T10:00:00Z'), now: at('2012-06-06T10:00:05Z') })).to.equal(
      '2012-06-06T10:00:00.000Z 2012-06-06',
    );
  });

  it('overdue §5.3 rule 1: a check counts from when it was scheduled, even when it runs later', () => {
    const members = { next: stateAt(5, 'WARNING'), anchor, now: at('2012-06-05T18:00:00Z') };
    expect(effective({ asked: at('2012-06-05T00:03:42Z'), ...members })).to.equal(
      '2012-06-05T00:03:42.000Z 2012-06-05',
    );
  });

  it('overdue §5.3 rule 1: a late check that ends in clear counts from when it was scheduled', () => {
    expect(
      effective({ asked: at('2012-06-05T00:03:42Z'), anchor, now: at('2012-06-08T12:00:00Z') }),
    ).to.equal('2012-06-05T00:03:42.000Z 2012-06-05');
  });

  it('overdue §5.3 rule 2, §12 example 13: a late check begins a state when its time was reached, at the reference time', () => {
    expect(
      effective({
        asked: at('2012-06-05T00:03:42Z'),
        now: at('2012-06-08T12:00:00Z'),
        next: stateAt(7, 'BLOCKED'),
        anchor,
      }),
    ).to.equal('2012-06-07T00:03:42.000Z 2012-06-07');
  });

  it('overdue §5.3 rule 2: so does a late refresh', () => {
    expect(
      effective({
        asked: at('2012-05-31T06:00:00Z'),
        now: at('2012-06-08T12:00:00Z'),
        next: stateAt(7, 'BLOCKED'),
        anchor,
      }),
    ).to.equal('2012-06-07T00:03:42.000Z 2012-06-07');
  });

  it('overdue §5.3 rule 2: a time that was reached before the check was due does not date it back', () => {
    expect(
      effective({
        asked: at('2012-06-09T00:03:42Z'),
        now: at('2012-06-10T12:00:00Z'),
        next: stateAt(7, 'BLOCKED'),
        anchor,
      }),
    ).to.equal('2012-06-09T00:03:42.000Z 2012-06-09');
  });

  it('overdue §5.3 rule 2: a state without a time criterion counts from when it was asked for', () => {
    const next = state('MANY', { condition: condition({ unpaidCount: 2 }) });
    expect(
      effective({ asked: at('2012-06-05T00:03:42Z'), now: at('2012-06-08T12:00:00Z'), next, anchor }),
    ).to.equal('2012-06-05T00:03:42.000Z 2012-06-05');
  });

  it('overdue §5.3 rule 2: the threshold is a day of the account’s calendar', () => {
    const account = { timeZone: timeZone('America/Los_Angeles'), referenceTime: at('2024-01-15T18:30:00Z') };
    expect(
      effective({
        asked: at('2024-03-08T18:30:00Z'),
        now: at('2024-03-20T00:00:00Z'),
        next: state('S', { condition: condition({ unpaidFor: duration('1 WEEKS') }) }),
        anchor: parseLocalDate('2024-03-05'),
        account,
      }),
    ).to.equal('2024-03-12T17:30:00.000Z 2024-03-12');
  });

  it('overdue §5.3 rule 3: never in the future, when the time of day of the threshold is still to come', () => {
    const account = { timeZone: UTC, referenceTime: at('2012-05-01T20:00:00Z') };
    expect(
      effective({
        asked: at('2012-06-05T20:00:00Z'),
        now: at('2012-06-07T12:00:00Z'),
        next: stateAt(7, 'BLOCKED'),
        anchor,
        account,
      }),
    ).to.equal('2012-06-07T12:00:00.000Z 2012-06-07');
  });

  it('overdue §5.3 rule 3: nor is what was asked for by a clock that ran ahead', () => {
    expect(effective({ asked: at('2012-06-06T10:00:09Z'), now: at('2012-06-06T09:59:58Z') })).to.equal(
      '2012-06-06T09:59:58.000Z 2012-06-06',
    );
  });

  it('overdue §5.3 rule 3: never before the state that it follows', () => {
    const prevEffective = dated('2012-06-07T00:03:42Z');
    expect(
      effective({ asked: at('2012-06-05T00:03:42Z'), now: at('2012-06-08T12:00:00Z'), prevEffective }),
    ).to.equal('2012-06-07T00:03:42.000Z 2012-06-07');
    expect(
      effective({ asked: at('2012-06-07T00:03:43Z'), now: at('2012-06-08T12:00:00Z'), prevEffective }),
    ).to.equal('2012-06-07T00:03:43.000Z 2012-06-07');
  });

  it('subscriptions §2 rule 8: nor on a date before that of the state that it follows', () => {
    const prevEffective = { at: at('2012-06-06T09:00:00Z'), date: parseLocalDate('2012-06-07') };
    expect(
      effective({ asked: at('2012-06-06T10:00:00Z'), now: at('2012-06-06T10:00:00Z'), prevEffective }),
    ).to.equal('2012-06-06T10:00:00.000Z 2012-06-07');
  });

  it('subscriptions §2 rule 5: it is a whole second', () => {
    expect(
      effective({ asked: at('2012-06-06T10:00:00.999Z'), now: at('2012-06-06T10:00:01.500Z') }),
    ).to.equal('2012-06-06T10:00:00.000Z 2012-06-06');
  });
});
