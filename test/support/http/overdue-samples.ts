import type { Sample, TenantKeys } from './sample.ts';
import { xmlType } from './serving.ts';

/** Not the tenant whose accounts other samples bill. */
const tenant: TenantKeys = ['eve', 'other'];
const xml =
  '<overdueConfig><accountOverdueStates><state name="LATE"><condition><numberOfUnpaidInvoicesEqualsOrExceeds>50</numberOfUnpaidInvoicesEqualsOrExceeds></condition></state></accountOverdueStates></overdueConfig>';

export const overdueSamples = {
  getOverdueAccount: (): Sample => ({ query: 'asOf=2024-06-30' }),
  getOverdueConfigJson: (): Sample => ({}),
  getOverdueConfigXml: (): Sample => ({}),
  uploadOverdueConfigJson: (): Sample => ({
    body: { overdueStates: [{ name: 'LATE', condition: { numberOfUnpaidInvoicesEqualsOrExceeds: 50 } }] },
    tenant,
  }),
  uploadOverdueConfigXml: (): Sample => ({ body: xml, headers: xmlType, tenant }),
};
