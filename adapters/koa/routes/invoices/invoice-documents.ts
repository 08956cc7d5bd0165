import type { Billing } from '../../../../lib/billing.ts';
import { type DocumentText, DocumentTextKind, type EInvoiceFile } from '../../../../lib/invoicing/index.ts';
import { EInvoiceFormat, EInvoiceProfile } from '../../../../lib/records/index.ts';
import { billingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { checkPermission } from '../../auth/credentials.ts';
import { Dialect } from '../../dialect.ts';
import { CreditNote } from '../../models/credit-note.ts';
import { EInvoiceDelivery } from '../../models/e-invoice-delivery.ts';
import type { Answer } from '../../routing/answer.ts';
import { htmlBody, type RequestBody, textBody } from '../../routing/body.ts';
import { inArea, type Route, type TenantCall, tenantRoute } from '../../routing/route.ts';
import { choice, flag, pageParameters } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';

const html = 'text/html';
const pdf = 'application/pdf';
const xml = 'application/xml';
const text = 'text/plain';

/**
 * Headers that make browsers open a tenant's templates in a sandbox without scripts or an origin, because users of
 * other tenants may be logged in on this server.
 */
const htmlHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "sandbox allow-popups; default-src 'none'; img-src data: https:; style-src 'unsafe-inline' https:; font-src data: https:",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

const { TEMPLATE, MANUAL_PAY_TEMPLATE, TRANSLATION, CATALOG_TRANSLATION } = DocumentTextKind;

const template = {
  path: '/template',
  what: 'the invoice template',
  mediaType: html,
  body: htmlBody,
  textOf: () => ({ kind: TEMPLATE }),
} as const;
const manualPayTemplate = {
  ...template,
  path: '/manualPayTemplate',
  what: 'the invoice template for accounts with the tag MANUAL_PAY',
  textOf: () => ({ kind: MANUAL_PAY_TEMPLATE }),
} as const;

/** The parts of the response that both e-invoice routes have in common (invoicing §22). */
const eInvoiceAnswer = {
  query: {
    format: choice<EInvoiceFormat>(EInvoiceFormat, EInvoiceFormat.UBL),
    profile: choice<EInvoiceProfile>(EInvoiceProfile, EInvoiceProfile.EN16931),
  },
  success: { status: 200, mediaTypes: [xml, pdf] },
} as const;
const eInvoiceFaults = [
  'INVOICE_NOT_ELECTRONIC',
  'INVALID_PARAMETER',
  'ANSWER_TOO_LARGE',
  'NOT_IMPLEMENTED',
] as const;

/** See invoicing §14. */
export const invoiceDocumentRoutes: readonly Route[] = [
  ...printRoutes('invoice', '/invoices/{invoiceId}', ({ invoices }) => invoices),
  tenantRoute('getInvoiceAsEInvoice', 'GET /invoices/{invoiceId}/e-invoice', {
    summary: 'Get an invoice as an e-invoice: UBL, CII or Factur-X',
    ...eInvoiceAnswer,
    fails: [...eInvoiceFaults, 'INVOICE_INVALID_STATUS'],
    handle: async ({ billing, context, params: { invoiceId }, query }) =>
      eInvoiceOf(await billing.invoices.eInvoice(context, { ...query, invoiceId })),
  }),
  tenantRoute('getEInvoiceDeliveries', 'GET /invoices/{invoiceId}/eInvoiceDeliveries', {
    summary: 'List the deliveries of the e-invoices of an invoice and its credit notes',
    shows: listOf(EInvoiceDelivery),
    handle: ({ billing, context, params: { invoiceId } }) =>
      billing.invoices.eInvoiceDeliveries(context, invoiceId),
  }),
  tenantRoute('resendEInvoice', 'POST /invoices/eInvoiceDeliveries/{deliveryId}/resend', {
    summary: 'Send an e-invoice to the access point again',
    permission: 'invoice:trigger',
    shows: EInvoiceDelivery,
    fails: ['NOT_IMPLEMENTED'],
    handle: ({ billing, context, params: { deliveryId } }) =>
      billing.invoices.resendEInvoice(context, deliveryId),
  }),
  ...translationRoutes(TRANSLATION, 'Translation', 'the invoice texts in a language'),
  ...translationRoutes(
    CATALOG_TRANSLATION,
    'CatalogTranslation',
    'the plan, phase and usage names in a language',
  ),
  getRoute({ ...template, operationId: 'getInvoiceTemplate' }),
  uploadRoute({
    ...template,
    operationId: 'uploadInvoiceTemplate',
    location: () => '/invoices/template',
  }),
  getRoute({ ...manualPayTemplate, operationId: 'getInvoiceMPTemplateDefault' }),
  getRoute({
    ...manualPayTemplate,
    path: '/manualPayTemplate/{locale}',
    operationId: 'getInvoiceMPTemplate',
    what: `${manualPayTemplate.what} (of any locale)`,
  }),
  uploadRoute({
    ...manualPayTemplate,
    operationId: 'uploadInvoiceMPTemplate',
    location: async ({ billing, context }) => {
      const settings = await billing.configuration.settings(context);
      return `/invoices/manualPayTemplate/${settings['default.locale']}`;
    },
  }),
];

/** See invoicing §21. */
export const creditNoteRoutes: readonly Route[] = inArea('creditNotes', [
  tenantRoute('getCreditNotesOfInvoice', 'GET /invoices/{invoiceId}/creditNotes', {
    summary: 'List the credit notes of an invoice',
    shows: listOf(CreditNote),
    handle: ({ billing, context, params }) => billing.creditNotes.ofInvoice(context, params.invoiceId),
  }),
  tenantRoute('getCreditNotesOfAccount', 'GET /accounts/{accountId}/creditNotes', {
    summary: 'List the credit notes of an account, with pagination',
    query: pageParameters,
    shows: listOf(CreditNote),
    handle: ({ billing, context, params, query }) =>
      billing.creditNotes.pageOfAccount(context, params.accountId, query),
  }),
  tenantRoute('getCreditNote', 'GET /creditNotes/{creditNoteId}', {
    summary: 'Get a credit note',
    shows: CreditNote,
    handle: ({ billing, context, params }) => billing.creditNotes.get(context, params.creditNoteId),
  }),
  ...printRoutes('credit note', '/creditNotes/{creditNoteId}', ({ creditNotes }) => creditNotes),
  tenantRoute('getCreditNoteAsEInvoice', 'GET /creditNotes/{creditNoteId}/e-invoice', {
    summary: 'Get a credit note as an e-invoice: UBL, CII or Factur-X',
    ...eInvoiceAnswer,
    fails: eInvoiceFaults,
    handle: async ({ billing, context, params: { creditNoteId }, query }) =>
      eInvoiceOf(await billing.creditNotes.eInvoice(context, { ...query, creditNoteId })),
  }),
]);

type Params = Readonly<Record<string, string>>;
type AnyCall = Pick<TenantCall<string, Record<never, never>, unknown>, 'billing' | 'context'> & {
  readonly params: Params;
};

function translationRoutes(
  kind: 'TRANSLATION' | 'CATALOG_TRANSLATION',
  noun: 'Translation' | 'CatalogTranslation',
  what: string,
): readonly Route[] {
  const name = noun.charAt(0).toLowerCase() + noun.slice(1);
  const path = `/${name}/{locale}` as const;
  const textOf = ({ locale = '' }: Params): DocumentText => ({ kind, locale });
  const operation = kind === TRANSLATION ? 'InvoiceTranslation' : noun;
  return [
    getRoute({ path, operationId: `get${operation}`, what, mediaType: text, textOf }),
    uploadRoute({
      path,
      operationId: `upload${operation}`,
      what: `${what}, as Java properties`,
      body: textBody,
      textOf,
      location: ({ params: { locale = '' } }) => `/invoices/${name}/${encodeURIComponent(locale)}`,
    }),
  ];
}

interface TextRoute {
  readonly path: `/${string}`;
  readonly operationId: string;
  readonly what: string;
  textOf(params: Params): DocumentText;
}

type ReadText = TextRoute & { readonly mediaType: string };

function getRoute({ path, operationId, what, mediaType, textOf }: ReadText): Route {
  return tenantRoute(operationId, `GET /invoices${path}`, {
    summary: `Get ${what}, as uploaded`,
    success: { status: 200, mediaTypes: [mediaType] },
    fails: ['OBJECT_NOT_FOUND'],
    async handle({ billing, context, params }) {
      const found = await billing.invoiceTexts.get(context, textOf(params));
      if (found !== null) return mediaType === html ? htmlAnswer(found) : { text: found };
      throw billingError(ErrorCode.OBJECT_NOT_FOUND, `The tenant has not uploaded ${what}`);
    },
  });
}

interface UploadedText extends TextRoute {
  readonly body: RequestBody<string>;
  location(call: AnyCall): string | Promise<string>;
}

function uploadRoute({ path, operationId, what, body, textOf, location }: UploadedText): Route {
  return tenantRoute(operationId, `POST /invoices${path}`, {
    summary: `Upload ${what}; replaces an existing upload only with deleteIfExists`,
    permission: 'tenant_kvs:add',
    needsFor: { 'with `deleteIfExists`': 'tenant_kvs:delete' },
    query: { deleteIfExists: flag() },
    body,
    success: { status: 201, location: `/invoices${path}` },
    fails: ['INVALID_PARAMETER', 'MISSING_OR_INVALID_FIELD'],
    async handle({ billing, context, params, query, body: uploaded, user }) {
      const { deleteIfExists: replace } = query;
      if (replace) checkPermission(user, 'tenant_kvs:delete');
      await billing.invoiceTexts.upload(context, { ...textOf(params), text: uploaded, replace });
      return { location: await location({ billing, context, params }) };
    },
  });
}

/** Returns the routes that print a document. `name` is `invoice` or `credit note`. */
function printRoutes(
  name: string,
  path: '/invoices/{invoiceId}' | '/creditNotes/{creditNoteId}',
  operations: (billing: Billing) => Pick<Billing['invoices'], 'html' | 'pdf'>,
): readonly Route[] {
  const noun = name.replace(/(?:^| )([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const what = `${name === 'invoice' ? 'an' : 'a'} ${name}`;
  const idOf = (params: Params) => Object.values(params)[0] as Uuid;
  return [
    tenantRoute(`get${noun}AsHTML`, `GET ${path}/html`, {
      summary: `Get ${what} as an HTML page for the customer`,
      success: { status: 200, mediaTypes: [html] },
      fails: ['ANSWER_TOO_LARGE'],
      async handle({ billing, context, params, dialect }) {
        const missing = missingSeller(dialect);
        const page = await operations(billing).html(context, idOf(params), missing.options);
        return htmlAnswer(page, missing.headers());
      },
    }),
    tenantRoute(`get${noun}AsPDF`, `GET ${path}/pdf`, {
      summary: `Get ${what} as a PDF for the customer`,
      success: { status: 200, mediaTypes: [pdf] },
      fails: ['ANSWER_TOO_LARGE', 'NOT_IMPLEMENTED'],
      async handle({ billing, context, params, dialect }) {
        const missing = missingSeller(dialect);
        return {
          bytes: await operations(billing).pdf(context, idOf(params), missing.options),
          headers: {
            'Content-Disposition': `inline; filename="${name.replace(' ', '-')}-${idOf(params)}.pdf"`,
            'X-Content-Type-Options': 'nosniff',
            ...missing.headers(),
          },
        };
      },
    }),
  ];
}

function eInvoiceOf({ bytes, mediaType, fileName }: EInvoiceFile): Answer {
  return {
    bytes,
    headers: {
      'Content-Type': mediaType,
      'Content-Disposition': `attachment; filename="${fileName}"`,
      'X-Content-Type-Options': 'nosniff',
    },
  };
}

function htmlAnswer(page: string, more: Answer['headers'] = {}): Answer {
  return { text: page, headers: { ...htmlHeaders, ...more } };
}

/**
 * Returns rendering options that detect missing seller data, and a function that reports missing data in a header. Only
 * dialect D has this header (invoicing §14 rule 7).
 */
function missingSeller(dialect: Dialect) {
  let isMissing = false;
  const onMissingSeller = () => {
    isMissing = true;
  };
  const headers = (): Readonly<Record<string, string>> =>
    isMissing && dialect === Dialect.D ? { 'X-Service-Missing-Seller': 'true' } : {};
  return { options: { onMissingSeller }, headers };
}
