import {
  accountBalances,
  invoiceBalances,
  noResidue,
  oneUnresolvedAttempt,
  refundsWithinCaptured,
} from './amounts.ts';
import { derivableState, foreseenRuns, repeatable } from './answers.ts';
import { coveredOnce } from './coverage.ts';
import { creditNotesTellAll } from './credit-notes.ts';
import type { Invariant } from './invariant.ts';
import {
  auditedChanges,
  committedForGood,
  futureIsQueued,
  noCrossing,
  oneEventPerChange,
  oneOutcome,
} from './record-keeping.ts';
import { fixedOnce, splitsLeaveEnds } from './splits.ts';

export const invariants: readonly Invariant[] = [
  invoiceBalances,
  accountBalances,
  coveredOnce,
  fixedOnce,
  splitsLeaveEnds,
  committedForGood,
  creditNotesTellAll,
  refundsWithinCaptured,
  oneUnresolvedAttempt,
  oneEventPerChange,
  auditedChanges,
  noCrossing,
  derivableState,
  foreseenRuns,
  repeatable,
  noResidue,
  futureIsQueued,
  oneOutcome,
];
