import { sharedAuthorship } from '../../accounts/index.ts';
import { type CatalogProvider, type CatalogSource, obtainOverridePlans } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account, Authorship, TenantRef } from '../../records/index.ts';
import { allEnded, CallsMustRunAlone } from '../../runtime/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { chooseGroup, type GroupChoiceInput, groupsByBundle, holdsKey } from '../create/choose-group.ts';
import { type BundleCreation, lateAddOnEnds, planCreations } from '../create/creation.ts';
import {
  type CheckedGroup,
  type CheckedGroups,
  type CreateSubscriptionOptions,
  requestedKeys,
  type SubscriptionCoupons,
} from '../requests/create-request.ts';
import {
  checkHoldersLocked,
  loadCreations,
  loadRequestedFacts,
  lockWithKeyHolders,
  type RequestedFacts,
} from './load-subscriptions.ts';
import { saveCreations, saveEdits, type TrialNotices } from './save-changes.ts';

/** A call that creates subscriptions of one account. The user token links audit rows and events to the call. */
export interface CreationCall extends CheckedGroups {
  readonly options: CreateSubscriptionOptions;
  readonly userToken: Uuid;
  /** The instant of the call. */
  readonly createdDate: Instant;
}

interface CreationTools extends Pick<Ports, 'storage' | 'ids'> {
  readonly catalogs: CatalogProvider;
  readonly trials: TrialNotices;
  readonly coupons: SubscriptionCoupons;
}

/**
 * Creates the subscriptions of several calls by one author in one transaction. Several calls must be for different,
 * unlocked accounts. Only a lone call may override prices or redeem coupons.
 * @throws CallsMustRunAlone, after which the caller creates the subscriptions of each call separately; the errors of
 * `chooseGroup` and `planCreations`, ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018).
 */
export async function createTogether(
  tools: CreationTools,
  { tenant, authorship: author }: { readonly tenant: TenantRef; readonly authorship: Authorship },
  calls: readonly CreationCall[],
): Promise<readonly (readonly BundleCreation[])[]> {
  const accountIds = calls.map(({ accountId }) => accountId);
  if (new Set(accountIds).size < calls.length) throw notTogether();
  const dates = calls.map(({ createdDate }) => createdDate);
  const { authorship, tokens } = sharedAuthorship(author, dates);
  const { createdDate: now } = authorship;
  const catalogsOf = await tools.catalogs.open({ tenant, now, accounts: accountIds });
  return tools.storage.write(tenant, authorship, async (session) => {
    const [, { accounts, facts }] = await allEnded([
      // Also read the revisions, which the lock would otherwise read.
      session.catalogs.keepPlans(),
      lockAccountsAndRead(session, calls, accountIds),
    ]);
    const creations = calls.map(({ accountId, groups, options }) => {
      const account = accounts.find(({ id }) => id === accountId);
      assertInvariant(account, 'Storage must return the locked accounts', { accountId });
      return { account, groups, options };
    });
    const inputs = await loadCreations(session, { creations, facts, catalogsOf, now });
    tokens.clear();
    const plans: Plan[] = [];
    for (const [index, { groups, userToken }] of calls.entries()) {
      const input = inputs[index];
      assertInvariant(input, 'The data of a creation was not loaded');
      tokens.set(input.account.recordId, userToken);
      plans.push(await planCreation(session, { tools, input, groups, catalogsOf }));
    }
    await save(session, plans, { ...tools, now });
    return plans.map(({ bundles }) => bundles);
  });
}

interface Locked {
  readonly accounts: readonly Account[];
  readonly facts: RequestedFacts;
}

/** Locks the accounts and reads the data under the locks. If the accounts are free, this takes one round trip. */
async function lockAccountsAndRead(
  session: WriteSession,
  calls: readonly CreationCall[],
  accountIds: readonly Uuid[],
): Promise<Locked> {
  const groups = calls.flatMap((call) => call.groups);
  const [only] = calls.length === 1 ? calls : [];
  if (only !== undefined && requestedKeys(groups).length > 0) return lockHoldersAndRead(session, only);
  const [accounts, facts] = await allEnded([
    session.tryLockAccountsById(accountIds),
    loadRequestedFacts(session, accountIds, groups),
  ]);
  const isOurs = ({ accountId }: { readonly accountId: Uuid }) => accountIds.includes(accountId);
  const areHoldersLocked = facts.keyCarriers.filter(holdsKey).every(isOurs);
  if (accounts.length === calls.length && areHoldersLocked) return { accounts, facts };
  if (only === undefined) throw notTogether();
  return lockHoldersAndRead(session, only);
}

/** Locks the account and the accounts that hold requested keys, in the order of their record ids. */
async function lockHoldersAndRead(
  session: WriteSession,
  { accountId, groups }: CreationCall,
): Promise<Locked> {
  const { account, lockedIds } = await lockWithKeyHolders(session, accountId, requestedKeys(groups));
  const facts = await loadRequestedFacts(session, [accountId], groups);
  checkHoldersLocked(facts.keyCarriers, lockedIds);
  return { accounts: [account], facts };
}

interface Plan {
  readonly account: Account;
  readonly bundles: readonly BundleCreation[];
  /** Ends of the add-ons that would start after their base subscription has ended or no longer offers them. */
  readonly ends: ReturnType<typeof lateAddOnEnds>;
}

async function planCreation(
  session: WriteSession,
  call: {
    readonly tools: CreationTools;
    readonly input: GroupChoiceInput;
    readonly groups: readonly CheckedGroup[];
    readonly catalogsOf: CatalogSource;
  },
): Promise<Plan> {
  const { input, catalogsOf } = call;
  const { id } = input.account;
  const nextId = () => call.tools.ids.next();
  const groups = groupsByBundle(call.groups, input.found).map((group) => chooseGroup(group, input));
  const definitions = groups.flatMap(({ subscriptions }) =>
    subscriptions.flatMap(({ overrides }) => overrides ?? []),
  );
  const overridePlanOf = await obtainOverridePlans(session, definitions, {
    nextId,
    currentCatalog: async () => (await catalogsOf(session, [id]))(id),
  });
  const bundles = planCreations({ ...input, groups, overridePlanOf, nextId });
  const catalog = definitions.reduce((known, each) => known.with(overridePlanOf(each)), input.catalog);
  return { account: input.account, bundles, ends: lateAddOnEnds(bundles, { ...input, catalog }, nextId) };
}

async function save(
  session: WriteSession,
  plans: readonly Plan[],
  { trials, coupons, now }: CreationTools & { readonly now: Instant },
): Promise<void> {
  const bundles = plans.flatMap((plan) => plan.bundles);
  const ends = plans.flatMap((plan) => plan.ends);
  await saveCreations(session, bundles, now);
  await trials.ofCreations(session, bundles, now);
  if (ends.length > 0) await saveEdits(session, ends, now);
  const [only] = plans;
  const asked = bundles.flatMap(({ creations }) => creations.flatMap((creation) => creation.coupons ?? []));
  if (only !== undefined && asked.length > 0)
    await coupons.redeem(session, asked, { account: only.account, now });
}

function notTogether(): CallsMustRunAlone {
  return new CallsMustRunAlone('These subscriptions cannot be created together');
}
