import { useSignal } from '@preact/signals';
import { api, loadAccountNames, type ResultOf, useLoad, useTask } from '../../core/data.ts';
import { day, label, money, shortId, words } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { Problem, Section, Sentences, saveFile } from '../../parts/layout.tsx';
import { Table } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
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
  const enter = (text: string) => {
    xml.value = text;
    report.value = null;
  };
  const { isRunning, error, start } = useTask(async () => {
    for await (const partial of reports(xml.value)) {
      // The user has changed the document in the meantime.
      if (partial.xml !== xml.value) break;
      report.value = partial;
    }
  });
  return (
    <>
      <Section name="upload" actions={<Download {...catalog} />}>
        <p>{t.uploadExplanation}</p>
        <form class="fields" onSubmit={start}>
          <label>
            {label('xmlFile')}
            <input
              type="file"
              accept=".xml,text/xml,application/xml"
              onChange={({ currentTarget }) => void currentTarget.files?.[0]?.text().then(enter)}
            />
          </label>
          <label>
            {label('document')}
            <textarea
              rows={10}
              required
              value={xml.value}
              onInput={({ currentTarget }) => enter(currentTarget.value)}
            />
          </label>
          <div class="actions">
            <button type="submit" class="primary" disabled={isRunning}>
              {isRunning ? texts.common.working : label('check')}
            </button>
          </div>
        </form>
        {error !== null && <Problem error={error} />}
      </Section>
      {report.value !== null && <ReportSection report={report.value} isReading={isRunning} />}
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

interface ReportProps {
  readonly report: Report;
  readonly isReading: boolean;
}

function ReportSection({ report, isReading }: ReportProps) {
  const { problems, hasErrors, changes, changeCount, unbillable, totals } = report;
  // Until the names of the accounts are loaded, they have the ends of their ids.
  const ids = [...new Set([...changes, ...unbillable].map(({ accountId }) => accountId))];
  const nameOf = useLoad(() => loadAccountNames(ids), ids).data ?? shortId;
  const isChecked = totals !== null && !hasErrors;
  const upload = isChecked && (
    <Action
      name="uploadThisCatalog"
      explanation={t.uploadNow(totals.changedSubscriptions)}
      run={() => api().catalogs.upload(report.xml)}
      isPrimary
    />
  );
  return (
    <Section name="whoWouldPayAnotherPrice" actions={upload}>
      {isReading && <p role="status">{t.reading(changeCount)}</p>}
      {problems.length > 0 && (
        <div class={hasErrors ? 'problem' : undefined}>
          <Sentences of={problems} />
        </div>
      )}
      {isChecked && (
        <p>{t.totals(totals.subscriptions, totals.changedSubscriptions, totals.unbillableAccounts)}</p>
      )}
      <Table
        name="whoWouldPayAnotherPrice"
        rows={changes}
        empty={isChecked ? t.nobody : ''}
        columns={[
          ['account', ({ accountId }) => <a href={href('/accounts', accountId)}>{nameOf(accountId)}</a>],
          ['plan', ({ planName, usage }) => (usage === null ? planName : `${planName}, ${usage.usageName}`)],
          ['phase', ({ phaseName }) => words(phaseName.slice(phaseName.lastIndexOf('-') + 1))],
          ['from', ({ from }) => day(from.date)],
          ['priceNow', ({ oldPrice, currency }) => money(oldPrice, currency), 'number'],
          ['newPrice', ({ newPrice, currency }) => money(newPrice, currency), 'number'],
          ['difference', ({ difference, currency }) => money(difference, currency), 'number'],
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
function Download({ versions, toXml }: Catalog) {
  if (versions.length === 0) return null;
  const save = () =>
    saveFile(new TextEncoder().encode(toXml()), { name: 'catalog.xml', type: 'application/xml' });
  return (
    <>
      <button type="button" onClick={save}>
        {label('downloadXml')}
      </button>
      <Action
        name="deleteTheCatalog"
        needs="catalog:delete"
        run={() => api().catalogs.delete()}
        isDangerous
      />
    </>
  );
}
