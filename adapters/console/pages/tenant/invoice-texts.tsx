import { useRef, useState } from 'preact/hooks';
import { type Api, api, may, useLoad } from '../../core/data.ts';
import { label } from '../../core/format.ts';
import { parameters } from '../../core/location.ts';
import { Action, useSettled } from '../../parts/action.tsx';
import { Load, Problem, Section, Waiting } from '../../parts/layout.tsx';
import { Paper } from '../../parts/paper.tsx';
import { Filters } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const t = texts.tenant;

type InvoiceText = Parameters<Api['invoiceTexts']['get']>[0];

const kinds = ['TEMPLATE', 'MANUAL_PAY_TEMPLATE', 'TRANSLATION', 'CATALOG_TRANSLATION'] as const;

/** The text that the URL names. A template without a language is for all languages. */
function textOfUrl(): InvoiceText {
  const kind = kinds.find((each) => each === parameters.value.get('kind')) ?? 'TEMPLATE';
  const locale = parameters.value.get('locale');
  if (kind === 'TEMPLATE' || kind === 'MANUAL_PAY_TEMPLATE') return { kind, locale };
  return { kind, locale: locale ?? 'en_US' };
}

/** Loads the saved text, the built-in one, and one of the first invoices, if possible one with an amount. */
async function loadTexts(of: InvoiceText) {
  const { invoiceTexts, invoices } = api();
  const [saved, builtIn, { rows }] = await Promise.all([
    invoiceTexts.get(of),
    invoiceTexts.builtIn(of),
    invoices.page({ offset: 0, limit: 20 }),
  ]);
  const invoice = rows.find(({ amount }) => !amount.isZero()) ?? rows[0];
  return { of, saved, builtIn: builtIn ?? '', invoiceId: invoice?.id };
}

/** The template and the translations of invoices, with an invoice as it looks with the text in the editor. */
export function InvoiceTexts() {
  const text = textOfUrl();
  return (
    <>
      <Filters
        of={{
          kind: { kind: 'select', label: label('text'), options: kinds },
          locale: { kind: 'search', placeholder: texts.common.all },
        }}
        presets={{ locale: text.locale ?? '' }}
      />
      <Load from={() => loadTexts(text)} inputs={[text]}>
        {(loaded) => <Workbench key={JSON.stringify(loaded)} {...loaded} />}
      </Load>
    </>
  );
}

/** The editor beside an invoice with the edited text. */
function Workbench({ of, saved, builtIn, invoiceId }: Awaited<ReturnType<typeof loadTexts>>) {
  const [text, setText] = useState(saved ?? builtIn);
  const settled = useSettled(text);
  const { upload, delete: remove } = api().invoiceTexts;
  const actions = (
    <>
      <Action
        name="save"
        needs="tenant_kvs:add"
        isHidden={text === (saved ?? builtIn) || text.trim() === ''}
        run={() => upload({ ...of, text, replace: saved !== null })}
        isPrimary
      />
      <Action
        name="useBuiltInText"
        needs="tenant_kvs:delete"
        isHidden={saved === null}
        run={() => remove(of)}
        isDangerous
      />
    </>
  );
  return (
    <div class="columns">
      <Section name={of.kind} actions={actions}>
        <p class="quiet-text">{t.textHelp[of.kind]}</p>
        <textarea
          aria-label={label(of.kind)}
          rows={26}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </Section>
      <Section name="preview">
        {invoiceId === undefined ? t.noInvoice : <Preview of={of} text={settled} invoiceId={invoiceId} />}
      </Section>
    </div>
  );
}

interface PreviewProps {
  readonly of: InvoiceText;
  readonly text: string;
  readonly invoiceId: string;
}

/** Shows the previous page until the next one is loaded, and beside the reason why a text cannot be saved. */
function Preview({ of, text, invoiceId }: PreviewProps) {
  const shown = useRef<string | null>(null);
  const { data, error, isLoading } = useLoad(() => {
    // An empty text cannot be saved, and a preview needs the permission to save.
    if (text.trim() === '' || !may('tenant_kvs:add')) return api().invoices.html(invoiceId);
    return api().invoiceTexts.preview({ ...of, text, invoiceId });
  }, [invoiceId, of, text]);
  if (data !== undefined) shown.current = data;
  const html = shown.current;
  return (
    <div aria-busy={isLoading}>
      {error !== null && !isLoading && <Problem error={error} />}
      {html === null ? isLoading && <Waiting /> : <Paper title={label('preview')} html={html} />}
    </div>
  );
}
