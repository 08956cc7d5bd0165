import { loadAccount, noSuchObject } from '../../accounts/index.ts';
import {
  type CatalogProvider,
  type CatalogRequest,
  type CatalogSource,
  withOverridePlans,
} from '../../catalog/index.ts';
import { effectsOnAccounts, TagEffect } from '../../control-tags/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { InvoiceSelection, ReadSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type CreditNote,
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  type ItemBasis,
  itemTypes,
  ObjectType,
  type TenantKeyValue,
} from '../../records/index.ts';
import { planNamesOf } from '../../subscriptions/index.ts';
import type { SettingsOf, TenantSettings } from '../../tenants/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { BUILT_IN_TEMPLATE } from '../documents/built-in-template.ts';
import { formatsFrom } from '../documents/document-formats.ts';
import {
  DocumentTextKind,
  documentTextKey,
  localesToLookUp,
  parseProperties,
  type TenantTranslations,
  templateKeys,
  translationKeys,
  type UnsavedText,
} from '../documents/document-texts.ts';
import { LAST_LOCALE, type Locale, parseLocale } from '../documents/locale.ts';
import type { InvoiceToRender } from '../documents/rendered-invoice.ts';
import { parseTemplate, type TemplateNode, usesName } from '../documents/template.ts';
import {
  type InvoiceView,
  type ViewSources,
  viewCreditNotes,
  viewInvoices,
} from '../invoices/invoice-view.ts';
import { loadParentInvoices } from './load-credit-inputs.ts';
import { loadSummarizedChildren } from './load-summarized-children.ts';

export interface ViewTools {
  /** Source of catalogs. If null, the views contain no pretty names. */
  readonly catalogsOf: CatalogSource | null;
  /** Source of settings. If null, the views contain no formatted numbers. */
  readonly settingsOf: SettingsOf | null;
}

interface ViewedInvoices {
  /** The invoices to show, as found by `selection`, in the order of the views. */
  readonly invoices: Promise<readonly Invoice[]>;
  readonly selection: InvoiceSelection;
}

/**
 * Returns the invoices in the given order, with their items and plan names. Reads the invoices, their items, tracking
 * ids and settings together. Most invoices need no other statement.
 */
export async function loadInvoiceViews(
  session: ReadSession,
  { invoices: reading, selection }: ViewedInvoices,
  { catalogsOf, settingsOf }: ViewTools,
): Promise<readonly InvoiceView[]> {
  const settingsRead = settingsOf === null ? null : settingsOf(session);
  const [invoices, items, settings, trackingIds] = await Promise.all([
    reading,
    session.invoices.findItems(selection),
    settingsRead,
    settingsRead === null ? NO_TRACKING_IDS : loadTrackingIds(session, selection, settingsRead),
    // Also read the revisions, because the catalogs need them.
    catalogsOf === null ? null : session.revisions(),
  ]);
  if (invoices.length === 0) return [];
  const sources = await loadFurtherSources(session, { invoices, items, catalogsOf });
  return viewInvoices(invoices, items, {
    ...sources,
    trackingIds,
    numberPatterns: numberPatternsIn(settings),
  });
}

/** Loads the data of these views, except the items. */
export async function loadViewSources(
  session: ReadSession,
  {
    invoices,
    items,
    catalogsOf,
    settingsOf,
  }: ViewTools & { readonly invoices: readonly Invoice[]; readonly items: readonly InvoiceItem[] },
): Promise<ViewSources> {
  const settingsRead = settingsOf === null ? null : settingsOf(session);
  const billed = invoicesOfRuns(items);
  const [settings, trackingIds, sources] = await Promise.all([
    settingsRead,
    settingsRead === null ? NO_TRACKING_IDS : loadTrackingIds(session, billed, settingsRead),
    loadFurtherSources(session, { invoices, items, catalogsOf }),
  ]);
  return { ...sources, trackingIds, numberPatterns: numberPatternsIn(settings) };
}

function numberPatternsIn(settings: TenantSettings | null) {
  return settings === null ? [] : settings['invoice.numberPattern'];
}

/** Loads data that only some invoices need: parents, usage facts, and plans that are missing in cached catalogs. */
async function loadFurtherSources(
  session: ReadSession,
  {
    invoices,
    items,
    catalogsOf,
  }: Pick<ViewTools, 'catalogsOf'> & {
    readonly invoices: readonly Invoice[];
    readonly items: readonly InvoiceItem[];
  },
): Promise<Pick<ViewSources, 'catalogOf' | 'parents' | 'usageBases'>> {
  const accountIds = [...new Set(invoices.map((invoice) => invoice.accountId))];
  const plans = async (source: CatalogSource) =>
    withOverridePlans(session, {
      catalogOf: await source(session, accountIds),
      accountIds,
      planNames: planNamesOf(items),
    });
  const [catalogOf, parents, usageBases] = await Promise.all([
    catalogsOf === null ? null : plans(catalogsOf),
    loadParentInvoices(session, invoices),
    loadUsageBases(session, items),
  ]);
  return { catalogOf, parents, usageBases };
}

type WithBasis = InvoiceItem & { readonly basis?: ItemBasis | undefined };

/**
 * Loads the usage facts of USAGE items. Executes no statement if there are no such items, or if their facts are already
 * in memory.
 */
export async function loadUsageBases(
  session: ReadSession,
  items: readonly WithBasis[],
): Promise<ReadonlyMap<Uuid, ItemBasis>> {
  const ofUsage = items.filter(({ itemType }) => itemType === InvoiceItemType.USAGE);
  const missing = ofUsage.flatMap(({ id, basis }) => (basis === undefined ? [id] : []));
  const stored = missing.length === 0 ? [] : await session.invoices.findItemBases(missing);
  const made = ofUsage.flatMap(({ id, basis }) => (basis === undefined ? [] : [[id, basis] as const]));
  return new Map([...stored, ...made]);
}

const NO_TRACKING_IDS: ReadonlyMap<Uuid, readonly string[]> = new Map();

/**
 * Loads the ids of the usage records that these invoices billed, including late usage that does not change an amount
 * (usage §7.6).
 */
async function loadTrackingIds(
  session: ReadSession,
  selection: InvoiceSelection,
  settings: Promise<TenantSettings>,
) {
  return session.usage.trackingIds(
    selection,
    async () => (await settings)['invoice.trackingIds.maxReturned'],
  );
}

/**
 * Returns the invoices that have items from runs. Other invoices bill no usage, so their tracking ids need not be
 * loaded (usage §7.6).
 */
function invoicesOfRuns(items: readonly InvoiceItem[]): readonly Uuid[] {
  const ofRuns = items.filter(({ itemType }) => itemTypes[itemType].addedByRuns);
  return [...new Set(ofRuns.map(({ invoiceId }) => invoiceId))];
}

/**
 * Opens the catalogs that contain the names of billed items. Returns null if the catalogs cannot be loaded, in which
 * case views contain no names (§1.2).
 */
export async function catalogsForNames(
  { logger }: Pick<Ports, 'logger'>,
  catalogs: CatalogProvider,
  request: CatalogRequest,
): Promise<CatalogSource | null> {
  try {
    return await catalogs.open(request);
  } catch (error) {
    const facts = { err: error, tenantId: request.tenant.id };
    logger.warn(facts, 'no catalog is available; invoice items are shown without names');
    return null;
  }
}

/** Maximum number of items of an invoice in a document. A document with this many items has about 400 pages. */
const MAX_DOCUMENT_ITEMS = 10_000;

/** The data of a document, and the tenant's template for it. */
interface DocumentSource {
  readonly given: InvoiceToRender;
  readonly template: readonly TemplateNode[];
}

interface DocumentContent {
  readonly unsaved: UnsavedText | null;
  check(session: ReadSession): Promise<void>;
  /** Returns the instant whose seller data the document shows. Null selects the newest seller data (§14 rule 7). */
  issuedAt(invoice: Invoice): Instant | null;
  /** Returns the items that the document lists, and the items to which these refer. */
  itemsOf(session: ReadSession): Promise<LinkedItems>;
  /** Returns the invoices whose credit notes can contain these items. */
  notedBy(items: LinkedItems, invoice: Invoice): readonly Uuid[];
}

interface LinkedItems {
  readonly items: readonly InvoiceItem[];
  readonly linked: readonly InvoiceItem[];
  /** The invoices of the linked items. */
  readonly invoiceIds: readonly Uuid[];
}

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

  /**
   * Loads the data of an invoice document. If an unsaved text is given, loads the document of a customer to whom this
   * text applies.
   * @throws BillingError INVOICE_NOT_FOUND (4006), ANSWER_TOO_LARGE (60020).
   */
  async load(
    context: CallContext,
    invoiceId: Uuid,
    unsaved: UnsavedText | null = null,
  ): Promise<DocumentSource> {
    return this.#load(context, invoiceId, {
      unsaved,
      check: async (session) => {
        const items = await session.invoices.countItems(invoiceId, MAX_DOCUMENT_ITEMS + 1);
        refuseTooMany(invoiceId, items);
      },
      issuedAt: ({ issuedDate }) => issuedDate,
      itemsOf: async (session) =>
        withLinked(session, await session.invoices.findItems([invoiceId]), { invoiceId }),
      notedBy: ({ items, invoiceIds }, { status }) =>
        status === 'VOID' || items.some(({ itemType }) => itemTypes[itemType].kind === 'ADJUSTMENT')
          ? [invoiceId, ...invoiceIds]
          : [],
    });
  }

  /**
   * Loads the data of a credit note: the credited invoice, with the lines of the note as its items.
   * @throws the errors of `load`.
   */
  async loadOfNote(context: CallContext, note: CreditNote): Promise<DocumentSource> {
    return this.#load(context, note.invoiceId, {
      unsaved: null,
      check: async () => refuseTooMany(note.invoiceId, note.lines.length),
      issuedAt: () => note.createdDate,
      itemsOf: (session) => itemsOfNote(session, note),
      notedBy: () => [],
    });
  }

  async #load(context: CallContext, invoiceId: Uuid, content: DocumentContent) {
    const { storage, invoiceFormatter } = this.#ports;
    const formatsOf = formatsFrom(invoiceFormatter, context.tenant.id);
    const { accountId } = await storage.read(context.tenant, async (session) => {
      const [invoice] = await Promise.all([loadInvoice(session, invoiceId), content.check(session)]);
      return invoice;
    });
    const catalogsOf = await catalogsForNames(this.#ports, this.#catalogs, {
      tenant: context.tenant,
      now: context.createdDate,
      accounts: [accountId],
    });
    return storage.read(context.tenant, async (session) => {
      const [found, linkedItemsOf, stored, settings, effects, payments] = await Promise.all([
        loadInvoice(session, invoiceId),
        content.itemsOf(session),
        loadAccount(session, accountId),
        this.#settingsOf(session),
        effectsOnAccounts(session, [accountId]),
        session.payments.findInvoicePaymentsByInvoices([invoiceId]),
      ]);
      const { items, linked } = linkedItemsOf;
      const notedBy = content.notedBy(linkedItemsOf, found);
      const paid = payments.filter(({ type, status }) => type === 'ATTEMPT' && status === 'SUCCESS');
      const defaultLocale = parseLocale(settings['default.locale']) ?? LAST_LOCALE;
      const { unsaved } = content;
      const isManualPay =
        unsaved?.kind === DocumentTextKind.MANUAL_PAY_TEMPLATE ||
        effects.has(accountId, TagEffect.PAYS_BY_HAND);
      const account = { ...stored, locale: unsaved?.locale ?? stored.locale };
      const locale = parseLocale(account.locale ?? '') ?? defaultLocale;
      const [{ template, ...texts }, seller, notes, children, sources] = await Promise.all([
        this.#texts.load(session, { locale, defaultLocale, isManualPay, unsaved }),
        session.sellers.find(content.issuedAt(found)),
        notedBy.length === 0 ? [] : session.creditNotes.ofInvoices(notedBy),
        loadSummarizedChildren(session, {
          summary: found,
          items: [...items, ...linked],
          patterns: settings['invoice.numberPattern'],
        }),
        loadViewSources(session, {
          invoices: [found],
          items: [...items, ...linked],
          catalogsOf,
          settingsOf: this.#settingsOf,
        }),
      ]);
      const customFields = usesName(template, 'customFields')
        ? await session.customFields.findByObjects(ObjectType.ACCOUNT, [accountId])
        : [];
      const [invoice] = viewInvoices([found], items, sources);
      const linkedItems = viewInvoices([found], linked, sources).flatMap((view) => view.items);
      if (invoice === undefined) throw noSuchInvoice(invoiceId);
      return {
        template,
        given: {
          invoice,
          account,
          seller,
          isManualPay,
          processedCurrency: paid.at(-1)?.processedCurrency ?? null,
          defaultLocale,
          formatsOf,
          linkedItems,
          notes: viewCreditNotes(notes, settings['invoice.creditNoteNumberPattern']),
          children,
          customFields: new Map(customFields.map(({ name, value }) => [name, value])),
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

function refuseTooMany(invoiceId: Uuid, items: number): void {
  if (items <= MAX_DOCUMENT_ITEMS) return;
  const message = `Invoice ${invoiceId} has more than ${MAX_DOCUMENT_ITEMS} items, too many for a document`;
  throw billingError(ErrorCode.ANSWER_TOO_LARGE, message, { invoiceId, maxItems: MAX_DOCUMENT_ITEMS });
}

/** Returns the lines of a credit note as items of the credited invoice, with the credited amounts. */
async function itemsOfNote(session: ReadSession, { invoiceId, lines }: CreditNote) {
  const stored = await session.invoices.findItemsByIds(lines.map(({ itemId }) => itemId));
  const itemOf = new Map(stored.map((item) => [item.id, item]));
  const items = lines.flatMap(({ itemId, amount }) => {
    const item = itemOf.get(itemId);
    return item === undefined ? [] : [{ ...item, invoiceId, amount, listRate: null, discounts: null }];
  });
  // A TAX item of 0 is not a line of the credit note, but belongs to the charge that it taxes.
  return withLinked(session, items, { invoiceId, taxedIds: items.map(({ id }) => id) });
}

/**
 * Adds the items to which the given items refer, and the TAX items of all these items (§14 rule 9). The result treats
 * the added items as items of this invoice.
 */
async function withLinked(
  session: ReadSession,
  items: readonly InvoiceItem[],
  { invoiceId, taxedIds = [] }: { readonly invoiceId: Uuid; readonly taxedIds?: readonly Uuid[] },
) {
  const own = new Set(items.map(({ id }) => id));
  const linkedIds = new Set(items.flatMap(({ linkedItemId }) => linkedItemId ?? [])).difference(own);
  const [referred, referring] = await Promise.all([
    session.invoices.findItemsByIds([...linkedIds]),
    session.invoices.findItemsLinkedTo([...linkedIds, ...taxedIds]),
  ]);
  const taxes = referring.filter(
    ({ id, itemType }) => itemType === 'TAX' && !own.has(id) && !linkedIds.has(id),
  );
  const invoiceIds = [...new Set(referred.map((item) => item.invoiceId))].filter((id) => id !== invoiceId);
  return { items, linked: [...referred, ...taxes].map((item) => ({ ...item, invoiceId })), invoiceIds };
}

function noSuchInvoice(id: Uuid): BillingError {
  return noSuchObject({ type: ObjectType.INVOICE, id });
}

/**
 * Maximum number of characters of the parsed templates in the cache. The same maximum applies to parsed translations.
 */
const MAX_CACHED_DOCUMENT_TEXT_CHARACTERS = 8 * 1_048_576;

const builtIn = parseTemplate(BUILT_IN_TEMPLATE);

/** Loads templates and translations of tenants. Reads the current row each time, but parses each version only once. */
class DocumentTextLoader {
  readonly #templates = new ParsedTexts(parseTemplate);
  readonly #translations = new ParsedTexts(parseProperties);

  /** Loads the texts in one statement. `locale` is the locale of the account, or the default locale. */
  async load(
    session: ReadSession,
    {
      locale,
      defaultLocale,
      isManualPay,
      unsaved,
    }: {
      readonly locale: Locale;
      readonly defaultLocale: Locale;
      readonly isManualPay: boolean;
      readonly unsaved: UnsavedText | null;
    },
  ) {
    const locales = localesToLookUp(locale, defaultLocale);
    const templates = templateKeys(locale, isManualPay);
    const texts = translationKeys(DocumentTextKind.TRANSLATION, locales);
    const names = translationKeys(DocumentTextKind.CATALOG_TRANSLATION, locales);
    const rows = await session.keyValues.find([...templates, ...texts.values(), ...names.values()]);
    const rowOf = new Map(rows.map((row) => [row.key, row]));
    const unsavedKey = unsaved === null ? null : documentTextKey(unsaved.kind, unsaved.locale);
    const translationsIn = (keys: ReadonlyMap<Locale, string>): TenantTranslations =>
      new Map(
        [...keys].flatMap(([each, key]) => {
          if (unsaved !== null && key === unsavedKey) return [[each, parseProperties(unsaved.text)]];
          const row = rowOf.get(key);
          return row === undefined ? [] : [[each, this.#translations.of(row)]];
        }),
      );
    const template = templates.map((key) => rowOf.get(key)).find((row) => row !== undefined);
    const saved = template === undefined ? builtIn : this.#templates.of(template);
    return {
      template: unsaved !== null && isTemplate(unsaved.kind) ? parseTemplate(unsaved.text) : saved,
      translations: translationsIn(texts),
      catalogTranslations: translationsIn(names),
    };
  }
}

function isTemplate(kind: DocumentTextKind): boolean {
  return kind === DocumentTextKind.TEMPLATE || kind === DocumentTextKind.MANUAL_PAY_TEMPLATE;
}

/** Parsed texts by the ids of their immutable rows. The oldest texts are evicted first. */
class ParsedTexts<T> {
  readonly #parse: (text: string) => T;
  readonly #parsed = new Map<Uuid, { readonly result: T; readonly characters: number }>();
  #characters = 0;

  constructor(parse: (text: string) => T) {
    this.#parse = parse;
  }

  of({ id, value }: TenantKeyValue): T {
    const known = this.#parsed.get(id);
    if (known !== undefined) return known.result;
    const result = this.#parse(value);
    this.#parsed.set(id, { result, characters: value.length });
    this.#characters += value.length;
    for (const [oldest, { characters }] of this.#parsed) {
      if (this.#characters <= MAX_CACHED_DOCUMENT_TEXT_CHARACTERS) break;
      this.#parsed.delete(oldest);
      this.#characters -= characters;
    }
    return result;
  }
}
