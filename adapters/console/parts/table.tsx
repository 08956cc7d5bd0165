import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { hrefWith, type Loaded, navigate, parameters, useLoad } from '../core/index.ts';
import { texts } from '../texts.ts';
import { Section } from './layout.tsx';
import { Show } from './loading.tsx';

export interface Column<R> {
  readonly title: string;
  readonly cell: (row: R) => ComponentChildren;
  /** Name by which the API sorts this column. Only such columns have a heading that sorts. */
  readonly sort?: string;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
  /** Long text breaks into lines. Other cells have one line, but for the first column. */
  readonly isText?: boolean;
}

interface TableProps<R> {
  /** Describes the table to screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string;
  readonly empty?: string;
}

/** A table of rows that are already loaded. It scrolls sideways on a narrow screen. */
export function Table<R>({ caption, columns, rows, keyOf, empty }: TableProps<R>) {
  if (rows.length === 0) return <p class="empty">{empty ?? texts.common.nothing}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard.
    <section class="table" aria-label={caption} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, sort, ...column }) =>
              title === '' ? (
                <td key={title} />
              ) : (
                <th key={title} scope="col" class={classOf(column)}>
                  {sort === undefined ? title : <SortLink title={title} name={sort} />}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.title} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function classOf<R>({ isNumber, isText }: Omit<Column<R>, 'title' | 'sort'>): string | undefined {
  if (isNumber) return 'number';
  return isText ? 'text' : undefined;
}

/** A heading that sorts: by the name, then by the name in reverse order. */
function SortLink(props: { readonly title: string; readonly name: string }) {
  const current = parameters.value.get('sort');
  const next = current === props.name ? `-${props.name}` : props.name;
  const arrow = current === props.name ? ' ↑' : current === `-${props.name}` ? ' ↓' : '';
  return (
    <a href={hrefWith({ sort: next, page: null })}>
      {props.title}
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

interface PagedTableProps<R> extends Omit<TableProps<R>, 'rows'> {
  readonly load: (request: ListRequest) => Promise<PageOf<R>>;
  /** Further values that the rows depend on, such as filters. */
  readonly inputs?: readonly unknown[];
  /** Name of the URL parameter for the page. Two tables of one page need two names. */
  readonly pageParameter?: string;
}

/** A table that loads one page at a time. The page and the order are in the URL. */
export function PagedTable<R>({ load, inputs = [], pageParameter = 'page', ...table }: PagedTableProps<R>) {
  const page = pageNumber(pageParameter);
  const sort = parameters.value.get('sort');
  const request: ListRequest = { offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE, sort };
  const loaded = useLoad(() => load(request), [page, sort, ...inputs]);
  return (
    <Show of={loaded}>
      {({ rows, total }) => (
        <>
          <Table {...table} rows={rows} />
          <Pages page={page} total={total} shown={rows.length} name={pageParameter} />
        </>
      )}
    </Show>
  );
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

interface ListTableProps<R> extends Omit<TableProps<R>, 'rows'> {
  readonly of: Loaded<readonly R[]>;
  readonly pageParameter?: string;
  /** Shown above the table, such as actions on the rows of the page. */
  readonly above?: (shown: readonly R[]) => ComponentChildren;
}

/** A list that the API returns as a whole, shown in pages. */
export function ListTable<R>(props: ListTableProps<R>) {
  const { of, pageParameter = 'page', above, ...table } = props;
  return (
    <Show of={of}>
      {(rows) => (
        <ListPages rows={rows} pageParameter={pageParameter}>
          {(shown) => (
            <>
              {above?.(shown)}
              <Table {...table} rows={shown} />
            </>
          )}
        </ListPages>
      )}
    </Show>
  );
}

/** A section with a list. Its title is the caption of the table. */
export function ListSection<R>(props: ListTableProps<R> & { readonly actions?: ComponentChildren }) {
  const { actions, ...list } = props;
  return (
    <Section title={list.caption} actions={actions}>
      <ListTable {...list} />
    </Section>
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
  readonly label: string;
  readonly name: string;
  /** Values with their labels; the first one is the default and stays out of the URL. */
  readonly options: readonly (readonly [value: string, label: string])[];
}) {
  const value = parameters.value.get(props.name) ?? props.options[0]?.[0] ?? '';
  return (
    <label class="filter">
      {props.label}
      <select
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.value === props.options[0]?.[0] ? null : currentTarget.value;
          navigate(hrefWith({ [props.name]: chosen, page: null }), { replace: true });
        }}
      >
        {props.options.map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A text or date whose value is in the URL, as a filter of a table. It applies on Enter or when it loses the focus. */
export function FilterInput(props: {
  readonly label: string;
  readonly name: string;
  readonly isDate?: boolean;
  readonly placeholder?: string;
  readonly size?: number;
}) {
  const { label, name, isDate = false, placeholder, size } = props;
  const id = useId();
  const shared = {
    id,
    value: parameters.value.get(name) ?? '',
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      navigate(hrefWith({ [name]: currentTarget.value.trim(), page: null }), { replace: true }),
  };
  return (
    <label class="filter" for={id}>
      {label}
      {isDate ? (
        <input type="date" {...shared} />
      ) : (
        <input type="search" size={size} placeholder={placeholder} {...shared} />
      )}
    </label>
  );
}
