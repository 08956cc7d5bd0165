import { loadAccount, noSuchObject } from '../../accounts/index.ts';
import type { CatalogProvider } from '../../catalog/index.ts';
import { effectsOnAccounts, TagEffect } from '../../control-tags/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type CreditNote,
  type Invoice,
  type InvoiceItem,
  ObjectType,
} from '../../records/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency } from '../../values/money/index.ts';
import { formatsFrom } from '../documents/host-formats.ts';
import { LAST_LOCALE, parseLocale } from '../documents/locale.ts';
import type { InvoiceToRender } from '../documents/rendered-invoice.ts';
import type { TemplateNode } from '../documents/template.ts';
import { viewInvoices } from '../invoices/invoice-view.ts';
import { catalogsForNames } from './catalogs-for-names.ts';
import { DocumentTextLoader } from './load-document-texts.ts';
import { loadViewSources } from './load-invoice-views.ts';

/** Items of an invoice that is made a document of: some 400 pages. */
const MAX_DOCUMENT_ITEMS = 10_000;

/** What a document about an invoice is made from, and the tenant's template for it. */
export interface DocumentSource {
  readonly given: InvoiceToRender;
  readonly template: readonly TemplateNode[];
}

/** What a document about an invoice shows of it. */
interface Shown {
  check(session: ReadSession): Promise<void>;
  /** The items that it lists, and others that these are about. */
  itemsOf(
    session: ReadSession,
  ): Promise<{ readonly items: readonly InvoiceItem[]; readonly linked: readonly InvoiceItem[] }>;
}

/** Loads what documents about invoices are made from (§14). */
export class DocumentSourceLoader {
  readonly #ports: Pick<Ports, 'storage' | 'logger' | 'invoiceFormatter'>;
  readonly #catalogs: CatalogProvider;
  readonly #settingsOf: SettingsOf;
  readonly #texts = new DocumentTextLoader();

  constructor(
    ports: Pick<Ports, 'storage' | 'logger' | 'invoiceFormatter'>,
    catalogs: CatalogProvider,
    settingsOf: SettingsOf,
  ) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#settingsOf = settingsOf;
  }

  /** @throws BillingError INVOICE_NOT_FOUND (4006), ANSWER_TOO_LARGE (60020). */
  async load(context: CallContext, invoiceId: Uuid): Promise<DocumentSource> {
    return this.#load(context, invoiceId, {
      check: (session) => checkItemCount(session, invoiceId),
      itemsOf: async (session) => ({ items: await session.invoices.findItems([invoiceId]), linked: [] }),
    });
  }

  /** Of a credit note: the invoice that it credits with the lines of the note as its items. @throws as `load`. */
  async loadOfNote(context: CallContext, note: CreditNote): Promise<DocumentSource> {
    return this.#load(context, note.invoiceId, {
      check: async () => refuseTooMany(note.invoiceId, note.lines.length),
      itemsOf: (session) => itemsOfNote(session, note),
    });
  }

  async #load(context: CallContext, invoiceId: Uuid, { check, itemsOf }: Shown): Promise<DocumentSource> {
    const { storage, invoiceFormatter } = this.#ports;
    const formatsOf = formatsFrom(invoiceFormatter, context.tenant.id);
    const { accountId } = await storage.read(context.tenant, async (session) => {
      const [invoice] = await Promise.all([loadInvoice(session, invoiceId), check(session)]);
      return invoice;
    });
    const catalogsOf = await catalogsForNames(this.#ports, this.#catalogs, {
      tenant: context.tenant,
      now: context.createdDate,
      accounts: [accountId],
    });
    return storage.read(context.tenant, async (session) => {
      const [found, { items, linked }, account, settings, effects, processedCurrency] = await Promise.all([
        loadInvoice(session, invoiceId),
        itemsOf(session),
        loadAccount(session, accountId),
        this.#settingsOf(session),
        effectsOnAccounts(session, [accountId]),
        processedIn(session, invoiceId),
      ]);
      const defaultLocale = parseLocale(settings['default.locale']) ?? LAST_LOCALE;
      const isManualPay = effects.has(accountId, TagEffect.PAYS_BY_HAND);
      const locale = parseLocale(account.locale ?? '') ?? defaultLocale;
      const [{ template, ...texts }, sources] = await Promise.all([
        this.#texts.load(session, { locale, defaultLocale, isManualPay }),
        loadViewSources(session, {
          invoices: [found],
          items: [...items, ...linked],
          catalogsOf,
          settingsOf: this.#settingsOf,
        }),
      ]);
      const [invoice] = viewInvoices([found], items, sources);
      const linkedItems = viewInvoices([found], linked, sources).flatMap((view) => view.items);
      if (invoice === undefined) throw noSuchInvoice(invoiceId);
      return {
        template,
        given: {
          invoice,
          account,
          isManualPay,
          processedCurrency,
          defaultLocale,
          formatsOf,
          linkedItems,
          summary: sources.parents.get(invoice.parentInvoiceId ?? invoiceId) ?? null,
          ...texts,
        },
      };
    });
  }
}

async function loadInvoice(session: ReadSession, invoiceId: Uuid): Promise<Invoice> {
  const [invoice] = await session.invoices.findByIds([invoiceId]);
  if (invoice === undefined) throw noSuchInvoice(invoiceId);
  return invoice;
}

async function checkItemCount(session: ReadSession, invoiceId: Uuid): Promise<void> {
  refuseTooMany(invoiceId, await session.invoices.countItems(invoiceId, MAX_DOCUMENT_ITEMS + 1));
}

function refuseTooMany(invoiceId: Uuid, items: number): void {
  if (items <= MAX_DOCUMENT_ITEMS) return;
  throw new BillingError({
    code: ErrorCode.ANSWER_TOO_LARGE,
    message: `Invoice ${invoiceId} has more than ${MAX_DOCUMENT_ITEMS} items: no document can hold it`,
    facts: { invoiceId, maxItems: MAX_DOCUMENT_ITEMS },
  });
}

/** The items behind a note as if they stood on the credited invoice, with the amounts that they credit. */
async function itemsOfNote(session: ReadSession, { invoiceId, lines }: CreditNote) {
  const stored = await session.invoices.findItemsByIds(lines.map(({ itemId }) => itemId));
  const itemOf = new Map(stored.map((item) => [item.id, item]));
  const items = lines.flatMap(({ itemId, amount }) => {
    const item = itemOf.get(itemId);
    return item === undefined ? [] : [{ ...item, invoiceId, amount }];
  });
  const linkedIds = new Set(stored.flatMap(({ linkedItemId }) => linkedItemId ?? []));
  const linked = await session.invoices.findItemsByIds([...linkedIds].filter((id) => !itemOf.has(id)));
  return { items, linked: linked.map((item) => ({ ...item, invoiceId })) };
}

function noSuchInvoice(id: Uuid): BillingError {
  return noSuchObject({ type: ObjectType.INVOICE, id });
}

/** The currency in which the invoice was last paid. */
async function processedIn(session: ReadSession, invoiceId: Uuid): Promise<Currency | null> {
  const payments = await session.payments.findInvoicePaymentsByInvoices([invoiceId]);
  const paid = payments.filter(({ type, status }) => type === 'ATTEMPT' && status === 'SUCCESS');
  return paid.at(-1)?.processedCurrency ?? null;
}
