import { invoiceFields } from '../../lib/records/index.ts';
import { authorFields, searchedFields } from '../../lib/values/fields/index.ts';

const searched = searchedFields({ ...invoiceFields, ...authorFields });

/** A field of invoices by the name that operator searches give it. */
export function searchedInvoiceField(name: string) {
  const field = searched[name];
  if (field === undefined) throw new Error(`Invoices have no searched field ${name}`);
  return field;
}
