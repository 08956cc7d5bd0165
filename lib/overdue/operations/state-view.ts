import type { BlockingState } from '../../records/index.ts';
import { CLEAR_STATE_NAME, type OverdueConfig, type OverdueState } from '../config/overdue-config.ts';
import { wholeDays } from '../config/write-config.ts';
import type { OverdueStateView } from './overdue-account-operations.ts';

/** What a tenant has set that views of states show. */
export interface StateSettings {
  readonly config: OverdueConfig;
  readonly retryDays: readonly number[];
}

/** A state of the configuration; null = clear. */
export function configuredStateView(
  state: OverdueState | null,
  { retryDays }: Pick<StateSettings, 'retryDays'>,
): OverdueStateView {
  return {
    name: state?.name ?? CLEAR_STATE_NAME,
    externalMessage: state?.externalMessage ?? '',
    daysBetweenPaymentRetries: retryDays,
    isDisableEntitlementAndChangesBlocked: state?.disableEntitlement ?? false,
    isBlockChanges: state?.blockChanges ?? false,
    isClearState: state?.isClearState ?? true,
    reevaluationIntervalDays: wholeDays(state?.reevaluationInterval ?? null),
  };
}

/** The state that is stored of an account, which the configuration may not know any more (§2.1). */
export function storedStateView(stored: BlockingState | null, settings: StateSettings): OverdueStateView {
  const name = stored?.stateName ?? CLEAR_STATE_NAME;
  if (stored === null || name === CLEAR_STATE_NAME) return configuredStateView(null, settings);
  const known = settings.config.states.find((state) => state.name === name);
  if (known !== undefined) return configuredStateView(known, settings);
  return {
    ...configuredStateView(null, settings),
    name,
    isDisableEntitlementAndChangesBlocked: stored.isBlockEntitlement,
    isBlockChanges: stored.isBlockChange,
    isClearState: false,
  };
}
