import { checkDocumentText, invoiceTextOperations } from '../invoicing/index.ts';
import { checkOverdueConfig } from '../overdue/index.ts';
import { checkStateMachine } from '../payments/index.ts';
import { deliveryOperations } from '../push/index.ts';
import type { CallContext } from '../records/index.ts';
import {
  keyValueService,
  sellerService,
  settingDescriptions,
  signingSecretService,
  tenantService,
} from '../tenants/index.ts';
import { mayPassThresholds, readUsageTerms } from '../usage/index.ts';
import { bindMethods } from './bind-methods.ts';
import type { catalogArea } from './catalog.ts';
import { callbackPolicyOf, type Foundation } from './foundation.ts';

/** Returns the operations on tenants, their key values, secrets and settings. */
export function tenantArea(
  { ports, settings, settingsOf }: Foundation,
  catalogs: Pick<ReturnType<typeof catalogArea>, 'keyedValues'>,
) {
  const keyValues = keyValueService(ports, {
    catalog: catalogs.keyedValues,
    callbacks: callbackPolicyOf(settings),
    checks: {
      checkPaymentStateMachine: checkStateMachine,
      checkDocumentText,
      checkOverdueConfig,
      checkUsageTerms: readUsageTerms,
      hasUsageThresholds: (value) => mayPassThresholds(readUsageTerms(value)),
    },
  });
  const { add, get, delete: remove, search } = keyValues;
  return {
    tenants: tenantService(ports),
    keyValues,
    operations: {
      keyValues: { add, get, delete: remove, search },
      invoiceTexts: invoiceTextOperations(keyValues),
      deliveries: deliveryOperations(ports),
      sellers: sellerService(ports),
      signingSecrets: bindMethods(signingSecretService(ports), 'create', 'delete'),
      configuration: {
        settings: (context: CallContext) => ports.storage.read(context.tenant, settingsOf),
        describe: async (_context: CallContext) => settingDescriptions(),
      },
    },
  };
}
