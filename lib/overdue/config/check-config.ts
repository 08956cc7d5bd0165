import { MAX_BLOCKING_STATE_NAME_CHARACTERS } from '../../values/limits.ts';
import { shortened } from '../../values/text/index.ts';
import { type Duration, TimeUnit } from '../../values/time/index.ts';
import type { Findings } from './findings.ts';
import { CLEAR_STATE_NAME } from './overdue-config.ts';
import type { ReadState } from './read-state.ts';

/** The rules on the names of states, whatever the form (§1.3 rule 1). */
export function checkStates(states: readonly ReadState[], findings: Findings): void {
  const known = new Set<string>();
  for (const [index, { state, nameAt }] of states.entries()) {
    if (nameAt === null) continue;
    const subject = state.name === '' ? `State ${index + 1}` : `State "${shortened(state.name)}"`;
    findings.about(subject, () => checkName(state.name, nameAt));
  }

  function checkName(name: string, at: number): void {
    if (name === '') findings.add(at, 'its name is empty');
    if (name.length > MAX_BLOCKING_STATE_NAME_CHARACTERS)
      findings.add(
        at,
        `its name has ${name.length} characters; at most ${MAX_BLOCKING_STATE_NAME_CHARACTERS} are accepted`,
      );
    if (name === CLEAR_STATE_NAME) findings.add(at, 'its name is that of the clear state');
    if (known.has(name)) findings.add(at, 'another state has the same name');
    if (name !== '') known.add(name);
  }
}

/** Of JSON only: each threshold is smaller than that of the more severe states (§1.3 rule 4). */
export function checkThresholds(states: readonly ReadState[], findings: Findings): void {
  let before: { readonly name: string; readonly days: number } | undefined;
  for (const { state, timeAt } of states) {
    const time = state.condition?.unpaidFor ?? null;
    if (state.isClearState || time === null || timeAt === null) continue;
    const days = daysOf(time);
    if (before !== undefined && days >= before.days) {
      findings.add(
        timeAt,
        `State "${shortened(state.name)}": its time has to be less than that of the more severe state "${shortened(before.name)}"`,
      );
    }
    before = { name: state.name, days };
  }
}

/** For comparisons: months as 30 days and years as 365 (§1.3 rule 4). */
export function daysOf({ unit, number }: Duration): number {
  switch (unit) {
    case TimeUnit.DAYS:
      return number;
    case TimeUnit.WEEKS:
      return number * 7;
    case TimeUnit.MONTHS:
      return number * 30;
    case TimeUnit.YEARS:
      return number * 365;
    case TimeUnit.UNLIMITED:
      return Number.POSITIVE_INFINITY;
  }
}
