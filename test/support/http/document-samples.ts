import type { Sample } from './sample.ts';
import type { World } from './world.ts';

type MakeSample = (world: World) => Sample | Promise<Sample>;

const invoices = '/1.0/kb/invoices';
const html = { 'content-type': 'text/html' };
const replacing = 'deleteIfExists=true';

/** Of invoices as pages, and what they are made of. */
export const documentSamples: Readonly<Record<string, MakeSample>> = {
  getInvoiceAsHTML: () => ({}),
  getInvoiceAsPDF: () => ({}),
  getCreditNotesOfInvoice: () => ({}),
  getCreditNotesOfAccount: async (world) => {
    await storedCreditNote(world);
    return {};
  },
  getCreditNote: storedCreditNote,
  getCreditNoteAsHTML: storedCreditNote,
  getCreditNoteAsPDF: storedCreditNote,
  uploadInvoiceTranslation: (world) => ({ segments: newLocale(world) }),
  getInvoiceTranslation: (world) => stored(world, '/translation', 'invoiceTitle=Beleg'),
  uploadCatalogTranslation: (world) => ({ segments: newLocale(world) }),
  getCatalogTranslation: (world) => stored(world, '/catalogTranslation', 'gold=Gold'),
  uploadInvoiceTemplate: () => ({ headers: html, query: replacing }),
  getInvoiceTemplate: (world) => storedTemplate(world, '/template'),
  uploadInvoiceMPTemplate: () => ({ headers: html, query: replacing }),
  getInvoiceMPTemplate: async (world) => ({
    ...(await storedTemplate(world, '/manualPayTemplate')),
    segments: { locale: 'de_DE' },
  }),
  getInvoiceMPTemplateDefault: (world) => storedTemplate(world, '/manualPayTemplate'),
};

/** Nothing is uploaded in it yet. */
function newLocale({ next }: World) {
  return { locale: `de_n${String(next()).padStart(5, '0')}` };
}

async function stored(world: World, path: string, body: string): Promise<Sample> {
  const segments = newLocale(world);
  await upload(world, `${path}/${segments.locale}`, body);
  return { segments };
}

async function storedTemplate(world: World, path: string): Promise<Sample> {
  await upload(world, `${path}?${replacing}`, '<p>{{text.invoiceTitle}}</p>');
  return {};
}

async function upload({ serving }: World, path: string, body: string): Promise<void> {
  const reply = await serving.call('POST', `${invoices}${path}`, { body });
  if (reply.status !== 201) throw new Error(reply.text);
}

/** Of a charge of its own that is adjusted. */
async function storedCreditNote(world: World): Promise<Sample> {
  const { accountId } = world;
  await configure(world, { 'org.killbill.invoice.creditNotes': 'true' });
  const [item] = await listFrom(world, `/charges/${accountId}?autoCommit=true`, [{ amount: 10 }]);
  const { invoiceId, invoiceItemId } = item ?? {};
  const adjustment = { accountId, invoiceItemId, amount: 4, currency: 'USD' };
  await world.serving.call('POST', `${invoices}/${invoiceId}`, { body: adjustment });
  await configure(world, {});
  const [note] = await listFrom(world, `/${invoiceId}/creditNotes`);
  return { segments: { creditNoteId: note?.creditNoteId ?? '' } };
}

async function configure({ serving }: World, body: Readonly<Record<string, string>>): Promise<void> {
  await serving.call('POST', '/1.0/kb/tenants/uploadPerTenantConfig', { body });
}

async function listFrom({ serving }: World, path: string, body?: unknown) {
  const method = body === undefined ? 'GET' : 'POST';
  const { json } = await serving.call(method, `${invoices}${path}`, { body });
  return json as readonly Readonly<Record<string, string>>[];
}
