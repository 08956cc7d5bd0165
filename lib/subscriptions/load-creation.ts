import type { Account } from '../accounts/model.ts';
import type { CatalogSource } from '../catalog/catalog-source.ts';
import { withOverridePlans } from '../catalog/override-plans.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { BundleContent } from './bundle-choice.ts';
import type { CheckedRequest, CreateSubscriptionOptions } from './create-request.ts';
import type { CreationInput } from './creation.ts';
import type { Bundle } from './model.ts';

export interface LoadCreationInput extends Pick<CreationInput, 'now' | 'nextId'> {
  readonly account: Account;
  readonly request: CheckedRequest;
  readonly options: CreateSubscriptionOptions;
  readonly catalogsOf: CatalogSource;
}

/** Reads what a creation is decided from, in a constant number of statements. */
export async function loadCreation(
  session: ReadSession,
  { catalogsOf, ...input }: LoadCreationInput,
): Promise<CreationInput> {
  const { account, request } = input;
  const plansOf = await withOverridePlans(session, {
    catalogOf: await catalogsOf(session, [account.id]),
    accountIds: [account.id],
    planNames: [request.plan.planName ?? null],
  });
  return {
    ...input,
    found: await findBundle(session, request),
    blockingStates: await session.subscriptions.findBlockingStates([account.id]),
    catalog: plansOf(account.id),
  };
}

/** The bundle that the request names by id or, without one, by key, with what its choice depends on. */
async function findBundle(session: ReadSession, request: CheckedRequest): Promise<BundleContent | undefined> {
  const bundles = await bundlesNamed(session, request);
  const [bundle] = bundles;
  if (bundle === undefined) return undefined;
  const subscriptions = await session.subscriptions.findByBundles([bundle.id]);
  const events = await session.subscriptions.findEvents(subscriptions.map((subscription) => subscription.id));
  return { bundle, subscriptions, events };
}

async function bundlesNamed(session: ReadSession, request: CheckedRequest): Promise<readonly Bundle[]> {
  if (request.bundleId !== null) return session.subscriptions.findBundlesByIds([request.bundleId]);
  if (request.bundleExternalKey !== null)
    return session.subscriptions.findBundlesByKeys([request.bundleExternalKey]);
  return [];
}
