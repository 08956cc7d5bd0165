import { useState } from 'preact/hooks';
import { api, type ResultOf } from '../../core/data.ts';
import { label, valueText, words } from '../../core/format.ts';
import { hrefWith, parameters } from '../../core/location.ts';
import { Author, History } from '../../parts/history.tsx';
import { Dialog, Section } from '../../parts/layout.tsx';
import { ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const t = texts.account;

type Entry = ResultOf<'audit', 'ofAccount'>[number];
type AuditedType = Parameters<typeof History>[0]['of']['type'];

/** Object types in audit rows that are not the name of their table without its last letter. */
const otherTypes: Readonly<Record<string, string>> = {
  PAYMENT_TRANSACTIONS: 'TRANSACTION',
  BLOCKING_STATES: 'BLOCKING_STATES',
};

/** Who changed the account and its objects, when, and what. */
export function AccountHistory({ accountId }: { readonly accountId: string }) {
  return (
    <>
      <Section name="changesOfTheAccount">
        <History accountId={accountId} of={{ type: 'ACCOUNT', id: accountId }} />
      </Section>
      {parameters.value.get('all') === '1' ? (
        <Everything accountId={accountId} />
      ) : (
        <p>
          <a href={hrefWith({ all: 1 })}>{t.showAllHistory}</a>
        </p>
      )}
    </>
  );
}

/** All changes of the account's objects, newest first, each with its differences on demand. */
function Everything({ accountId }: { readonly accountId: string }) {
  const [shown, show] = useState<Entry | null>(null);
  const load = async () => {
    const entries = await api().audit.ofAccount(accountId);
    return entries.toSorted(
      (a, b) => b.changeDate.getTime() - a.changeDate.getTime() || b.recordId - a.recordId,
    );
  };
  return (
    <>
      <ListSection
        name="allChanges"
        load={load}
        columns={[
          ['when', ({ changeDate }) => valueText(changeDate)],
          ['who', (entry) => <Author of={entry} />],
          [
            'whatChanged',
            (entry) => (
              <button type="button" class="quiet" onClick={() => show(entry)}>
                {label(entry.changeType)}: {words(typeOf(entry)).toLowerCase()}
              </button>
            ),
          ],
        ]}
      />
      {shown !== null && (
        <Dialog title={words(typeOf(shown))} close={() => show(null)} isWide>
          <div>
            <History accountId={accountId} of={{ type: typeOf(shown) as AuditedType, id: shown.targetId }} />
          </div>
        </Dialog>
      )}
    </>
  );
}

function typeOf({ tableName }: Entry): string {
  return otherTypes[tableName] ?? tableName.replace(/S$/, '');
}
