import { Zip, ZipDeflate } from 'fflate';
import { z } from 'zod';
import type { Diagnostic, HealthData } from '../../../../lib/monitoring/index.ts';
import { maskedProperties } from '../../../../lib/tenants/index.ts';
import { stringifyExactJson } from '../../../../lib/values/money/index.ts';
import { formatInstant } from '../../../../lib/values/time/index.ts';
import { checkPermission } from '../../auth/credentials.ts';
import { HealthDataModel } from '../../models/health.ts';
import { type Answer, emptyText, jsonType } from '../../routing/answer.ts';
import { pluginRoute, type Route } from '../../routing/route.ts';
import { flag, plainText, textList, uuidParameter } from '../../wire/query.ts';
import { perDialect, type Rendering, renderingWithoutAudit } from '../../wire/wire-type.ts';

const zipType = 'application/zip';

const Parts = {
  answer: perDialect(() =>
    z.strictObject({
      'account.data': z.string().optional(),
      'tenant_config.data': z
        .array(z.strictObject({ key: z.string(), values: z.array(z.string()) }))
        .optional(),
      'service_configuration.data': z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  json: {
    type: 'object',
    properties: {
      'account.data': {
        type: 'string',
        description: 'Stored data of the account, as lines of text by table',
      },
      'tenant_config.data': {
        type: 'array',
        description: 'Keys of the tenant with their values; secrets are masked',
        items: { type: 'object' },
      },
      'service_configuration.data': {
        type: 'object',
        description: 'Configuration of the server; secrets are masked',
        additionalProperties: true,
      },
    },
  },
};

/** Returns the route for the support diagnostic (platform §12.6), which includes the HTTP properties. */
export const diagnosticRoute = (properties: Readonly<Record<string, unknown>>): Route =>
  pluginRoute('getDiagnostic', 'GET /health/diagnostic', {
    area: 'health',
    summary: 'Get diagnostic data on an account, the configuration and the node, as JSON or as a ZIP archive',
    permission: 'admin:health',
    needsFor: { 'with `accountId`': 'admin:export' },
    query: {
      accountId: uuidParameter,
      withServiceConfig: flag(),
      withTenantConfig: flag(),
      withLogs: flag(),
      logsFilenames: textList,
      logsDir: plainText,
    },
    success: {
      status: 200,
      mediaTypes: [jsonType, zipType],
      body: Parts,
      isEmptyWhen: 'Returned without query parameters',
    },
    async handle({ billing, context, dialect, query, mediaType, sent, user }) {
      if (sent.queryString === '') return emptyText;
      const { accountId, logsFilenames: logFileNames, logsDir, ...parts } = query;
      if (accountId !== null) checkPermission(user, 'admin:export');
      const health = mediaType === zipType ? await billing.monitoring.data(context) : null;
      const { serviceConfiguration, ...gathered } = await billing.monitoring.diagnostic(context, {
        ...parts,
        accountId: accountId ?? undefined,
        logFileNames,
        logDirectory: logsDir ?? undefined,
      });
      const diagnostic = {
        ...gathered,
        serviceConfiguration: serviceConfiguration && {
          ...serviceConfiguration,
          ...maskedProperties(properties),
        },
      };
      if (health === null)
        return { jsonPieces: closeSourceOnReturn(jsonPieces(diagnostic), diagnostic.accountData) };
      return archive(diagnostic, health, renderingWithoutAudit(dialect));
    },
  });

function archive(diagnostic: Diagnostic, health: HealthData, rendering: Rendering): Answer {
  const { accountData, logs } = diagnostic;
  const texts: readonly ZipEntry[] = [
    ...smallParts(diagnostic),
    ['health.data', HealthDataModel.write(health, rendering)] as const,
  ].map(([name, value]) => ({ name, pieces: [stringifyExactJson(value)] }));
  const entries: readonly ZipEntry[] = [
    ...(accountData === null ? [] : [{ name: 'account.data', pieces: accountData }]),
    ...texts,
    ...(logs ?? []).map(({ name, text }) => ({ name: `logs/${name}`, pieces: [text] })),
  ];
  const stamp = formatInstant(health.at).replace(/\D/g, '').slice(0, 14);
  return {
    bytePieces: closeSourceOnReturn(zipPieces(entries), accountData),
    headers: { 'Content-Disposition': `attachment; filename="diagnostic-${stamp}.zip"` },
  };
}

function smallParts({
  tenantConfig,
  serviceConfiguration,
}: Diagnostic): readonly (readonly [string, unknown])[] {
  return [
    ...(tenantConfig === null ? [] : [['tenant_config.data', tenantConfig] as const]),
    ...(serviceConfiguration === null ? [] : [['service_configuration.data', serviceConfiguration] as const]),
  ];
}

interface ZipEntry {
  readonly name: string;
  readonly pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
}

const LEVEL = 6;

/** Yields a ZIP archive in pieces. Memory use therefore does not depend on the size of the files. */
async function* zipPieces(entries: Iterable<ZipEntry>): AsyncIterable<Uint8Array> {
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    ready.push(piece);
  });
  const encoder = new TextEncoder();
  for (const { name, pieces } of entries) {
    const file = new ZipDeflate(name, { level: LEVEL });
    zip.add(file);
    for await (const piece of pieces) {
      file.push(typeof piece === 'string' ? encoder.encode(piece) : piece);
      yield* ready.splice(0);
    }
    file.push(new Uint8Array(), true);
    yield* ready.splice(0);
  }
  zip.end();
  yield* ready.splice(0);
}

/** Yields the export in pieces, because it may not fit in memory. */
async function* jsonPieces(diagnostic: Diagnostic): AsyncIterable<string> {
  const { accountData } = diagnostic;
  let between = '{';
  if (accountData !== null) {
    yield `${between}"account.data":"`;
    for await (const piece of accountData) yield JSON.stringify(piece).slice(1, -1);
    between = '",';
  }
  for (const [name, value] of smallParts(diagnostic)) {
    yield `${between}${JSON.stringify(name)}:${stringifyExactJson(value)}`;
    between = ',';
  }
  yield between === '",' ? '"}' : between === '{' ? '{}' : '}';
}

/** Returns the pieces. Closes their source even if the reader stops before the first piece. */
function closeSourceOnReturn<T>(
  pieces: AsyncIterable<T>,
  source: AsyncIterable<unknown> | null,
): AsyncIterable<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  const close = async (): Promise<IteratorResult<T>> => {
    await iterator.return?.();
    await source?.[Symbol.asyncIterator]().return?.();
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next(), return: close }) };
}
