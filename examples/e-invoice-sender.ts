// Sends e-invoices to an access point over HTTP: an EInvoiceSender that posts each document and stores the receipt.
//   node examples/e-invoice-sender.ts
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { eInvoiceWriter } from '../adapters/e-invoice/index.ts';
import { sqlite } from '../adapters/mikro-orm/sqlite.ts';
import {
  type AdditionalItem,
  Billing,
  type EInvoiceSender,
  type EInvoiceToSend,
  type InvoicePlugin,
} from '../adapters/node/billwright.ts';
import { fakeClock } from '../adapters/testing/index.ts';

export interface AccessPoint {
  /** The URL that accepts documents. */
  readonly url: string;
  /** The API key of the access point. */
  readonly token: string;
}

/** Posts each e-invoice to an access point. Any other answer than a success is retried by the engine. */
export function accessPointSender({ url, token }: AccessPoint): EInvoiceSender {
  return {
    name: 'access-point',
    async send({ bytes, mediaType, ...facts }, { signal }) {
      const answer = await fetch(url, {
        method: 'POST',
        headers: headersOf(mediaType, token, facts),
        body: new Uint8Array(bytes),
        signal,
      });
      const receipt = await answer.text();
      if (!answer.ok) throw new Error(`The access point answered ${answer.status}: ${receipt.slice(0, 500)}`);
      return receipt;
    },
  };
}

function headersOf(
  mediaType: string,
  token: string,
  {
    deliveryId,
    seller,
    buyer,
    fileName,
  }: Pick<EInvoiceToSend, 'deliveryId' | 'seller' | 'buyer' | 'fileName'>,
): Record<string, string> {
  const addressOf = (address: EInvoiceToSend['buyer']) =>
    address === null ? '' : `${address.scheme ?? ''}:${address.value}`;
  return {
    authorization: `Bearer ${token}`,
    'content-type': mediaType,
    // The same in every attempt, so that the access point recognizes a document that it already has.
    'idempotency-key': deliveryId,
    'x-file-name': fileName,
    'x-sender': addressOf(seller),
    'x-receiver': addressOf(buyer),
  };
}

/** Taxes each charge with 19 %. */
const vat: InvoicePlugin = {
  name: 'vat',
  async getAdditionalInvoiceItems({ items }) {
    const charges = items.filter(({ itemType }) => itemType === 'EXTERNAL_CHARGE');
    return {
      items: charges.map(
        ({ id, amount }): AdditionalItem => ({
          itemType: 'TAX',
          linkedItemId: id,
          amount: amount.times('0.19'),
          description: 'MwSt. 19 %',
          taxCategory: 'S',
          taxRate: '19',
        }),
      ),
    };
  },
};

/** Invoices a business and sends the invoice to an access point on this machine, which is busy at first. */
export async function sendInvoice(): Promise<readonly string[]> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    const { 'x-receiver': receiver, 'x-file-name': fileName } = request.headers;
    request.resume();
    request.on('end', () => {
      received.push(`${fileName} for ${receiver}`);
      response.writeHead(received.length === 1 ? 503 : 202);
      response.end(received.length === 1 ? 'busy' : `accepted as ${received.length}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clock = fakeClock('2026-03-01T12:00:00Z');
  const billing = await Billing.open({
    storage: sqlite(':memory:'),
    clock,
    invoicePlugins: [vat],
    eInvoices: eInvoiceWriter(),
    eInvoiceSender: accessPointSender({ url: `http://127.0.0.1:${port}/documents`, token: 'secret' }),
    configuration: {
      'org.service.invoice.eInvoice': 'UBL:PEPPOL_BIS3',
      'org.service.invoice.eInvoice.retries': '10m',
    },
  });
  try {
    const tenant = await billing.tenants.create(
      { userName: 'host' },
      { apiKey: 'shop', apiSecret: 'secret' },
    );
    const shop = billing.as({ tenant: tenant.id, user: 'host' });
    await shop.sellers.upload({
      name: 'Atelier SRL',
      country: 'BE',
      taxId: 'BE0203201340',
      paymentTermsDays: 30,
    });
    const buyer = { name: 'Exemple SA', country: 'BE', taxId: 'BE0123456749', currency: 'EUR' } as const;
    const { id: accountId } = await shop.createAccount(buyer);
    const items = [{ amount: '100.00', description: 'Desk for a month' }];
    const [charge] = await shop.invoices.addCharges({ accountId, items, autoCommit: true });
    const told: string[] = [];
    const report = async () => {
      await billing.settle();
      for (const { state, lastError, receipt } of await shop.invoices.eInvoiceDeliveries(
        charge?.invoiceId ?? '',
      ))
        told.push(`${state}: ${lastError ?? receipt}`);
    };
    await report();
    clock.set('2026-03-01T12:10:00Z');
    await report();
    return [...told, ...received];
  } finally {
    await billing.close();
    server.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${(await sendInvoice()).join('\n')}\n`);
}
