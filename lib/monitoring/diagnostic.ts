import type { LogFile } from '../ports/index.ts';
import type { Leading } from '../records/index.ts';
import type { KeyValues } from '../tenants/index.ts';
import type { Uuid } from '../values/ids/index.ts';

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
