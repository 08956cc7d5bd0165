import { useSignal } from '@preact/signals';
import { api, loadAccountNames, type ResultOf, useLoad, useTask } from '../../core/data.ts';
import { day, label, money, shortId, words } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { Download, Problem, Section } from '../../parts/layout.tsx';
import { notify } from '../../parts/notices.tsx';
import { Table } from '../../parts/table.tsx';
import { Sentences } from '../../parts/values.tsx';
import { texts } from '../../texts.ts';
import type { Catalog } from './catalog-words.ts';

const t = texts.catalog;

type Part = ResultOf<'catalogs', 'changeReport'> extends AsyncIterable<infer P> ? P : never;

/** The parts of a report about a document that have been read so far. */
interface Report {
  readonly xml: string;
  readonly parts: readonly Part[];
}

/** Parts that are read before the page shows them. */
const PARTS_PER_VIEW = 100;
const SHOWN_CHANGES = 200;

/** Uploads a catalog document, after a report of who would pay another price. */
export function Upload({ catalog: { versions, toXml } }: { readonly catalog: Catalog }) {
  const xml = useSignal('');
  const report = useSignal<Report | null>(null);
  const fail = (error: Error) => notify(error.message);
  const enter = (text: string) => {
    xml.value = text;
    report.value = null;
  };
  const { isRunning, error, start } = useTask(async () => {
    const document = xml.value;
    const parts: Part[] = [];
    for await (const part of await api().catalogs.changeReport(document)) {
      // The user has changed the document in the meantime.
      if (document !== xml.value) return;
      parts.push(part);
      if (parts.length % PARTS_PER_VIEW === 1) report.value = { xml: document, parts };
    }
    report.value = { xml: document, parts };
  });
  const download = versions.length > 0 && (
    <Download name="downloadXml" file="catalog.xml" load={async () => new TextEncoder().encode(toXml())} />
  );
  return (
    <>
      <Section name="upload" actions={download}>
        <p>{t.uploadExplanation}</p>
        <form class="fields" onSubmit={start}>
          <label>
            {label('xmlFile')}
            <input
              type="file"
              accept=".xml,text/xml,application/xml"
              onChange={({ currentTarget }) => void currentTarget.files?.[0]?.text().then(enter, fail)}
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
      {report.value !== null && <ReportSection {...report.value} isReading={isRunning} />}
    </>
  );
}

function ReportSection({ xml, parts, isReading }: Report & { readonly isReading: boolean }) {
  const summary = parts.find((part) => part.kind === 'SUMMARY');
  const total = parts.find((part) => part.kind === 'TOTAL');
  const unbillable = parts.filter((part) => part.kind === 'UNBILLABLE');
  const changes = parts.flatMap((part) => (part.kind === 'PRICE_CHANGE' ? part.change : []));
  const shown = changes.slice(0, SHOWN_CHANGES);
  const problems = [...(summary?.errors ?? []), ...(summary?.warnings ?? [])];
  // Until the names of the accounts are loaded, they have the ends of their ids.
  const ids = [...new Set([...shown, ...unbillable].map(({ accountId }) => accountId))];
  const nameOf = useLoad(() => loadAccountNames(ids), ids).data ?? shortId;
  const account = ({ accountId }: { readonly accountId: string }) => (
    <a href={href('/accounts', accountId)}>{nameOf(accountId)}</a>
  );
  const isChecked = total !== undefined && summary?.errors.length === 0;
  const upload = isChecked && (
    <Action
      name="uploadThisCatalog"
      explanation={t.uploadNow(total.changedSubscriptions)}
      run={() => api().catalogs.upload(xml)}
      isPrimary
    />
  );
  return (
    <Section name="whoWouldPayAnotherPrice" actions={upload}>
      {isReading && <p role="status">{t.reading(changes.length)}</p>}
      <Sentences of={problems.map(texts.common.atLine)} />
      {isChecked && (
        <p>{t.totals(total.subscriptions, total.changedSubscriptions, total.unbillableAccounts)}</p>
      )}
      <Table
        name="whoWouldPayAnotherPrice"
        rows={shown}
        empty={isChecked ? t.nobody : ''}
        columns={[
          ['account', account],
          ['plan', ({ planName, usage }) => (usage === null ? planName : `${planName}, ${usage.usageName}`)],
          ['phase', ({ phaseName }) => words(phaseName.slice(phaseName.lastIndexOf('-') + 1))],
          ['from', ({ from }) => day(from.date)],
          ['priceNow', ({ oldPrice, currency }) => money(oldPrice, currency), 'number'],
          ['newPrice', ({ newPrice, currency }) => money(newPrice, currency), 'number'],
          'difference',
        ]}
      />
      {changes.length > shown.length && <p>{t.more(changes.length - shown.length)}</p>}
      {unbillable.map((part) => (
        <p key={part.accountId} class="problem">
          {account(part)}: {part.message}
        </p>
      ))}
    </Section>
  );
}
