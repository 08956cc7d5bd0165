import { api, day, href, money, type PathValues, useLoad } from '../../core/index.ts';
import { Facts, IdLink, Page, Section, Show } from '../../parts/index.ts';
import { Paper } from '../../parts/paper.tsx';
import { texts } from '../../texts.ts';
import { Download } from './download.tsx';

const t = texts.creditNotes;

/** One credit note with its document. */
export function CreditNotePage({ path }: { readonly path: PathValues }) {
  const id = path.id ?? '';
  const loaded = useLoad(async () => {
    const [note, html] = await Promise.all([api().creditNotes.get(id), api().creditNotes.html(id)]);
    return { note, html, number: note.formattedNumber ?? String(note.creditNoteNumber) };
  }, [id]);
  return (
    <Show of={loaded}>
      {({ note, html, number }) => (
        <Page
          title={t.one(number)}
          above={[
            [texts.invoices.title, href('/invoices')],
            [t.ofInvoice, href('/invoices', note.invoiceId)],
          ]}
          actions={
            <Download
              label={texts.documents.pdf}
              name={`${t.file}-${number}.pdf`}
              type="application/pdf"
              load={() => api().creditNotes.pdf(id)}
            />
          }
        >
          <Section title={t.facts}>
            <Facts
              of={[
                [texts.invoices.amount, money(note.amount, note.currency)],
                [texts.invoices.date, day(note.creditNoteDate)],
                [texts.invoices.reason, t.reasons[note.reason]],
                [texts.invoices.account, <IdLink page="/accounts" id={note.accountId} />],
              ]}
            />
          </Section>
          <Paper title={t.one(number)} html={html} />
        </Page>
      )}
    </Show>
  );
}
