import { noSuchAccount } from '../accounts/service.ts';
import { authorshipOf, type CallContext, type TenantRef } from '../context.ts';
import { BillingError, ErrorCode, type Problem } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { Ports } from '../ports/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { TenantService } from '../tenants/service.ts';
import { type Catalog, createCatalog } from './catalog.ts';
import { catalogChanged } from './catalog-event.ts';
import type { CatalogOfAccount, CatalogProvider, CatalogRequest, CatalogSource } from './catalog-source.ts';
import { type CatalogVersion, createVersion } from './catalog-version.ts';
import { sha256Hex } from './content-hash.ts';
import { EffectiveCatalogs } from './effective-catalogs.ts';
import { heldNames, uploadedNames } from './entries/uploaded-names.ts';
import { overridePlanProblems } from './override-plans.ts';
import type { PluginCatalogs } from './plugins/plugin-catalogs.ts';
import { PluginProvider } from './plugins/plugin-provider.ts';
import type { NewCatalogParts, NewCatalogVersion } from './stored-version.ts';
import { validateVersion } from './validation/validate-version.ts';
import { validateVersions, versionsToAdd } from './validation/validate-versions.ts';
import { partsOf } from './version-parts.ts';
import { type ParsedVersion, readCatalogXml } from './xml/read-catalog.ts';
import { canonicalXml } from './xml/write-catalog.ts';

/** What has a document to upload, such as a `DefinedCatalog`. */
export interface WritesXml {
  toXml(): string;
}

/** Where catalogs come from that are not stored. */
export interface CatalogSettings {
  /** XML of the catalog that tenants created with `useGlobalDefault` see until they have their own. */
  readonly defaultCatalog?: string | undefined;
  readonly plugins: PluginCatalogs;
}

/** Catalogs of the tenants: upload, and the immutable value that every operation reads (catalog.md §5, §13). */
export class CatalogService implements CatalogProvider {
  readonly #ports: Pick<Ports, 'storage' | 'ids' | 'logger'>;
  readonly #effective: EffectiveCatalogs;
  readonly #provider: PluginProvider;

  constructor(
    ports: Pick<Ports, 'storage' | 'ids' | 'logger'>,
    tenants: TenantService,
    { defaultCatalog, plugins }: CatalogSettings,
  ) {
    this.#ports = ports;
    const globalDefault = defaultCatalog === undefined ? null : createCatalog(validVersions(defaultCatalog));
    this.#effective = new EffectiveCatalogs(tenants, globalDefault);
    this.#provider = new PluginProvider(ports, plugins, {
      catalogOf: (session) => this.catalogOf(session),
      catalogsOf: (session, accountIds) => this.catalogsOf(session, accountIds),
    });
  }

  /**
   * Adds the versions of an XML document to the tenant's catalog: all or nothing (catalog.md §5).
   * @param document root `catalog` or the envelope `catalogs`; bytes as they came, or text; or a catalog that
   * is defined in code.
   * @throws BillingError CATALOG_INVALID_FOR_TENANT (2080) with every error found as `problems`, each with line and
   * column where it has one; nothing is stored then.
   */
  async upload(context: CallContext, document: Uint8Array | string | WritesXml): Promise<void> {
    await this.#refuseWhileServed(context);
    const source = typeof document === 'object' && 'toXml' in document ? document.toXml() : document;
    const parsed = forTenant(context.tenant, () => parse(source));
    const hashed = await Promise.all(parsed.versions.map(withHash));
    this.#logWarnings(context.tenant, parsed);
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      await session.catalogs.lock();
      const { versions: stored } = await this.#effective.uploaded(session);
      const added = toAdd(hashed, stored, parsed.isEnvelope);
      const versions = added.map((each) => each.version);
      const parsedVersions = added.map((each) => each.parsed);
      const planNames = versions.flatMap((version) => version.plans.map((plan) => plan.name));
      const entries = await session.catalogEntries.named(uploadedNames(versions));
      const problems = [
        ...validateVersions(stored, versions, parsedVersions),
        ...heldNames(versions, entries),
        ...(await overridePlanProblems(session, planNames)),
      ];
      if (problems.length > 0) throw invalidForTenant(context.tenant, problems);
      const id = await session.catalogs.insert(this.#rowsOf(added, sourceText(source), context));
      session.publish([catalogChanged(id)]);
    });
  }

  /**
   * The catalog as it is now: that of a catalog plugin, else what the tenant has stored; without any version for a tenant
   * that has none. With an account, the one that it sees (catalog.md §15.6, §16).
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002); UNEXPECTED (60000) or CATALOG_INVALID_FOR_TENANT (2080) for
   * a plugin that fails or gives a bad catalog.
   */
  async current(context: CallContext, accountId: Uuid | null = null): Promise<Catalog> {
    const request = { tenant: context.tenant, now: context.createdDate };
    if (accountId === null) {
      const catalogOf = await this.#provider.openTenant(request);
      return this.#ports.storage.read(context.tenant, catalogOf);
    }
    const catalogsOf = await this.open({ ...request, accounts: [accountId] });
    return this.#ports.storage.read(context.tenant, async (session) => {
      const [account] = await session.accounts.findByIds([accountId]);
      if (!account) throw noSuchAccount(accountId);
      return (await catalogsOf(session, [accountId]))(accountId);
    });
  }

  /** Name of the plugin that serves the tenant in the place of its stored catalog, or null. @throws as `current`. */
  async servingPlugin(context: Pick<CallContext, 'tenant' | 'createdDate'>): Promise<string | null> {
    const served = await this.#provider.serving({ tenant: context.tenant, now: context.createdDate });
    return served?.pluginName ?? null;
  }

  open(request: CatalogRequest): Promise<CatalogSource> {
    return this.#provider.open(request);
  }

  /**
   * The catalog that the tenant has stored. Compares its revision, so a write is visible to the next call on every node
   * (catalog.md §13 rule 2).
   */
  async catalogOf(session: ReadSession): Promise<Catalog> {
    return this.#effective.ofTenant(session);
  }

  /** The same of accounts, which may have content of their own: by one look at the revision for all of them. */
  async catalogsOf(session: ReadSession, accountIds: readonly Uuid[]): Promise<CatalogOfAccount> {
    return this.#effective.ofAccounts(session, accountIds);
  }

  /** The XML catalog that the tenant has uploaded, or sees by default, without its entries. */
  async xmlOf(session: ReadSession): Promise<Catalog> {
    return this.#effective.xml(session);
  }

  /** catalog.md §16 rule 6: what is stored would have no visible effect. */
  async #refuseWhileServed(context: CallContext): Promise<void> {
    const pluginName = await this.servingPlugin(context);
    if (pluginName === null) return;
    throw new BillingError({
      code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
      message: `Invalid catalog for tenant : ${context.tenant.id}: the catalog plugin "${pluginName}" serves this tenant; change the catalog there`,
      facts: { tenantId: context.tenant.id, pluginName },
    });
  }

  #logWarnings(tenant: TenantRef, { warnings }: Parsed): void {
    const { logger } = this.#ports;
    for (const { message, line } of warnings)
      logger.warn({ tenantId: tenant.id, line }, `catalog upload: ${message}`);
  }

  #rowsOf(added: readonly Hashed[], source: string, context: CallContext): readonly NewCatalogVersion[] {
    const uploadId: Uuid = this.#ports.ids.next();
    return added.map((each, index) => ({
      id: index === 0 ? uploadId : this.#ports.ids.next(),
      effectiveDate: each.version.effectiveDate,
      uploadId,
      parts: each.parts,
      sourceText: index === 0 ? source : null,
      contentHash: each.contentHash,
      createdDate: context.createdDate,
    }));
  }
}

interface Parsed {
  readonly isEnvelope: boolean;
  readonly versions: readonly ReadVersion[];
  readonly warnings: readonly Problem[];
}

/** A version and the document it was read from, which knows lines and columns. */
interface ReadVersion {
  readonly version: CatalogVersion;
  readonly parsed: ParsedVersion;
}

interface Hashed extends ReadVersion {
  readonly parts: NewCatalogParts;
  readonly contentHash: string;
}

function parse(source: Uint8Array | string): Parsed {
  const document = readCatalogXml(source);
  const findings = document.versions.map((version) => validateVersion(version));
  const problems = findings.flatMap(({ errors }) => errors);
  if (problems.length > 0) throw invalid(problems);
  return {
    isEnvelope: document.isEnvelope,
    versions: document.versions.map((each) => ({ version: createVersion(each.content), parsed: each })),
    warnings: findings.flatMap(({ warnings }) => warnings),
  };
}

function validVersions(source: string): readonly CatalogVersion[] {
  const versions = parse(source).versions.map(({ version }) => version);
  const problems = validateVersions([], versions);
  if (problems.length > 0) throw invalid(problems);
  return versions;
}

function toAdd(
  hashed: readonly Hashed[],
  stored: readonly CatalogVersion[],
  isEnvelope: boolean,
): readonly Hashed[] {
  const versions = hashed.map((each) => each.version);
  const added = new Set(versionsToAdd(stored, versions, isEnvelope));
  return hashed.filter((each) => added.has(each.version));
}

async function withHash(read: ReadVersion): Promise<Hashed> {
  const [contentHash, parts] = await Promise.all([
    sha256Hex(canonicalXml(read.version)),
    partsOf(read.version),
  ]);
  return { ...read, parts, contentHash };
}

function sourceText(source: Uint8Array | string): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}

function invalid(problems: readonly Problem[]): BillingError {
  return new BillingError({
    code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
    message: 'Invalid catalog',
    problems,
  });
}

/** catalog.md §5 rule 7: the message names the tenant and lists every error. */
function invalidForTenant(tenant: TenantRef, problems: readonly Problem[]): BillingError {
  return new BillingError({
    code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
    message: `Invalid catalog for tenant : ${tenant.id}: ${problems.map(lineOf).join('; ')}`,
    facts: { tenantId: tenant.id },
    problems,
  });
}

function forTenant<T>(tenant: TenantRef, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BillingError) || error.code !== ErrorCode.CATALOG_INVALID_FOR_TENANT) throw error;
    throw invalidForTenant(tenant, error.problems ?? [{ message: error.message }]);
  }
}

function lineOf(problem: Problem): string {
  if (problem.line === undefined) return problem.message;
  return `line ${problem.line}, column ${problem.column ?? 1}: ${problem.message}`;
}
