import { api, type ResultOf, useLoad } from '../../core/data.ts';
import { instant, label } from '../../core/format.ts';
import { Action, type Field, textsOf } from '../../parts/action.tsx';
import { Section, Show } from '../../parts/layout.tsx';
import { KnownList } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { dateField, dateOf } from './data.ts';

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
  });
  return (
    <Section name="blocks" actions={<AddBlock of={objects} />}>
      <Show of={loaded}>
        {(blocks) => {
          const isCurrent = ({ id, blockedId, service }: Block) =>
            blocks.find((each) => each.blockedId === blockedId && each.service === service)?.id === id;
          return (
            <KnownList
              name="blocks"
              pageParameter="blocks"
              rows={blocks}
              columns={[
                ['object', ({ type }) => label(type)],
                ['blockedBy', ({ service }) => service],
                ['state', ({ stateName }) => stateName],
                ['stops', (block) => stopsOf(block).map(label).join(', '), 'text'],
                ['from', ({ effective }) => instant(effective.at)],
                ['', (block) => isCurrent(block) && stopsOf(block).length > 0 && <Lift {...block} />],
              ]}
            />
          );
        }}
      </Show>
    </Section>
  );
}

/** The timeline shows the states of these services, which the engine sets. */
const ENGINE_SERVICES: readonly string[] = ['entitlement-service', 'overdue-service', 'account-service'];

const FLAGS = ['isBlockChange', 'isBlockEntitlement', 'isBlockBilling'] as const;

function stopsOf(block: Block): readonly string[] {
  return FLAGS.filter((flag) => block[flag]);
}

function AddBlock({ of: objects }: Pick<BlocksProps, 'of'>) {
  const options = objects.map(({ id, type }) => [id, label(type)] as const);
  return (
    <Action
      name="block"
      needs="entitlement:pause_resume"
      initial={{ service: 'support', stateName: 'BLOCKED', object: objects[0]?.id ?? '' }}
      fields={[
        objects.length > 1 && { name: 'object', kind: 'select', options },
        { name: 'service', label: label('blockedBy'), isRequired: true, help: t.serviceHelp },
        { name: 'stateName', isRequired: true },
        ...FLAGS.map((name): Field => ({ name, kind: 'checkbox' })),
        dateField,
      ]}
      run={async (values) => {
        const blocked = objects.find(({ id }) => id === values.object);
        if (blocked === undefined) return;
        await api().blocking.add(blocked, {
          ...textsOf(values, 'service', 'stateName'),
          ...Object.fromEntries(FLAGS.map((flag) => [flag, values[flag] === true])),
          requestedDate: dateOf(values),
        });
      }}
    />
  );
}

/** Ends a block with a state of the same service that stops nothing. */
function Lift({ type, blockedId, service }: Block) {
  const nothing = { isBlockChange: false, isBlockEntitlement: false, isBlockBilling: false };
  return (
    <Action
      name="lift"
      needs="entitlement:pause_resume"
      explanation={t.lift(service)}
      fields={[dateField]}
      run={(values) => {
        const request = { service, stateName: 'CLEAR', ...nothing, requestedDate: dateOf(values) };
        return api().blocking.add({ type, id: blockedId }, request);
      }}
    />
  );
}
