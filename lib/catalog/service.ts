import { authorshipOf, type CallContext, type TenantRef } from '../context.ts';
import { BillingError, ErrorCode, type Problem } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import { MAX_CACHED_CATALOGS } from '../limits.ts';
import type { Ports } from '../ports/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import { BusEventType, type NewBusEvent } from '../queue/model.ts';
import type { TenantService } from '../tenants/service.ts';
import { type Catalog, createCatalog } from './catalog.ts';
import type { CatalogOfAccount, CatalogProvider, CatalogRequest, CatalogSource } from './catalog-source.ts';
import { type CatalogVersion, createVersion } from './catalog-version.ts';
import { CompiledVersions } from './compiled-versions.ts';
import type { StoredCatalogVersion } from './stored-version.ts';
import { validateVersion } from './validation/validate-version.ts';
import { validateVersions, versionsToAdd } from './validation/validate-versions.ts';
import { type ParsedVersion, readCatalogXml } from './xml/read-catalog.ts';
import { canonicalXml } from './xml/write-catalog.ts';

/** Key of the tenant value under which catalogs stand in events (catalog.md §13 rule 4). */
const CATALOG_KEY = 'CATALOG';

/** Catalogs of the tenants: upload, and the immutable value that every operation reads (catalog.md §5, §13). */
export class CatalogService implements CatalogProvider {
  readonly #ports: Pick<Ports, 'storage' | 'ids' | 'logger'>;
  readonly #tenants: TenantService;
  readonly #compiled = new CompiledVersions();
  readonly #byTenant = new Map<number, { readonly revision: number; readonly catalog: Catalog }>();
  readonly #globalDefault: Catalog | null;

  constructor(
    ports: Pick<Ports, 'storage' | 'ids' | 'logger'>,
    tenants: TenantService,
    globalDefault: string | undefined,
  ) {
    this.#ports = ports;
    this.#tenants = tenants;
    this.#globalDefault = globalDefault === undefined ? null : createCatalog(validVersions(globalDefault));
  }

  /**
   * Adds the versions of an XML document to the tenant's catalog: all or nothing (catalog.md §5).
   * @param source the document: root `catalog` or the envelope `catalogs`; bytes as they came, or text.
   * @throws BillingError CATALOG_INVALID_FOR_TENANT (2080) with every error found as `problems`, each with line and
   * column where it has one; nothing is stored then.
   */
  async upload(context: CallContext, source: Uint8Array | string): Promise<void> {
    const parsed = forTenant(context.tenant, () => parse(source));
    const hashed = await Promise.all(parsed.versions.map(withHash));
    this.#logWarnings(context.tenant, parsed);
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      await session.catalogs.lock();
      const stored = (await session.catalogs.versions()).map((version) => this.#compiled.get(version));
      const added = toAdd(hashed, stored, parsed.isEnvelope);
      const problems = validateVersions(
        stored,
        added.map((each) => each.version),
        added.map((each) => each.parsed),
      );
      if (problems.length > 0) throw invalidForTenant(context.tenant, problems);
      const id = await session.catalogs.insert(this.#rowsOf(added, sourceText(source), context));
      session.publish([catalogChanged(id)]);
    });
  }

  /** The tenant's catalog as it is now; without any version for a tenant that has none. */
  async current(context: CallContext): Promise<Catalog> {
    return this.#ports.storage.read(context.tenant, (session) => this.catalogOf(session));
  }

  async open(_request: CatalogRequest): Promise<CatalogSource> {
    return (session, accountIds) => this.catalogsOf(session, accountIds);
  }

  /**
   * The catalog that the tenant has stored. Compares its revision, so a write is visible to the next call on every node
   * (catalog.md §13 rule 2).
   */
  async catalogOf(session: ReadSession): Promise<Catalog> {
    const revision = await session.catalogs.revision();
    const cached = this.#byTenant.get(session.tenant.recordId);
    if (cached?.revision === revision) return cached.catalog;
    const catalog = await this.#load(session);
    this.#byTenant.delete(session.tenant.recordId);
    this.#byTenant.set(session.tenant.recordId, { revision, catalog });
    const oldest = this.#byTenant.keys().next();
    if (this.#byTenant.size > MAX_CACHED_CATALOGS && !oldest.done) this.#byTenant.delete(oldest.value);
    return catalog;
  }

  /**
   * The catalogs of the accounts of one operation, by one look at the revision for all of them. They are one and the same
   * for accounts without content of their own.
   */
  async catalogsOf(session: ReadSession, _accountIds: readonly Uuid[]): Promise<CatalogOfAccount> {
    const catalog = await this.catalogOf(session);
    return () => catalog;
  }

  async #load(session: ReadSession): Promise<Catalog> {
    const stored = await session.catalogs.versions();
    if (stored.length > 0) return createCatalog(stored.map((version) => this.#compiled.get(version)));
    // catalog.md §14: a tenant without versions sees the default catalog if it was created with it
    if (this.#globalDefault === null) return createCatalog([]);
    const tenant = await this.#tenants.get(session.tenant.id);
    return tenant.useGlobalDefault ? this.#globalDefault : createCatalog([]);
  }

  #logWarnings(tenant: TenantRef, { versions, warnings }: Parsed): void {
    const { logger } = this.#ports;
    for (const { message, line } of warnings)
      logger.warn({ tenantId: tenant.id, line }, `catalog upload: ${message}`);
    for (const { version } of versions) {
      const changing = version.plans.filter((plan) => plan.effectiveDateForExistingSubscriptions !== null);
      if (changing.length === 0) continue;
      logger.warn(
        { tenantId: tenant.id, plans: changing.map((plan) => plan.name) },
        `${version.title}: prices of existing subscriptions stay as they are; this version bills no price changes`,
      );
    }
  }

  #rowsOf(
    added: readonly Hashed[],
    source: string,
    context: CallContext,
  ): Omit<StoredCatalogVersion, 'recordId'>[] {
    const uploadId: Uuid = this.#ports.ids.next();
    return added.map((each, index) => ({
      id: index === 0 ? uploadId : this.#ports.ids.next(),
      effectiveDate: each.version.effectiveDate,
      uploadId,
      canonicalXml: each.xml,
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
  readonly xml: string;
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

/** catalog.md §13 rule 4. */
function catalogChanged(objectId: Uuid): NewBusEvent {
  return {
    type: BusEventType.TENANT_CONFIG_CHANGE,
    accountRecordId: null,
    payload: { accountId: null, objectId, metaData: { key: CATALOG_KEY } },
  };
}

async function withHash(read: ReadVersion): Promise<Hashed> {
  const xml = canonicalXml(read.version);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(xml));
  const contentHash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
  return { ...read, xml, contentHash };
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
