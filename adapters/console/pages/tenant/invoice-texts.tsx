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

/** Loads the saved text, and the built-in one. */
async function loadTexts(of: InvoiceText) {
  const { invoiceTexts } = api();
  const [saved, builtIn] = await Promise.all([invoiceTexts.get(of), invoiceTexts.builtIn(of)]);
  return { saved, builtIn: builtIn ?? '' };
}

/** The template and the translations of invoices, with an invoice as it looks with the text in the editor. */
export function InvoiceTexts() {
  const text = textOfUrl();
  return (
    <>
      <div class="filters">
        <Filters
          of={{
            kind: { kind: 'select', label: label('text'), options: kinds },
            locale: { kind: 'search', placeholder: texts.common.all },
          }}
          presets={{ locale: text.locale ?? '' }}
        />
      </div>
      <Load from={() => loadTexts(text)} inputs={[text]}>
        {({ saved, builtIn }) => (
          <Workbench key={JSON.stringify([text, saved])} of={text} saved={saved} builtIn={builtIn} />
        )}
      </Load>
    </>
  );
}

interface WorkbenchProps {
  readonly of: InvoiceText;
  readonly saved: string | null;
  readonly builtIn: string;
}

/** The editor beside an invoice with the edited text. */
function Workbench({ of, saved, builtIn }: WorkbenchProps) {
  const [text, setText] = useState(saved ?? builtIn);
  const actions = (
    <>
      {text !== (saved ?? builtIn) && text.trim() !== '' && (
        <Action
          name="save"
          needs="tenant_kvs:add"
          run={() => api().invoiceTexts.upload({ ...of, text, replace: saved !== null })}
          isPrimary
        />
      )}
      {saved !== null && (
        <Action
          name="useBuiltInText"
          needs="tenant_kvs:delete"
          run={() => api().invoiceTexts.delete(of)}
          isDangerous
        />
      )}
    </>
  );
  return (
    <div class="columns">
      <Section name={of.kind} actions={actions}>
        <p class="quiet-text">
          {saved === null && of.kind !== 'CATALOG_TRANSLATION' && t.noText} {t.textHelp[of.kind]}
        </p>
        <textarea
          aria-label={label(of.kind)}
          rows={26}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </Section>
      <Preview of={of} text={text} />
    </div>
  );
}

/** Returns one of the first invoices, if possible one with an amount. */
async function anyInvoice() {
  const { rows } = await api().invoices.page({ offset: 0, limit: 20 });
  return rows.find(({ amount }) => !amount.isZero()) ?? rows[0];
}

interface PreviewProps {
  readonly of: InvoiceText;
  readonly text: string;
}

/** An invoice with the text: the one with the number in the URL, or an early one. */
function Preview({ of, text }: PreviewProps) {
  const number = parameters.value.get('invoiceNumber') ?? '';
  const settled = useSettled(text);
  const load = async () => {
    const found = number === '' ? await anyInvoice() : await api().invoices.getByNumber(Number(number));
    return { id: found?.id };
  };
  return (
    <Section name="preview" actions={<Filters of={{ invoiceNumber: { kind: 'search', size: 8 } }} />}>
      <Load from={load} inputs={[number]}>
        {({ id }) =>
          id === undefined ? t.noInvoice : <PreviewedInvoice invoiceId={id} of={of} text={settled} />
        }
      </Load>
    </Section>
  );
}

/** Shows the previous page until the next one is loaded, and beside the reason why a text cannot be saved. */
function PreviewedInvoice({ invoiceId, of, text }: PreviewProps & { readonly invoiceId: string }) {
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
