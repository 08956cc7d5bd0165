import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CallContext, NewCatalogVersion } from '../../records/index.ts';
import { authorshipOf, type Steps } from '../../runtime/index.ts';
import {
  type BillingError,
  billingError,
  ErrorCode,
  InvariantError,
  type Problem,
} from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortenText } from '../../values/text/index.ts';
import {
  addSimplePlan,
  checkSimplePlan,
  type EditedVersion,
  invalidSimplePlanError,
  type SimplePlan,
} from '../formats/add-simple-plan.ts';
import { uploadedTexts } from '../formats/xml/catalog-document.ts';
import { canonicalXmlSteps } from '../formats/xml/write-catalog.ts';
import type { Catalog } from '../lookup/catalog.ts';
import {
  type AvailablePlan,
  type CatalogVersion,
  listAddOns,
  listBasePlans,
  versionSteps,
} from '../lookup/catalog-version.ts';
import { validationSteps } from '../validation/validate-version.ts';
import type { AddOnsRequest } from './catalog-operations.ts';
import { type CatalogService, catalogChanged, catalogDeleted, withHash } from './catalog-service.ts';

const NAMED_PLANS = 10;

export function catalogAdministration(ports: Pick<Ports, 'storage' | 'ids'>, catalogs: CatalogService) {
  async function inForce(
    context: CallContext,
    accountId: Uuid | null = null,
  ): Promise<CatalogVersion | null> {
    const catalog = await catalogs.current(context, accountId);
    return catalog.versionAt(context.createdDate);
  }

  /**
   * Returns the rows to store for edited versions. Each edited version is stored as a separate upload whose document is
   * the new content of the version.
   */
  async function rowsOf(
    versions: readonly CatalogVersion[],
    context: CallContext,
  ): Promise<readonly NewCatalogVersion[]> {
    const { slices } = catalogs;
    const rows: NewCatalogVersion[] = [];
    for (const version of versions) {
      const { parts, contentHash } = await withHash({ version }, slices);
      const id = ports.ids.next();
      rows.push({
        id,
        effectiveDate: version.effectiveDate,
        uploadId: id,
        sourceText: await slices(canonicalXmlSteps(version)),
        parts,
        contentHash,
        createdDate: context.createdDate,
      });
    }
    return rows;
  }

  return {
    async delete(context: CallContext): Promise<void> {
      await ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
        await session.catalogs.lockForDeletion();
        const sold = await catalogs.cache.xmlOf(session);
        if (sold.versions.length === 0) return;
        await refuseWhileUsed(session, sold);
        const ids = (await session.catalogs.versions()).map((version) => version.id);
        await session.catalogs.replace({ removed: ids, added: [] });
        // Subscriptions on the default catalog still use it after the tenant uploads its own versions (§14 rule 2).
        if (ids.length === 0) await session.catalogs.leaveGlobalDefault();
        const revision = await session.catalogs.revision();
        session.publish([catalogDeleted(), catalogChanged(ids.at(-1) ?? null, revision)]);
      });
    },

    async addSimplePlan(context: CallContext, plan: SimplePlan): Promise<void> {
      const request = checkSimplePlan(plan);
      await catalogs.refuseWhileServed(context);
      await ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
        await session.catalogs.lock();
        const stored = await catalogs.cache.uploadedBy(session);
        const edits = await catalogs.slices(addSimplePlan(stored, request, context.createdDate));
        if (edits.length === 0) return;
        const versions = await catalogs.slices(validateEdits(edits));
        const replaced = new Set(edits.map((edit) => edit.replaces));
        const others = stored.versions.filter((version) => !replaced.has(version));
        const problems = await catalogs.problemsOf(session, { stored: others, added: versions });
        if (problems.length > 0) throw validationError(problems);
        const removed = await idsOf(session, edits);
        const added = await rowsOf(versions, context);
        await session.catalogs.replace({ removed, added });
        session.publish([catalogChanged(added[0]?.id ?? null, await session.catalogs.revision())]);
      });
    },

    async sources(context: CallContext): Promise<readonly string[]> {
      return ports.storage.read(context.tenant, async (session) => {
        const sources = await session.catalogs.sources();
        return catalogs.slices(uploadedTexts(sources, await catalogs.cache.uploadedBy(session)));
      });
    },

    async availableBasePlans(
      context: CallContext,
      request: Pick<AddOnsRequest, 'accountId'> = {},
    ): Promise<readonly AvailablePlan[]> {
      const version = await inForce(context, request.accountId);
      return version === null ? [] : catalogs.slices(listBasePlans(version));
    },

    async availableAddOns(context: CallContext, request: AddOnsRequest): Promise<readonly AvailablePlan[]> {
      const version = await inForce(context, request.accountId);
      return version === null ? [] : listAddOns(version, request.baseProductName, request.priceListName);
    },
  };
}

/**
 * Rejects the deletion of a catalog that subscriptions use, because these subscriptions could no longer be billed (§5
 * rule 10).
 */
async function refuseWhileUsed(session: ReadSession, catalog: Catalog): Promise<void> {
  const names = new Set(catalog.versions.flatMap((version) => [...version.planParts.names()]));
  const used = await session.catalogEntries.usedPlans([...names]);
  if (used.length === 0) return;
  const listed = used
    .toSorted()
    .slice(0, NAMED_PLANS)
    .map((name) => `"${shortenText(name)}"`);
  const more = used.length > NAMED_PLANS ? ` and ${used.length - NAMED_PLANS} more` : '';
  throw billingError(
    ErrorCode.CATALOG_INVALID_FOR_TENANT,
    `Invalid catalog for tenant ${session.tenant.id}: the catalog cannot be deleted because subscriptions use its plans ${listed.join(', ')}${more}`,
    { tenantId: session.tenant.id, planNames: used },
  );
}

/**
 * Validates the edits and returns the edited versions. An added plan can break rules that only validation checks, such
 * as the uniqueness of names.
 */
function* validateEdits(edits: readonly EditedVersion[]): Steps<readonly CatalogVersion[]> {
  const problems: Problem[] = [];
  for (const edit of edits) problems.push(...(yield* validationSteps(edit)).errors);
  if (problems.length > 0) throw validationError(problems);
  const versions: CatalogVersion[] = [];
  for (const { content } of edits) versions.push(yield* versionSteps(content));
  return versions;
}

/** Returns an error that lists the problems of all versions. A problem that several versions have is listed once. */
function validationError(problems: readonly Problem[]): BillingError {
  const distinct = [...new Map(problems.map((problem) => [problem.message, problem])).values()];
  return invalidSimplePlanError(distinct.map((problem) => problem.message).join('; '), distinct);
}

async function idsOf(session: ReadSession, edits: readonly EditedVersion[]): Promise<readonly Uuid[]> {
  const stored = await session.catalogs.versions();
  const idOf = new Map(stored.map((version) => [version.effectiveDate, version.id]));
  return edits.flatMap(({ replaces }) => {
    if (replaces === null) return [];
    const id = idOf.get(replaces.effectiveDate);
    if (id === undefined) throw new InvariantError(`${replaces.title} is not stored`);
    return [id];
  });
}
