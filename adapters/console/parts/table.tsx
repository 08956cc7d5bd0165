import type { ComponentChildren } from 'preact';
import { label, money, quantity, valueText } from '../core/format.ts';
import { hrefWith, navigate, parameters, type Query } from '../core/location.ts';
import { texts } from '../texts.ts';
import { type Entered, type Fields, FormFields } from './form.tsx';
import { Load, Section } from './layout.tsx';
import { IdLink } from './values.tsx';

/**
 * A column: a member of the rows, or a name with a member or with what its cells show. The name gives the heading.
 * Numbers are aligned to the right. A heading that sorts has the name by which the API sorts.
 */
export type Column<R> =
  | (keyof R & string)
  | readonly [
      name: string,
      cell: (keyof R & string) | ((row: R) => ComponentChildren),
      as?: 'number' | 'sorted',
    ];

interface TableProps<R> {
  readonly name: string;
  readonly columns: readonly Column<R>[];
  /** Actions and links at the end of each row. */
  readonly rowActions?: ((row: R) => ComponentChildren) | undefined;
  readonly rows: readonly R[];
  readonly empty?: string | undefined;
  /** True if the API sorts the rows. */
  readonly isSortable?: boolean;
}

/** A table of rows that are already loaded. On a narrow screen, each row is a card with the headings in its cells. */
export function Table<R extends object>(props: TableProps<R>) {
  const { name, columns, rowActions, rows, empty, isSortable = false } = props;
  const [first] = rows;
  if (first === undefined) return <p class="quiet-text">{empty ?? texts.common.nothing}</p>;
  const last: readonly Column<R>[] = rowActions === undefined ? [] : [['', rowActions]];
  const all = [...columns, ...last].map((column) => {
    const [heading, cell = column as keyof R & string, as] = typeof column === 'string' ? [column] : column;
    if (typeof cell === 'function') return { heading, cell, as };
    const isNumber = typeof first[cell] === 'number' || isDecimal(first[cell]);
    return { heading, cell: (row: R) => memberText(row, cell), as: as ?? (isNumber ? 'number' : undefined) };
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard.
    <section class="table" aria-label={label(name)} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {all.map(({ heading, as }) =>
              heading === '' ? (
                <td key={heading} />
              ) : (
                <th key={heading} scope="col" class={as}>
                  {as === 'sorted' && isSortable ? <SortLink name={heading} /> : label(heading)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={'id' in row ? row.id : JSON.stringify(row)}>
              {all.map(({ heading, cell, as }) => (
                <td key={heading} class={as} data-label={label(heading)}>
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

function isDecimal(value: unknown): value is { toString(): string } {
  return typeof value === 'object' && value !== null && 'toFixed' in value;
}

/** Returns a member of a row as text. A decimal is an amount in the currency of the row, if rows have one. */
function memberText<R extends object>(row: R, member: keyof R): string {
  const value = row[member];
  if (!isDecimal(value)) return valueText(value);
  return 'currency' in row ? money(value, row.currency as string | null) : quantity(value);
}

/** A heading that sorts: by the name, then by the name in reverse order. */
function SortLink({ name }: { readonly name: string }) {
  const current = parameters.value.get('sort');
  const next = current === name ? `-${name}` : name;
  const arrow = current === name ? ' ↑' : current === `-${name}` ? ' ↓' : '';
  return <a href={hrefWith({ sort: next, page: null })}>{label(name) + arrow}</a>;
}

const PAGE_SIZE = 25;

/** A page of a list, or the whole list, which is then shown in pages. */
type Rows<R> = { readonly rows: readonly R[]; readonly total: number } | readonly R[];

interface ListSource<R> {
  /** The rows that are already loaded, or `load`. */
  readonly rows?: readonly R[];
  /** Loads a page of a list, or the whole list. A negative limit counts from the end of the list. */
  readonly load?: (page: { readonly offset: number; readonly limit: number }) => Promise<Rows<R>>;
  /** True if the list begins at its end, unless the user sorts by a column. */
  readonly isNewestFirst?: boolean;
  /** Name of the URL parameter for the page. Two lists of one page need two names. */
  readonly pageParameter?: string;
}

interface ListPagesProps<R> extends ListSource<R> {
  readonly children: (shown: readonly R[], isSortable: boolean) => ComponentChildren;
}

/** Shows one page of a list, with links to the others. The page, the order and the filters are in the URL. */
export function ListPages<R>(props: ListPagesProps<R>) {
  const { rows = [], load, pageParameter: name = 'page', isNewestFirst = false, children } = props;
  const page = Math.max(1, Number.parseInt(parameters.value.get(name) ?? '1', 10) || 1);
  const offset = (page - 1) * PAGE_SIZE;
  const show = (found: Rows<R>) => {
    const isPage = 'total' in found;
    const shown = isPage ? found.rows : found.slice(offset, offset + PAGE_SIZE);
    const total = isPage ? found.total : found.length;
    const last = offset + shown.length;
    const range = shown.length === 0 ? texts.common.nothing : texts.common.range(offset + 1, last, total);
    const isWhole = page === 1 && total <= last;
    return (
      <>
        {children(shown, isPage)}
        {!isWhole && (
          <nav class="pages" aria-label={texts.common.pages}>
            {page > 1 && (
              <a href={hrefWith({ [name]: page === 2 ? null : page - 1 })}>{texts.common.previous}</a>
            )}
            <span>{range}</span>
            {last < total && <a href={hrefWith({ [name]: page + 1 })}>{texts.common.next}</a>}
          </nav>
        )}
      </>
    );
  };
  if (load === undefined) return show(rows);
  const sort = parameters.value.get('sort');
  const isFromEnd = isNewestFirst && (sort === null || sort.startsWith('-'));
  const limit = isFromEnd ? -PAGE_SIZE : PAGE_SIZE;
  return (
    <Load from={() => load({ offset, limit })} inputs={[parameters.value.toString()]} keepsData>
      {show}
    </Load>
  );
}

interface ListProps<R> extends Omit<TableProps<R>, 'rows' | 'isSortable'>, ListSource<R> {}

export function List<R extends object>({ name, columns, rowActions, empty, ...source }: ListProps<R>) {
  return (
    <ListPages {...source}>
      {(rows, isSortable) => <Table {...{ name, columns, rowActions, rows, empty, isSortable }} />}
    </ListPages>
  );
}

type ListSectionProps<R> = ListProps<R> & Omit<Parameters<typeof Section>[0], 'children'>;

export function ListSection<R extends object>({ title, actions, isExplained, ...list }: ListSectionProps<R>) {
  return (
    <Section name={list.name} title={title} actions={actions} isExplained={isExplained === true}>
      <List pageParameter={list.name} {...list} />
    </Section>
  );
}

/** Filters of the lists on a page. Their values are in the URL. */
export function Filters({ of, presets }: { readonly of: Fields; readonly presets?: Query }) {
  const entered: Query = { ...presets, ...Object.fromEntries(parameters.value) };
  const change = (changed: Entered) =>
    navigate(hrefWith({ ...(changed as Query), page: null }), { replace: true });
  return <FormFields fields={of} entered={entered} change={change} isFilter />;
}

export interface OfAccount {
  readonly accountId: string | null;
  readonly accountName: string;
}

/** The account of each row, with its name. */
export const accountColumn = [
  'account',
  ({ accountId, accountName }) => accountId && <IdLink page="/accounts" id={accountId} label={accountName} />,
] as const satisfies Column<OfAccount>;
