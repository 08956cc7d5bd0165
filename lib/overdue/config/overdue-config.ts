import { systemDefinitions } from '../../control-tags/index.ts';
import type { PaymentResponse } from '../../records/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Duration } from '../../values/time/index.ts';

/** Name of the state of an account that is not overdue; it always exists and is never configured (§2.1). */
export const CLEAR_STATE_NAME = '__KILLBILL__CLEAR__OVERDUE_STATE__';

/** What becomes of the subscriptions of an account that enters a state (§5.1 step 6). */
export const CancellationPolicy = {
  NONE: 'NONE',
  IMMEDIATE: 'IMMEDIATE',
  END_OF_TERM: 'END_OF_TERM',
} as const;
export type CancellationPolicy = (typeof CancellationPolicy)[keyof typeof CancellationPolicy];

/** The control tags that a condition may name (§1.1 rule 4). */
export const controlTagNames: readonly string[] = systemDefinitions
  .filter(({ isControlTag }) => isControlTag)
  .map(({ name }) => name);

/** All criteria that are given must hold; one without any never holds (§1.1 rule 1). Null: not given. */
export interface OverdueCondition {
  /** Since the anchor; UNLIMITED never holds (§1.1 rule 2). */
  readonly unpaidFor: Duration | null;
  readonly unpaidCount: number | null;
  readonly unpaidTotal: Decimal | null;
  readonly responses: readonly PaymentResponse[] | null;
  /** Name of a control tag that the account must carry. */
  readonly tagCarried: string | null;
  /** Name of a control tag that the account must not carry. */
  readonly tagMissing: string | null;
}

/** A state that an account may be in, by configuration (§1.1). */
export interface OverdueState {
  readonly name: string;
  /** Such states are never entered (§2.1). */
  readonly isClearState: boolean;
  /** Null: never entered by evaluation. */
  readonly condition: OverdueCondition | null;
  readonly externalMessage: string;
  readonly blockChanges: boolean;
  readonly disableEntitlement: boolean;
  readonly cancellationPolicy: CancellationPolicy;
  /** Null: none. */
  readonly reevaluationInterval: Duration | null;
}

/** A tenant's dunning: states from the most to the least severe. */
export interface OverdueConfig {
  readonly initialReevaluationInterval: Duration | null;
  readonly states: readonly OverdueState[];
}

/** That of tenants without one: nothing is ever evaluated (§1.2 rule 1). */
export const defaultOverdueConfig: OverdueConfig = {
  initialReevaluationInterval: null,
  states: [
    {
      name: 'Clear',
      isClearState: true,
      condition: null,
      externalMessage: '',
      blockChanges: false,
      disableEntitlement: false,
      cancellationPolicy: CancellationPolicy.NONE,
      reevaluationInterval: null,
    },
  ],
};

/** A state that an evaluation can come to. */
export interface EnterableState extends OverdueState {
  readonly condition: OverdueCondition;
}

/** Those of the configuration, from the most severe on. */
export function enterableStates({ states }: OverdueConfig): readonly EnterableState[] {
  return states.filter(isEnterable);
}

function isEnterable(state: OverdueState): state is EnterableState {
  return !state.isClearState && state.condition !== null;
}
