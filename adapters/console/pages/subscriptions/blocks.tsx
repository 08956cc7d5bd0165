import { api, type ResultOf } from '../../core/data.ts';
import { instant, label } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { dateField, on } from './subscription-actions.tsx';

const t = texts.blocks;

type Block = ResultOf<'blocking', 'ofAccount'>[number];

interface BlocksProps {
  readonly accountId: string;
  readonly of: readonly { readonly type: Block['type']; readonly id: string }[];
}

/** The timeline shows the states of these services, which the engine sets. */
const ENGINE_SERVICES: readonly string[] = ['entitlement-service', 'overdue-service', 'account-service'];

const FLAGS = ['isBlockChange', 'isBlockEntitlement', 'isBlockBilling'] as const;

/** The states that support and other systems have set on objects of an account, with actions to set and lift them. */
export function Blocks({ accountId, of: objects }: BlocksProps) {
  const load = async () => {
    const states = (await api().blocking.ofAccount(accountId)).filter(
      ({ blockedId, service }) =>
        objects.some(({ id }) => id === blockedId) && !ENGINE_SERVICES.includes(service),
    );
    return states.toReversed().map((block, index, newestFirst) => ({
      ...block,
      stops: FLAGS.filter((flag) => block[flag]),
      isCurrent: index === newestFirst.findIndex((each) => isSameService(each, block)),
    }));
  };
  return (
    <ListSection
      name="blocks"
      actions={<AddBlock of={objects} />}
      load={load}
      columns={[
        ['object', ({ type }) => label(type)],
        ['blockedBy', 'service'],
        'stateName',
        ['stops', ({ stops }) => stops.map(label).join(', '), 'text'],
        ['from', ({ effective }) => instant(effective.at)],
        ['', (block) => block.isCurrent && block.stops.length > 0 && <Lift {...block} />],
      ]}
    />
  );
}

function isSameService(a: Block, b: Block): boolean {
  return a.blockedId === b.blockedId && a.service === b.service;
}

function AddBlock({ of: objects }: Pick<BlocksProps, 'of'>) {
  const options = objects.map(({ id, type }) => [id, label(type)] as const);
  return (
    <Action
      name="block"
      needs="entitlement:pause_resume"
      initial={{ service: 'support', stateName: 'BLOCKED' }}
      fields={{
        object: objects.length > 1 && { kind: 'select', options },
        service: { label: label('blockedBy'), isRequired: true, help: t.serviceHelp },
        stateName: 'required',
        stops: { kind: 'several', options: FLAGS },
        date: dateField,
      }}
      run={async ({ object, service, stateName, stops, date }) => {
        const blocked = objects.find(({ id }) => id === object) ?? objects[0];
        if (blocked === undefined) return;
        const flags = Object.fromEntries(FLAGS.map((flag) => [flag, stops.includes(flag)]));
        await api().blocking.add(blocked, { service, stateName, ...flags, requestedDate: on(date) });
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
      fields={{ date: dateField }}
      run={({ date }) => {
        const request = { service, stateName: 'CLEAR', ...nothing, requestedDate: on(date) };
        return api().blocking.add({ type, id: blockedId }, request);
      }}
    />
  );
}
