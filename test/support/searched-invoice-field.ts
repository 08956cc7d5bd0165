import { invoiceFields } from '../../lib/records/index.ts';
import { authorFields, searchedFields } from '../../lib/values/fields/index.ts';

const searched = searchedFields({ ...invoiceFields, ...authorFields });

export function searchedInvoiceField(name: string) {
  const field = searched[name];
  if (field === undefined) throw new Error(`Invoices have no searched field ${name}`);
  return field;
}
