import { type Duration, TimeUnit } from '../../values/time/index.ts';
import { daysOf } from './check-config.ts';
import type { OverdueConfig, OverdueState } from './overdue-config.ts';

/**
 * What JSON leaves open (§1.3 rule 5): a state is looked at again when the threshold of the more severe one before it is
 * reached, a clear account when that of the last state is.
 */
export function withJsonDefaults(config: OverdueConfig): OverdueConfig {
  let severer: Duration | null = null;
  const states: OverdueState[] = [];
  for (const state of config.states) {
    const time = state.isClearState ? null : (state.condition?.unpaidFor ?? null);
    const interval = state.reevaluationInterval ?? (time && severer && between(time, severer));
    states.push({
      ...state,
      reevaluationInterval: state.isClearState ? state.reevaluationInterval : interval,
    });
    severer = time ?? severer;
  }
  return { initialReevaluationInterval: config.initialReevaluationInterval ?? finite(severer), states };
}

function between(time: Duration, severer: Duration): Duration | null {
  const number = daysOf(severer) - daysOf(time);
  return finite({ unit: TimeUnit.DAYS, number });
}

function finite(duration: Duration | null): Duration | null {
  return duration !== null && Number.isFinite(daysOf(duration)) ? duration : null;
}
