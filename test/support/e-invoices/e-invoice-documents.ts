import { documentFacts } from '../../../lib/invoicing/documents/document-facts.ts';
import { eInvoiceDocument } from '../../../lib/invoicing/e-invoices/e-invoice-document.ts';
import type { LineNames } from '../../../lib/invoicing/e-invoices/e-invoice-lines.ts';
import type { EInvoiceCustomFields } from '../../../lib/invoicing/e-invoices/e-invoice-parties.ts';
import type { CreditNoteView, InvoiceItemView } from '../../../lib/invoicing/invoices/invoice-view.ts';
import type { Account, EInvoiceProfile, Seller, TaxCategory } from '../../../lib/records/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { viewedInvoice, viewedItem } from '../invoicing/documents.ts';
import { at } from '../payments/payment-records.ts';
import { account, nextId } from '../subscriptions/example.ts';

/** A German seller with everything that a profile requires. */
export function seller(members: Partial<Seller> = {}): Seller {
  return {
    recordId: 1,
    id: nextId(),
    name: 'ACME',
    legalName: 'ACME Software GmbH',
    address1: 'Hauptstraße 1',
    address2: null,
    city: 'Berlin',
    state: null,
    postalCode: '10115',
    country: 'DE',
    taxId: 'DE 136 695 976',
    registrationNumber: 'HRB 12345',
    email: 'billing@acme.example',
    phone: '+49 30 123456',
    bankName: 'Bank',
    iban: 'DE89 3704 0044 0532 0130 00',
    bic: 'COBADEFFXXX',
    paymentTermsDays: 14,
    notes: null,
    accentColor: null,
    logo: null,
    createdDate: at('2026-01-01T00:00:00Z'),
    ...members,
  };
}

/** A French business as buyer. */
export function buyer(members: Partial<Account> = {}): Account {
  return {
    ...account(),
    name: 'Jeanne Martin',
    company: 'Exemple',
    legalName: 'Exemple SARL',
    email: 'compta@exemple.example',
    address1: '1 rue de la Paix',
    city: 'Paris',
    postalCode: '75002',
    country: 'FR',
    taxId: 'FR40303265045',
    ...members,
  };
}

/** Returns an item with its TAX item. */
export function taxed(
  item: InvoiceItemView,
  {
    rate = '19',
    tax,
    category = 'S',
    exemption = null,
  }: {
    readonly rate?: string;
    readonly tax: string;
    readonly category?: TaxCategory | null;
    readonly exemption?: string | null;
  },
): readonly InvoiceItemView[] {
  const facts = { taxRate: decimal(rate), taxCategory: category, taxExemption: exemption };
  return [item, viewedItem('TAX', tax, { linkedItemId: item.id, ...facts })];
}

const NO_FIELDS: EInvoiceCustomFields = {
  buyerReference: null,
  electronicAddress: null,
  registrationNumber: null,
};

export interface DocumentCase {
  readonly profile?: EInvoiceProfile;
  readonly seller?: Seller | null;
  readonly buyer?: Account;
  readonly invoice?: Parameters<typeof viewedInvoice>[1];
  readonly linkedItems?: readonly InvoiceItemView[];
  readonly note?: CreditNoteView | null;
  readonly customFields?: Partial<EInvoiceCustomFields>;
  readonly names?: LineNames;
  readonly isPaidByParent?: boolean;
}

/** Returns the e-invoice of these items. */
export function eInvoiceOf(items: readonly InvoiceItemView[], given: DocumentCase = {}) {
  const { profile = 'EN16931', note = null, linkedItems = [], isPaidByParent = false } = given;
  const issuer = given.seller === undefined ? seller() : given.seller;
  const invoice = viewedInvoice(items, { currency: 'EUR', commitDate: null, ...given.invoice });
  const account = given.buyer ?? buyer();
  return eInvoiceDocument({
    facts: documentFacts({ invoice, account, seller: issuer, linkedItems, note, isPaidByParent }),
    profile,
    names: given.names ?? new Map(),
    customFields: { ...NO_FIELDS, ...given.customFields },
    paymentTerms: note === null ? null : 'No payment is required.',
  });
}
