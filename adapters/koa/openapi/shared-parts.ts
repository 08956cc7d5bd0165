import type { Credentials } from '../routing/route.ts';
import type { JsonSchema } from '../wire/json-schema.ts';

const families = ['X-Service-', 'X-Killbill-'] as const;

/** Header names as keys of the document: `serviceApiKey`, `killbillApiKey`. */
function schemeName(family: string, suffix: string): string {
  return `${family.slice(2, -1).toLowerCase()}${suffix}`;
}

export const securitySchemes: JsonSchema = {
  basicAuth: { type: 'http', scheme: 'basic' },
  bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  ...Object.fromEntries(
    families.flatMap((family) =>
      ['ApiKey', 'ApiSecret'].map((suffix) => [
        schemeName(family, suffix),
        { type: 'apiKey', in: 'header', name: `${family}${suffix}` },
      ]),
    ),
  ),
};

const user = [{ basicAuth: [] }, { bearerAuth: [] }];
const bearer = [{ bearerAuth: [] }];

/** The tenant in either spelling of its headers, besides the caller. */
function withTenant(callers: readonly JsonSchema[]): readonly JsonSchema[] {
  return callers.flatMap((caller) =>
    families.map((family) => ({
      ...caller,
      [schemeName(family, 'ApiKey')]: [],
      [schemeName(family, 'ApiSecret')]: [],
    })),
  );
}

/** What a call presents. */
export const securityOf: Readonly<Record<Credentials, readonly JsonSchema[]>> = {
  TENANT: withTenant(user),
  USER: user,
  PLUGIN: withTenant(bearer),
  LOGIN: [{ basicAuth: [] }],
  SIGNATURE: [],
  NONE: [],
};

/**
 * Generated clients ask for what is required, so the author is required under its documented name, though the alias is
 * accepted too.
 */
export const authorParameters: readonly JsonSchema[] = [
  {
    ...headerParameter('X-Service-CreatedBy', 'Author of the change; X-Killbill-CreatedBy does as well'),
    required: true,
  },
  headerParameter('X-Service-Reason', 'Why the change is made; kept in the audit'),
  headerParameter('X-Service-Comment', 'Kept in the audit'),
];

export const idempotencyParameter: JsonSchema = headerParameter(
  'Idempotency-Key',
  'Makes a repeat harmless: the same request under the same key runs once and is answered as the first time, for 24 hours',
);

function headerParameter(name: string, description: string): JsonSchema {
  return { name, in: 'header', required: false, description, schema: { type: 'string', maxLength: 255 } };
}

export const pageHeaders: JsonSchema = Object.fromEntries(
  families.flatMap((family) => [
    [`${family}Pagination-CurrentOffset`, { schema: { type: 'integer' } }],
    [
      `${family}Pagination-NextOffset`,
      { description: 'Absent on the last page', schema: { type: 'integer' } },
    ],
    [`${family}Pagination-TotalNbRecords`, { schema: { type: 'integer' } }],
    [
      `${family}Pagination-MaxNbRecords`,
      { description: 'Absent for large tables', schema: { type: 'integer' } },
    ],
    [
      `${family}Pagination-NextPageUri`,
      { description: 'Absent on the last page', schema: { type: 'string' } },
    ],
  ]),
);

/** http-api §12. */
export const errorComponent: JsonSchema = {
  type: 'object',
  properties: {
    className: { type: 'string' },
    code: { type: 'integer' },
    message: { type: 'string' },
    causeClassName: { type: ['string', 'null'] },
    causeMessage: { type: ['string', 'null'] },
    stackTrace: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          className: { type: 'string' },
          fileName: { type: ['string', 'null'] },
          lineNumber: { type: 'integer' },
          methodName: { type: 'string' },
          isNativeMethod: { type: 'boolean' },
        },
      },
    },
  },
  required: ['className', 'code', 'message', 'causeClassName', 'causeMessage', 'stackTrace'],
};
