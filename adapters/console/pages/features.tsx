import { useState } from 'preact/hooks';
import { api, type ResultOf, useLoad } from '../core/data.ts';
import { instant, label, quantity } from '../core/format.ts';
import { href } from '../core/location.ts';
import { Action, requiredText, textOrNull, type Values } from '../parts/action.tsx';
import { Page, Sentences, Show } from '../parts/layout.tsx';
import { List } from '../parts/table.tsx';
import { texts } from '../texts.ts';

const t = texts.features;

type Feature = ResultOf<'features', 'of'>[number];

interface FeatureProps {
  readonly accountId: string;
  readonly feature: Feature;
}

/** The features of an account: values, reasons, the use of quotas, and overrides. */
export function Features({ id: accountId }: { readonly id: string }) {
  const account = useLoad(() => api().accounts.get(accountId));
  const { name, externalKey, timeZone } = account.data ?? {};
  return (
    <Page
      name="features"
      above={[[name ?? externalKey ?? texts.common.loading, href('/accounts', accountId)]]}
    >
      <List
        name="features"
        load={() => api().features.of({ accountId })}
        columns={[
          ['feature', (feature) => <strong>{feature.name}</strong>],
          ['value', (feature) => <Value feature={feature} zone={timeZone} />, 'text'],
          ['reasons', (feature) => <Why accountId={accountId} feature={feature.name} />, 'text'],
          ['', (feature) => <Overrides accountId={accountId} feature={feature} />],
        ]}
      />
    </Page>
  );
}

function Value({ feature, zone }: { readonly feature: Feature; readonly zone: string | undefined }) {
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

interface WhyProps {
  readonly accountId: string;
  readonly feature: string;
}

/** The reasons for a value, loaded when the user opens them. */
function Why(props: WhyProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{label('explain')}</summary>
      {isOpen && <Explained {...props} />}
    </details>
  );
}

function Explained(props: WhyProps) {
  const explained = useLoad(() => api().features.explain(props));
  return <Show of={explained}>{({ reasons }) => <Sentences of={reasons} />}</Show>;
}

function Overrides({ accountId, feature: { name: feature, kind, isOn, sources } }: FeatureProps) {
  const overrides = sources.flatMap(({ overrideId }) => (overrideId === null ? [] : [overrideId]));
  const given = (values: Values) => {
    if (kind === 'SWITCH') return values.on === true;
    const value = requiredText(values, 'value');
    return kind === 'TEXT' ? value : { amount: value };
  };
  return (
    <span class="actions">
      <Action
        name="override"
        needs="feature:override"
        fields={[
          kind === 'SWITCH'
            ? { name: 'on', kind: 'checkbox' }
            : { name: 'value', kind: kind === 'TEXT' ? 'text' : 'amount', isRequired: true },
          { name: 'until', kind: 'date', help: t.untilHelp },
          { name: 'reason', isRequired: true },
        ]}
        initial={{ on: isOn !== true }}
        run={(values) => {
          const until = textOrNull(values, 'until');
          return api().features.override({
            accountId,
            feature,
            value: given(values),
            until: until === null ? null : `${until}T00:00:00Z`,
            reason: textOrNull(values, 'reason'),
          });
        }}
      />
      {overrides.map((id) => (
        <Action
          key={id}
          name="endTheOverride"
          needs="feature:override"
          run={() => api().features.endOverride(id)}
          isDangerous
        />
      ))}
    </span>
  );
}
