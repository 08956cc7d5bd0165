import { type Account, api, may, type ResultOf, type Subscription } from '../../core/data.ts';
import { money, words } from '../../core/format.ts';
import { href, navigate } from '../../core/location.ts';
import { Action, type ActionProps } from '../../parts/action.tsx';
import type { Fields, ValuesOf } from '../../parts/form.tsx';
import { History } from '../../parts/history.tsx';
import { Page, pageOf, Section, Tabs } from '../../parts/layout.tsx';
import { type PreviewRequest, previewOf } from '../../parts/outlook.tsx';
import { StateBadge, Timeline, timelineRow } from '../../parts/timeline.tsx';
import { AccountLink, Copyable, Facts } from '../../parts/values.tsx';
import { texts } from '../../texts.ts';
import { Redemptions } from './coupons.tsx';
import { Usage } from './usage.tsx';

const t = texts.subscription;

/** One subscription: its price now, its timeline, and the changes with their previews. */
export const SubscriptionPage = pageOf(loadSubscription, (facts) => {
  const { subscription, account, today } = facts;
  const { subscriptionId: id, planName, externalKey, state } = subscription;
  return (
    <Page
      title={planName ?? externalKey}
      subtitle={
        <>
          <StateBadge state={state} /> <AccountLink {...account} /> <Copyable text={externalKey} />
        </>
      }
      actions={<SubscriptionActions {...facts} />}
    >
      <Section name="timeline">
        <Timeline rows={[timelineRow(subscription, account.currency)]} today={today} />
      </Section>
      <Tabs
        of={{
          overview: () => <Overview {...facts} />,
          usage: () => <Usage id={id} timeZone={account.timeZone} today={today} />,
          history: () => <History accountId={account.id} of={{ type: 'SUBSCRIPTION', id }} />,
        }}
      />
    </Page>
  );
});

function Overview({ subscription }: SubscriptionFacts) {
  const { subscriptionId, quantity, priceList, start, chargedThrough, billCycleDayLocal } = subscription;
  return (
    <div class="columns">
      <Section name="facts">
        <Facts
          of={{
            quantity,
            phase: words(subscription.phaseType),
            product: `${subscription.productName ?? '–'} (${words(subscription.productCategory)})`,
            priceList,
            started: start?.date,
            billedThrough: chargedThrough?.date ?? texts.common.notYet,
            serviceEnds: subscription.cancelled?.date,
            billingEnds: subscription.billingEnd?.date,
            billCycleDay: billCycleDayLocal ?? texts.common.notYet,
            id: <Copyable text={subscriptionId} />,
            bundle: <Copyable text={subscription.bundleId} />,
          }}
        />
      </Section>
      {may('coupon:view') && <Redemptions subscriptionId={subscriptionId} />}
    </div>
  );
}

/** A subscription with what its page and its actions need. */
type SubscriptionFacts = Awaited<ReturnType<typeof loadSubscription>>;

async function loadSubscription(id: string) {
  const subscription = await api().subscriptions.get(id);
  const [account, overdue] = await Promise.all([
    api().accounts.get(subscription.accountId),
    api().overdue.explain(subscription.accountId),
  ]);
  return { subscription, account, today: overdue.date };
}

type ChangeProps<F extends Fields, M, T, D> = Omit<ActionProps<F, T, D>, 'preview' | 'run'> & {
  readonly account: Account;
  /** The change and its object, as a preview names them. */
  readonly of: Pick<PreviewRequest, 'change'> & Partial<Pick<Subscription, 'subscriptionId' | 'bundleId'>>;
  readonly options: (values: ValuesOf<F>) => M;
  readonly run: (options: M) => Promise<T>;
};

/** An action on a subscription that shows its effect on invoices before it is made. */
function Change<const F extends Fields, M extends object, T, D = undefined>(props: ChangeProps<F, M, T, D>) {
  const { account, of, options, run, ...action } = props;
  // The options are those of the operation, which the preview accepts with the name of the change.
  const buildPreviewRequest = (values: ValuesOf<F>) => ({ ...of, ...options(values) }) as PreviewRequest;
  return (
    <Action
      {...action}
      preview={(values: ValuesOf<F>) => previewOf(account, buildPreviewRequest(values))}
      run={(values: ValuesOf<F>) => run(options(values))}
    />
  );
}

/** The changes of a subscription. Each shows what it costs or credits before it is made. */
function SubscriptionActions({ subscription, account, today }: SubscriptionFacts) {
  const { subscriptionId, state, productCategory, productName, bundleId, billingEnd } = subscription;
  const { subscriptions, blocking } = api();
  const hasEnded = state === 'CANCELLED' || state === 'EXPIRED';
  const isPaused = state === 'BLOCKED';
  const uncancel = (
    <Change
      name="undoCancellation"
      needs="entitlement:cancel"
      account={account}
      of={{ change: 'UNCANCEL', subscriptionId }}
      options={() => ({})}
      run={() => subscriptions.uncancel(subscriptionId)}
    />
  );
  if (hasEnded) return billingEnd !== null && billingEnd.date > today && uncancel;
  return (
    <>
      <Change
        name="changePlan"
        needs="entitlement:change_plan"
        account={account}
        of={{ change: 'CHANGE_PLAN', subscriptionId }}
        load={() => loadOtherPlans(subscription)}
        fields={(plans) => ({
          planName: planField(plans, account.currency),
          policy: policyField,
          date: dateField,
        })}
        options={({ planName, policy, date }) => ({
          planName,
          billingPolicy: policyOf(policy),
          requestedDate: on(date),
        })}
        run={(options) => subscriptions.changePlan(subscriptionId, options)}
        isPrimary
      />
      <Change
        name="changeSeats"
        needs="entitlement:create"
        account={account}
        of={{ change: 'CHANGE_QUANTITY', subscriptionId }}
        initial={{ quantity: subscription.quantity }}
        fields={{ quantity: { kind: 'number', isRequired: true }, date: dateField }}
        options={({ quantity, date }) => ({ quantity: Number(quantity), effectiveFromDate: on(date) })}
        run={(options) => subscriptions.changeQuantity(subscriptionId, options)}
      />
      {productCategory === 'BASE' && productName !== null && (
        <NewSubscription account={account} base={{ bundleId, productName }} />
      )}
      <Change
        name={isPaused ? 'resume' : 'pause'}
        needs="entitlement:pause_resume"
        account={account}
        of={{ change: isPaused ? 'RESUME' : 'PAUSE', bundleId }}
        fields={{ date: dateField }}
        options={({ date }) => ({ requestedDate: on(date) })}
        run={(options) => (isPaused ? blocking.resumeBundle : blocking.pauseBundle)(bundleId, options)}
      />
      {billingEnd === null ? (
        <Change
          name="cancelSubscription"
          needs="entitlement:cancel"
          account={account}
          of={{ change: 'CANCEL', subscriptionId }}
          fields={{ policy: policyField, date: dateField }}
          options={({ policy, date }) =>
            date === null
              ? { entitlementPolicy: policyOf(policy), billingPolicy: policyOf(policy) }
              : { requestedDate: { date }, useRequestedDateForBilling: true }
          }
          run={(options) => subscriptions.cancel(subscriptionId, options)}
          isDangerous
        />
      ) : (
        uncancel
      )}
    </>
  );
}

interface NewSubscriptionProps {
  readonly account: Account;
  /** The base subscription of an add-on; null for a subscription with a bundle of its own. */
  readonly base: { readonly bundleId: string; readonly productName: string } | null;
}

/** Adds a subscription to an account, or an add-on to a base subscription. */
export function NewSubscription({ account, base }: NewSubscriptionProps) {
  return (
    <Change
      name={base === null ? 'addSubscription' : 'addAddOn'}
      needs="entitlement:create"
      account={account}
      of={{ change: 'CREATE' }}
      initial={{ quantity: 1 }}
      load={() => loadPlans(account.id, base?.productName ?? null)}
      fields={(plans) => ({
        planName: planField(plans, account.currency),
        quantity: 'number',
        couponCodes: 'text',
        externalKey: { help: texts.account.keyHelp },
        date: dateField,
      })}
      options={({ planName, quantity, couponCodes, externalKey, date }) => ({
        accountId: account.id,
        bundleId: base?.bundleId ?? null,
        planName,
        externalKey,
        quantity: quantity === null ? null : Number(quantity),
        coupons: couponCodes?.split(/[\s,]+/) ?? null,
        entitlementDate: on(date),
        billingDate: on(date),
      })}
      run={(options) => api().subscriptions.create(options, options)}
      after={({ subscriptionId }) => navigate(href('/subscriptions', subscriptionId))}
    />
  );
}

/** A field for a day on which a change takes effect. */
const dateField = { kind: 'date', help: t.dateHelp } as const;

/** Returns the requested day of a change; null if the user left the field empty. */
function on(date: string | null): { readonly date: string } | null {
  return date === null ? null : { date };
}

/** The field of a policy, with the value of the API for each choice. */
const policyField = { kind: 'select', options: ['BY_CATALOG', 'IMMEDIATE', 'END_OF_TERM'] } as const;

function policyOf(policy: (typeof policyField.options)[number]) {
  return policy === 'BY_CATALOG' ? null : policy;
}

type AvailablePlans = ResultOf<'catalogs', 'availableBasePlans'>;

/** Loads the plans for a base subscription of an account, or the add-ons for a base product. */
function loadPlans(accountId: string, baseProductName: string | null): Promise<AvailablePlans> {
  const { catalogs } = api();
  return baseProductName === null
    ? catalogs.availableBasePlans({ accountId })
    : catalogs.availableAddOns({ accountId, baseProductName });
}

/** Loads the plans to which a subscription can change. */
async function loadOtherPlans({ accountId, productCategory, bundleId }: Subscription) {
  if (productCategory === 'STANDALONE') return [];
  if (productCategory === 'BASE') return loadPlans(accountId, null);
  const { subscriptions } = await api().bundles.get(bundleId);
  const base = subscriptions.find((each) => each.productCategory === 'BASE');
  return loadPlans(accountId, base?.productName ?? '');
}

/** A field that chooses a plan by its name and price. Without known plans, it takes the name of a plan. */
function planField(plans: AvailablePlans, currency: string | null) {
  if (plans.length === 0) return { isRequired: true, help: t.planHelp } as const;
  const options = plans.map(({ plan: { name, prettyName, finalPhase } }) => {
    const { recurring } = finalPhase;
    const price = recurring?.price?.prices.find((each) => each.currency === currency)?.amount;
    if (!recurring || !price) return [name, prettyName] as const;
    const priceText = texts.timeline.price(money(price.text, currency), recurring.billingPeriod);
    return [name, `${prettyName} · ${priceText}`] as const;
  });
  return { kind: 'select', isRequired: true, options: [['', t.choosePlan], ...options] } as const;
}
