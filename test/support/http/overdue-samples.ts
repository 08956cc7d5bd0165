import type { Sample, TenantKeys } from './sample.ts';
import { xmlType } from './serving.ts';

/** Not the tenant whose accounts other samples bill. */
const tenant: TenantKeys = ['eve', 'other'];

export const overdueSamples = {
  getOverdueAccount: (): Sample => ({ query: 'asOf=2024-06-30' }),
  getOverdueConfigJson: (): Sample => ({}),
  getOverdueConfigXml: (): Sample => ({}),
  uploadOverdueConfigJson: (): Sample => ({ tenant }),
  uploadOverdueConfigXml: (): Sample => ({ headers: xmlType, tenant }),
};
