import { systemDefinitions } from '../../control-tags/index.ts';
import type { PaymentResponse } from '../../records/index.ts';
import { writeXml, type XmlNode } from '../../values/documents/index.ts';
import { type Decimal, formatDecimal } from '../../values/money/index.ts';
import type { Duration } from '../../values/time/index.ts';
import { INT_MAX } from './config-values.ts';

/** The state of an account that is not overdue. Configurations never contain this state (§2.1). */
export const CLEAR_STATE_NAME = '__KILLBILL__CLEAR__OVERDUE_STATE__';

/** Policy that specifies how subscriptions are canceled when an account enters a state (§5.1 step 6). */
export const CancellationPolicy = {
  NONE: 'NONE',
  IMMEDIATE: 'IMMEDIATE',
  END_OF_TERM: 'END_OF_TERM',
} as const;
export type CancellationPolicy = (typeof CancellationPolicy)[keyof typeof CancellationPolicy];

/** The control tags allowed in conditions (§1.1 rule 4). */
export const controlTagNames: readonly string[] = systemDefinitions
  .filter(({ isControlTag }) => isControlTag)
  .map(({ name }) => name);

/**
 * A condition is met if all of its criteria are met. Null means that a criterion is not set. A condition without
 * criteria is never met (§1.1 rule 1).
 */
export interface OverdueCondition {
  /** Required age of the oldest unpaid invoice. UNLIMITED is never reached (§1.1 rule 2). */
  readonly unpaidFor: Duration | null;
  readonly unpaidCount: number | null;
  readonly unpaidTotal: Decimal | null;
  readonly responses: readonly PaymentResponse[] | null;
  readonly tagCarried: string | null;
  readonly tagMissing: string | null;
}

export interface OverdueState {
  readonly name: string;
  /** If true, the state is never entered (§2.1). */
  readonly isClearState: boolean;
  /** Condition of the state. If null, no evaluation results in this state. */
  readonly condition: OverdueCondition | null;
  readonly externalMessage: string;
  readonly blockChanges: boolean;
  readonly disableEntitlement: boolean;
  readonly cancellationPolicy: CancellationPolicy;
  readonly reevaluationInterval: Duration | null;
}

/** An overdue configuration. Its states are ordered from the most to the least severe. */
export interface OverdueConfig {
  readonly initialReevaluationInterval: Duration | null;
  readonly states: readonly OverdueState[];
}

/** The default configuration. It contains no states, so no account becomes overdue (§1.2 rule 1). */
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

export interface EnterableState extends OverdueState {
  readonly condition: OverdueCondition;
}

export function enterableStates({ states }: OverdueConfig): readonly EnterableState[] {
  return states.filter(isEnterable);
}

function isEnterable(state: OverdueState): state is EnterableState {
  return !state.isClearState && state.condition !== null;
}

/** Converts a JSON configuration to XML (§1.2 rule 3). */
export function writeOverdueXml({ initialReevaluationInterval, states }: OverdueConfig): string {
  const initial = durationNode('initialReevaluationInterval', initialReevaluationInterval);
  const content = [...initial, ...states.map(stateNode)];
  return writeXml({ name: 'overdueConfig', content: [{ name: 'accountOverdueStates', content }] });
}

function stateNode(state: OverdueState) {
  const content: XmlNode[] = [];
  if (state.condition !== null) content.push({ name: 'condition', content: criteria(state.condition) });
  if (state.isClearState) content.push({ name: 'isClearState', content: 'true' });
  if (state.externalMessage !== '') content.push({ name: 'externalMessage', content: state.externalMessage });
  if (state.blockChanges) content.push({ name: 'blockChanges', content: 'true' });
  if (state.disableEntitlement)
    content.push({ name: 'disableEntitlementAndChangesBlocked', content: 'true' });
  if (state.cancellationPolicy !== 'NONE')
    content.push({ name: 'subscriptionCancellationPolicy', content: state.cancellationPolicy });
  content.push(...durationNode('autoReevaluationInterval', state.reevaluationInterval));
  return { name: 'state', attributes: { name: state.name }, content };
}

function criteria(condition: OverdueCondition) {
  const { unpaidFor, unpaidCount, unpaidTotal, responses, tagCarried, tagMissing } = condition;
  const leaves = Object.entries({
    numberOfUnpaidInvoicesEqualsOrExceeds: unpaidCount?.toString(),
    totalUnpaidInvoiceBalanceEqualsOrExceeds: unpaidTotal === null ? undefined : formatDecimal(unpaidTotal),
    controlTagInclusion: tagCarried,
    controlTagExclusion: tagMissing,
  }).flatMap(([name, content]) => (content === null || content === undefined ? [] : { name, content }));
  const listed = responses?.map((content) => ({ name: 'response', content }));
  return [
    ...durationNode('timeSinceEarliestUnpaidInvoiceEqualsOrExceeds', unpaidFor),
    ...leaves,
    ...(listed === undefined ? [] : [{ name: 'responseForLastFailedPaymentIn', content: listed }]),
  ];
}

function durationNode(name: string, duration: Duration | null) {
  if (duration === null) return [];
  const content = [
    { name: 'unit', content: duration.unit },
    { name: 'number', content: String(duration.number) },
  ];
  return [{ name, content }];
}

/** The JSON form of a configuration (§1.4). */
export interface OverdueDefinition {
  readonly initialReevaluationInterval: number | null;
  readonly overdueStates: readonly OverdueStateDefinition[];
}

export interface OverdueStateDefinition {
  readonly name: string;
  readonly isClearState: boolean;
  readonly condition: OverdueConditionDefinition | null;
  readonly externalMessage: string;
  readonly isBlockChanges: boolean;
  readonly isDisableEntitlement: boolean;
  readonly subscriptionCancellationPolicy: CancellationPolicy;
  readonly autoReevaluationIntervalDays: number | null;
}

export interface OverdueConditionDefinition {
  readonly timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: Duration | null;
  readonly controlTagInclusion: string | null;
  readonly controlTagExclusion: string | null;
  readonly numberOfUnpaidInvoicesEqualsOrExceeds: number | null;
  readonly responseForLastFailedPayment: readonly string[] | null;
  readonly totalUnpaidInvoiceBalanceEqualsOrExceeds: Decimal | null;
}

export function overdueDefinition({ initialReevaluationInterval, states }: OverdueConfig): OverdueDefinition {
  return {
    initialReevaluationInterval: wholeDays(initialReevaluationInterval),
    overdueStates: states.map((state) => ({
      name: state.name,
      isClearState: state.isClearState,
      condition: state.condition === null ? null : conditionDefinition(state.condition),
      externalMessage: state.externalMessage,
      isBlockChanges: state.blockChanges,
      isDisableEntitlement: state.disableEntitlement,
      subscriptionCancellationPolicy: state.cancellationPolicy,
      autoReevaluationIntervalDays: wholeDays(state.reevaluationInterval),
    })),
  };
}

function conditionDefinition(condition: OverdueCondition) {
  return {
    timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: condition.unpaidFor,
    controlTagInclusion: condition.tagCarried,
    controlTagExclusion: condition.tagMissing,
    numberOfUnpaidInvoicesEqualsOrExceeds: condition.unpaidCount,
    responseForLastFailedPayment: condition.responses,
    totalUnpaidInvoiceBalanceEqualsOrExceeds: condition.unpaidTotal,
  };
}

/**
 * Returns the number of days in an interval. Returns null if there is no interval, or if it is not a fixed number of
 * days that fits into 32 bits (§10).
 */
export function wholeDays(interval: Duration | null): number | null {
  if (interval?.unit === 'DAYS') return interval.number;
  const days = interval?.unit === 'WEEKS' ? interval.number * 7 : null;
  return days === null || days > INT_MAX ? null : days;
}
