import { useState } from 'preact/hooks';
import { api, type ResultOf } from '../core/data.ts';
import { instant, label, quantity } from '../core/format.ts';
import { href } from '../core/location.ts';
import { Load, Page, pageOf, Sentences } from '../parts/layout.tsx';
import { List } from '../parts/table.tsx';
import { texts } from '../texts.ts';

const t = texts.features;

type Feature = ResultOf<'features', 'of'>[number];

/** The features of an account: values, reasons and the use of quotas. */
export const Features = pageOf(
  (id) => api().accounts.get(id),
  ({ id: accountId, name, externalKey, timeZone }) => (
    <Page name="features" above={['accounts', [name ?? externalKey, href('/accounts', accountId)]]}>
      <List
        name="features"
        load={() => api().features.of({ accountId })}
        columns={[
          ['feature', 'name'],
          ['value', (feature) => <Value feature={feature} zone={timeZone} />, 'text'],
          ['reasons', (feature) => <Why accountId={accountId} feature={feature.name} />, 'text'],
        ]}
      />
    </Page>
  ),
);

function Value({ feature, zone }: { readonly feature: Feature; readonly zone: string }) {
  const { kind, isOn, text, amount, isUnlimited, used, resetsAt } = feature;
  if (kind === 'SWITCH') return <>{label(isOn ? 'on' : 'off')}</>;
  if (kind === 'TEXT') return <>{text ?? '–'}</>;
  const limit = isUnlimited ? t.unlimited : quantity(amount);
  if (kind === 'NUMBER') return <>{limit}</>;
  const usedText = t.usedOf(quantity(used), limit);
  return (
    <>
      <div>{usedText}</div>
      {!isUnlimited && <meter min={0} max={Number(amount)} value={Number(used)} aria-label={usedText} />}
      {resetsAt !== null && <small>{t.resets(instant(resetsAt, zone))}</small>}
    </>
  );
}

/** The reasons for a value, loaded when the user opens them. */
function Why(props: { readonly accountId: string; readonly feature: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{label('explain')}</summary>
      {isOpen && (
        <Load from={() => api().features.explain(props)}>{({ reasons }) => <Sentences of={reasons} />}</Load>
      )}
    </details>
  );
}
