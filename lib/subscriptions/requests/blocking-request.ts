import type { BlockingStateRequest } from '../../ports/index.ts';
import { type BlockingState, ENTITLEMENT_SERVICE, EntitlementStateName } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { MAX_BLOCKING_STATE_NAME_CHARACTERS } from '../../values/limits.ts';
import { checkText } from '../../values/text/index.ts';

export type CheckedBlock = Pick<
  BlockingState,
  'service' | 'stateName' | 'isBlockChange' | 'isBlockEntitlement' | 'isBlockBilling'
>;

const reservedNames: ReadonlySet<string> = new Set(Object.values(EntitlementStateName));

/**
 * Checks a request by itself (§14.1 rule 1).
 * @throws BillingError SUBSCRIPTION_BLOCKING_STATE_INVALID_ARG (1107), MISSING_OR_INVALID_FIELD (60003).
 */
export function checkBlockingRequest(request: BlockingStateRequest): CheckedBlock {
  const { service, stateName } = request;
  if (!service) throw invalidArgument('BlockingStateJson service needs to be set');
  if (service === ENTITLEMENT_SERVICE) {
    throw invalidArgument(
      `BlockingStateJson service ${ENTITLEMENT_SERVICE} is the engine's own; name another`,
    );
  }
  if (!stateName) throw invalidArgument('BlockingStateJson stateName needs to be set');
  if (reservedNames.has(stateName)) {
    throw invalidArgument(`BlockingStateJson stateName ${stateName} is the engine's own; name another`);
  }
  checkText('BlockingStateJson service', service, MAX_BLOCKING_STATE_NAME_CHARACTERS);
  checkText('BlockingStateJson stateName', stateName, MAX_BLOCKING_STATE_NAME_CHARACTERS);
  return {
    service,
    stateName,
    isBlockChange: request.isBlockChange ?? false,
    isBlockEntitlement: request.isBlockEntitlement ?? false,
    isBlockBilling: request.isBlockBilling ?? false,
  };
}

function invalidArgument(message: string): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_BLOCKING_STATE_INVALID_ARG,
    message,
  });
}
