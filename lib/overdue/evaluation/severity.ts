import { CLEAR_STATE_NAME, type OverdueConfig, type OverdueState } from '../config/overdue-config.ts';
import { blockOf, type OverdueBlock } from './transition.ts';

/**
 * Whether an account that comes from one state to another is worse off: the configuration lists the other before the one.
 * A state that it no longer knows is told by what it blocks. Null = clear, which nothing is milder than.
 */
export function isWorse(
  { states }: OverdueConfig,
  prev: OverdueBlock | null,
  next: OverdueState | null,
): boolean {
  if (next === null) return false;
  if (prev === null || prev.stateName === CLEAR_STATE_NAME) return true;
  const known = states.findIndex(({ name }) => name === prev.stateName);
  if (known >= 0) return states.findIndex(({ name }) => name === next.name) < known;
  const { isBlockChange, isBlockEntitlement, isBlockBilling } = blockOf(next);
  return (
    (isBlockChange && !prev.isBlockChange) ||
    (isBlockEntitlement && !prev.isBlockEntitlement) ||
    (isBlockBilling && !prev.isBlockBilling)
  );
}
