import { useEffect } from 'preact/hooks';
import { api, type ResultOf } from '../core/data.ts';
import { label } from '../core/format.ts';
import { href, navigate, parameters } from '../core/location.ts';
import { Load, Page } from '../parts/layout.tsx';
import { List } from '../parts/table.tsx';
import { Badge } from '../parts/values.tsx';
import { texts } from '../texts.ts';

const t = texts.shell;

type Hit = ResultOf<'reports', 'find'>[number];

/** Returns the page of an object. Bundles are on the page of their account. */
function urlOf({ kind, id, accountId }: Hit): string {
  return kind === 'BUNDLE' ? href('/accounts', accountId) : href(`/${kind.toLowerCase()}s`, id);
}

/** The objects that match the search text. A single exact hit opens immediately. */
export function Search() {
  const text = parameters.value.get('text') ?? '';
  const load = async () => (text === '' ? [] : api().reports.find({ text }));
  return (
    <Page title={t.searchFor(text)}>
      <Load from={load} inputs={[text]}>
        {(hits) => <Hits hits={hits} text={text.toLowerCase()} />}
      </Load>
      <a href={`${href('/accounts')}?search=${encodeURIComponent(text)}`}>{t.searchAccounts}</a>
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
      empty={t.noHits}
      columns={[
        ['kind', ({ kind }) => <Badge>{label(kind)}</Badge>],
        ['found', (hit) => <a href={urlOf(hit)}>{hit.title}</a>],
        ['account', ({ kind, accountName }) => kind !== 'ACCOUNT' && accountName],
        ['details', 'detail'],
      ]}
    />
  );
}
