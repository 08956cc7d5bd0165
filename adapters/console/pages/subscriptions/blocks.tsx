import { api, instant, may, type ResultOf, useLoad } from '../../core/index.ts';
import { Action, type Field, ListSection, textOrNull } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { dateField, dateOf } from './plan-options.ts';

const t = texts.blocks;

type Block = ResultOf<'blocking', 'ofAccount'>[number];

interface BlocksProps {
  readonly accountId: string;
  readonly of: readonly { readonly type: Block['type']; readonly id: string }[];
}

/** The states that support and other systems have set on objects of an account, with actions to set and lift them. */
export function Blocks({ accountId, of: objects }: BlocksProps) {
  const loaded = useLoad(async () => {
    const states = await api().blocking.ofAccount(accountId);
    const isShown = ({ blockedId, service }: Block) =>
      objects.some(({ id }) => id === blockedId) && !ENGINE_SERVICES.includes(service);
    return states.filter(isShown).toReversed();
  }, [accountId, objects.map(({ id }) => id).join()]);
  const isCurrent = ({ id, blockedId, service }: Block) =>
    loaded.data?.find((each) => each.blockedId === blockedId && each.service === service)?.id === id;
  return (
    <ListSection
      of={loaded}
      pageParameter="blocks"
      caption={t.title}
      keyOf={({ id }) => id}
      empty={t.none}
      columns={[
        { title: t.object, cell: ({ type }) => t.objects[type] },
        { title: t.service, cell: ({ service }) => service },
        { title: t.state, cell: ({ stateName }) => stateName },
        { title: t.stops, isText: true, cell: (block) => stopsOf(block).join(', ') },
        { title: t.from, cell: ({ effective }) => instant(effective.at) },
        {
          title: '',
          cell: (block) => isCurrent(block) && stopsOf(block).length > 0 && <Lift block={block} />,
        },
      ]}
      actions={<AddBlock of={objects} />}
    />
  );
}

/** The timeline shows the states of these services, which the engine sets. */
const ENGINE_SERVICES: readonly string[] = ['entitlement-service', 'overdue-service', 'account-service'];

const FLAGS = ['isBlockChange', 'isBlockEntitlement', 'isBlockBilling'] as const;

function stopsOf(block: Block): readonly string[] {
  return FLAGS.filter((flag) => block[flag]).map((flag) => t.flags[flag]);
}

function AddBlock({ of: objects }: Pick<BlocksProps, 'of'>) {
  const options = objects.map(({ id, type }) => [id, t.objects[type]] as const);
  const flags = FLAGS.map((name): Field => ({ name, label: t.flags[name], kind: 'checkbox' }));
  return (
    may('entitlement:pause_resume') && (
      <Action
        label={t.add}
        explanation={t.addExplanation}
        initial={{ service: 'support', stateName: 'BLOCKED', object: objects[0]?.id ?? '' }}
        fields={[
          ...(objects.length > 1
            ? [{ name: 'object', label: t.object, kind: 'select', options } as const]
            : []),
          { name: 'service', label: t.service, isRequired: true, help: t.serviceHelp },
          { name: 'stateName', label: t.state, isRequired: true },
          ...flags,
          dateField,
        ]}
        run={async ({ object, ...values }) => {
          const blocked = objects.find(({ id }) => id === object);
          if (blocked === undefined) return;
          await api().blocking.add(blocked, {
            service: textOrNull(values, 'service'),
            stateName: textOrNull(values, 'stateName'),
            ...Object.fromEntries(FLAGS.map((flag) => [flag, values[flag] === true])),
            requestedDate: dateOf(values),
          });
        }}
      />
    )
  );
}

/** Ends a block with a state of the same service that stops nothing. */
function Lift({ block: { type, blockedId, service } }: { readonly block: Block }) {
  const nothing = { isBlockChange: false, isBlockEntitlement: false, isBlockBilling: false };
  return (
    may('entitlement:pause_resume') && (
      <Action
        label={t.lift}
        explanation={t.liftExplanation(service)}
        fields={[dateField]}
        run={(values) => {
          const request = { service, stateName: 'CLEAR', ...nothing, requestedDate: dateOf(values) };
          return api().blocking.add({ type, id: blockedId }, request);
        }}
      />
    )
  );
}
