import type { JSX } from 'preact';
import { Page, Tabs } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { Configuration } from './configuration.tsx';
import { InvoiceTexts } from './invoice-texts.tsx';
import { KeyValueList, SigningSecret } from './key-values.tsx';
import { SellerData } from './seller.tsx';
import { TagDefinitions } from './tag-definitions.tsx';

/** Everything that is configured for the whole tenant. */
export function Tenant(): JSX.Element {
  return (
    <Page title={texts.shell.tenant}>
      <Tabs
        tabs={[
          { name: 'configuration', title: texts.tenant.configuration, content: () => <Configuration /> },
          { name: 'texts', title: texts.tenant.invoiceTexts, content: () => <InvoiceTexts /> },
          { name: 'seller', title: texts.tenant.seller, content: () => <SellerData /> },
          { name: 'tags', title: texts.tenant.tags, content: () => <TagDefinitions /> },
          { name: 'values', title: texts.tenant.keyValues, content: () => <KeyValueList /> },
          { name: 'signing', title: texts.tenant.signing, content: () => <SigningSecret /> },
        ]}
      />
    </Page>
  );
}
