import { useSignal } from '@preact/signals';
import {
  type AccountNames,
  api,
  asError,
  day,
  href,
  loadAccountNames,
  may,
  money,
  type ResultOf,
  shortId,
  useLoad,
  words,
} from '../../core/index.ts';
import { Action, Problem, Section, Table } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { saveFile } from '../invoices/download.tsx';
import type { Catalog } from './catalog-words.ts';

const t = texts.catalog;

type Part = ResultOf<'catalogs', 'changeReport'> extends AsyncIterable<infer P> ? P : never;
type PriceChange = Extract<Part, { kind: 'PRICE_CHANGE' }>['change'];
type Totals = Extract<Part, { kind: 'TOTAL' }>;

const SHOWN_CHANGES = 200;

/** The report about a document: its problems, and who would pay another price. */
interface Report {
  readonly xml: string;
  readonly problems: readonly string[];
  readonly hasErrors: boolean;
  /** The first changes. */
  readonly changes: readonly PriceChange[];
  readonly changeCount: number;
  readonly unbillable: readonly { readonly accountId: string; readonly message: string }[];
  /** Null until the report is complete. */
  readonly totals: Totals | null;
}

/** Uploads a catalog document, after a report of who would pay another price. */
export function Upload({ catalog }: { readonly catalog: Catalog }) {
  const xml = useSignal('');
  const report = useSignal<Report | null>(null);
  const error = useSignal<Error | null>(null);
  const isReading = useSignal(false);
  const check = async (event: Event) => {
    event.preventDefault();
    isReading.value = true;
    error.value = null;
    try {
      for await (const partial of reports(xml.value)) {
        // The user has changed the document in the meantime.
        if (partial.xml !== xml.value) break;
        report.value = partial;
      }
    } catch (failure) {
      error.value = asError(failure);
    }
    isReading.value = false;
  };
  return (
    <>
      <Section title={t.upload} actions={<Download catalog={catalog} />}>
        <p>{t.uploadExplanation}</p>
        <form class="fields" onSubmit={(event) => void check(event)}>
          <label>
            {t.file}
            <input
              type="file"
              accept=".xml,text/xml,application/xml"
              onChange={({ currentTarget }) => {
                const [file] = currentTarget.files ?? [];
                void file?.text().then((text) => {
                  xml.value = text;
                  report.value = null;
                });
              }}
            />
          </label>
          <label>
            {t.document}
            <textarea
              rows={10}
              required
              value={xml.value}
              onInput={({ currentTarget }) => {
                xml.value = currentTarget.value;
                report.value = null;
              }}
            />
          </label>
          <div class="actions">
            <button type="submit" class="primary" disabled={isReading.value}>
              {isReading.value ? texts.common.working : t.check}
            </button>
          </div>
        </form>
        {error.value !== null && <Problem error={error.value} />}
      </Section>
      {report.value !== null && <ReportSection report={report.value} isReading={isReading.value} />}
    </>
  );
}

/** Reads the report part by part, and returns what is known so far after each hundred parts. */
async function* reports(xml: string): AsyncIterable<Report> {
  let report: Report = {
    xml,
    problems: [],
    hasErrors: false,
    changes: [],
    changeCount: 0,
    unbillable: [],
    totals: null,
  };
  let parts = 0;
  for await (const part of await api().catalogs.changeReport(xml)) {
    report = withPart(report, part);
    parts += 1;
    if (parts % 100 === 1) yield report;
  }
  yield report;
}

function withPart(report: Report, part: Part): Report {
  switch (part.kind) {
    case 'SUMMARY': {
      const lines = [...part.errors, ...part.warnings].map(({ line, message }) =>
        line ? texts.common.atLine(line, message) : message,
      );
      return { ...report, problems: lines, hasErrors: part.errors.length > 0 };
    }
    case 'PRICE_CHANGE':
      return {
        ...report,
        changeCount: report.changeCount + 1,
        ...(report.changeCount < SHOWN_CHANGES && { changes: [...report.changes, part.change] }),
      };
    case 'UNBILLABLE':
      return { ...report, unbillable: [...report.unbillable, part] };
    case 'TOTAL':
      return { ...report, totals: part };
  }
}

/** Loads the names of the accounts in the report. Until then, they have the ends of their ids. */
function useAccountNames(rows: readonly { readonly accountId: string }[]): AccountNames {
  const ids = [...new Set(rows.map(({ accountId }) => accountId))];
  return useLoad(() => loadAccountNames(ids), ids).data ?? shortId;
}

function ReportSection({ report, isReading }: { readonly report: Report; readonly isReading: boolean }) {
  const { problems, hasErrors, changes, changeCount, unbillable, totals } = report;
  const nameOf = useAccountNames([...changes, ...unbillable]);
  const upload = !hasErrors && totals !== null && (
    <Action
      label={t.uploadNow}
      explanation={t.uploadNowExplanation(totals.changedSubscriptions)}
      run={() => api().catalogs.upload(report.xml)}
      done={t.uploaded}
      isPrimary
    />
  );
  return (
    <Section title={t.report} actions={upload}>
      {isReading && <p role="status">{t.reading(changeCount)}</p>}
      {problems.length > 0 && (
        <ul class={hasErrors ? 'problem' : undefined}>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {totals !== null && !hasErrors && (
        <p>{t.totals(totals.subscriptions, totals.changedSubscriptions, totals.unbillableAccounts)}</p>
      )}
      <Table
        caption={t.report}
        rows={changes}
        keyOf={(change) =>
          JSON.stringify([
            change.subscriptionId,
            change.phaseName,
            change.priceType,
            change.from,
            change.usage,
          ])
        }
        empty={totals === null || hasErrors ? '' : t.nobody}
        columns={[
          {
            title: t.account,
            cell: ({ accountId }) => <a href={href('/accounts', accountId)}>{nameOf(accountId)}</a>,
          },
          {
            title: t.plan,
            cell: ({ planName, usage }) => (usage === null ? planName : `${planName}, ${usage.usageName}`),
          },
          { title: t.phase, cell: ({ phaseName }) => words(phaseName.slice(phaseName.lastIndexOf('-') + 1)) },
          { title: t.fromDay, cell: ({ from }) => day(from.date) },
          { title: t.oldPrice, cell: ({ oldPrice, currency }) => money(oldPrice, currency), isNumber: true },
          { title: t.newPrice, cell: ({ newPrice, currency }) => money(newPrice, currency), isNumber: true },
          {
            title: t.difference,
            cell: ({ difference, currency }) => money(difference, currency),
            isNumber: true,
          },
        ]}
      />
      {changeCount > changes.length && <p>{t.more(changeCount - changes.length)}</p>}
      {unbillable.map(({ accountId, message }) => (
        <p key={accountId} class="problem">
          <a href={href('/accounts', accountId)}>{nameOf(accountId)}</a>: {message}
        </p>
      ))}
    </Section>
  );
}

/** The document of all versions as a file, and the removal of the catalog. */
function Download({ catalog }: { readonly catalog: Catalog }) {
  if (catalog.versions.length === 0) return null;
  const save = () => {
    const bytes = new TextEncoder().encode(catalog.toXml());
    saveFile(bytes, { name: 'catalog.xml', type: 'application/xml' });
  };
  return (
    <>
      <button type="button" onClick={save}>
        {t.download}
      </button>
      {may('catalog:delete') && (
        <Action
          label={t.remove}
          explanation={t.removeExplanation}
          run={() => api().catalogs.delete()}
          done={t.removed}
          isDangerous
        />
      )}
    </>
  );
}
