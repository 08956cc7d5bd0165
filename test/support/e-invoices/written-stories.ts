import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  EInvoiceFormat,
  EInvoiceProfile,
  formatDecimal,
  type TenantBilling,
  type Uuid,
} from '../../../lib/index.ts';
import { itemTypes } from '../../../lib/records/index.ts';
import type { OpenDatabase } from '../databases.ts';
import { InvoicedBusinesses } from './invoiced-businesses.ts';
import { stories } from './stories.ts';

/** A document with the files of its e-invoices. */
export interface WrittenDocument {
  readonly story: string;
  readonly name: string;
  /** The amount to pay or the credited amount, as the engine calculates it. */
  readonly due: string;
  readonly xmls: readonly string[];
  readonly pdfs: readonly string[];
}

const kinds = Object.values(EInvoiceFormat).flatMap((format) =>
  Object.values(EInvoiceProfile)
    .filter((profile) => profile !== EInvoiceProfile.PEPPOL_BIS3 || format === EInvoiceFormat.UBL)
    .map((profile) => ({ format, profile })),
);

/** Plays every story and writes every e-invoice of its invoices and credit notes into the directory. */
export async function writeStories(
  open: OpenDatabase,
  directory: string,
): Promise<readonly WrittenDocument[]> {
  const written: WrittenDocument[] = [];
  for (const [story, play] of Object.entries(stories)) {
    const shop = await InvoicedBusinesses.open(open, { now: '2026-03-11T08:00:00Z' });
    const accountId = await play(shop);
    const customField = { name: 'electronicAddress', value: '0088:5790000435975' };
    await shop.acme.customFields.add({ type: 'ACCOUNT', id: accountId }, [customField]);
    for (const { name, due, create } of await documentsOf(shop.acme, accountId)) {
      const xmls: string[] = [];
      const pdfs: string[] = [];
      for (const kind of kinds) {
        const { bytes, mediaType } = await create(kind);
        const file = `${written.length + 1}-${kind.format}-${kind.profile}.${mediaType.slice(-3)}`;
        await writeFile(join(directory, file), bytes);
        (mediaType === 'application/pdf' ? pdfs : xmls).push(file);
      }
      written.push({ story, name, due, xmls, pdfs });
    }
    await shop.engine.close();
  }
  return written;
}

/** Returns the invoices of an account that charge something, and their credit notes. */
async function documentsOf(acme: TenantBilling, accountId: Uuid) {
  const invoices = await acme.invoices.ofAccount({ accountId, withItems: true, includeVoided: true });
  const issued = invoices.filter(
    ({ status, items }) =>
      status === 'COMMITTED' &&
      items.some(({ itemType, amount }) => itemTypes[itemType].kind === 'CHARGE' && amount.greaterThan(0)),
  );
  const notes = await Promise.all(invoices.map(({ id }) => acme.creditNotes.ofInvoice(id)));
  return [
    ...issued.map(({ id: invoiceId, invoiceNumber, balance }) => ({
      name: `invoice ${invoiceNumber}`,
      due: formatDecimal(balance),
      create: (kind: (typeof kinds)[number]) => acme.invoices.eInvoice({ invoiceId, ...kind }),
    })),
    ...notes.flat().map(({ id: creditNoteId, creditNoteNumber, amount }) => ({
      name: `credit note ${creditNoteNumber}`,
      due: formatDecimal(amount),
      create: (kind: (typeof kinds)[number]) => acme.creditNotes.eInvoice({ creditNoteId, ...kind }),
    })),
  ];
}
