import { hasEffect, systemDefinition, TagEffect } from '../../control-tags/index.ts';
import { BusEventType, type EventPayload, type NewBusEvent, ObjectType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { enterableStates, type OverdueConfig } from '../config/overdue-config.ts';
import { OverdueAction, type OverdueWakeUp } from './overdue-jobs.ts';

/** After these the account is looked at anew, whatever they say (§7). */
const changesOfDebt: ReadonlySet<BusEventType> = new Set<BusEventType>([
  BusEventType.INVOICE_PAYMENT_SUCCESS,
  BusEventType.INVOICE_PAYMENT_FAILED,
  BusEventType.INVOICE_CREATION,
  // Also of invoices that are voided or written off (invoicing §16).
  BusEventType.INVOICE_ADJUSTMENT,
]);

/**
 * What the events of a transaction ask of overdue (§7), one wake-up for each account and action, clears first; nothing
 * where no state can be entered.
 */
export function askedByEvents(
  events: readonly NewBusEvent[],
  config: OverdueConfig,
  now: Instant,
): readonly OverdueWakeUp[] {
  const states = enterableStates(config);
  if (states.length === 0) return [];
  const tags = new Set(
    states.flatMap(({ condition }) => [condition?.tagCarried ?? [], condition?.tagMissing ?? []].flat()),
  );
  const clears = new Set<number>();
  const refreshes = new Set<number>();
  for (const event of events) {
    const action = event.accountRecordId === null ? null : actionAfter(event, tags);
    if (action === null) continue;
    (action === OverdueAction.CLEAR ? clears : refreshes).add(event.accountRecordId ?? 0);
  }
  const wakeUps = (action: OverdueAction, of: ReadonlySet<number>): readonly OverdueWakeUp[] =>
    [...of]
      .sort((one, other) => one - other)
      .map((accountRecordId) => ({
        accountRecordId,
        action,
        asked: now,
        spreads: true,
        causedBy: null,
      }));
  return [...wakeUps(OverdueAction.CLEAR, clears), ...wakeUps(OverdueAction.REFRESH, refreshes)];
}

function actionAfter({ type, payload }: NewBusEvent, tags: ReadonlySet<string>): OverdueAction | null {
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

/** True: an account has been given OVERDUE_ENFORCEMENT_OFF. */
export function isNewExemption({ type, payload }: NewBusEvent): boolean {
  const isOfAccount = payload.objectType === ObjectType.ACCOUNT;
  return type === BusEventType.TAG_CREATION && isOfAccount && exempts(payload);
}

function exempts({ tagDefinitionId }: EventPayload): boolean {
  return hasEffect(tagDefinitionId, TagEffect.EXEMPTS_FROM_OVERDUE);
}
