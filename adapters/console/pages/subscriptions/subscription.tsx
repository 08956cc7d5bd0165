import { api, day, href, may, type PathValues, useLoad, words } from '../../core/index.ts';
import { History } from '../../parts/history.tsx';
import { Columns, Copyable, Facts, Page, Section, Show, Tabs } from '../../parts/index.ts';
import { CustomFields, Tags } from '../../parts/labels.tsx';
import { StateBadge, Timeline } from '../../parts/timeline.tsx';
import { type Subscription, timelineRow } from '../../parts/timeline-rows.ts';
import { texts } from '../../texts.ts';
import { Coupons } from '../accounts/account-coupons.tsx';
import type { Account } from '../accounts/account-form.ts';
import { Blocks } from './blocks.tsx';
import { currentPrice } from './plan-options.ts';
import { SubscriptionActions } from './subscription-actions.tsx';

const t = texts.subscription;

interface SubscriptionData {
  readonly subscription: Subscription;
  readonly account: Account;
  readonly today: string;
}

/** One subscription: its price now, its timeline, and the changes with their previews. */
export function SubscriptionPage({ path }: { readonly path: PathValues }) {
  const id = path.id ?? '';
  return <Show of={useLoad(() => dataOf(id), [id])}>{(data) => <Loaded {...data} />}</Show>;
}

async function dataOf(id: string): Promise<SubscriptionData> {
  const subscription = await api().subscriptions.get(id);
  const [account, overdue] = await Promise.all([
    api().accounts.get(subscription.accountId),
    api().overdue.explain(subscription.accountId),
  ]);
  return { subscription, account, today: overdue.date };
}

function Loaded(data: SubscriptionData) {
  const { subscription, account } = data;
  const { subscriptionId: id, planName, externalKey } = subscription;
  return (
    <Page
      title={planName ?? externalKey}
      above={[
        [texts.accounts.title, href('/accounts')],
        [account.name ?? account.externalKey, href('/accounts', account.id)],
      ]}
      subtitle={
        <>
          <StateBadge state={subscription.state} /> <Copyable text={externalKey} />
        </>
      }
      actions={<SubscriptionActions {...data} />}
    >
      <Section title={t.timeline}>
        <Timeline rows={[timelineRow(subscription, account.currency)]} today={data.today} />
      </Section>
      <Tabs
        tabs={[
          { name: 'overview', title: texts.account.overview, content: () => <Overview {...data} /> },
          {
            name: 'labels',
            title: t.labels,
            content: () => (
              <Columns>
                <Tags of={{ type: 'SUBSCRIPTION', id }} />
                <CustomFields of={{ type: 'SUBSCRIPTION', id }} />
                <Blocks
                  accountId={account.id}
                  of={[
                    { type: 'SUBSCRIPTION', id },
                    { type: 'SUBSCRIPTION_BUNDLE', id: subscription.bundleId },
                  ]}
                />
              </Columns>
            ),
          },
          {
            name: 'history',
            title: texts.history.title,
            content: () => (
              <Section title={texts.history.title}>
                <History accountId={account.id} object={{ type: 'SUBSCRIPTION', id }} />
              </Section>
            ),
          },
        ]}
      />
    </Page>
  );
}

function Overview({ subscription, account }: SubscriptionData) {
  const { subscriptionId, start, cancelled, chargedThrough, billingStart, billingEnd } = subscription;
  return (
    <Columns>
      <Section
        title={texts.account.facts}
        actions={
          <a class="button" href={href('/subscriptions', subscriptionId, 'usage')}>
            {t.usage}
          </a>
        }
      >
        <Facts
          of={[
            [t.priceNow, currentPrice(subscription, account.currency) ?? t.noPrice],
            [t.quantity, subscription.quantity],
            [t.phase, words(subscription.phaseType)],
            [t.product, `${subscription.productName ?? '–'} (${words(subscription.productCategory)})`],
            [t.priceList, subscription.priceList ?? undefined],
            [t.started, day(start?.date)],
            [t.billingStarted, billingStart?.date === start?.date ? undefined : day(billingStart?.date)],
            [t.billedThrough, chargedThrough === null ? texts.account.notYet : day(chargedThrough.date)],
            [t.serviceEnds, cancelled === null ? undefined : day(cancelled.date)],
            [t.billingEnds, billingEnd === null ? undefined : day(billingEnd.date)],
            [t.billCycleDay, subscription.billCycleDayLocal ?? texts.account.notYet],
            [texts.account.id, <Copyable key="id" text={subscriptionId} />],
            [t.bundle, <Copyable key="bundle" text={subscription.bundleId} />],
          ]}
        />
      </Section>
      {may('coupon:view') && <Coupons account={account} subscriptionId={subscriptionId} />}
    </Columns>
  );
}
