import type { ComponentChildren } from 'preact';
import { api, day, instant, type ResultOf, useLoad, words } from '../core/index.ts';
import { texts } from '../texts.ts';
import { ListTable } from './table.tsx';

const t = texts.history;

type AuditedObject = Parameters<ReturnType<typeof api>['audit']['historyWithin']>[1];
type HistoryRow = ResultOf<'audit', 'historyWithin'>[number];

/** A member of an object before and after a change. */
interface Difference {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Who changed an object of an account, when, and what changed, newest first. */
export function History(props: { readonly accountId: string; readonly object: AuditedObject }) {
  const { accountId, object } = props;
  const loaded = useLoad(
    async () => withDifferences(await api().audit.historyWithin(accountId, object)).reverse(),
    [accountId, JSON.stringify(object)],
  );
  return (
    <ListTable
      of={loaded}
      caption={t.title}
      pageParameter="history"
      keyOf={({ row }) => row.id}
      columns={[
        { title: t.when, cell: ({ row }) => instant(row.changeDate) },
        { title: t.who, cell: ({ row }) => <Author of={row} /> },
        { title: t.what, cell: ({ row, differences }) => whatChanged(row, differences) },
      ]}
    />
  );
}

type Changed = Pick<HistoryRow, 'changedBy' | 'reasonCode' | 'comments'>;

/** The user of a change, with the given reason and comment. */
export function Author({ of: { changedBy, reasonCode, comments } }: { readonly of: Changed }) {
  const given = [reasonCode, comments].filter((text) => text !== null).join(': ');
  return (
    <>
      {t.components[changedBy] ?? changedBy} {given !== '' && <small>{given}</small>}
    </>
  );
}

interface ChangeWithDifferences {
  readonly row: HistoryRow;
  readonly differences: readonly Difference[];
}

function withDifferences(rows: readonly HistoryRow[]): ChangeWithDifferences[] {
  return rows.map((row, index) => {
    const before = rows[index - 1]?.snapshot ?? {};
    const differences = Object.entries(row.snapshot ?? {})
      .map(([name, after]) => ({ name, before: before[name] ?? null, after }))
      .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after));
    return { row, differences };
  });
}

function whatChanged(row: HistoryRow, differences: readonly Difference[]): ComponentChildren {
  if (row.changeType === 'DELETE') return t.removed;
  const isNew = row.changeType === 'INSERT';
  const list = (
    <ul class="differences">
      {differences.map(({ name, before, after }) => (
        <li key={name}>
          {nameOf(name)}: {!isNew && <del>{valueText(before)}</del>} <ins>{valueText(after)}</ins>
        </li>
      ))}
    </ul>
  );
  if (!isNew) return differences.length === 0 ? t.same : list;
  return (
    <details>
      <summary>{t.created}</summary>
      {list}
    </details>
  );
}

/** Returns a member name such as `billingCycleDayLocal` as words. */
function nameOf(member: string): string {
  return words(member.replace(/(?=[A-Z])/g, '_').replace(/(?<=\D)(?=\d)/g, '_'));
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return t.empty;
  if (value === true || value === false) return value ? texts.common.yes : texts.common.no;
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return day(text);
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? instant(text) : text;
}
