import type { JSX } from 'preact';
import { api } from '../../core/api.ts';
import { instant } from '../../core/format.ts';
import { may } from '../../core/session.ts';
import { Action } from '../../parts/action.tsx';
import { IdLink, Section } from '../../parts/layout.tsx';
import { PagedTable } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

/** Accounts without invoice runs, because a run failed or a user parked them. */
export function Parked(): JSX.Element {
  return (
    <Section title={texts.operations.parked}>
      <p class="quiet-text">{texts.operations.parkedExplanation}</p>
      <PagedTable
        caption={texts.operations.parked}
        load={(page) => api().invoices.parked(page)}
        keyOf={({ accountId }) => accountId}
        empty={texts.operations.noParked}
        columns={[
          {
            title: texts.operations.account,
            cell: ({ accountId }) => <IdLink page="/accounts" id={accountId} label={accountId} />,
          },
          { title: texts.operations.since, cell: ({ parkedDate }) => instant(parkedDate) },
          { title: texts.operations.actions, cell: ({ accountId }) => <ParkedActions id={accountId} /> },
        ]}
      />
    </Section>
  );
}

function ParkedActions({ id }: { readonly id: string }): JSX.Element {
  return (
    <div class="actions">
      {may('invoice:trigger') && (
        <Action
          label={texts.operations.retryParked}
          explanation={texts.operations.retryParkedExplanation}
          run={() => api().invoices.generate({ accountId: id })}
          done={texts.operations.retriedParked}
          isPrimary
        />
      )}
      {may('tag:delete') && (
        <Action
          label={texts.operations.unpark}
          explanation={texts.operations.unparkExplanation}
          run={() => api().invoices.unpark(id)}
          done={texts.operations.unparked}
        />
      )}
    </div>
  );
}
