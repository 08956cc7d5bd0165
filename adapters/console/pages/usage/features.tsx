import { useState } from 'preact/hooks';
import {
  api,
  href,
  instant,
  may,
  type PathValues,
  quantity,
  type ResultOf,
  useLoad,
} from '../../core/index.ts';
import { Action, ListTable, Page, Show, textOf, type Values } from '../../parts/index.ts';
import { texts } from '../../texts.ts';

const t = texts.features;

type Feature = ResultOf<'features', 'of'>[number];

/** The features of an account: values, reasons, the use of quotas, and overrides. */
export function Features({ path }: { readonly path: PathValues }) {
  const accountId = path.id ?? '';
  const account = useLoad(() => api().accounts.get(accountId), [accountId]);
  const features = useLoad(() => api().features.of({ accountId }), [accountId]);
  const zone = account.data?.timeZone;
  return (
    <Page
      title={t.title}
      above={[[account.data?.name ?? texts.common.loading, href('/accounts', accountId)]]}
    >
      <ListTable
        of={features}
        caption={t.title}
        keyOf={({ name }) => name}
        empty={t.none}
        columns={[
          { title: t.feature, cell: ({ name }) => <strong>{name}</strong> },
          { title: t.value, cell: (feature) => <Value feature={feature} zone={zone} />, isText: true },
          {
            title: t.why,
            cell: ({ name }) => <Why accountId={accountId} feature={name} />,
            isText: true,
          },
          {
            title: '',
            cell: (feature) =>
              may('feature:override') && <Overrides accountId={accountId} feature={feature} />,
          },
        ]}
      />
    </Page>
  );
}

function Value({ feature, zone }: { readonly feature: Feature; readonly zone: string | undefined }) {
  const { kind, isOn, text, amount, isUnlimited, used, resetsAt } = feature;
  if (kind === 'SWITCH') return <>{isOn ? t.on : t.off}</>;
  if (kind === 'TEXT') return <>{text ?? '–'}</>;
  const limit = isUnlimited ? t.unlimited : quantity(amount);
  if (kind === 'NUMBER') return <>{limit}</>;
  return (
    <>
      <div>{t.usedOf(quantity(used), limit)}</div>
      {!isUnlimited && (
        <meter
          min={0}
          max={Number(amount)}
          value={Number(used)}
          aria-label={t.usedOf(quantity(used), limit)}
        />
      )}
      {resetsAt !== null && <small>{t.resets(instant(resetsAt, zone))}</small>}
    </>
  );
}

/** The reasons for a value, loaded when the user opens them. */
function Why(props: { readonly accountId: string; readonly feature: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t.explain}</summary>
      {isOpen && <Reasons {...props} />}
    </details>
  );
}

function Reasons({ accountId, feature }: { readonly accountId: string; readonly feature: string }) {
  const explained = useLoad(() => api().features.explain({ accountId, feature }), [accountId, feature]);
  return (
    <Show of={explained}>
      {({ reasons }) => (
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </Show>
  );
}

function Overrides({ accountId, feature }: { readonly accountId: string; readonly feature: Feature }) {
  const overrides = feature.sources.flatMap(({ overrideId }) => (overrideId === null ? [] : [overrideId]));
  const isSwitch = feature.kind === 'SWITCH';
  const value = (values: Values) => {
    if (isSwitch) return values.isOn === true;
    return feature.kind === 'TEXT'
      ? (textOf(values, 'value') ?? '')
      : { amount: textOf(values, 'value') ?? '' };
  };
  return (
    <span class="actions">
      <Action
        label={t.override}
        explanation={t.overrideExplanation}
        fields={[
          isSwitch
            ? { name: 'isOn', label: t.on, kind: 'checkbox' }
            : {
                name: 'value',
                label: t.value,
                kind: feature.kind === 'TEXT' ? 'text' : 'amount',
                isRequired: true,
              },
          { name: 'until', label: t.until, kind: 'date', help: t.untilHelp },
          { name: 'reason', label: t.reason, isRequired: true },
        ]}
        initial={{ isOn: feature.isOn !== true }}
        run={(values) =>
          api().features.override({
            accountId,
            feature: feature.name,
            value: value(values),
            until: textOf(values, 'until') === undefined ? null : `${textOf(values, 'until')}T00:00:00Z`,
            reason: textOf(values, 'reason') ?? null,
          })
        }
        done={t.overridden}
      />
      {overrides.map((id) => (
        <Action
          key={id}
          label={t.end}
          explanation={t.endExplanation}
          run={() => api().features.endOverride(id)}
          done={t.ended}
          isDangerous
        />
      ))}
    </span>
  );
}
