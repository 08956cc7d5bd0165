import { noSuchAccount } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  BusEventType,
  type CallContext,
  type EventPayload,
  type NewBusEvent,
  type NewCatalogParts,
  type NewCatalogVersion,
} from '../../records/index.ts';
import { authorshipOf, type HandlerBatch, type TimeSlices, timeSlices } from '../../runtime/index.ts';
import { billingError, ErrorCode, type Problem } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { CatalogCache } from '../cache/catalog-cache.ts';
import type { CatalogProvider, CatalogRequest, CatalogSource } from '../cache/catalog-source.ts';
import { type PluginCatalogs, pluginProvider } from '../cache/plugin-catalogs.ts';
import { partsOf, sha256Hex } from '../cache/stored-parts.ts';
import { heldNames, uploadedNames } from '../formats/entries/entry-input.ts';
import {
  type CatalogValidation,
  examine,
  parse,
  type ReadVersion,
  sourceText,
  toAdd,
  validVersions,
} from '../formats/xml/catalog-document.ts';
import { canonicalXmlSteps } from '../formats/xml/write-catalog.ts';
import { type Catalog, createCatalog } from '../lookup/catalog.ts';
import type { CatalogVersion } from '../lookup/catalog-version.ts';
import type { ParsedVersion } from '../model/version-content.ts';
import { forTenant, invalidForTenant } from '../validation/findings.ts';
import { agreementSteps } from '../validation/validate-version.ts';
import { versionDifferences } from '../validation/version-differences.ts';
import type { CatalogPreview, CatalogSync, CatalogUpload, WritesXml } from './catalog-operations.ts';
import { overridePlanProblems } from './obtain-override-plan.ts';

interface CatalogSettings {
  /**
   * XML of the default catalog, or a function that returns the XML. The default applies to tenants that were created
   * with `useGlobalDefault`, until they have their own catalog.
   */
  readonly defaultCatalog?: string | (() => string) | undefined;
  readonly plugins: PluginCatalogs;
  /** Maximum size of documents in bytes (`server.limits.text`). Defaults to 10 MiB. */
  readonly maxDocumentBytes?: number | undefined;
}

/**
 * Creates the service for the catalogs of tenants. It handles uploads and supplies the immutable catalog for each
 * operation (§5, §13).
 */
export function catalogService(
  ports: Pick<Ports, 'storage' | 'ids' | 'logger' | 'systemClock' | 'scopes'>,
  { defaultCatalog, plugins, maxDocumentBytes }: CatalogSettings,
) {
  /** Limits the time that work on a large catalog can run before other work continues. */
  const slices = timeSlices(ports);
  // Concurrent calls share one load. The load continues even if the first caller stops waiting.
  const cache = new CatalogCache(
    globalCatalog(defaultCatalog),
    timeSlices({ systemClock: ports.systemClock }),
  );
  const provider = pluginProvider(ports, plugins, cache);

  async function previewOf(context: CallContext, document: CatalogUpload): Promise<CatalogPreview> {
    const examined = await slices(examine(sourceOf(document), maxDocumentBytes));
    const { document: parsed, errors, warnings } = examined;
    if (parsed === null) return { errors, warnings, added: [] };
    const { added, problems } = await ports.storage.read(context.tenant, (session) =>
      check(session, parsed.versions, parsed.isEnvelope),
    );
    const versions = problems.length > 0 ? [] : added.map(({ version }) => version);
    return { errors: problems, warnings, added: versions };
  }

  async function check<R extends ReadVersion>(session: ReadSession, read: readonly R[], isEnvelope: boolean) {
    const { versions: stored } = await cache.uploadedBy(session);
    const added = await slices(toAdd(read, stored, isEnvelope));
    const problems = await problemsOf(session, {
      stored,
      added: added.map((each) => each.version),
      parsed: added.map((each) => each.parsed),
    });
    return { added, problems: [...added.flatMap((each) => each.unbilled), ...problems] };
  }

  /**
   * Returns the name of the plugin whose catalog replaces the tenant's stored catalog, or null.
   * @throws The errors of `current`.
   */
  async function servingPlugin(context: Pick<CallContext, 'tenant' | 'createdDate'>): Promise<string | null> {
    const served = await provider.findServedCatalog({ tenant: context.tenant, now: context.createdDate });
    return served?.pluginName ?? null;
  }

  const { open } = provider;

  async function problemsOf(
    session: ReadSession,
    change: {
      readonly stored: readonly CatalogVersion[];
      readonly added: readonly CatalogVersion[];
      readonly parsed?: readonly ParsedVersion[];
    },
  ): Promise<readonly Problem[]> {
    const planNames = change.added.flatMap((version) => [...version.planParts.names()]);
    return [
      ...(await slices(agreementSteps(change.stored, change.added, change.parsed))),
      ...heldNames(change.added, await session.catalogEntries.named(uploadedNames(change.added))),
      ...(await overridePlanProblems(session, planNames)),
      ...(await kindProblems(session, change.added)),
    ];
  }

  /**
   * Rejects a change of a stored catalog that a plugin's catalog replaces, because the change would have no effect (§16
   * rule 6).
   * @throws BillingError 2080 that names the plugin.
   */
  async function refuseWhileServed(context: CallContext): Promise<void> {
    const pluginName = await servingPlugin(context);
    if (pluginName === null) return;
    throw billingError(
      ErrorCode.CATALOG_INVALID_FOR_TENANT,
      `Invalid catalog for tenant ${context.tenant.id}: the catalog plugin "${pluginName}" serves this tenant; change the catalog there`,
      { tenantId: context.tenant.id, pluginName },
    );
  }

  function rowsOf(
    added: readonly Hashed[],
    source: string,
    context: CallContext,
  ): readonly NewCatalogVersion[] {
    const uploadId: Uuid = ports.ids.next();
    return added.map((each, index) => ({
      id: index === 0 ? uploadId : ports.ids.next(),
      effectiveDate: each.version.effectiveDate,
      uploadId,
      parts: each.parts,
      sourceText: index === 0 ? source : null,
      contentHash: each.contentHash,
      createdDate: context.createdDate,
    }));
  }

  /** Stores the versions that `select` returns, and returns them. */
  async function store(
    context: CallContext,
    document: CatalogUpload,
    select: typeof check,
  ): Promise<readonly Hashed[]> {
    await refuseWhileServed(context);
    const source = sourceOf(document);
    const parsed = await forTenant(context.tenant, () => slices(parse(source, maxDocumentBytes)));
    const hashed: Hashed[] = [];
    for (const each of parsed.versions) hashed.push(await withHash(each, slices));
    for (const { message, line } of parsed.warnings)
      ports.logger.warn({ tenantId: context.tenant.id, line }, `catalog upload: ${message}`);
    return ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      await session.catalogs.lock();
      const { added, problems } = await select(session, hashed, parsed.isEnvelope);
      if (problems.length > 0) throw invalidForTenant(context.tenant, problems);
      if (added.length === 0) return added;
      const text = sourceText(source, maxDocumentBytes);
      const id = await session.catalogs.insert(rowsOf(added, text, context));
      session.publish([catalogChanged(id, await session.catalogs.revision())]);
      return added;
    });
  }

  async function sync(context: CallContext, document: CatalogUpload): Promise<CatalogSync> {
    const added = await store(context, document, newOnes);
    const dates = added.map(({ version }) => version.effectiveDate);
    return { status: dates.length === 0 ? 'UNCHANGED' : 'UPDATED', added: dates };
  }

  /**
   * Returns the versions whose dates are new. For all other versions, returns every difference from the stored version
   * (§5 rule 11).
   */
  async function newOnes<R extends ReadVersion>(session: ReadSession, read: readonly R[]) {
    const { versions } = await cache.uploadedBy(session);
    const stored = new Map(versions.map((version) => [version.effectiveDate, version]));
    const problems: Problem[] = [];
    for (const { version } of read) {
      const known = stored.get(version.effectiveDate);
      if (known === undefined) continue;
      const isEqual = (await slices(canonicalXmlSteps(known))) === (await slices(canonicalXmlSteps(version)));
      if (!isEqual) problems.push(...versionDifferences(known, version));
    }
    const added = read.filter(({ version }) => !stored.has(version.effectiveDate));
    if (problems.length > 0 || added.length === 0) return { added, problems };
    return check(session, added, true);
  }

  return {
    cache,
    slices,
    /** True if the host has registered catalog plugins. */
    hasPlugins: !plugins.isEmpty,
    servingPlugin,
    open,
    problemsOf,
    refuseWhileServed,

    dropCached(tenantRecordId: number | null): void {
      cache.drop(tenantRecordId);
      plugins.drop(tenantRecordId);
    },

    async upload(context: CallContext, document: CatalogUpload): Promise<void> {
      // An application uploads its definition on every startup, so versions that are already stored are skipped.
      if (isDefinition(document)) await sync(context, document);
      else await store(context, document, check);
    },

    sync,

    async validate(context: CallContext, document: CatalogUpload): Promise<CatalogValidation> {
      const { errors, warnings } = await previewOf(context, document);
      return { errors, warnings };
    },

    /**
     * Returns the result that an upload would have. Stores nothing.
     * @throws BillingError TOO_LARGE (60012); CATALOG_INVALID_FOR_TENANT (2080) while a catalog plugin serves the
     * tenant.
     */
    async preview(context: CallContext, document: CatalogUpload): Promise<CatalogPreview> {
      await refuseWhileServed(context);
      return previewOf(context, document);
    },

    async current(context: CallContext, accountId: Uuid | null = null): Promise<Catalog> {
      const request = { tenant: context.tenant, now: context.createdDate };
      if (accountId === null) {
        const catalogOf = await provider.openTenant(request);
        return ports.storage.read(context.tenant, catalogOf);
      }
      const catalogsOf = await open({ ...request, accounts: [accountId] });
      return ports.storage.read(context.tenant, async (session) => {
        const [account] = await session.accounts.findByIds([accountId]);
        if (!account) throw noSuchAccount(accountId);
        return (await catalogsOf(session, [accountId]))(accountId);
      });
    },
  };
}

export type CatalogService = ReturnType<typeof catalogService>;

/** Returns a problem for each feature that has stored overrides of a different kind (§5 rule 3). */
async function kindProblems(
  session: ReadSession,
  added: readonly CatalogVersion[],
): Promise<readonly Problem[]> {
  const kinds = new Map<string, string>(
    added.flatMap(({ features }) => features.map(({ name, kind }) => [name, kind])),
  );
  const overrides = await session.features.kindsOfOverrides([...kinds.keys()]);
  return overrides
    .filter(({ feature, kind }) => kinds.get(feature) !== kind)
    .map(({ feature, kind }) => ({
      message: `Feature "${feature}" is a ${kinds.get(feature)} in this catalog and a ${kind} in account overrides; choose another name`,
    }));
}

function sourceOf(document: CatalogUpload): Uint8Array | string {
  return isDefinition(document) ? document.toXml() : document;
}

function isDefinition(document: CatalogUpload): document is WritesXml {
  return typeof document === 'object' && 'toXml' in document;
}

/**
 * Returns a function that supplies the default catalog. A string is parsed immediately, so that an invalid document is
 * rejected. A function is called on demand.
 */
function globalCatalog(document: CatalogSettings['defaultCatalog']): (() => Catalog) | null {
  if (document === undefined) return null;
  if (typeof document === 'string') {
    const catalog = createCatalog(validVersions(document));
    return () => catalog;
  }
  let read: Catalog | undefined;
  return () => {
    read ??= createCatalog(validVersions(document()));
    return read;
  };
}

interface Hashed extends ReadVersion {
  readonly parts: NewCatalogParts;
  readonly contentHash: string;
}

export async function withHash<R extends Pick<ReadVersion, 'version'>>(
  read: R,
  slices: TimeSlices,
): Promise<R & Pick<Hashed, 'parts' | 'contentHash'>> {
  const contentHash = await sha256Hex(await slices(canonicalXmlSteps(read.version)), slices);
  return { ...read, parts: await partsOf(read.version, slices), contentHash };
}

/**
 * Returns the catalogs for a batch of due work. If loading them fails, fails all entries with the same error and
 * returns null. The batch is then not repeated entry by entry.
 */
export async function catalogsOfBatch(
  source: CatalogProvider,
  batch: Pick<HandlerBatch, 'tenant' | 'entries' | 'failed'>,
  now: Instant,
): Promise<CatalogSource | null> {
  const recordIds = batch.entries.flatMap((entry) => entry.accountRecordId ?? []);
  const accounts: CatalogRequest['accounts'] = async (session) =>
    (await session.accounts.findByRecordIds(recordIds)).map((account) => account.id);
  try {
    return await source.open({ tenant: batch.tenant, now, accounts });
  } catch (error) {
    for (const entry of batch.entries) batch.failed(entry, error);
    return null;
  }
}

/** The tenant key that bus events about catalogs contain (§13 rule 4). */
const CATALOG_KEY = 'CATALOG';

/**
 * Returns the bus event that reports a changed catalog (§13 rule 4). `objectId` is the id of the catalog row, and
 * `catalogRevision` is the new revision.
 */
export function catalogChanged(objectId: Uuid | null, catalogRevision: number): NewBusEvent {
  return {
    type: BusEventType.TENANT_CONFIG_CHANGE,
    accountRecordId: null,
    payload: { accountId: null, objectId, metaData: { key: CATALOG_KEY }, catalogRevision },
  };
}

/** Returns the event that is published before `catalogChanged` (§12 rule 6). */
export function catalogDeleted(): NewBusEvent {
  return {
    type: BusEventType.TENANT_CONFIG_DELETION,
    accountRecordId: null,
    payload: { accountId: null, objectId: null, metaData: { key: CATALOG_KEY } },
  };
}

export function catalogRevisionOf({ catalogRevision }: EventPayload): number | null {
  return typeof catalogRevision === 'number' ? catalogRevision : null;
}

export function isCatalogChange(payload: EventPayload): boolean {
  const { metaData } = payload;
  return (
    typeof metaData === 'object' && metaData !== null && 'key' in metaData && metaData.key === CATALOG_KEY
  );
}
