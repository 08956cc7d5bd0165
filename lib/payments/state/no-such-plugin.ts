import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { shortened } from '../../values/text/index.ts';

export function noSuchPlugin(pluginName: string, registered: ReadonlyMap<string, unknown>): BillingError {
  const known = [...registered.keys()].join(', ');
  return new BillingError({
    code: ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN,
    message: `Payment plugin "${shortened(pluginName)}" is not registered; registered are: ${known}`,
    facts: { pluginName },
  });
}
