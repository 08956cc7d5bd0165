import { Page, Tabs } from '../../parts/layout.tsx';
import { Configuration } from './configuration.tsx';
import { InvoiceTexts } from './invoice-texts.tsx';

/** What is configured for the whole tenant. */
export function Tenant() {
  return (
    <Page name="tenant">
      <Tabs of={{ configuration: () => <Configuration />, invoiceTexts: () => <InvoiceTexts /> }} />
    </Page>
  );
}
