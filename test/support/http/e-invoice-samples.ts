import { requestExamples } from '../../../adapters/koa/openapi/examples/request-examples.ts';
import type { MakeSample } from './samples.ts';
import { configure, createdId, expectStatus } from './serving.ts';
import type { World } from './world.ts';

/** Samples of e-invoices, each of an invoice of its own, since the invoice of the world has no taxes. */
export const eInvoiceSamples: Readonly<Record<string, MakeSample>> = {
  getInvoiceAsEInvoice: async (world) => ({ segments: { invoiceId: await taxedInvoice(world) } }),
  getEInvoiceDeliveries: () => ({}),
  getCreditNoteAsEInvoice: async (world) => {
    const { serving } = world;
    await configure(serving, { 'org.killbill.invoice.creditNotes': 'true' });
    const invoiceId = await taxedInvoice(world);
    expectStatus(await serving.put(`/invoices/${invoiceId}/voidInvoice`), 204);
    await configure(serving, {});
    const { json } = await serving.get(`/invoices/${invoiceId}/creditNotes`);
    const [note] = json as readonly { readonly creditNoteId: string }[];
    return { segments: { creditNoteId: note?.creditNoteId ?? '' } };
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
  const business = { name: 'Kunde AG', country: 'DE', taxId: 'DE129273398', currency: 'EUR' };
  const accountId = createdId(await serving.post('/accounts', business));
  const [charge] = await itemsOf(serving, `/invoices/charges/${accountId}`, { amount: 100 });
  const { invoiceId = '', invoiceItemId: linkedInvoiceItemId } = charge ?? {};
  const tax = { invoiceId, linkedInvoiceItemId, amount: 19, taxRate: 19, taxCategory: 'S' };
  await itemsOf(serving, `/invoices/taxes/${accountId}`, tax);
  expectStatus(await serving.put(`/invoices/${invoiceId}/commitInvoice`), 204);
  return invoiceId;
}

async function itemsOf(serving: World['serving'], path: string, item: object) {
  const { json } = expectStatus(await serving.post(path, [item]), 201);
  return json as readonly Readonly<Record<string, string>>[];
}
