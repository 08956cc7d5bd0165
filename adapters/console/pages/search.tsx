import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { api } from '../core/api.ts';
import { words } from '../core/format.ts';
import { useLoad } from '../core/load.ts';
import { href, navigate, parameters } from '../core/location.ts';
import { Badge, Page } from '../parts/layout.tsx';
import { Show } from '../parts/loading.tsx';
import { Table } from '../parts/table.tsx';
import { texts } from '../texts.ts';

interface Hit {
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly detail: string;
}

const LIMIT = 20;

/** What matches the search text. A single hit opens immediately. */
export function Search(): JSX.Element {
  const text = parameters.value.get('text') ?? '';
  const loaded = useLoad(() => find(text), [text]);
  const hits = loaded.data;
  useEffect(() => {
    const [only, second] = hits ?? [];
    if (only !== undefined && second === undefined) navigate(only.url, { replace: true });
  }, [hits]);
  return (
    <Page title={texts.search.title(text)}>
      <Show of={loaded}>
        {(rows) => (
          <Table
            caption={texts.search.title(text)}
            rows={rows}
            keyOf={({ kind, id }) => kind + id}
            empty={texts.search.none}
            columns={[
              { title: texts.search.kind, cell: ({ kind }) => <Badge>{words(kind)}</Badge> },
              { title: texts.search.what, cell: ({ title, url }) => <a href={url}>{title}</a> },
              { title: '', cell: ({ detail }) => detail },
            ]}
          />
        )}
      </Show>
    </Page>
  );
}

async function find(text: string): Promise<readonly Hit[]> {
  if (text === '') return [];
  const [accounts, invoices] = await Promise.all([
    api().accounts.search(text, { offset: 0, limit: LIMIT }),
    api().invoices.search(text, { offset: 0, limit: LIMIT }),
  ]);
  return [
    ...accounts.rows.map(({ id, name, externalKey, email }) => ({
      kind: 'ACCOUNT',
      id,
      title: name ?? externalKey,
      url: href('/accounts', id),
      detail: [externalKey, email].filter((each) => each !== null).join(' · '),
    })),
    ...invoices.rows.map(({ id, formattedNumber, invoiceNumber }) => ({
      kind: 'INVOICE',
      id,
      title: formattedNumber ?? String(invoiceNumber),
      url: href('/invoices', id),
      detail: '',
    })),
  ];
}
