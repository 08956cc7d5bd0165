import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { GatewayFailure } from '../claims/gateway-reply.ts';

/** A gateway that does not offer what is asked for: nothing has happened. */
export function lacksMember(pluginName: string, member: string): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_PLUGIN_EXCEPTION,
    message: `Payment plugin "${pluginName}" does not offer ${member}; nothing was attempted`,
    facts: { pluginName },
  });
}

/** What a gateway declares is told; what it throws otherwise may hold anything, and only the log has it. */
export function gatewayCallFailed(pluginName: string, failure: GatewayFailure): BillingError {
  const facts = { pluginName };
  switch (failure.kind) {
    case 'TIMEOUT': {
      const message = `Payment plugin "${pluginName}" did not answer within ${failure.timeoutMs} ms`;
      return new BillingError({ code: ErrorCode.PAYMENT_PLUGIN_TIMEOUT, message, facts });
    }
    case 'GATEWAY_ERROR': {
      const message = `Payment plugin "${pluginName}" refused: ${failure.message}`;
      return new BillingError({ code: ErrorCode.PAYMENT_PLUGIN_EXCEPTION, message, facts });
    }
    case 'FAULT': {
      const message = `Payment plugin "${pluginName}" failed; the log of the server tells why`;
      return new BillingError({ code: ErrorCode.PAYMENT_INTERNAL_ERROR, message, facts });
    }
  }
}

export function unreadableAnswer(pluginName: string): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_INTERNAL_ERROR,
    message: `The answer of payment plugin "${pluginName}" cannot be read`,
    facts: { pluginName },
  });
}

/** The same for every reason, so that nobody learns which tenants and gateways there are. */
export function noSignedNotifications(): BillingError {
  return new BillingError({
    code: ErrorCode.ROUTE_NOT_FOUND,
    message: 'No payment gateway takes notifications here',
  });
}
