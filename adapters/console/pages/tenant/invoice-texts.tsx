import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Api, api } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { hrefWith, navigate, parameters } from '../../core/location.ts';
import { may } from '../../core/session.ts';
import { Action } from '../../parts/action.tsx';
import { Columns, Section } from '../../parts/layout.tsx';
import { Show } from '../../parts/loading.tsx';
import { Paper } from '../../parts/paper.tsx';
import { Filter } from '../../parts/table.tsx';
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

/** The template and the translations of invoices, with an invoice in its present form. */
export function InvoiceTexts(): JSX.Element {
  const text = textOfUrl();
  const loaded = useLoad(() => api().invoiceTexts.get(text), [text]);
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
      <Columns>
        <Show of={loaded}>
          {(saved) => <Editor key={JSON.stringify([text, saved])} of={text} saved={saved} />}
        </Show>
        <Preview />
      </Columns>
    </>
  );
}

/** A text field whose value is in the URL. */
function UrlField(props: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly placeholder?: string;
}): JSX.Element {
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

function Editor(props: { readonly of: InvoiceText; readonly saved: string | null }): JSX.Element {
  const { of, saved } = props;
  const [text, setText] = useState(saved ?? '');
  const isChanged = text !== (saved ?? '') && text.trim() !== '';
  return (
    <Section
      title={texts.tenant.textKinds[of.kind]}
      actions={
        <>
          {may('tenant_kvs:add') && isChanged && (
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
        {saved === null && texts.tenant.noText} {texts.tenant.textHelp[of.kind]}
      </p>
      <textarea
        aria-label={texts.tenant.textKinds[of.kind]}
        rows={26}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </Section>
  );
}

/** Returns one of the first invoices, if possible one with an amount. */
async function anyInvoice() {
  const { rows } = await api().invoices.page({ offset: 0, limit: 20 });
  return rows.find(({ amount }) => !amount.isZero()) ?? rows[0];
}

/** An invoice with the saved texts: the one with the number in the URL, or an early one. */
function Preview(): JSX.Element {
  const number = parameters.value.get('invoice') ?? '';
  const loaded = useLoad(async () => {
    const { invoices } = api();
    const found = number === '' ? await anyInvoice() : await invoices.getByNumber(Number(number));
    return found === undefined ? null : invoices.html(found.id);
  }, [number]);
  return (
    <Section
      title={texts.tenant.preview}
      actions={<UrlField label={texts.tenant.invoiceNumber} name="invoice" value={number} />}
    >
      <Show of={loaded}>
        {(html) =>
          html === null ? texts.tenant.noInvoice : <Paper title={texts.tenant.preview} html={html} />
        }
      </Show>
    </Section>
  );
}
