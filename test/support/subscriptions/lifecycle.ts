import { expect } from 'chai';
import type { BlockingState, LifecycleEvent, LifecycleEventType } from '../../../lib/records/index.ts';
import { ENTITLEMENT_SERVICE } from '../../../lib/records/index.ts';
import type { ErrorCode } from '../../../lib/values/errors/index.ts';
import { type DatedInstant, localDateOf, UTC } from '../../../lib/values/time/index.ts';
import { errorOf } from '../assertions.ts';
import { at, nextId } from './example.ts';

// Single lifecycle events and blocking states as stored records.

export const subscriptionId = nextId();

export function dated(text: string): DatedInstant {
  const instant = at(text);
  return { at: instant, date: localDateOf(instant, UTC) };
}

let sequence = 0;

/** An active event in UTC, with or without a plan. */
export function event(
  type: LifecycleEventType,
  date: string,
  fields: Partial<LifecycleEvent> = {},
): LifecycleEvent {
  sequence += 1;
  return {
    recordId: sequence,
    id: nextId(),
    subscriptionId,
    accountRecordId: 1,
    type,
    effective: dated(date),
    sequence,
    planName: null,
    phaseName: null,
    priceListName: null,
    phaseAnchor: null,
    phaseAnchorType: null,
    billCycleDay: null,
    quantity: null,
    reason: null,
    isActive: true,
    deactivatedBy: null,
    createdDate: at(date),
    ...fields,
  };
}

/** CREATE, TRANSFER or CHANGE to a plan and phase of the example catalog. */
export function choice(
  type: 'CREATE' | 'TRANSFER' | 'CHANGE',
  date: string,
  inPhase: string | (Partial<LifecycleEvent> & { readonly phaseName: string }),
): LifecycleEvent {
  const fields = typeof inPhase === 'string' ? { phaseName: inPhase } : inPhase;
  const planName = fields.phaseName.slice(0, fields.phaseName.lastIndexOf('-'));
  return event(type, date, { planName, priceListName: 'DEFAULT', phaseAnchor: dated(date), ...fields });
}

export function state(stateName: string, date: string, fields: Partial<BlockingState> = {}): BlockingState {
  sequence += 1;
  return {
    recordId: sequence,
    id: nextId(),
    blockedId: subscriptionId,
    accountRecordId: 1,
    type: 'SUBSCRIPTION',
    service: ENTITLEMENT_SERVICE,
    stateName,
    isBlockChange: false,
    isBlockEntitlement: false,
    isBlockBilling: false,
    effective: dated(date),
    sequence,
    isActive: true,
    causedBy: null,
    createdDate: at(date),
    ...fields,
  };
}

export function expectError(call: () => unknown, code: ErrorCode, message?: string | RegExp): void {
  const error = errorOf(call);
  expect(error.code, error.message).to.equal(code);
  if (typeof message === 'string') expect(error.message).to.equal(message);
  else if (message !== undefined) expect(error.message).to.match(message);
}
