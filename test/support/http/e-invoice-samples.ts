import { requestExamples } from '../../../adapters/koa/openapi/examples/request-examples.ts';
import type { MakeSample } from './samples.ts';
import { configure, createdId, expectStatus, type Serving } from './serving.ts';
import type { World } from './world.ts';

/** Samples of e-invoices. Each has its own invoice, because the invoice of the world has no taxes. */
export const eInvoiceSamples: Readonly<Record<string, MakeSample>> = {
  getInvoiceAsEInvoice: async (world) => ({ segments: { invoiceId: await taxedInvoice(world) } }),
  getEInvoiceDeliveries: () => ({}),
  getCreditNoteAsEInvoice: async (world) => {
    const { serving } = world;
    await configure(serving, { 'org.killbill.invoice.creditNotes': 'true' });
    const creditNoteId = await creditNoteOfVoid(serving, await taxedInvoice(world));
    await configure(serving, {});
    return { segments: { creditNoteId } };
  },
  resendEInvoice: async (world) => {
    const { serving } = world;
    await configure(serving, { 'org.killbill.invoice.eInvoice': 'UBL:EN16931' });
    const invoiceId = await taxedInvoice(world);
    await serving.billing.settle();
    await configure(serving, {});
    const { json } = await serving.get(`/invoices/${invoiceId}/eInvoiceDeliveries`);
    const [delivery] = json as readonly { readonly deliveryId: string }[];
    return { segments: { deliveryId: delivery?.deliveryId ?? '' } };
  },
};

/** Commits an invoice of a German business with a tax of 19 %. */
async function taxedInvoice({ serving }: World): Promise<string> {
  expectStatus(await serving.post('/sellers', requestExamples.uploadSeller), 201);
  return invoiceOfBusiness(serving, { name: 'Kunde AG', country: 'DE', taxId: 'DE129273398' });
}

/** Commits an invoice of 100.00 with one tax; default 19 %. */
export async function invoiceOfBusiness(
  serving: Serving,
  account: object,
  tax: object = { amount: 19, taxRate: 19, taxCategory: 'S' },
): Promise<string> {
  const accountId = createdId(await serving.post('/accounts', { currency: 'EUR', ...account }));
  const [charge] = await itemsOf(serving, `/invoices/charges/${accountId}`, { amount: 100 });
  const { invoiceId = '', invoiceItemId: linkedInvoiceItemId } = charge ?? {};
  await itemsOf(serving, `/invoices/taxes/${accountId}`, { invoiceId, linkedInvoiceItemId, ...tax });
  expectStatus(await serving.put(`/invoices/${invoiceId}/commitInvoice`), 204);
  return invoiceId;
}

/** Voids an invoice and returns the credit note of the void. */
export async function creditNoteOfVoid(serving: Serving, invoiceId: string): Promise<string> {
  expectStatus(await serving.put(`/invoices/${invoiceId}/voidInvoice`), 204);
  const { json } = await serving.get(`/invoices/${invoiceId}/creditNotes`);
  const [note] = json as readonly { readonly creditNoteId: string }[];
  return note?.creditNoteId ?? '';
}

async function itemsOf(serving: Serving, path: string, item: object) {
  const { json } = expectStatus(await serving.post(path, [item]), 201);
  return json as readonly Readonly<Record<string, string>>[];
}
