import type { BlockingState, BlockingStateType } from '../../../lib/records/index.ts';
import { ENTITLEMENT_SERVICE } from '../../../lib/records/index.ts';
import type { BlockedObject, StateToSet } from '../../../lib/subscriptions/blocking/blocked-time.ts';
import { planState } from '../../../lib/subscriptions/blocking/blocked-time.ts';
import { datedInstant } from '../../../lib/subscriptions/timeline/phase-timeline.ts';
import { formatInstant, parseWireMoment } from '../../../lib/values/time/index.ts';
import { type Life, nextId } from './example.ts';

/** A state in short form, with the flags `change entitlement billing` as `f t t`. */
export interface BlockParts {
  readonly on?: BlockingStateType;
  readonly service?: string;
  readonly name?: string;
  readonly flags: string;
  /** Date or date-time. */
  readonly date: string;
}

export const paused = { service: ENTITLEMENT_SERVICE, name: 'ENT_BLOCKED', flags: 't t t' } as const;
export const resumed = { service: ENTITLEMENT_SERVICE, name: 'ENT_CLEAR', flags: 'f f f' } as const;

export function objectOf(life: Life, type: BlockingStateType): BlockedObject {
  const { account, bundle, subscription } = life;
  if (type === 'ACCOUNT') return { type, account };
  return type === 'SUBSCRIPTION' ? { type, account, subscription } : { type, account, bundle };
}

export function blockOf(life: Life, parts: BlockParts): StateToSet {
  const { on = 'SUBSCRIPTION_BUNDLE', service = 'fraud', name = 'hold', flags, date } = parts;
  const [isBlockChange = false, isBlockEntitlement = false, isBlockBilling = false] = flags
    .split(' ')
    .map((flag) => flag === 't');
  const effective = datedInstant(parseWireMoment(date), life.now, life.account);
  const object = objectOf(life, on);
  return { object, service, stateName: name, isBlockChange, isBlockEntitlement, isBlockBilling, effective };
}

/** The history with these states, stored one by one like in the engine. */
export function withBlocks(life: Life, ...blocks: readonly BlockParts[]): Life {
  let { blockingStates } = life;
  for (const parts of blocks) {
    const { added, withdrawn } = planState(blockingStates, blockOf(life, parts), { now: life.now, nextId });
    const recordId = 1 + Math.max(...blockingStates.map((state) => state.recordId));
    const kept = blockingStates.filter((state) => !withdrawn.includes(state));
    blockingStates = added === null ? kept : [...kept, { ...added, recordId }];
  }
  return { ...life, blockingStates };
}

/** `2024-06-01 watch f f f`: the states of a service in date order. */
export function stateLines(states: readonly BlockingState[], service = 'fraud'): readonly string[] {
  const flag = (value: boolean) => (value ? 't' : 'f');
  return states
    .filter((state) => state.service === service)
    .toSorted((a, b) => a.effective.at - b.effective.at || a.recordId - b.recordId)
    .map((state) => {
      const flags = [state.isBlockChange, state.isBlockEntitlement, state.isBlockBilling].map(flag);
      return [formatInstant(state.effective.at).slice(0, 10), state.stateName, ...flags].join(' ');
    });
}
