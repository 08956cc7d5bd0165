import type { ComponentChildren } from 'preact';
import { api, type ResultOf } from '../core/data.ts';
import { valueText, words } from '../core/format.ts';
import { texts } from '../texts.ts';
import { CustomFields, Tags } from './labels.tsx';
import { Section } from './layout.tsx';
import { type Column, List } from './table.tsx';

const t = texts.history;

type AuditedObject = Parameters<ReturnType<typeof api>['audit']['historyWithin']>[1];
type HistoryRow = ResultOf<'audit', 'historyWithin'>[number];

interface HistoryProps {
  readonly accountId: string;
  readonly of: AuditedObject;
}

/** Who changed an object of an account, when, and what changed, newest first. */
export function History({ accountId, of: object }: HistoryProps) {
  const load = async () => withDifferences(await api().audit.historyWithin(accountId, object)).reverse();
  return (
    <List
      name="history"
      pageParameter="history"
      load={load}
      columns={[['when', 'changeDate'], whoColumn, ['whatChanged', whatChanged, 'text']]}
    />
  );
}

/** Tags, custom fields and history of an object. */
export function LabelsAndHistory({ accountId, of }: HistoryProps & Parameters<typeof Tags>[0]) {
  return (
    <>
      <Tags of={of} />
      <CustomFields of={of} />
      <Section name="history">
        <History accountId={accountId} of={of} />
      </Section>
    </>
  );
}

/** Names under which parts of the engine make changes, such as `OverdueService`. */
const ENGINE = /[a-z](Service|Notifier|Processor|Transition)$/;

/** The user of a change, with the given reason and comment. */
export const whoColumn: Column<Pick<HistoryRow, 'changedBy' | 'reasonCode' | 'comments'>> = [
  'who',
  ({ changedBy, reasonCode, comments }) => {
    const given = [reasonCode, comments].filter((text) => text !== null).join(': ');
    return (
      <>
        {ENGINE.test(changedBy) ? words(changedBy) : changedBy} {given !== '' && <small>{given}</small>}
      </>
    );
  },
];

/** Adds to each change the members that differ from the change before. */
function withDifferences(rows: readonly HistoryRow[]) {
  return rows.map((row, index) => {
    const before = rows[index - 1]?.snapshot ?? {};
    const differences = Object.entries(row.snapshot ?? {})
      .map(([name, after]) => ({ name, before: before[name] ?? null, after }))
      .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after));
    return { ...row, differences };
  });
}

function whatChanged({
  changeType,
  differences,
}: ReturnType<typeof withDifferences>[number]): ComponentChildren {
  if (changeType === 'DELETE') return t.removed;
  const isNew = changeType === 'INSERT';
  const list = (
    <ul class="differences">
      {differences.map(({ name, before, after }) => (
        <li key={name}>
          {words(name)}: {!isNew && <del>{valueText(before)}</del>} <ins>{valueText(after)}</ins>
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
