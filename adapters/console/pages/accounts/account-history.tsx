import { useState } from 'preact/hooks';
import { api, hrefWith, instant, parameters, type ResultOf, useLoad, words } from '../../core/index.ts';
import { Author, History } from '../../parts/history.tsx';
import { Dialog, ListTable, Section } from '../../parts/index.ts';
import { texts } from '../../texts.ts';

const t = texts.account;

type Entry = ResultOf<'audit', 'ofAccount'>[number];
type AuditedType = Parameters<typeof History>[0]['object']['type'];

/** Names of object types in audit rows that differ from the type. */
const typeOfTable: Readonly<Record<string, string>> = {
  BUNDLES: 'BUNDLE',
  SUBSCRIPTIONS: 'SUBSCRIPTION',
  SUBSCRIPTION_EVENTS: 'SUBSCRIPTION_EVENT',
  INVOICES: 'INVOICE',
  INVOICE_ITEMS: 'INVOICE_ITEM',
  INVOICE_PAYMENTS: 'INVOICE_PAYMENT',
  PAYMENTS: 'PAYMENT',
  PAYMENT_TRANSACTIONS: 'TRANSACTION',
  PAYMENT_ATTEMPTS: 'PAYMENT_ATTEMPT',
  PAYMENT_METHODS: 'PAYMENT_METHOD',
};

/** Who changed the account and its objects, when, and what. */
export function AccountHistory({ accountId }: { readonly accountId: string }) {
  return (
    <>
      <Section title={t.ownHistory}>
        <History accountId={accountId} object={{ type: 'ACCOUNT', id: accountId }} />
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
  const loaded = useLoad(async () => {
    const entries = await api().audit.ofAccount(accountId);
    return entries.toSorted(
      (a, b) => b.changeDate.getTime() - a.changeDate.getTime() || b.recordId - a.recordId,
    );
  }, [accountId]);
  return (
    <Section title={t.allHistory}>
      <ListTable
        of={loaded}
        caption={t.allHistory}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.history.when, cell: ({ changeDate }) => instant(changeDate) },
          { title: texts.history.who, cell: (entry) => <Author of={entry} /> },
          {
            title: t.object,
            cell: (entry) => (
              <button type="button" class="quiet" onClick={() => show(entry)}>
                {t.changeOf(t.changes[entry.changeType], words(typeOf(entry)))}
              </button>
            ),
          },
        ]}
      />
      {shown !== null && (
        <Dialog title={words(typeOf(shown))} close={() => show(null)} isWide>
          <div>
            <History
              accountId={accountId}
              object={{ type: typeOf(shown) as AuditedType, id: shown.targetId }}
            />
          </div>
        </Dialog>
      )}
    </Section>
  );
}

function typeOf({ tableName }: Entry): string {
  return typeOfTable[tableName] ?? tableName;
}
