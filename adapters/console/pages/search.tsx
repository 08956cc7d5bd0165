import { useEffect } from 'preact/hooks';
import { api, type ResultOf, useLoad } from '../core/data.ts';
import { label } from '../core/format.ts';
import { href, navigate, parameters } from '../core/location.ts';
import { Badge, Page, Show } from '../parts/layout.tsx';
import { KnownList } from '../parts/table.tsx';
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

/** Returns the hits with exactly this id, name, key or e-mail address; all hits if none matches exactly. */
function exactHits(hits: readonly Hit[], text: string): readonly Hit[] {
  const exact = hits.filter(({ id, title, detail }) =>
    [id, title, ...detail.split(' · ')].some((value) => value.toLowerCase() === text.toLowerCase()),
  );
  return exact.length === 0 ? hits : exact;
}

/** What matches the search text. A single exact hit opens immediately. */
export function Search() {
  const text = parameters.value.get('text') ?? '';
  const loaded = useLoad(async () => (text === '' ? [] : api().reports.find({ text })), [text]);
  const { data: hits = [] } = loaded;
  useEffect(() => {
    const [only, second] = exactHits(hits, text);
    if (only !== undefined && second === undefined) navigate(urlOf(only), { replace: true });
  }, [hits]);
  return (
    <Page title={t.title(text)}>
      <Show of={loaded}>
        {(rows) => (
          <KnownList
            name="hits"
            rows={rows}
            empty={t.none}
            columns={[
              ['kind', ({ kind }) => <Badge>{label(kind)}</Badge>],
              ['found', (hit) => <a href={urlOf(hit)}>{hit.title}</a>],
              ['account', ({ kind, accountName }) => kind !== 'ACCOUNT' && accountName],
              ['details', ({ detail }) => detail],
            ]}
          />
        )}
      </Show>
      <p>
        <a href={`${href('/accounts')}?search=${encodeURIComponent(text)}`}>{t.accounts}</a>
      </p>
    </Page>
  );
}
