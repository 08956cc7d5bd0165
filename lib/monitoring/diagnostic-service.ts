import type { LogFile, Ports, SystemClock } from '../ports/index.ts';
import type { CallContext, Leading, WithContext } from '../records/index.ts';
import { hostAnswer } from '../runtime/index.ts';
import { type KeyValues, maskedProperties, maskedValues } from '../tenants/index.ts';
import { invalidParameter } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { maskSecretShapes, shortened } from '../values/text/index.ts';

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

/** What a diagnostic is to hold. */
export interface DiagnosticRequest {
  /** Whose records are shown; default nobody's. */
  readonly accountId?: Uuid | undefined;
  readonly withTenantConfig?: boolean | undefined;
  readonly withServiceConfig?: boolean | undefined;
  readonly withLogs?: boolean | undefined;
  /** Names of log files of this node; default the one that was written last. */
  readonly logFileNames?: readonly string[] | undefined;
  /** Directory of log files; default the first of `health.diagnostic.logDirs`. */
  readonly logDirectory?: string | undefined;
}

/** What those who look into a problem need to see; null = not asked for. */
export interface Diagnostic {
  /** The export of the account (accounts §16); its reader reads to the end or calls the iterator's `return`. */
  readonly accountData: AsyncIterable<string> | null;
  /** By key, sorted. What is named like a secret is masked. */
  readonly tenantConfig: readonly KeyValues[] | null;
  /** Properties of the server by name, as they hold. What is named like a secret is masked. */
  readonly serviceConfiguration: Readonly<Record<string, unknown>> | null;
  /** Of each file its last 5 MiB. */
  readonly logs: readonly LogFile[] | null;
}

export interface DiagnosticOperations<C extends Leading = []> {
  /**
   * Gathers what is asked for.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002); INVALID_PARAMETER (60002) for a name of a file with a path in
   * it, and for a directory that `health.diagnostic.logDirs` does not allow.
   */
  diagnostic(...given: [...C, request: DiagnosticRequest]): Promise<Diagnostic>;
}

/** Some milliseconds of work. */
const PIECE_BYTES = 65_536;
const NEWLINE = 0x0a;

/** Returns a log file with the secrets masked that their shape gives away. Gives way to other work between pieces. */
async function maskedLog({ name, text }: LogFile, nextTurn: SystemClock['nextTurn']): Promise<LogFile> {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from);
    pieces.push(maskedPiece(text.subarray(from, to)));
    from = to;
    await nextTurn();
  }
  return { name, text: joined(pieces) };
}

/** Pieces end with a line, so that no secret is cut in two, unless the line is longer than a piece. */
function endOfPiece(text: Uint8Array, from: number): number {
  const newline = text.indexOf(NEWLINE, from + PIECE_BYTES);
  return Math.min(newline < 0 ? text.length : newline + 1, from + 2 * PIECE_BYTES);
}

/** The same bytes if nothing is masked: a file may hold what is not UTF-8. */
function maskedPiece(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes);
  const masked = maskSecretShapes(text);
  return masked === text ? bytes : new TextEncoder().encode(masked);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
