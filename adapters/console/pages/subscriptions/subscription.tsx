import { may, type Subscription } from '../../core/data.ts';
import { label, money, words } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { LabelsAndHistory } from '../../parts/history.tsx';
import { Copyable, Facts, Page, pageOf, Section, Tabs } from '../../parts/layout.tsx';
import { StateBadge, Timeline } from '../../parts/timeline.tsx';
import { timelineRow } from '../../parts/timeline-rows.ts';
import { texts } from '../../texts.ts';
import { Redemptions } from '../coupons.tsx';
import { loadSubscription, SubscriptionActions, type SubscriptionFacts } from './subscription-actions.tsx';

/** One subscription: its price now, its timeline, and the changes with their previews. */
export const SubscriptionPage = pageOf(loadSubscription, (facts) => {
  const { subscription, account, today } = facts;
  const { subscriptionId: id, planName, externalKey, state } = subscription;
  return (
    <Page
      title={planName ?? externalKey}
      above={['accounts', [account.name ?? account.externalKey, href('/accounts', account.id)]]}
      subtitle={
        <>
          <StateBadge state={state} /> <Copyable text={externalKey} />
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
          labelsAndHistory: () => (
            <LabelsAndHistory accountId={account.id} of={{ type: 'SUBSCRIPTION', id }} />
          ),
        }}
      />
    </Page>
  );
});

function Overview({ subscription, account }: SubscriptionFacts) {
  const { subscriptionId, quantity, priceList, start, chargedThrough, billCycleDayLocal } = subscription;
  const usage = (
    <a class="button" href={href('/subscriptions', subscriptionId, 'usage')}>
      {label('usage')}
    </a>
  );
  return (
    <div class="columns">
      <Section name="facts" actions={usage}>
        <Facts
          of={{
            priceNow: priceOf(subscription, account.currency),
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

/** Returns the price of the current phase. */
function priceOf(subscription: Subscription, currency: string | null): string {
  const { planName, phaseType, prices, billingPeriod } = subscription;
  const price = prices.find((each) => each.planName === planName && each.phaseType === phaseType);
  if (price?.recurringPrice)
    return texts.timeline.price(money(price.recurringPrice, currency), billingPeriod ?? '');
  return price?.fixedPrice ? money(price.fixedPrice, currency) : texts.catalog.free;
}
