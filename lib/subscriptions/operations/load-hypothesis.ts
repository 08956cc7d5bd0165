import {
  type CatalogSource,
  foreseenOverridePlan,
  type OverrideDefinition,
  type OverridePlan,
} from '../../catalog/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import { type Account, BlockingStateType } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { blockedPath, planState } from '../blocking/blocked-time.ts';
import { chooseGroup } from '../create/choose-group.ts';
import { planCreations } from '../create/creation.ts';
import { followBase } from '../edits/add-on-ends.ts';
import { planCancellation } from '../edits/cancellation.ts';
import { checkAddOnChange, decideChange, planChange } from '../edits/change-of-plan.ts';
import type { RunningInBundle, RunningSubscription } from '../edits/running-subscription.ts';
import type { SubscriptionEdit } from '../edits/subscription-edit.ts';
import { planBillCycleDayChange, planQuantityChange } from '../edits/terms-change.ts';
import { planUncancellation, planUndoChange } from '../edits/undo.ts';
import { checkCategory, groupOf } from '../requests/create-request.ts';
import { checkBundleOwner, noSuchSubscription, notInBundle } from '../requests/unknown-objects.ts';
import {
  loadBundle,
  loadCreations,
  loadRequestedFacts,
  loadRunning,
  loadSubscription,
} from '../storing/load-subscriptions.ts';
import type { EditTools } from '../timeline/lifecycle-events.ts';
import { datedInstant } from '../timeline/phase-timeline.ts';
import {
  catalogOn,
  dayOf,
  type Hypothesis,
  type HypotheticalAction,
  HypotheticalActionType,
  hypothesisOfCreation,
  hypothesisOfEdits,
  hypothesisOfState,
  type SubscriptionInBundle,
} from '../what-if/hypothesis.ts';

interface LoadHypothesisInput {
  readonly account: Account;
  readonly catalogsOf: CatalogSource;
  readonly tools: EditTools;
}

type Action<T extends HypotheticalAction['type']> = Extract<HypotheticalAction, { readonly type: T }>;

/**
 * Returns the effect that an action would have on an account's subscriptions. Takes no lock and stores nothing (§20).
 * @throws BillingError The errors of the operation.
 */
export async function loadHypothesis(
  session: ReadSession,
  action: HypotheticalAction,
  input: LoadHypothesisInput,
): Promise<Hypothesis> {
  switch (action.type) {
    case HypotheticalActionType.START_BILLING:
      return loadStartHypothesis(session, action, input);
    case HypotheticalActionType.CHANGE:
      return loadChangeHypothesis(session, action, input);
    case HypotheticalActionType.STOP_BILLING:
      return loadStopHypothesis(session, action, input);
    case 'CHANGE_QUANTITY':
      return withTerms(session, action, { ...input, plan: planQuantityChange });
    case 'CHANGE_BILL_CYCLE_DAY':
      return withTerms(session, action, { ...input, plan: planBillCycleDayChange });
    case 'UNCANCEL':
    case 'UNDO_CHANGE_PLAN':
      return undone(session, action, input);
    case 'SET_BUNDLE_STATE':
      return inBundleState(session, action, input);
    default:
      throw new Error(`Unknown action ${JSON.stringify(action satisfies never)}`);
  }
}

async function loadStartHypothesis(
  session: ReadSession,
  { request, options, seesEndOfDay }: Action<'START_BILLING'>,
  { account, catalogsOf, tools }: LoadHypothesisInput,
): Promise<Hypothesis> {
  const { now, nextId } = tools;
  const group = groupOf(request);
  const day = seesEndOfDay ? dayOf(options.billingDate, { account, now }) : null;
  const [loaded] = await loadCreations(session, {
    creations: [{ account, groups: [group], options }],
    facts: await loadRequestedFacts(session, [account.id], [group]),
    catalogsOf,
    now,
  });
  assertInvariant(loaded, 'The data of a creation was not loaded');
  const input = { ...loaded, catalog: catalogOn(day, loaded.catalog) };
  const chosen = chooseGroup(group, input);
  const [definition = null] = chosen.subscriptions.map(({ overrides }) => overrides);
  const overridePlan = await foreseen(session, definition, input);
  const [bundle] = planCreations({
    ...input,
    groups: [chosen],
    overridePlanOf: () => overridePlan ?? neverCalled(),
    nextId,
  });
  const [creation] = bundle?.creations ?? [];
  assertInvariant(creation, 'A creation returned no subscription');
  return hypothesisOfCreation(creation, overridePlan, { now, day });
}

async function loadChangeHypothesis(
  session: ReadSession,
  { of, request, productCategory, seesEndOfDay }: Action<'CHANGE'>,
  input: LoadHypothesisInput,
): Promise<Hypothesis> {
  const planName = request.target.planName ?? null;
  const time = { account: input.account, now: input.tools.now };
  const day = seesEndOfDay ? dayOf(request.requestedDate, time) : null;
  const found = await findRunning(session, of, { ...input, planName });
  const { bundle } = found;
  const running = { ...found.running, catalog: catalogOn(day, found.running.catalog) };
  const decided = decideChange(running, request, input.tools.now);
  checkCategory(decided.choice, productCategory);
  checkAddOnChange(decided, { running, bundle }, input.tools.now);
  const overridePlan = await foreseen(session, decided.overrides, running);
  const { edit, coupons } = planChange(running, { request, decided, overridePlan }, input.tools);
  const plans = overridePlan === null ? running.catalog : running.catalog.with(overridePlan);
  const follow = followBase({ bundle, edit, plans }, input.tools);
  return hypothesisOfEdits([edit, ...follow], { overridePlan, coupons }, { now: input.tools.now, day });
}

async function loadStopHypothesis(
  session: ReadSession,
  { of, options }: Action<'STOP_BILLING'>,
  input: LoadHypothesisInput,
): Promise<Hypothesis> {
  const { running, bundle } = await findRunning(session, of, input);
  const { edit } = planCancellation(running, options, input.tools);
  const follow = followBase({ bundle, edit }, input.tools);
  return hypothesisOfEdits([edit, ...follow], {}, { now: input.tools.now, day: null });
}

async function withTerms<C extends { readonly of: SubscriptionInBundle }>(
  session: ReadSession,
  change: C,
  { plan, ...input }: LoadHypothesisInput & { readonly plan: PlanTermsChange<C> },
): Promise<Hypothesis> {
  const { running } = await findRunning(session, change.of, input);
  const { edit } = plan(running, change, input.tools);
  return hypothesisOfEdits([edit], {}, { now: input.tools.now, day: null });
}

type PlanTermsChange<C> = (
  running: RunningSubscription,
  change: C,
  tools: EditTools,
) => { readonly edit: SubscriptionEdit };

async function undone(
  session: ReadSession,
  { type, of }: Action<'UNCANCEL' | 'UNDO_CHANGE_PLAN'>,
  input: LoadHypothesisInput,
): Promise<Hypothesis> {
  const { running, bundle } = await findRunning(session, of, input);
  const history = await session.subscriptions.findWithdrawnEvents([of.subscriptionId]);
  const isUncancel = type === 'UNCANCEL';
  const edit = (isUncancel ? planUncancellation : planUndoChange)(running, history, input.tools);
  const follow = followBase({ bundle, edit }, input.tools);
  const hypothesis = hypothesisOfEdits([edit, ...follow], {}, { now: input.tools.now, day: null });
  return { ...hypothesis, undoneChangesOf: isUncancel ? null : of.subscriptionId };
}

async function inBundleState(
  session: ReadSession,
  { bundleId, state, requestedDate }: Action<'SET_BUNDLE_STATE'>,
  { account, tools }: LoadHypothesisInput,
): Promise<Hypothesis> {
  const bundle = await loadBundle(session, bundleId);
  checkBundleOwner(bundle, account.id);
  const object = { type: BlockingStateType.SUBSCRIPTION_BUNDLE, bundle, account };
  const [states, members] = await Promise.all([
    session.subscriptions.findBlockingStates(blockedPath(object)),
    session.subscriptions.findByBundles([bundleId]),
  ]);
  const effective = datedInstant(requestedDate, tools.now, account);
  const plan = planState(states, { ...state, object, effective }, tools);
  const ids = members.map(({ id }) => id);
  return hypothesisOfState(plan, ids, tools.now);
}

async function foreseen(
  session: ReadSession,
  overrides: OverrideDefinition | null,
  { catalog }: Pick<RunningSubscription, 'catalog'>,
): Promise<OverridePlan | null> {
  return overrides && foreseenOverridePlan(session, overrides, catalog.catalog);
}

/**
 * Returns the subscription.
 * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), 1020, SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082).
 */
async function findRunning(
  session: ReadSession,
  { subscriptionId, bundleId }: SubscriptionInBundle,
  { account, catalogsOf, planName = null }: LoadHypothesisInput & { readonly planName?: string | null },
): Promise<RunningInBundle> {
  const bundle = await loadBundle(
    session,
    bundleId ?? (await loadSubscription(session, subscriptionId)).bundleId,
  );
  checkBundleOwner(bundle, account.id);
  const all = await loadRunning(session, { accounts: [account], bundles: [bundle], catalogsOf, planName });
  const running = all.find(({ subscription }) => subscription.id === subscriptionId);
  if (running !== undefined) return { running, bundle: all };
  const [elsewhere] = await session.subscriptions.findByIds([subscriptionId]);
  throw elsewhere === undefined ? noSuchSubscription(subscriptionId) : notInBundle(subscriptionId, bundle.id);
}

function neverCalled(): never {
  throw new Error('Only a request with prices needs a plan for them');
}
