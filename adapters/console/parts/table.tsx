import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { type ResultOf, useLoad } from '../core/data.ts';
import { type Amount, instant, label, money, valueText, words } from '../core/format.ts';
import { hrefWith, navigate, parameters } from '../core/location.ts';
import { texts } from '../texts.ts';
import { type Option, Options } from './action.tsx';
import { IdLink, Json, ObjectLink, Section, Show } from './layout.tsx';

/**
 * A column: a member of the rows, or a name with what its cells show. The name gives the heading. Numbers are aligned
 * to the right, and text breaks into lines; other cells have one line, but for the first column. A heading that sorts
 * has the name by which the API sorts.
 */
export type Column<R> =
  | (keyof R & string)
  | readonly [name: string, cell: (row: R) => ComponentChildren, as?: 'number' | 'text' | 'sorted'];

interface TableProps<R> {
  /** Its label describes the table to screen readers. */
  readonly name: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly empty?: string | undefined;
  /** True if the API sorts the rows. */
  readonly isSortable?: boolean;
}

/** A table of rows that are already loaded. On a narrow screen, each row is a card with the headings in its cells. */
export function Table<R extends object>(props: TableProps<R>) {
  const { name, columns, rows, empty, isSortable = false } = props;
  if (rows.length === 0) return <p class="empty">{empty ?? texts.common.nothing}</p>;
  const all = columns.map((column) =>
    typeof column === 'string' ? ([column, (row: R) => valueText(row[column])] as const) : column,
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard.
    <section class="table" aria-label={label(name)} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {all.map(([column, , as]) =>
              label(column) === '' ? (
                <td key={column} />
              ) : (
                <th key={column} scope="col" class={as}>
                  {as === 'sorted' && isSortable ? <SortLink name={column} /> : label(column)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {all.map(([column, cell, as]) => (
                <td key={column} class={as} data-label={label(column)}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Returns what tells rows apart: their id, or all their values. */
function keyOf(row: object): string {
  return 'id' in row ? String(row.id) : JSON.stringify(row);
}

/** A heading that sorts: by the name, then by the name in reverse order. */
function SortLink({ name }: { readonly name: string }) {
  const current = parameters.value.get('sort');
  const next = current === name ? `-${name}` : name;
  const arrow = current === name ? ' ↑' : current === `-${name}` ? ' ↓' : '';
  return (
    <a href={hrefWith({ sort: next, page: null })}>
      {label(name)}
      {arrow}
    </a>
  );
}

export interface PageOf<R> {
  readonly rows: readonly R[];
  readonly total: number;
}

/** Position of a page in its list, from the URL. */
interface ListRequest {
  readonly offset: number;
  readonly limit: number;
  readonly sort: string | null;
}

export const PAGE_SIZE = 25;

/** Returns the number of the page in a parameter of the URL, from 1. */
export function pageNumber(name: string): number {
  return Math.max(1, Number.parseInt(parameters.value.get(name) ?? '1', 10) || 1);
}

/** Links to the pages of a list. */
export function Pages(props: { page: number; total: number; shown: number; name: string }) {
  const { page, total, shown, name } = props;
  if (page === 1 && total <= shown) return null;
  const first = (page - 1) * PAGE_SIZE + 1;
  const last = first + shown - 1;
  return (
    <nav class="pages" aria-label={texts.common.pages}>
      {page > 1 && <a href={hrefWith({ [name]: page === 2 ? null : page - 1 })}>{texts.common.previous}</a>}
      <span>{shown === 0 ? texts.common.nothing : texts.common.range(first, last, total)}</span>
      {last < total && <a href={hrefWith({ [name]: page + 1 })}>{texts.common.next}</a>}
    </nav>
  );
}

interface ListProps<R> extends Omit<TableProps<R>, 'rows'> {
  /** Loads one page, or the whole list, which is then shown in pages. */
  readonly load: (request: ListRequest) => Promise<PageOf<R> | readonly R[]>;
  /** Values that the rows depend on, such as filters. */
  readonly inputs?: readonly unknown[];
  /** Name of the URL parameter for the page. Two tables of one page need two names. */
  readonly pageParameter?: string;
}

/** A table that loads its rows. The page and the order are in the URL. */
export function List<R extends object>({ load, inputs = [], ...table }: ListProps<R>) {
  const { pageParameter = 'page' } = table;
  const page = pageNumber(pageParameter);
  const sort = parameters.value.get('sort');
  const request: ListRequest = { offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE, sort };
  const loaded = useLoad(() => load(request), [page, sort, ...inputs]);
  return (
    <Show of={loaded}>
      {(found) =>
        'total' in found ? (
          <>
            <Table {...table} rows={found.rows} isSortable />
            <Pages page={page} total={found.total} shown={found.rows.length} name={pageParameter} />
          </>
        ) : (
          <KnownList {...table} rows={found} />
        )
      }
    </Show>
  );
}

interface ListSectionProps<R> extends ListProps<R> {
  readonly actions?: ComponentChildren;
  /** Shown above the table, such as filters. */
  readonly above?: ComponentChildren;
}

/** A section with a list. */
export function ListSection<R extends object>({ actions, above, ...list }: ListSectionProps<R>) {
  return (
    <Section name={list.name} actions={actions}>
      {above}
      <List pageParameter={list.name} {...list} />
    </Section>
  );
}

/** A table of rows that are already loaded, in pages. */
export function KnownList<R extends object>(props: TableProps<R> & { readonly pageParameter?: string }) {
  const { rows, pageParameter, ...table } = props;
  return (
    <ListPages rows={rows} {...(pageParameter !== undefined && { pageParameter })}>
      {(shown) => <Table {...table} rows={shown} />}
    </ListPages>
  );
}

/** Shows one page of rows that are already loaded. */
export function ListPages<R>(props: {
  readonly rows: readonly R[];
  readonly pageParameter?: string;
  readonly children: (shown: readonly R[]) => ComponentChildren;
}) {
  const { rows, pageParameter = 'page' } = props;
  const page = pageNumber(pageParameter);
  const shown = rows.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  return (
    <>
      {props.children(shown)}
      <Pages page={page} total={rows.length} shown={shown.length} name={pageParameter} />
    </>
  );
}

/** A select whose value is in the URL, as a filter of a table. */
export function Filter(props: {
  readonly name: string;
  /** Default: the label of the name. */
  readonly label?: string;
  /** The first option is the default and stays out of the URL. */
  readonly options: readonly Option[];
}) {
  const { name, options } = props;
  const [first = ''] = options;
  const preset = typeof first === 'string' ? first : first[0];
  const choose = (value: string) =>
    navigate(hrefWith({ [name]: value === preset ? null : value, page: null }), { replace: true });
  return (
    <label class="filter">
      {props.label ?? label(name)}
      <select
        value={parameters.value.get(name) ?? preset}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        <Options of={options} />
      </select>
    </label>
  );
}

/** A text or date whose value is in the URL, as a filter of a table. It applies on Enter or when it loses the focus. */
export function FilterInput(props: {
  readonly name: string;
  /** Default: the label of the name. */
  readonly label?: string;
  /** The value while the URL has none. */
  readonly preset?: string;
  readonly isDate?: boolean;
  readonly placeholder?: string;
  readonly size?: number;
}) {
  const { name, label: text = label(name), preset = '', isDate = false, ...input } = props;
  const id = useId();
  return (
    <label class="filter" for={id}>
      {text}
      <input
        {...input}
        {...(isDate ? { type: 'date' } : { type: 'search' })}
        id={id}
        value={parameters.value.get(name) ?? preset}
        onChange={({ currentTarget }) =>
          navigate(hrefWith({ [name]: currentTarget.value.trim(), page: null }), { replace: true })
        }
      />
    </label>
  );
}

export interface OfAccount {
  readonly accountId: string;
  readonly accountName: string;
}

/** The account of each row, with its name. */
export const accountColumn = [
  'account',
  ({ accountId, accountName }) => <IdLink page="/accounts" id={accountId} label={accountName} />,
] as const satisfies Column<OfAccount>;

interface Priced {
  readonly amount: Amount;
  readonly currency: string | null;
}

export const amountColumn: Column<Priced> = [
  'amount',
  ({ amount, currency }) => money(amount, currency),
  'number',
];

export type FeedEvent = ResultOf<'events', 'list'>['events'][number] & { readonly accountName: string };

export const eventColumns: readonly Column<FeedEvent>[] = [
  ['time', ({ createdDate }) => instant(createdDate)],
  ['event', ({ eventType }) => words(eventType)],
  ['object', (event) => <ObjectLink {...event} />],
  [
    'account',
    ({ accountId, accountName }) =>
      accountId !== null && <IdLink page="/accounts" id={accountId} label={accountName} />,
  ],
  ['', ({ metaData }) => metaData !== null && <Json value={metaData} />],
];
