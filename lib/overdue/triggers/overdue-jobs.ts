import { hasEffect, systemDefinition, TagEffect } from '../../control-tags/index.ts';
import {
  BusEventType,
  type EventPayload,
  type NewBusEvent,
  type NewNotification,
  ObjectType,
  QueueName,
} from '../../records/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { formatInstant, type Instant, parseWireInstant } from '../../values/time/index.ts';
import { enterableStates, type OverdueConfig } from '../config/overdue-config.ts';

/**
 * The action of a job. CHECK is scheduled, REFRESH follows a change, and CLEAR follows an exemption of the account
 * (§7).
 */
export const OverdueAction = { CHECK: 'CHECK', REFRESH: 'REFRESH', CLEAR: 'CLEAR' } as const;
export type OverdueAction = (typeof OverdueAction)[keyof typeof OverdueAction];

export interface OverdueJob {
  readonly action: OverdueAction;
  /**
   * The instant for which a check was scheduled (§5.3 rule 1), or the instant of the event, even if the job runs later.
   */
  readonly asked: Instant;
  /** True if the paying parent and the paid children must be evaluated next (§8 rule 1). */
  readonly spreads: boolean;
  /** The account of the entry that caused the job, if it differs from the account of the job. */
  readonly causedBy: number | null;
}

export interface OverdueWakeUp extends OverdueJob {
  readonly accountRecordId: number;
  /** Time at which the job is due. Defaults to `asked`. */
  readonly due?: Instant;
}

/** Returns the unique key of an account's check. An account has at most one check in the queue. */
export function checkKey(accountRecordId: number): string {
  return `overdue-check:${accountRecordId}`;
}

/**
 * Returns the key of a REFRESH or CLEAR job. Each account has at most one live entry of each kind, and later requests
 * join the live entry. Callers hold the account's lock, so a running entry has not read the account yet. Entries for
 * parents and children are inserted without the lock and have their own keys.
 */
function keyOf({ action, accountRecordId, causedBy }: OverdueWakeUp) {
  switch (action) {
    case OverdueAction.CHECK:
      return checkKey(accountRecordId);
    case OverdueAction.CLEAR:
      return `overdue-clear:${accountRecordId}`;
    case OverdueAction.REFRESH:
      return `overdue-refresh:${accountRecordId}${causedBy === null ? '' : `:${causedBy}`}`;
  }
}

export function overdueNotification(wakeUp: OverdueWakeUp): NewNotification {
  const { action, asked, spreads, causedBy, accountRecordId, due } = wakeUp;
  return {
    queueName: action === OverdueAction.CHECK ? QueueName.OVERDUE_CHECK : QueueName.OVERDUE_REFRESH,
    accountRecordId,
    effectiveDate: due ?? asked,
    payload: { action, asked: formatInstant(asked), spreads, causedBy },
    uniqueKey: keyOf(wakeUp),
  };
}

export function scheduledCheck(accountRecordId: number, at: Instant): OverdueWakeUp {
  return { accountRecordId, action: OverdueAction.CHECK, asked: at, spreads: false, causedBy: null };
}

/** Parses a job. @throws InvariantError if the payload is not an overdue job. */
export function readOverdueJob(payload: EventPayload): OverdueJob {
  const { action, asked, spreads, causedBy } = payload;
  const at = typeof asked === 'string' ? parseWireInstant(asked) : undefined;
  if (!isOneOf(OverdueAction, action) || at === undefined)
    throw new InvariantError('An entry of overdue must name an action and an instant', { payload });
  return {
    action,
    asked: at,
    spreads: spreads === true,
    causedBy: typeof causedBy === 'number' ? causedBy : null,
  };
}

function isOneOf<T extends string>(all: Readonly<Record<string, T>>, value: unknown): value is T {
  return Object.values(all).some((each) => each === value);
}

/** Events that cause an evaluation of the account, regardless of their content (§7). */
const changesOfDebt: ReadonlySet<BusEventType> = new Set<BusEventType>([
  BusEventType.INVOICE_PAYMENT_SUCCESS,
  BusEventType.INVOICE_PAYMENT_FAILED,
  BusEventType.INVOICE_CREATION,
  // This event is also published for voided and written-off invoices (invoicing §16).
  BusEventType.INVOICE_ADJUSTMENT,
]);

/**
 * Returns the jobs for the events of a transaction (§7). There is at most one job per account and action, and CLEAR
 * jobs come first. Returns an empty list if the configuration has no state that can be entered.
 */
export function jobsOfEvents(
  events: readonly NewBusEvent[],
  config: OverdueConfig,
  now: Instant,
): readonly OverdueWakeUp[] {
  const states = enterableStates(config);
  if (states.length === 0) return [];
  const tags = new Set(
    states.flatMap(({ condition: { tagCarried, tagMissing } }) => [tagCarried, tagMissing]),
  );
  const clears = new Set<number>();
  const refreshes = new Set<number>();
  for (const event of events) {
    const action = event.accountRecordId === null ? null : actionAfter(event, tags);
    if (action === null) continue;
    (action === OverdueAction.CLEAR ? clears : refreshes).add(event.accountRecordId ?? 0);
  }
  const wakeUps = (action: OverdueAction, of: ReadonlySet<number>): readonly OverdueWakeUp[] => {
    const ids = [...of].sort((one, other) => one - other);
    return ids.map((accountRecordId) => ({
      accountRecordId,
      action,
      asked: now,
      spreads: true,
      causedBy: null,
    }));
  };
  return [...wakeUps(OverdueAction.CLEAR, clears), ...wakeUps(OverdueAction.REFRESH, refreshes)];
}

function actionAfter({ type, payload }: NewBusEvent, tags: ReadonlySet<string | null>) {
  if (changesOfDebt.has(type)) return OverdueAction.REFRESH;
  if (type === BusEventType.ACCOUNT_CREATION || type === BusEventType.ACCOUNT_CHANGE)
    return payload.changesPayer === true ? OverdueAction.REFRESH : null;
  const isNew = type === BusEventType.TAG_CREATION;
  if ((!isNew && type !== BusEventType.TAG_DELETION) || payload.objectType !== ObjectType.ACCOUNT)
    return null;
  if (exempts(payload)) return isNew ? OverdueAction.CLEAR : OverdueAction.REFRESH;
  const name = systemDefinition(payload.tagDefinitionId as Uuid)?.name;
  return name !== undefined && tags.has(name) ? OverdueAction.REFRESH : null;
}

/** Returns true if the event adds OVERDUE_ENFORCEMENT_OFF to an account. */
export function isNewExemption({ type, payload }: NewBusEvent): boolean {
  const isOfAccount = payload.objectType === ObjectType.ACCOUNT;
  return type === BusEventType.TAG_CREATION && isOfAccount && exempts(payload);
}

function exempts({ tagDefinitionId }: EventPayload) {
  return hasEffect(tagDefinitionId, TagEffect.EXEMPTS_FROM_OVERDUE);
}
