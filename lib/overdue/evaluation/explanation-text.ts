import { formatLocalDate, type LocalDate } from '../../values/time/index.ts';
import { CLEAR_STATE_NAME } from '../config/overdue-config.ts';
import type { StateReasons } from './reasons.ts';

export interface ExplainedState {
  /** Name of the state that the account is in. */
  readonly state: string;
  /** Local date from which on it is in that state; null: it never was in another. */
  readonly since: LocalDate | null;
  /** Name of the state whose condition is the first to hold; null: none. */
  readonly matched: string | null;
  readonly exempt: 'SELF' | 'PARENT' | null;
  readonly isPaidByParent: boolean;
  readonly reasons: readonly StateReasons[];
  /** Local date of the pending check. */
  readonly nextCheck: LocalDate | null;
}

/** The state of an account in a few sentences, for people. */
export function explanationText(explained: ExplainedState): string {
  const { matched, exempt, isPaidByParent, reasons, nextCheck } = explained;
  const sentences = [stateSentence(explained)];
  if (exempt !== null) {
    const whose = exempt === 'SELF' ? 'it carries' : 'the parent that pays for it carries';
    sentences.push(`Nothing else becomes of it, since ${whose} the tag OVERDUE_ENFORCEMENT_OFF.`);
  }
  if (reasons.length === 0) sentences.push('The configuration has no state that an account can come to.');
  if (isPaidByParent && reasons.length > 0)
    sentences.push('What counts is what the parent that pays for it owes.');
  sentences.push(...reasonsUpTo(matched, reasons));
  if (exempt === null && (matched ?? CLEAR_STATE_NAME) !== explained.state && reasons.length > 0) {
    sentences.push(`So it comes to ${shown(matched)} when it is looked at next.`);
    if (nextCheck === null) sentences.push('No check is planned; it is looked at when something changes.');
  }
  if (nextCheck !== null) sentences.push(`It is looked at again on ${formatLocalDate(nextCheck)}.`);
  return sentences.join(' ');
}

function stateSentence({ state, since }: ExplainedState): string {
  const from = since === null ? '' : ` since ${formatLocalDate(since)}`;
  return state === CLEAR_STATE_NAME
    ? `The account is not overdue${from}.`
    : `The account is in ${state}${from}.`;
}

/** The first that holds is what counts; those before it say why not more. */
function reasonsUpTo(matched: string | null, reasons: readonly StateReasons[]): readonly string[] {
  const last = reasons.findIndex(({ state }) => state === matched);
  return (last < 0 ? reasons : reasons.slice(0, last + 1)).map(({ text }) => text);
}

function shown(state: string | null): string {
  return state ?? 'no state';
}
