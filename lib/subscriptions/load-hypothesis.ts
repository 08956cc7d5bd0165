import type { Account } from '../accounts/model.ts';
import type { CatalogSource } from '../catalog/catalog-source.ts';
import type { OverrideDefinition, OverridePlan } from '../catalog/index.ts';
import { foreseenOverridePlan } from '../catalog/override-plans.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import { checkBundleOwner, noSuchBundle, notInBundle } from './bundle-choice.ts';
import { type EditTools, planCancellation } from './cancellation.ts';
import { decideChange, planChange } from './change-of-plan.ts';
import { overridesOfCreation, planCreation } from './creation.ts';
import { type Hypothesis, hypothesisOfCreation, hypothesisOfEdits } from './hypothesis.ts';
import {
  type HypotheticalAction,
  HypotheticalActionType,
  type SubscriptionInBundle,
} from './hypothetical-action.ts';
import { loadCreation } from './load-creation.ts';
import { loadRunning } from './load-running.ts';
import { noSuchSubscription } from './no-such-subscription.ts';
import { checkCategory } from './plan-choice.ts';
import type { RunningSubscription } from './running-subscription.ts';

export interface LoadHypothesisInput {
  readonly account: Account;
  readonly catalogsOf: CatalogSource;
  readonly tools: EditTools;
}

type Action<T extends HypotheticalActionType> = Extract<HypotheticalAction, { readonly type: T }>;

/**
 * What an action would make of an account's subscriptions: decided by the rules of the operation itself, without a lock and
 * in a constant number of statements; nothing is stored (subscriptions.md §20).
 * @throws BillingError as the operation would.
 */
export async function loadHypothesis(
  session: ReadSession,
  action: HypotheticalAction,
  input: LoadHypothesisInput,
): Promise<Hypothesis> {
  switch (action.type) {
    case HypotheticalActionType.START_BILLING:
      return started(session, action, input);
    case HypotheticalActionType.CHANGE:
      return changed(session, action, input);
    case HypotheticalActionType.STOP_BILLING:
      return stopped(session, action, input);
    default:
      return neverAction(action);
  }
}

async function started(
  session: ReadSession,
  { request, options }: Action<'START_BILLING'>,
  { account, catalogsOf, tools }: LoadHypothesisInput,
): Promise<Hypothesis> {
  const creation = await loadCreation(session, { account, request, options, catalogsOf, ...tools });
  const overridePlan = await foreseen(session, overridesOfCreation(creation), creation);
  return hypothesisOfCreation(planCreation({ ...creation, overridePlan }), overridePlan, tools.now);
}

async function changed(
  session: ReadSession,
  { of, request, productCategory }: Action<'CHANGE'>,
  input: LoadHypothesisInput,
): Promise<Hypothesis> {
  const running = await findRunning(session, of, { ...input, planName: request.target.planName ?? null });
  const decided = decideChange(running, request, input.tools.now);
  checkCategory(decided.choice, productCategory);
  const overridePlan = await foreseen(session, decided.overrides, running);
  const { edit } = planChange(running, { request, decided, overridePlan }, input.tools);
  return hypothesisOfEdits([edit], overridePlan, input.tools.now);
}

async function stopped(
  session: ReadSession,
  { of, options }: Action<'STOP_BILLING'>,
  input: LoadHypothesisInput,
): Promise<Hypothesis> {
  const running = await findRunning(session, of, input);
  const { edit } = planCancellation(running, options, input.tools);
  return hypothesisOfEdits([edit], null, input.tools.now);
}

async function foreseen(
  session: ReadSession,
  overrides: OverrideDefinition | null,
  { catalog }: Pick<RunningSubscription, 'catalog'>,
): Promise<OverridePlan | null> {
  return overrides && foreseenOverridePlan(session, overrides, catalog.catalog);
}

/** @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), 1020, SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082). */
async function findRunning(
  session: ReadSession,
  { subscriptionId, bundleId }: SubscriptionInBundle,
  { account, catalogsOf, planName }: LoadHypothesisInput & { readonly planName?: string | null },
): Promise<RunningSubscription> {
  const [bundle] = await session.subscriptions.findBundlesByIds([bundleId]);
  if (bundle === undefined) throw noSuchBundle(bundleId);
  checkBundleOwner(bundle, account.id);
  const all = await loadRunning(session, {
    account,
    bundles: [bundle],
    catalogsOf,
    ...(planName === undefined ? {} : { planName }),
  });
  const running = all.find(({ subscription }) => subscription.id === subscriptionId);
  if (running !== undefined) return running;
  const [elsewhere] = await session.subscriptions.findByIds([subscriptionId]);
  throw elsewhere === undefined ? noSuchSubscription(subscriptionId) : notInBundle(subscriptionId, bundleId);
}

function neverAction(action: never): never {
  throw new Error(`Unknown action ${JSON.stringify(action)}`);
}
