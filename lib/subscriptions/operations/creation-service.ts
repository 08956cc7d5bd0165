import { noSuchAccount } from '../../accounts/index.ts';
import { type CatalogProvider, type CatalogSource, obtainOverridePlans } from '../../catalog/index.ts';
import {
  type CreationPlace,
  type CreationTerms,
  EntitlementOperation,
  type Ports,
} from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { CallContext } from '../../records/index.ts';
import { allEnded, authorshipOf } from '../../runtime/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { chooseGroup, groupsByBundle } from '../create/choose-group.ts';
import { type Creation, lateAddOnEnds, planCreations } from '../create/creation.ts';
import {
  type CheckedGroup,
  type CheckedGroups,
  type CheckedRequest,
  type CreateBundleRequest,
  type CreateSubscriptionOptions,
  type CreateSubscriptionRequest,
  checkCreateGroups,
  checkSingleRequest,
  noSuchAccountOfGroup,
  requestedKeys,
} from '../requests/create-request.ts';
import { checkHoldersLocked, loadCreation, lockWithKeyHolders } from '../storing/load-subscriptions.ts';
import { saveCreations, saveEdits, type TrialNotices } from '../storing/save-changes.ts';
import { creationTermsOf, type EntitlementControl } from './entitlement-control.ts';

export interface CreatedBundle {
  readonly accountId: Uuid;
  readonly bundleId: Uuid;
  /** Ids of the subscriptions, in request order. */
  readonly subscriptionIds: readonly Uuid[];
  readonly billingStart: Instant;
}

type RequestedGroups = readonly (CreateBundleRequest | null)[];

/** Single or multiple creation. Each has its own fixed messages (http-api §12). */
interface CallKind {
  check(groups: RequestedGroups): CheckedGroups;
  unknownAccount(accountId: Uuid): BillingError;
}

const ONE: CallKind = { check: checkSingleRequest, unknownAccount: noSuchAccount };
const SEVERAL: CallKind = { check: checkCreateGroups, unknownAccount: noSuchAccountOfGroup };

type CreationCall = CheckedGroups & { readonly options: CreateSubscriptionOptions };

/** Operations that create subscriptions (§6) under plugin control (§22). */
export function creationOperations(
  ports: Pick<Ports, 'storage' | 'ids'>,
  catalogs: CatalogProvider,
  { control, trials }: { readonly control: EntitlementControl; readonly trials: TrialNotices },
) {
  const nextId = () => ports.ids.next();

  async function run(
    context: CallContext,
    groups: RequestedGroups,
    { kind, options }: { readonly kind: CallKind; readonly options: CreateSubscriptionOptions },
  ): Promise<readonly CreatedBundle[]> {
    const asked = kind.check(groups);
    const { accountId } = asked;
    const requests = groups.flatMap((group) => group ?? []).filter((request) => request !== null);
    const subscriptions = requests.map(creationTermsOf);
    const { entitlementDate, billingDate } = options;
    return control(context, {
      operation: EntitlementOperation.CREATE,
      given: requests.map(placeOf),
      terms: { entitlementDate, billingDate, subscriptions },
      subject: async (session) => {
        const [account] = await session.accounts.findByIds([accountId]);
        if (account === undefined) throw kind.unknownAccount(accountId);
        return { accountId, bundleId: null, subscriptionId: null };
      },
      prepare: ({ subscriptions: terms, ...dates }) => {
        const checked = terms === subscriptions ? asked : kind.check(withTerms(groups, terms));
        return () => store(context, { ...checked, options: { ...options, ...dates } }, kind);
      },
      resultOf: (bundles) => bundles.map(({ bundleId, subscriptionIds }) => ({ bundleId, subscriptionIds })),
    });
  }

  async function store(context: CallContext, call: CreationCall, kind: CallKind) {
    const { tenant, createdDate: now } = context;
    try {
      const catalogsOf = await catalogs.open({ tenant, now, accounts: [call.accountId] });
      return await ports.storage.write(tenant, authorshipOf(context), async (session) => {
        const { creations, ends } = await plan(session, { ...call, catalogsOf, now });
        await saveCreations(session, creations, now);
        await trials.ofCreations(session, creations, now);
        if (ends.length > 0) await saveEdits(session, ends, now);
        const all = creations.flatMap((bundle) => bundle.creations);
        const creationOf = new Map(all.map((creation) => [creation.request, creation]));
        return call.groups.map((group) => createdOf(group, creationOf));
      });
    } catch (error) {
      if (!(error instanceof BillingError) || error.code !== ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID)
        throw error;
      throw kind.unknownAccount(call.accountId);
    }
  }

  /** Returns the creations, including the ends that a base causes for later add-ons. */
  async function plan(
    session: WriteSession,
    call: CreationCall & { readonly catalogsOf: CatalogSource; readonly now: Instant },
  ) {
    const keys = requestedKeys(call.groups);
    const [{ account, lockedIds }] = await allEnded([
      lockWithKeyHolders(session, call.accountId, keys),
      session.catalogs.keepPlans(),
    ]);
    const input = await loadCreation(session, { ...call, account });
    checkHoldersLocked(input.keyCarriers, lockedIds);
    const groups = groupsByBundle(call.groups, input.found).map((group) => chooseGroup(group, input));
    const definitions = groups.flatMap(({ subscriptions }) =>
      subscriptions.flatMap(({ overrides }) => overrides ?? []),
    );
    const overridePlanOf = await obtainOverridePlans(session, definitions, {
      nextId,
      currentCatalog: async () => (await call.catalogsOf(session, [account.id]))(account.id),
    });
    const creations = planCreations({ ...input, groups, overridePlanOf, nextId });
    const catalog = definitions.reduce((known, each) => known.with(overridePlanOf(each)), input.catalog);
    return { creations, ends: lateAddOnEnds(creations, { ...input, catalog }, nextId) };
  }

  const createBundles = (
    context: CallContext,
    groups: RequestedGroups,
    options: CreateSubscriptionOptions = {},
  ) => run(context, groups, { options, kind: SEVERAL });

  return {
    createBundles,

    async create(
      context: CallContext,
      request: CreateSubscriptionRequest,
      options: CreateSubscriptionOptions = {},
    ) {
      const [created] = await run(context, [[request]], { options, kind: ONE });
      const [subscriptionId] = created?.subscriptionIds ?? [];
      assertInvariant(created && subscriptionId, 'A creation returned no subscription');
      return { subscriptionId, bundleId: created.bundleId };
    },

    async createWithAddOns(
      context: CallContext,
      requests: CreateBundleRequest,
      options?: CreateSubscriptionOptions,
    ) {
      const [created] = await createBundles(context, [requests], options);
      assertInvariant(created, 'A creation returned no bundle');
      return created;
    },
  };
}

function placeOf({ bundleId, bundleExternalKey, externalKey }: CreateSubscriptionRequest): CreationPlace {
  return { bundleId, bundleExternalKey, externalKey };
}

/** Returns the checked requests with the terms after the plugins' changes, in order. */
function withTerms(groups: RequestedGroups, terms: readonly CreationTerms[]): RequestedGroups {
  const rest = terms.values();
  return groups.map((group) =>
    (group ?? []).map(
      (request) => request && { ...rest.next().value, accountId: request.accountId, ...placeOf(request) },
    ),
  );
}

function createdOf(group: CheckedGroup, creationOf: ReadonlyMap<CheckedRequest, Creation>): CreatedBundle {
  const own = group.members.flatMap((request) => creationOf.get(request) ?? []);
  const [first] = own;
  assertInvariant(first, 'A creation returned no subscriptions');
  return {
    accountId: first.subscription.accountId,
    bundleId: first.bundle.id,
    subscriptionIds: own.map(({ subscription }) => subscription.id),
    billingStart: first.subscription.alignStart.at,
  };
}
