import { type DocumentText, DocumentTextKind } from '../../../../lib/invoicing/index.ts';
import { BillingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import { checkPermission } from '../../auth/credentials.ts';
import { type Answer, created, plain } from '../../routing/answer.ts';
import { htmlBody, type RequestBody, textBody } from '../../routing/body.ts';
import { type Route, type TenantCall, tenantRoute } from '../../routing/route.ts';
import { flag } from '../../wire/query.ts';

const area = 'invoices';
const root = '/1.0/kb/invoices';
const html = 'text/html';
const pdf = 'application/pdf';
const text = 'text/plain';

/**
 * Whatever a tenant writes in a template, its page runs no script and is a stranger to the origin of this server, where
 * users of other tenants may be logged in; pictures, styles and fonts it may have.
 */
const htmlHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "sandbox allow-popups; default-src 'none'; img-src data: https:; style-src 'unsafe-inline' https:; font-src data: https:",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

const { TEMPLATE, MANUAL_PAY_TEMPLATE, TRANSLATION, CATALOG_TRANSLATION } = DocumentTextKind;

/** Invoices as pages, and the templates and translations that they are made of (invoicing §14). */
export const invoiceDocumentRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: `${root}/{invoiceId}/html`,
    operationId: 'getInvoiceAsHTML',
    area,
    summary: 'Get an invoice as a page for its customer',
    permission: 'NONE',
    success: { status: 200, mediaTypes: [html] },
    fails: [ErrorCode.INVOICE_NOT_FOUND, ErrorCode.ANSWER_TOO_LARGE],
    async handle({ billing, context, params }) {
      return htmlAnswer(await billing.invoices.html(context, params.invoiceId));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${root}/{invoiceId}/pdf`,
    operationId: 'getInvoiceAsPDF',
    area,
    summary: 'Get an invoice as a PDF for its customer',
    permission: 'NONE',
    success: { status: 200, mediaTypes: [pdf] },
    fails: [ErrorCode.INVOICE_NOT_FOUND, ErrorCode.ANSWER_TOO_LARGE, ErrorCode.NOT_IMPLEMENTED],
    async handle({ billing, context, params }) {
      const bytes = await billing.invoices.pdf(context, params.invoiceId);
      return pdfAnswer(bytes, `invoice-${params.invoiceId}.pdf`);
    },
  }),
  ...translationRoutes({
    path: '/translation/{locale}',
    kind: TRANSLATION,
    what: 'the texts of invoices in a language',
    get: 'getInvoiceTranslation',
    upload: 'uploadInvoiceTranslation',
  }),
  ...translationRoutes({
    path: '/catalogTranslation/{locale}',
    kind: CATALOG_TRANSLATION,
    what: 'the names of plans, phases and usages in a language',
    get: 'getCatalogTranslation',
    upload: 'uploadCatalogTranslation',
  }),
  getRoute({
    path: '/template',
    operationId: 'getInvoiceTemplate',
    what: 'the template of invoices',
    mediaType: html,
    textOf: () => ({ kind: TEMPLATE }),
  }),
  uploadRoute({
    path: '/template',
    operationId: 'uploadInvoiceTemplate',
    what: 'the template of invoices',
    body: htmlBody,
    textOf: () => ({ kind: TEMPLATE }),
    location: () => '/invoices/template',
  }),
  ...(['', '/{locale}'] as const).map((locale) =>
    getRoute({
      path: `/manualPayTemplate${locale}`,
      operationId: locale === '' ? 'getInvoiceMPTemplateDefault' : 'getInvoiceMPTemplate',
      what: `the template of invoices of accounts with the tag MANUAL_PAY${locale && ' (of any locale)'}`,
      mediaType: html,
      textOf: () => ({ kind: MANUAL_PAY_TEMPLATE }),
    }),
  ),
  uploadRoute({
    path: '/manualPayTemplate',
    operationId: 'uploadInvoiceMPTemplate',
    what: 'the template of invoices of accounts with the tag MANUAL_PAY',
    body: htmlBody,
    textOf: () => ({ kind: MANUAL_PAY_TEMPLATE }),
    location: async ({ billing, context }) => {
      const settings = await billing.configuration.settings(context);
      return `/invoices/manualPayTemplate/${settings['default.locale']}`;
    },
  }),
];

type Params = Readonly<Record<string, string>>;
type AnyCall = Pick<TenantCall<string, Record<never, never>, unknown>, 'billing' | 'context'> & {
  readonly params: Params;
};

function translationRoutes({
  path,
  kind,
  what,
  get,
  upload,
}: {
  readonly path: `/${string}/{locale}`;
  readonly kind: Extract<DocumentTextKind, 'TRANSLATION' | 'CATALOG_TRANSLATION'>;
  readonly what: string;
  readonly get: string;
  readonly upload: string;
}): readonly Route[] {
  const textOf = ({ locale = '' }: Params): DocumentText => ({ kind, locale });
  return [
    getRoute({ path, operationId: get, what, mediaType: text, textOf }),
    uploadRoute({
      path,
      operationId: upload,
      what: `${what}, as Java properties`,
      body: textBody,
      textOf,
      location: ({ params: { locale = '' } }) =>
        `/invoices${path.replace('{locale}', encodeURIComponent(locale))}`,
    }),
  ];
}

interface TextRoute {
  /** Below `/invoices`. */
  readonly path: `/${string}`;
  readonly operationId: string;
  readonly what: string;
  textOf(params: Params): DocumentText;
}

function getRoute({
  path,
  operationId,
  what,
  mediaType,
  textOf,
}: TextRoute & { readonly mediaType: string }): Route {
  return tenantRoute({
    method: 'GET',
    path: `${root}${path}`,
    operationId,
    area,
    summary: `Get ${what}, as uploaded`,
    permission: 'NONE',
    success: { status: 200, mediaTypes: [mediaType] },
    fails: [ErrorCode.OBJECT_NOT_FOUND],
    async handle({ billing, context, params }) {
      const found = await billing.invoiceTexts.get(context, textOf(params));
      if (found !== null) return mediaType === html ? htmlAnswer(found) : plain(found);
      throw new BillingError({
        code: ErrorCode.OBJECT_NOT_FOUND,
        message: `The tenant has not uploaded ${what}`,
      });
    },
  });
}

function uploadRoute({
  path,
  operationId,
  what,
  body,
  textOf,
  location,
}: TextRoute & {
  readonly body: RequestBody<string>;
  location(call: AnyCall): string | Promise<string>;
}): Route {
  return tenantRoute({
    method: 'POST',
    path: `${root}${path}`,
    operationId,
    area,
    summary: `Upload ${what}; what is there already is replaced with deleteIfExists only`,
    permission: 'tenant_kvs:add',
    needsFor: { 'with `deleteIfExists`': 'tenant_kvs:delete' },
    query: { deleteIfExists: flag() },
    body,
    success: { status: 201, location: `/invoices${path}` },
    fails: [ErrorCode.INVALID_PARAMETER, ErrorCode.MISSING_OR_INVALID_FIELD],
    async handle({ billing, context, params, query, body: uploaded, user }) {
      if (query.deleteIfExists) checkPermission(user, 'tenant_kvs:delete');
      await billing.invoiceTexts.upload(context, {
        ...textOf(params),
        text: uploaded,
        replace: query.deleteIfExists,
      });
      return created(await location({ billing, context, params }));
    },
  });
}

export function htmlAnswer(page: string): Answer {
  return { ...plain(page), headers: htmlHeaders };
}

/** @param name of ASCII letters, digits, `-` and `.`. */
export function pdfAnswer(bytes: Uint8Array, name: string): Answer {
  return {
    bytes,
    headers: {
      'Content-Disposition': `inline; filename="${name}"`,
      'X-Content-Type-Options': 'nosniff',
    },
  };
}
