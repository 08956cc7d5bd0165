import { BillingError } from '../../values/errors/index.ts';

/** The refusal of what a plugin has claimed, with its name. */
export function refusedTo(pluginName: string, { code, message, facts }: BillingError): BillingError {
  return new BillingError({
    code,
    message: `The invoice plugin "${pluginName}" cannot have this: ${message}`,
    facts: { ...facts, pluginName },
  });
}
