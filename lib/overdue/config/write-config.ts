import { writeXml, type XmlNode } from '../../values/documents/index.ts';
import { type Decimal, formatDecimal } from '../../values/money/index.ts';
import { type Duration, TimeUnit } from '../../values/time/index.ts';
import {
  CancellationPolicy,
  type OverdueCondition,
  type OverdueConfig,
  type OverdueState,
} from './overdue-config.ts';
import { INT_MAX } from './written.ts';

/** The XML of a configuration that was given as JSON (§1.2 rule 3). */
export function writeOverdueXml({ initialReevaluationInterval, states }: OverdueConfig): string {
  const initial = durationNode('initialReevaluationInterval', initialReevaluationInterval);
  const content = [...initial, ...states.map(stateNode)];
  return writeXml({ name: 'overdueConfig', content: [{ name: 'accountOverdueStates', content }] });
}

function stateNode(state: OverdueState): XmlNode {
  const content: XmlNode[] = [];
  if (state.condition !== null) content.push({ name: 'condition', content: criteria(state.condition) });
  if (state.isClearState) content.push({ name: 'isClearState', content: 'true' });
  if (state.externalMessage !== '') content.push({ name: 'externalMessage', content: state.externalMessage });
  if (state.blockChanges) content.push({ name: 'blockChanges', content: 'true' });
  if (state.disableEntitlement)
    content.push({ name: 'disableEntitlementAndChangesBlocked', content: 'true' });
  if (state.cancellationPolicy !== CancellationPolicy.NONE)
    content.push({ name: 'subscriptionCancellationPolicy', content: state.cancellationPolicy });
  content.push(...durationNode('autoReevaluationInterval', state.reevaluationInterval));
  return { name: 'state', attributes: { name: state.name }, content };
}

function criteria(condition: OverdueCondition): readonly XmlNode[] {
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

function durationNode(name: string, duration: Duration | null): readonly XmlNode[] {
  if (duration === null) return [];
  const content = [
    { name: 'unit', content: duration.unit },
    { name: 'number', content: String(duration.number) },
  ];
  return [{ name, content }];
}

/** A configuration as hosts and JSON see it (§1.4). */
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

function conditionDefinition(condition: OverdueCondition): OverdueConditionDefinition {
  return {
    timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: condition.unpaidFor,
    controlTagInclusion: condition.tagCarried,
    controlTagExclusion: condition.tagMissing,
    numberOfUnpaidInvoicesEqualsOrExceeds: condition.unpaidCount,
    responseForLastFailedPayment: condition.responses,
    totalUnpaidInvoiceBalanceEqualsOrExceeds: condition.unpaidTotal,
  };
}

/** An interval in days; null where there is none, or it has no number of days that is fixed and has 32 bits (§10). */
export function wholeDays(interval: Duration | null): number | null {
  if (interval?.unit === TimeUnit.DAYS) return interval.number;
  const days = interval?.unit === TimeUnit.WEEKS ? interval.number * 7 : null;
  return days === null || days > INT_MAX ? null : days;
}
