import { useEffect } from 'preact/hooks';
import { api, type ResultOf } from '../core/data.ts';
import { label } from '../core/format.ts';
import { href, navigate, parameters } from '../core/location.ts';
import { Badge, Load, Page } from '../parts/layout.tsx';
import { List } from '../parts/table.tsx';
import { texts } from '../texts.ts';

const t = texts.search;

type Hit = ResultOf<'reports', 'find'>[number];

const pages = {
  ACCOUNT: '/accounts',
  INVOICE: '/invoices',
  PAYMENT: '/payments',
  SUBSCRIPTION: '/subscriptions',
  BUNDLE: '/accounts',
} as const;

/** Returns the page of an object. Bundles are on the page of their account. */
function urlOf({ kind, id, accountId }: Hit): string {
  return href(pages[kind], kind === 'BUNDLE' ? accountId : id);
}

/** What matches the search text. A single exact hit opens immediately. */
export function Search() {
  const text = parameters.value.get('text') ?? '';
  const load = async () => (text === '' ? [] : api().reports.find({ text }));
  return (
    <Page title={t.title(text)}>
      <Load from={load} inputs={[text]}>
        {(hits) => <Hits hits={hits} text={text.toLowerCase()} />}
      </Load>
      <a href={`${href('/accounts')}?search=${encodeURIComponent(text)}`}>{t.accounts}</a>
    </Page>
  );
}

function Hits({ hits, text }: { readonly hits: readonly Hit[]; readonly text: string }) {
  useEffect(() => {
    const exact = hits.filter(({ id, title, detail }) =>
      [id, title, ...detail.split(' · ')].some((value) => value.toLowerCase() === text),
    );
    const [only, second] = exact.length === 0 ? hits : exact;
    if (only !== undefined && second === undefined) navigate(urlOf(only), { replace: true });
  }, [hits]);
  return (
    <List
      name="hits"
      rows={hits}
      empty={t.none}
      columns={[
        ['kind', ({ kind }) => <Badge>{label(kind)}</Badge>],
        ['found', (hit) => <a href={urlOf(hit)}>{hit.title}</a>],
        ['account', ({ kind, accountName }) => kind !== 'ACCOUNT' && accountName],
        ['details', 'detail'],
      ]}
    />
  );
}
