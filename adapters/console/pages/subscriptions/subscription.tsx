import { may } from '../../core/data.ts';
import { label, words } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { LabelsAndHistory } from '../../parts/history.tsx';
import { Columns, Copyable, Facts, Page, pageOf, Section, Tabs } from '../../parts/layout.tsx';
import { StateBadge, Timeline } from '../../parts/timeline.tsx';
import { timelineRow } from '../../parts/timeline-rows.ts';
import { texts } from '../../texts.ts';
import { Coupons } from '../accounts/account-coupons.tsx';
import { Blocks } from './blocks.tsx';
import { loadSubscription, priceOf, type SubscriptionFacts } from './data.ts';
import { SubscriptionActions } from './subscription-actions.tsx';

const t = texts.subscription;

/** One subscription: its price now, its timeline, and the changes with their previews. */
export const SubscriptionPage = pageOf(loadSubscription, Content);

function Content(facts: SubscriptionFacts) {
  const { subscription, account, today } = facts;
  const { subscriptionId: id, planName, externalKey, state } = subscription;
  return (
    <Page
      title={planName ?? externalKey}
      above={[
        [label('accounts'), href('/accounts')],
        [account.name ?? account.externalKey, href('/accounts', account.id)],
      ]}
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
          blocks: () => (
            <Blocks
              accountId={account.id}
              of={[
                { type: 'SUBSCRIPTION', id },
                { type: 'SUBSCRIPTION_BUNDLE', id: subscription.bundleId },
              ]}
            />
          ),
          labelsAndHistory: () => (
            <LabelsAndHistory accountId={account.id} of={{ type: 'SUBSCRIPTION', id }} />
          ),
        }}
      />
    </Page>
  );
}

function Overview({ subscription, account }: SubscriptionFacts) {
  const { subscriptionId, start, billingStart } = subscription;
  const usage = (
    <a class="button" href={href('/subscriptions', subscriptionId, 'usage')}>
      {label('usage')}
    </a>
  );
  return (
    <Columns>
      <Section name="facts" actions={usage}>
        <Facts
          of={{
            priceNow: priceOf(subscription, account.currency) ?? t.noPrice,
            quantity: subscription.quantity,
            phase: words(subscription.phaseType),
            product: `${subscription.productName ?? '–'} (${words(subscription.productCategory)})`,
            priceList: subscription.priceList,
            started: start?.date,
            billingStarted: billingStart?.date === start?.date ? null : billingStart?.date,
            billedThrough: subscription.chargedThrough?.date ?? texts.common.notYet,
            serviceEnds: subscription.cancelled?.date,
            billingEnds: subscription.billingEnd?.date,
            billCycleDay: subscription.billCycleDayLocal ?? texts.common.notYet,
            id: <Copyable text={subscriptionId} />,
            bundle: <Copyable text={subscription.bundleId} />,
          }}
        />
      </Section>
      {may('coupon:view') && <Coupons accountId={account.id} subscriptionId={subscriptionId} />}
    </Columns>
  );
}
