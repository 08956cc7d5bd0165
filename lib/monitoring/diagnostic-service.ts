import type { LogFile, Ports, SystemClock } from '../ports/index.ts';
import type { CallContext, Leading, WithContext } from '../records/index.ts';
import { hostAnswer } from '../runtime/index.ts';
import { type KeyValues, maskedProperties, maskedValues } from '../tenants/index.ts';
import { invalidParameter } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { maskSecretShapes, shortenText } from '../values/text/index.ts';

/** Maximum number of log files. Only the last bytes of each file are read. */
const MAX_LOG_FILES = 20;
const MAX_LOG_BYTES = 5 * 1_048_576;

/** The sources of a diagnostic's parts. */
export interface DiagnosticSources {
  exportOf(context: CallContext, accountId: Uuid): Promise<AsyncIterable<string>>;
  keyValuesOf(context: CallContext): Promise<readonly KeyValues[]>;
  /** Properties of the server by name. */
  readonly configuration: Readonly<Record<string, unknown>>;
  /** Directories from which log files may be read. */
  readonly logDirectories: readonly string[];
}

/** Creates the operations that collect data for the diagnosis of a problem (platform §12.6). */
export function diagnosticOperations(
  ports: Pick<Ports, 'logFiles' | 'systemClock'>,
  sources: DiagnosticSources,
): DiagnosticOperations<WithContext> {
  async function readLogs({ logFileNames: names = [], logDirectory }: DiagnosticRequest) {
    const { logDirectories: allowed } = sources;
    const request = { allowed, directory: logDirectory ?? null, names, maxBytes: MAX_LOG_BYTES };
    const found = await hostAnswer(async () => {
      const files = await ports.logFiles?.read(request);
      return files?.map(({ name, text }) => ({ name, text })) ?? null;
    });
    if (found === null && logDirectory !== undefined)
      throw invalidParameter('health.diagnostic.logDirs does not allow this directory', {
        logDirectory: shortenText(logDirectory),
      });
    const masked: LogFile[] = [];
    for (const file of found ?? []) masked.push(await maskedLog(file, () => ports.systemClock.nextTurn()));
    return masked;
  }

  return {
    async diagnostic(context, request: DiagnosticRequest) {
      const { accountId, withTenantConfig, withServiceConfig, withLogs, logDirectory } = request;
      checkNames(request.logFileNames ?? []);
      const [tenantConfig, logs] = await Promise.all([
        withTenantConfig ? sources.keyValuesOf(context) : null,
        // A forbidden directory is rejected even if no logs are requested.
        withLogs || logDirectory !== undefined ? readLogs(request) : null,
      ]);
      return {
        // The account export is opened last, because it stays open until its reader closes it.
        accountData: accountId === undefined ? null : await sources.exportOf(context, accountId),
        tenantConfig: tenantConfig?.map(maskedValues) ?? null,
        serviceConfiguration: withServiceConfig ? maskedProperties(sources.configuration) : null,
        logs: withLogs ? logs : null,
      };
    },
  };
}

function checkNames(names: readonly string[]): void {
  const wrong = names.find((name) => name === '' || name === '.' || /[/\\\0]|[.][.]/.test(name));
  if (wrong !== undefined)
    throw invalidParameter('The name of a log file must not contain a path', {
      logFileName: shortenText(wrong),
    });
  if (names.length > MAX_LOG_FILES)
    throw invalidParameter(`At most ${MAX_LOG_FILES} log files can be requested, not ${names.length}`);
}

/** The parts of a diagnostic. */
export interface DiagnosticRequest {
  /** Id of the account to export. By default, no account is exported. */
  readonly accountId?: Uuid | undefined;
  readonly withTenantConfig?: boolean | undefined;
  readonly withServiceConfig?: boolean | undefined;
  readonly withLogs?: boolean | undefined;
  /** Names of log files of this node. Defaults to the most recently written file. */
  readonly logFileNames?: readonly string[] | undefined;
  /** Directory of log files. Defaults to the first directory in `health.diagnostic.logDirs`. */
  readonly logDirectory?: string | undefined;
}

/** The data for the diagnosis of a problem. A part that was not requested is null. */
export interface Diagnostic {
  /**
   * The export of the account (accounts §16). The caller must read to the end, or call the iterator's
   * `return`.
   */
  readonly accountData: AsyncIterable<string> | null;
  /** Key values of the tenant, sorted by key. Secrets are masked. */
  readonly tenantConfig: readonly KeyValues[] | null;
  /** The current server settings by name. Secrets are masked. */
  readonly serviceConfiguration: Readonly<Record<string, unknown>> | null;
  /** The last 5 MiB of each file. */
  readonly logs: readonly LogFile[] | null;
}

export interface DiagnosticOperations<C extends Leading = []> {
  /**
   * Returns the requested parts.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002); INVALID_PARAMETER (60002) for a file name with a path,
   * or a directory that `health.diagnostic.logDirs` does not allow.
   */
  diagnostic(...given: [...C, request: DiagnosticRequest]): Promise<Diagnostic>;
}

/** Number of bytes of a log file that are masked at a time. Masking this many bytes takes a few milliseconds. */
const PIECE_BYTES = 65_536;
const NEWLINE = 0x0a;

/** Masks strings in a log file that look like secrets. Other work can run between the pieces. */
async function maskedLog({ name, text }: LogFile, nextTurn: SystemClock['nextTurn']): Promise<LogFile> {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from);
    pieces.push(maskedPiece(text.subarray(from, to)));
    from = to;
    await nextTurn();
  }
  return { name, text: joinPieces(pieces) };
}

/**
 * Returns the end of a piece. A piece ends at a line break, so that no secret is divided, unless a line is longer than
 * a piece.
 */
function endOfPiece(text: Uint8Array, from: number): number {
  const newline = text.indexOf(NEWLINE, from + PIECE_BYTES);
  return Math.min(newline < 0 ? text.length : newline + 1, from + 2 * PIECE_BYTES);
}

/**
 * Returns the piece with secrets masked. If nothing is masked, returns the same bytes, because a file may contain
 * invalid UTF-8.
 */
function maskedPiece(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes);
  const masked = maskSecretShapes(text);
  return masked === text ? bytes : new TextEncoder().encode(masked);
}

function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
