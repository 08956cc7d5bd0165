import { noSuchAccount } from '../../accounts/index.ts';
import { EntitlementOperation, type EntitlementResults } from '../../ports/index.ts';
import type { CallContext } from '../../records/index.ts';
import { assertInvariant, type BillingError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  type CreateBundleRequest,
  type CreateSubscriptionOptions,
  type CreateSubscriptionRequest,
  checkCreateGroups,
  checkCreateRequest,
  noSuchAccountOfGroup,
} from '../requests/create-request.ts';
import { creationTermsOf } from '../requests/plugin-decision.ts';
import type { CreatedBundle, CreationService } from './creation-service.ts';
import type { EntitlementControl } from './entitlement-control.ts';

const operation = EntitlementOperation.CREATE;

/** The creations of `CreationService`, under the control of the host's plugins. */
export class ControlledCreations {
  readonly #control: EntitlementControl;
  readonly #creations: CreationService;

  constructor(control: EntitlementControl, creations: CreationService) {
    this.#control = control;
    this.#creations = creations;
  }

  async create(
    context: CallContext,
    request: CreateSubscriptionRequest,
    options: CreateSubscriptionOptions = {},
  ): Promise<{ readonly subscriptionId: Uuid; readonly bundleId: Uuid }> {
    const { accountId } = checkCreateRequest(request);
    return this.#run(context, {
      accountId,
      unknown: noSuchAccount,
      requests: [request],
      options,
      work: async ([shaped], dated) => {
        assertInvariant(shaped, 'A creation keeps its request');
        return this.#creations.create(context, shaped, dated);
      },
      resultOf: ({ bundleId, subscriptionId }) => [{ bundleId, subscriptionIds: [subscriptionId] }],
    });
  }

  async createWithAddOns(
    context: CallContext,
    requests: CreateBundleRequest,
    options: CreateSubscriptionOptions = {},
  ): Promise<CreatedBundle> {
    const [created] = await this.createBundles(context, [requests], options);
    assertInvariant(created, 'A creation makes a bundle');
    return created;
  }

  async createBundles(
    context: CallContext,
    groups: readonly (CreateBundleRequest | null)[],
    options: CreateSubscriptionOptions = {},
  ): Promise<readonly CreatedBundle[]> {
    const { accountId } = checkCreateGroups(groups);
    return this.#run(context, {
      accountId,
      unknown: noSuchAccountOfGroup,
      requests: groups.flatMap((group) => group ?? []).filter((request) => request !== null),
      options,
      work: (shaped, dated) => this.#creations.createBundles(context, regrouped(groups, shaped), dated),
      resultOf: (bundles) => bundles.map(({ bundleId, subscriptionIds }) => ({ bundleId, subscriptionIds })),
    });
  }

  #run<T>(context: CallContext, creation: ControlledCreation<T>): Promise<T> {
    const { accountId, requests, options } = creation;
    const { entitlementDate, billingDate } = options;
    const terms = { entitlementDate, billingDate, subscriptions: requests.map(creationTermsOf) };
    return this.#control.run(context, {
      operation,
      given: requests.map(({ bundleId, bundleExternalKey, externalKey }) => ({
        bundleId,
        bundleExternalKey,
        externalKey,
      })),
      terms,
      subject: async (session) => {
        const [account] = await session.accounts.findByIds([accountId]);
        if (account === undefined) throw creation.unknown(accountId);
        return { accountId, bundleId: null, subscriptionId: null };
      },
      work: ({ subscriptions, ...dates }) =>
        creation.work(
          requests.map(({ bundleId, bundleExternalKey, externalKey }, index) => ({
            ...subscriptions[index],
            accountId,
            bundleId,
            bundleExternalKey,
            externalKey,
          })),
          { ...options, ...dates },
        ),
      resultOf: creation.resultOf,
    });
  }
}

interface ControlledCreation<T> {
  readonly accountId: Uuid;
  readonly unknown: (accountId: Uuid) => BillingError;
  readonly requests: readonly CreateSubscriptionRequest[];
  readonly options: CreateSubscriptionOptions;
  work(requests: readonly CreateSubscriptionRequest[], options: CreateSubscriptionOptions): Promise<T>;
  resultOf(done: T): EntitlementResults[typeof operation];
}

/** The requests, grouped as before. */
function regrouped(
  groups: readonly (CreateBundleRequest | null)[],
  requests: readonly CreateSubscriptionRequest[],
): readonly CreateBundleRequest[] {
  const rest = requests.values();
  return groups.map((group) => [...rest.take(group?.length ?? 0)]);
}
