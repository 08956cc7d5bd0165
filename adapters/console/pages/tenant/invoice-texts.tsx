import { useRef, useState } from 'preact/hooks';
import { type Api, api, hrefWith, may, navigate, parameters, useLoad } from '../../core/index.ts';
import { Action, Columns, Filter, Problem, Section, Show, useSettled, Waiting } from '../../parts/index.ts';
import { Paper } from '../../parts/paper.tsx';
import { texts } from '../../texts.ts';

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
  const loaded = useLoad(() => loadTexts(text), [text]);
  return (
    <>
      <div class="filters">
        <Filter
          label={texts.tenant.text}
          name="kind"
          options={kinds.map((each) => [each, texts.tenant.textKinds[each]])}
        />
        <UrlField
          label={texts.tenant.locale}
          name="locale"
          value={text.locale ?? ''}
          placeholder={texts.tenant.allLocales}
        />
      </div>
      <Show of={loaded}>
        {({ saved, builtIn }) => (
          <Workbench key={JSON.stringify([text, saved])} of={text} saved={saved} builtIn={builtIn} />
        )}
      </Show>
    </>
  );
}

/** The editor beside an invoice with the edited text. */
function Workbench(props: {
  readonly of: InvoiceText;
  readonly saved: string | null;
  readonly builtIn: string;
}) {
  const { of, saved, builtIn } = props;
  const [text, setText] = useState(saved ?? builtIn);
  return (
    <Columns>
      <Editor of={of} saved={saved} isChanged={text !== (saved ?? builtIn)} text={text} onInput={setText} />
      <Preview of={of} text={text} />
    </Columns>
  );
}

/** A text field whose value is in the URL. */
function UrlField(props: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly placeholder?: string;
}) {
  return (
    <label class="filter">
      {props.label}
      <input
        value={props.value}
        placeholder={props.placeholder}
        onChange={({ currentTarget }) =>
          navigate(hrefWith({ [props.name]: currentTarget.value.trim() }), { replace: true })
        }
      />
    </label>
  );
}

function Editor(props: {
  readonly of: InvoiceText;
  readonly saved: string | null;
  readonly isChanged: boolean;
  readonly text: string;
  readonly onInput: (text: string) => void;
}) {
  const { of, saved, isChanged, text, onInput } = props;
  return (
    <Section
      title={texts.tenant.textKinds[of.kind]}
      actions={
        <>
          {may('tenant_kvs:add') && isChanged && text.trim() !== '' && (
            <Action
              {...texts.tenant.saveText}
              run={() => api().invoiceTexts.upload({ ...of, text, replace: saved !== null })}
              isPrimary
            />
          )}
          {may('tenant_kvs:delete') && saved !== null && (
            <Action {...texts.tenant.useBuiltIn} run={() => api().invoiceTexts.delete(of)} isDangerous />
          )}
        </>
      }
    >
      <p class="quiet-text">
        {saved === null && of.kind !== 'CATALOG_TRANSLATION' && texts.tenant.noText}{' '}
        {texts.tenant.textHelp[of.kind]}
      </p>
      <textarea
        aria-label={texts.tenant.textKinds[of.kind]}
        rows={26}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </Section>
  );
}

/** Returns one of the first invoices, if possible one with an amount. */
async function anyInvoice() {
  const { rows } = await api().invoices.page({ offset: 0, limit: 20 });
  return rows.find(({ amount }) => !amount.isZero()) ?? rows[0];
}

/** An invoice with the text: the one with the number in the URL, or an early one. */
function Preview(props: { readonly of: InvoiceText; readonly text: string }) {
  const number = parameters.value.get('invoice') ?? '';
  const text = useSettled(props.text);
  const invoice = useLoad(async () => {
    const found = number === '' ? await anyInvoice() : await api().invoices.getByNumber(Number(number));
    return found?.id ?? null;
  }, [number]);
  return (
    <Section
      title={texts.tenant.preview}
      actions={<UrlField label={texts.tenant.invoiceNumber} name="invoice" value={number} />}
    >
      <Show of={invoice}>
        {(id) =>
          id === null ? texts.tenant.noInvoice : <PreviewedInvoice invoiceId={id} of={props.of} text={text} />
        }
      </Show>
    </Section>
  );
}

/** Shows the previous page until the next one is loaded, and beside the reason why a text cannot be saved. */
function PreviewedInvoice(props: {
  readonly invoiceId: string;
  readonly of: InvoiceText;
  readonly text: string;
}) {
  const { invoiceId, of, text } = props;
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
      {html === null ? isLoading && <Waiting /> : <Paper title={texts.tenant.preview} html={html} />}
    </div>
  );
}
