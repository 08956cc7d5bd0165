import { checkDocumentText, InvoiceTextService } from '../invoicing/index.ts';
import { checkOverdueConfig } from '../overdue/index.ts';
import { checkStateMachine } from '../payments/index.ts';
import { DeliveryService } from '../push/index.ts';
import type { CallContext } from '../records/index.ts';
import { KeyValueService, SigningSecretService, TenantService } from '../tenants/index.ts';
import { mayPassThresholds, readUsageTerms } from '../usage/index.ts';
import type { catalogArea } from './catalog.ts';
import { callbackPolicyOf, type Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Returns the operations on tenants, their key values, secrets and settings. */
export function tenantArea(
  { ports, settings, settingsOf }: Foundation,
  catalogs: Pick<ReturnType<typeof catalogArea>, 'keyedValues'>,
) {
  const keyValues = new KeyValueService(ports, {
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
  return {
    tenants: new TenantService(ports),
    keyValues,
    operations: {
      keyValues: methodsOf(keyValues, 'add', 'get', 'delete', 'search'),
      invoiceTexts: methodsOf(new InvoiceTextService(keyValues)),
      deliveries: methodsOf(new DeliveryService(ports), 'list', 'get', 'sendAgain'),
      signingSecrets: methodsOf(new SigningSecretService(ports), 'create', 'delete'),
      configuration: {
        settings: (context: CallContext) => ports.storage.read(context.tenant, settingsOf),
      },
    },
  };
}
