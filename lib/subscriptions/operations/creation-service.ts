import { noSuchAccount, sameAuthor } from '../../accounts/index.ts';
import type { CatalogProvider } from '../../catalog/index.ts';
import {
  type CreationPlace,
  type CreationTerms,
  EntitlementOperation,
  type Ports,
} from '../../ports/index.ts';
import type { CallContext } from '../../records/index.ts';
import { authorshipOf, SharedCalls } from '../../runtime/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { BundleCreation, Creation } from '../create/creation.ts';
import {
  type CheckedGroup,
  type CheckedGroups,
  type CheckedRequest,
  type CreateBundleRequest,
  type CreateSubscriptionOptions,
  type CreateSubscriptionRequest,
  checkCreateGroups,
  checkSingleRequest,
  mustRunAlone,
  noSuchAccountOfGroup,
  type SubscriptionCoupons,
} from '../requests/create-request.ts';
import { type CreationCall, createTogether } from '../storing/create-together.ts';
import type { TrialNotices } from '../storing/save-changes.ts';
import { creationTermsOf, type EntitlementControl } from './entitlement-control.ts';

/** The functions of other modules that subscription operations use. */
export interface SubscriptionParts {
  readonly control: EntitlementControl;
  readonly trials: TrialNotices;
  readonly coupons: SubscriptionCoupons;
}

export interface CreatedBundle {
  readonly accountId: Uuid;
  readonly bundleId: Uuid;
  /** Ids of the subscriptions, in request order. */
  readonly subscriptionIds: readonly Uuid[];
  readonly billingStart: Instant;
}

type RequestedGroups = readonly (CreateBundleRequest | null)[];

/**
 * Distinguishes a call that creates one subscription from a call that creates several. Each kind of call has its own
 * fixed error messages (http-api §12).
 */
interface CallKind {
  check(groups: RequestedGroups): CheckedGroups;
  unknownAccount(accountId: Uuid): BillingError;
}

const ONE: CallKind = { check: checkSingleRequest, unknownAccount: noSuchAccount };
const SEVERAL: CallKind = { check: checkCreateGroups, unknownAccount: noSuchAccountOfGroup };

/** Creates the operations that create subscriptions (§6). Entitlement plugins control them (§22). */
export function creationOperations(
  ports: Pick<Ports, 'storage' | 'ids' | 'systemClock'>,
  catalogs: CatalogProvider,
  { control, trials, coupons }: SubscriptionParts,
) {
  const tools = { ...ports, catalogs, trials, coupons };
  const creations = new SharedCalls<CreationCall, readonly BundleCreation[]>(ports.systemClock);

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
        return () => store(context, kind, { ...checked, options: { ...options, ...dates } });
      },
      resultOf: (bundles) => bundles.map(({ bundleId, subscriptionIds }) => ({ bundleId, subscriptionIds })),
    });
  }

  /** Stores the subscriptions that a call creates. Simultaneous calls of the same author share one transaction. */
  async function store(
    context: CallContext,
    { unknownAccount }: CallKind,
    { accountId, groups, options }: CheckedGroups & { readonly options: CreateSubscriptionOptions },
  ): Promise<readonly CreatedBundle[]> {
    const { tenant, userToken, createdDate } = context;
    const call = { accountId, groups, options, userToken, createdDate };
    const alike = tenant.within || mustRunAlone(groups) ? null : sameAuthor(context);
    try {
      const bundles = await creations.run(alike, call, (calls) =>
        createTogether(tools, { tenant, authorship: authorshipOf(context) }, calls),
      );
      const creationOf = new Map(
        bundles.flatMap((bundle) => bundle.creations.map((creation) => [creation.request, creation])),
      );
      return groups.map((group) => describeCreatedBundle(group, creationOf));
    } catch (error) {
      if (!(error instanceof BillingError) || error.code !== ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID)
        throw error;
      throw unknownAccount(accountId);
    }
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

/** Returns the checked requests, in order, with the terms that plugins may have changed. */
function withTerms(groups: RequestedGroups, terms: readonly CreationTerms[]): RequestedGroups {
  const rest = terms.values();
  return groups.map((group) =>
    (group ?? []).map(
      (request) => request && { ...rest.next().value, accountId: request.accountId, ...placeOf(request) },
    ),
  );
}

function describeCreatedBundle(
  group: CheckedGroup,
  creationOf: ReadonlyMap<CheckedRequest, Creation>,
): CreatedBundle {
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
