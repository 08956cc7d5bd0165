import { api, loadAccountNames } from '../../core/data.ts';
import { day, label, money } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { Download, Facts, IdLink, Page, pageOf, Section } from '../../parts/layout.tsx';
import { Paper } from '../../parts/paper.tsx';
import { texts } from '../../texts.ts';

const t = texts.creditNotes;

type CreditNoteFacts = Awaited<ReturnType<typeof load>>;

/** One credit note with its document. */
export const CreditNote = pageOf(load, Content);

async function load(id: string) {
  const [note, html] = await Promise.all([api().creditNotes.get(id), api().creditNotes.html(id)]);
  const nameOf = await loadAccountNames([note.accountId]);
  const accountName = nameOf(note.accountId);
  return { note, html, accountName, number: note.formattedNumber ?? String(note.creditNoteNumber) };
}

function Content({ note, html, accountName, number }: CreditNoteFacts) {
  const { id, invoiceId, accountId, amount, currency, creditNoteDate, reason } = note;
  return (
    <Page
      title={t.one(number)}
      above={[
        [label('invoices'), href('/invoices')],
        [label('itsInvoice'), href('/invoices', invoiceId)],
      ]}
      actions={
        <Download
          name="pdf"
          file={`${t.file}-${number}.pdf`}
          type="application/pdf"
          load={() => api().creditNotes.pdf(id)}
        />
      }
    >
      <Section name="facts">
        <Facts
          of={{
            amount: money(amount, currency),
            date: day(creditNoteDate),
            reason: t.reasons[reason],
            account: <IdLink page="/accounts" id={accountId} label={accountName} />,
          }}
        />
      </Section>
      <Paper title={t.one(number)} html={html} />
    </Page>
  );
}
