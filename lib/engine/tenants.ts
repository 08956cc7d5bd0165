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

/** Tenants, and what each of them keeps for itself: values by key, secrets, settings. */
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
      /** Templates and translations (invoicing §14). */
      invoiceTexts: methodsOf(new InvoiceTextService(keyValues)),
      /** What goes to callbacks (platform §10.5). */
      deliveries: methodsOf(new DeliveryService(ports), 'list', 'get', 'sendAgain'),
      /** Secrets that sign pushes (platform §10.3). */
      signingSecrets: methodsOf(new SigningSecretService(ports), 'create', 'delete'),
      configuration: {
        /** The settings in force for the tenant, by property name without prefix (platform §4.1). */
        settings: (context: CallContext) => ports.storage.read(context.tenant, settingsOf),
      },
    },
  };
}
