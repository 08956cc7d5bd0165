import { loadAccount, noSuchObject } from '../../accounts/index.ts';
import type { CatalogProvider } from '../../catalog/index.ts';
import { effectsOnAccounts, TagEffect } from '../../control-tags/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import { type CallContext, type Invoice, ObjectType } from '../../records/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_DOCUMENT_ITEMS } from '../../values/limits.ts';
import type { Currency } from '../../values/money/index.ts';
import { formatsFrom } from '../documents/host-formats.ts';
import { LAST_LOCALE, parseLocale } from '../documents/locale.ts';
import type { InvoiceToRender } from '../documents/rendered-invoice.ts';
import type { TemplateNode } from '../documents/template.ts';
import { viewInvoices } from '../invoices/invoice-view.ts';
import { catalogsForNames } from './catalogs-for-names.ts';
import { DocumentTextLoader } from './load-document-texts.ts';
import { loadViewSources } from './load-invoice-views.ts';

/** What a document about an invoice is made from, and the tenant's template for it. */
export interface DocumentSource {
  readonly given: InvoiceToRender;
  readonly template: readonly TemplateNode[];
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
    const { storage, invoiceFormatter } = this.#ports;
    const formatsOf = formatsFrom(invoiceFormatter, context.tenant.id);
    const { accountId } = await storage.read(context.tenant, async (session) => {
      const [invoice] = await Promise.all([
        loadInvoice(session, invoiceId),
        checkItemCount(session, invoiceId),
      ]);
      return invoice;
    });
    const catalogsOf = await catalogsForNames(this.#ports, this.#catalogs, {
      tenant: context.tenant,
      now: context.createdDate,
      accounts: [accountId],
    });
    return storage.read(context.tenant, async (session) => {
      const [found, items, account, settings, effects, processedCurrency] = await Promise.all([
        loadInvoice(session, invoiceId),
        session.invoices.findItems([invoiceId]),
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
        loadViewSources(session, { invoices: [found], items, catalogsOf, settingsOf: this.#settingsOf }),
      ]);
      const [invoice] = viewInvoices([found], items, sources);
      if (invoice === undefined) throw noSuchInvoice(invoiceId);
      return {
        template,
        given: { invoice, account, isManualPay, processedCurrency, defaultLocale, formatsOf, ...texts },
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
  const items = await session.invoices.countItems(invoiceId, MAX_DOCUMENT_ITEMS + 1);
  if (items <= MAX_DOCUMENT_ITEMS) return;
  throw new BillingError({
    code: ErrorCode.ANSWER_TOO_LARGE,
    message: `Invoice ${invoiceId} has more than ${MAX_DOCUMENT_ITEMS} items: no document can hold it`,
    facts: { invoiceId, maxItems: MAX_DOCUMENT_ITEMS },
  });
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
