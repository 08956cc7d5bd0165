import type { LogFile, Ports } from '../ports/index.ts';
import type { CallContext, WithContext } from '../records/index.ts';
import { hostAnswer } from '../runtime/index.ts';
import { type KeyValues, maskedProperties, maskedValues } from '../tenants/index.ts';
import { invalidParameter } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { shortened } from '../values/text/index.ts';
import type { Diagnostic, DiagnosticOperations, DiagnosticRequest } from './diagnostic.ts';
import { maskedLog } from './masked-log.ts';

/** Log files of one diagnostic, and the last bytes that are read of each. */
const MAX_LOG_FILES = 20;
const MAX_LOG_BYTES = 5 * 1_048_576;

/** Where the parts of a diagnostic come from. */
export interface DiagnosticSources {
  exportOf(context: CallContext, accountId: Uuid): Promise<AsyncIterable<string>>;
  keyValuesOf(context: CallContext): Promise<readonly KeyValues[]>;
  /** Properties of the server by name. */
  readonly configuration: Readonly<Record<string, unknown>>;
  /** Directories of log files that may be read. */
  readonly logDirectories: readonly string[];
}

/** Gathers what those need to see who look into a problem (platform §12.6). */
export class DiagnosticService implements DiagnosticOperations<WithContext> {
  readonly #ports: Pick<Ports, 'logFiles' | 'systemClock'>;
  readonly #sources: DiagnosticSources;

  constructor(ports: Pick<Ports, 'logFiles' | 'systemClock'>, sources: DiagnosticSources) {
    this.#ports = ports;
    this.#sources = sources;
  }

  async diagnostic(context: CallContext, request: DiagnosticRequest): Promise<Diagnostic> {
    const { accountId, withTenantConfig, withServiceConfig, withLogs, logDirectory } = request;
    checkNames(request.logFileNames ?? []);
    const [tenantConfig, logs] = await Promise.all([
      withTenantConfig ? this.#sources.keyValuesOf(context) : null,
      // A directory that is not allowed is refused whether or not logs are asked for.
      withLogs || logDirectory !== undefined ? this.#logs(request) : null,
    ]);
    return {
      // Last, since its reader has to end it.
      accountData: accountId === undefined ? null : await this.#sources.exportOf(context, accountId),
      tenantConfig: tenantConfig?.map(maskedValues) ?? null,
      serviceConfiguration: withServiceConfig ? maskedProperties(this.#sources.configuration) : null,
      logs: withLogs ? logs : null,
    };
  }

  async #logs({ logFileNames = [], logDirectory }: DiagnosticRequest): Promise<readonly LogFile[]> {
    const { logDirectories: allowed } = this.#sources;
    const request = {
      allowed,
      directory: logDirectory ?? null,
      names: logFileNames,
      maxBytes: MAX_LOG_BYTES,
    };
    const found = await hostAnswer(async () => {
      const files = await this.#ports.logFiles?.read(request);
      return files?.map(({ name, text }) => ({ name, text })) ?? null;
    });
    if (found === null && logDirectory !== undefined)
      throw invalidParameter('health.diagnostic.logDirs does not allow this directory', {
        logDirectory: shortened(logDirectory),
      });
    const masked: LogFile[] = [];
    for (const file of found ?? [])
      masked.push(await maskedLog(file, () => this.#ports.systemClock.nextTurn()));
    return masked;
  }
}

function checkNames(names: readonly string[]): void {
  const wrong = names.find((name) => name === '' || name === '.' || /[/\\\0]|[.][.]/.test(name));
  if (wrong !== undefined)
    throw invalidParameter('A log file is named without a path', { logFileName: shortened(wrong) });
  if (names.length > MAX_LOG_FILES)
    throw invalidParameter(`At most ${MAX_LOG_FILES} log files are read, not ${names.length}`);
}
