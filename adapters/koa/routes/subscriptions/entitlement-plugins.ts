import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { pluginProperties } from '../../wire/query.ts';

/** The parameters of every call that entitlement plugins control (subscriptions §22). */
export const controlledQuery = { pluginProperty: pluginProperties };

export const controlledErrors: readonly ErrorCode[] = [ErrorCode.ENTITLEMENT_PLUGIN_API_ABORTED];
