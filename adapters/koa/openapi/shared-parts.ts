import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { isIdParameter, parameterNamesOf } from '../routing/path.ts';
import type { Credentials, Route } from '../routing/route.ts';
import type { JsonSchema } from '../wire/wire-type.ts';

const families = ['X-Service-', 'X-Killbill-'] as const;

function schemeName(family: string, suffix: string): string {
  return `${family.slice(2, -1).toLowerCase()}${suffix}`;
}

const fromKillBill = 'as sent by Kill Bill clients; responses use dialect K';
const tenantTexts = {
  'X-Service-': { ApiKey: 'with a user or token', ApiSecret: 'with its key' },
  'X-Killbill-': { ApiKey: fromKillBill, ApiSecret: fromKillBill },
};
const tenantHeaders = { ApiKey: 'API key of the tenant', ApiSecret: 'API secret of the tenant' };

export const securitySchemes: JsonSchema = {
  basicAuth: {
    type: 'http',
    scheme: 'basic',
    description: 'Name and password of a user; on /oauth2/token, id and secret of a client',
  },
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A bearer token instead of name and password; obtained from /oauth2/token',
  },
  ...Object.fromEntries(
    families.flatMap((family) =>
      (['ApiKey', 'ApiSecret'] as const).map((suffix) => [
        schemeName(family, suffix),
        {
          type: 'apiKey',
          in: 'header',
          name: `${family}${suffix}`,
          description: `${tenantHeaders[suffix]}, ${tenantTexts[family][suffix]}`,
        },
      ]),
    ),
  ),
};

const user = [{ basicAuth: [] }, { bearerAuth: [] }];
const bearer = [{ bearerAuth: [] }];

/** Adds the tenant headers, in both spellings, to each set of credentials. */
function withTenant(callers: readonly JsonSchema[]): readonly JsonSchema[] {
  return callers.flatMap((caller) =>
    families.map((family) => ({
      ...caller,
      [schemeName(family, 'ApiKey')]: [],
      [schemeName(family, 'ApiSecret')]: [],
    })),
  );
}

/**
 * Returns the security requirement of a route. If the body may contain the credentials, a request without an
 * `Authorization` header is also allowed.
 */
export function securityOf({ credentials, takesClient }: Pick<Route, 'credentials' | 'takesClient'>) {
  return takesClient ? [{}, { basicAuth: [] }] : securityByCredentials[credentials];
}

const securityByCredentials: Readonly<Record<Credentials, readonly JsonSchema[]>> = {
  TENANT: withTenant(user),
  USER: user,
  PLUGIN: withTenant(bearer),
  LOGIN: [{ basicAuth: [] }],
  SIGNATURE: [],
  NONE: [],
};

const headerText = { type: 'string', maxLength: 255 };

/** The author parameters. The documented name is required, and generated clients use it. The alias is also accepted. */
export const authorParameters: readonly JsonSchema[] = [
  {
    name: 'X-Service-CreatedBy',
    in: 'header',
    required: true,
    description: 'Author of the change; X-Killbill-CreatedBy also works',
    example: 'clerk',
    schema: headerText,
  },
  optionalHeader('X-Service-Reason', 'Reason for the change, stored in the audit log', 'Requested by phone'),
  optionalHeader('X-Service-Comment', 'Comment on the change, stored in the audit log', 'Ticket 4711'),
];

export const idempotencyParameter: JsonSchema = optionalHeader(
  'Idempotency-Key',
  'Makes retries safe: for 24 hours, a request with the same key runs only once and gets the same response',
  'order-17-paid',
);

function optionalHeader(name: string, description: string, example: string): JsonSchema {
  return {
    name,
    in: 'header',
    required: false,
    description,
    schema: { ...headerText, examples: [example] },
  };
}

const pagination = {
  CurrentOffset: ['integer', 'Number of skipped results'],
  NextOffset: ['integer', '`offset` of the next page; absent on the last page'],
  TotalNbRecords: ['integer', 'Number of matching results'],
  MaxNbRecords: ['integer', 'Total number of records; absent for large tables'],
  NextPageUri: ['string', 'Path and query of the next page; absent on the last page'],
};

export const pageHeaders: JsonSchema = Object.fromEntries(
  families.flatMap((family) =>
    Object.entries(pagination).map(([name, [type, description]]) => [
      `${family}Pagination-${name}`,
      { description, schema: { type } },
    ]),
  ),
);

export const tagHeader: JsonSchema = {
  description: 'Tag of the response, for `If-None-Match` in later requests',
  schema: { type: 'string' },
};

export const replayHeader: JsonSchema = {
  description: '`true` if the response is replayed from an earlier request with the same `Idempotency-Key`',
  schema: { type: 'string' },
};

export const retryHeader: JsonSchema = {
  description: 'With 429 and 503: seconds to wait before retrying',
  schema: { type: 'integer' },
};

/** http-api §12. */
export const errorComponent: JsonSchema = {
  type: 'object',
  description: 'Error of a failed request',
  properties: {
    className: { type: 'string', description: 'Class of the error' },
    code: { type: 'integer', description: 'Stable error code' },
    message: { type: 'string', description: 'What is wrong and how to fix it' },
    causeClassName: { type: ['string', 'null'], description: 'Class of the cause' },
    causeMessage: { type: ['string', 'null'], description: 'Message of the cause' },
    stackTrace: {
      type: 'array',
      description: 'Stack trace; empty unless the server is in test mode and the request asks for it',
      items: {
        type: 'object',
        properties: {
          className: { type: 'string', description: 'Class of the code' },
          fileName: { type: ['string', 'null'], description: 'File of the code' },
          lineNumber: { type: 'integer', description: 'Line of the file' },
          methodName: { type: 'string', description: 'Name of the function' },
          isNativeMethod: { type: 'boolean', description: 'Whether the frame is outside of the server code' },
        },
      },
    },
  },
  required: ['className', 'code', 'message', 'causeClassName', 'causeMessage', 'stackTrace'],
};

/**
 * Returns the error codes of a route: its own codes and those that its parameters imply. Excludes the codes that any
 * call may return (http-api §13).
 */
export function failureCodes(route: Route): readonly ErrorCode[] {
  const { fails, errorBody } = route;
  return errorBody === undefined ? [...fails, ...accessCodes(route), ...inputCodes(route)] : fails;
}

function accessCodes({ credentials, permission, needsFor }: Route): readonly ErrorCode[] {
  const isRequested = credentials !== 'NONE' && credentials !== 'SIGNATURE';
  const ofTenant = credentials === 'TENANT' || credentials === 'PLUGIN';
  return [
    ...(isRequested ? [ErrorCode.UNAUTHENTICATED] : []),
    ...(ofTenant ? [ErrorCode.TENANT_UNAUTHENTICATED] : []),
    ...(permission !== 'NONE' || needsFor !== undefined ? [ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS] : []),
  ];
}

/** Returns the error codes for text that cannot be read or stored. Any input may contain such text. */
function inputCodes({ path, query, author, body }: Route): readonly ErrorCode[] {
  const names = parameterNamesOf(path);
  const parameters = Object.values(query);
  const isNeeded = parameters.some(({ required }) => required) || author || body !== undefined;
  const isRead = isNeeded || parameters.length > 0 || names.length > 0;
  return [
    ...(isRead ? [ErrorCode.INVALID_PARAMETER] : []),
    ...(isNeeded ? [ErrorCode.MISSING_OR_INVALID_FIELD] : []),
    ...(body === undefined ? [] : [ErrorCode.MALFORMED_BODY]),
    ...(names.some(isIdParameter) ? [ErrorCode.ROUTE_NOT_FOUND] : []),
  ];
}
