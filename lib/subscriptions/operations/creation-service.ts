import { type CatalogProvider, type CatalogSource, obtainOverridePlans } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { chooseGroup, groupsByBundle } from '../create/chosen-group.ts';
import { type BundleCreation, type Creation, lateAddOnEnds, planCreations } from '../create/creation.ts';
import type { SubscriptionEdit } from '../edits/subscription-edit.ts';
import {
  type CheckedGroup,
  type CheckedGroups,
  type CheckedRequest,
  type CreateBundleRequest,
  type CreateSubscriptionOptions,
  type CreateSubscriptionRequest,
  checkCreateGroups,
  checkCreateRequest,
  groupOf,
  noSuchAccountOfGroup,
  requestedKeys,
} from '../requests/create-request.ts';
import { checkHoldersLocked, loadCreation, lockWithKeyHolders } from '../storing/load-creation.ts';
import { saveCreations, saveEdits } from '../storing/save-changes.ts';

/** A bundle in which subscriptions have been created. */
export interface CreatedBundle {
  readonly accountId: Uuid;
  readonly bundleId: Uuid;
  /** In the order of the request. */
  readonly subscriptionIds: readonly Uuid[];
  /** The first instant from which they are billed. */
  readonly billingStart: Instant;
}

/** Creates subscriptions, alone or several at once (§6). */
export class CreationService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #catalogs: CatalogProvider;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>, catalogs: CatalogProvider) {
    this.#ports = ports;
    this.#catalogs = catalogs;
  }

  async create(
    context: CallContext,
    request: CreateSubscriptionRequest,
    options: CreateSubscriptionOptions = {},
  ): Promise<{ readonly subscriptionId: Uuid; readonly bundleId: Uuid }> {
    const checked = checkCreateRequest(request);
    const groups = [groupOf(checked)];
    const [created] = await this.#create(context, { accountId: checked.accountId, groups }, options);
    const [subscriptionId] = created?.subscriptionIds ?? [];
    assertInvariant(created && subscriptionId, 'A creation makes a subscription');
    return { subscriptionId, bundleId: created.bundleId };
  }

  async createBundles(
    context: CallContext,
    groups: readonly (CreateBundleRequest | null)[],
    options: CreateSubscriptionOptions = {},
  ): Promise<readonly CreatedBundle[]> {
    const checked = checkCreateGroups(groups);
    try {
      return await this.#create(context, checked, options);
    } catch (error) {
      if (!(error instanceof BillingError) || error.code !== ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID)
        throw error;
      throw noSuchAccountOfGroup(checked.accountId);
    }
  }

  async #create(
    context: CallContext,
    { accountId, groups }: CheckedGroups,
    options: CreateSubscriptionOptions,
  ): Promise<readonly CreatedBundle[]> {
    const catalogsOf = await this.#catalogs.open({
      tenant: context.tenant,
      now: context.createdDate,
      accounts: [accountId],
    });
    return this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const { creations, ends } = await this.#plan(session, {
        accountId,
        groups,
        options,
        catalogsOf,
        now: context.createdDate,
      });
      await saveCreations(session, creations, context.createdDate);
      if (ends.length > 0) await saveEdits(session, ends, context.createdDate);
      const creationOf = new Map(
        creations.flatMap((bundle) => bundle.creations.map((creation) => [creation.request, creation])),
      );
      return groups.map((group) => createdOf(group, creationOf));
    });
  }

  async #plan(session: WriteSession, call: CreationCall): Promise<PlannedCreations> {
    const { catalogsOf } = call;
    const nextId = (): Uuid => this.#ports.ids.next();
    const keys = requestedKeys(call.groups);
    const { account, lockedIds } = await lockWithKeyHolders(session, call.accountId, keys);
    await session.catalogs.keepPlans();
    const input = await loadCreation(session, { ...call, account });
    checkHoldersLocked(input.keyCarriers, lockedIds);
    const chosen = groupsByBundle(call.groups, input.found).map((group) => chooseGroup(group, input));
    const definitions = chosen.flatMap(({ subscriptions }) =>
      subscriptions.flatMap(({ overrides }) => overrides ?? []),
    );
    const overridePlanOf = await obtainOverridePlans(session, definitions, {
      nextId,
      currentCatalog: async () => (await catalogsOf(session, [account.id]))(account.id),
    });
    const creations = planCreations({ ...input, groups: chosen, overridePlanOf, nextId });
    const catalog = definitions.reduce((known, each) => known.with(overridePlanOf(each)), input.catalog);
    return { creations, ends: lateAddOnEnds(creations, { ...input, catalog }, nextId) };
  }
}

interface PlannedCreations {
  readonly creations: readonly BundleCreation[];
  /** Ends that a base has brought to add-ons created later. */
  readonly ends: readonly SubscriptionEdit[];
}

interface CreationCall extends CheckedGroups {
  readonly options: CreateSubscriptionOptions;
  readonly catalogsOf: CatalogSource;
  readonly now: Instant;
}

function createdOf(group: CheckedGroup, creationOf: ReadonlyMap<CheckedRequest, Creation>): CreatedBundle {
  const own = group.members.flatMap((request) => creationOf.get(request) ?? []);
  const [first] = own;
  assertInvariant(first, 'A creation makes its subscriptions');
  return {
    accountId: first.subscription.accountId,
    bundleId: first.bundle.id,
    subscriptionIds: own.map(({ subscription }) => subscription.id),
    billingStart: first.subscription.alignStart.at,
  };
}
