// One node of a deployment: opens the engine on the shared database and works its queue from when it is told to start
// until it is told to stop; tells how many payments went through its gateway.
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { sharedTestClock, systemClock } from '../../adapters/node/index.ts';
import { consoleLogger } from '../../adapters/node/this-process.ts';
import { fakeClock, fileLedger, sandboxGateway } from '../../adapters/testing/index.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: '' },
    ledger: { type: 'string', default: '' },
    /** Business time, standing still; by default that of the clock that the nodes share. */
    now: { type: 'string', default: '' },
    /** By default the one that a node gives itself. */
    name: { type: 'string', default: '' },
    /** How long a purchase takes. */
    'purchase-ms': { type: 'string', default: '0' },
    /** How far its clock is ahead of the others. */
    'skew-ms': { type: 'string', default: '0' },
    /** Whether it brings the schema up to date: `yes`. */
    migrate: { type: 'string', default: 'no' },
    /** `nothing` for one that is to lose claims, or its database. */
    tells: { type: 'string', default: 'warnings' },
    /** How long its claims hold where it does not renew them; by default as long as in production. */
    'claim-time': { type: 'string', default: '30s' },
  },
});

const { now } = Date;
Date.now = () => now() + Number(values['skew-ms']);

const storage = postgresql({ url: values.database, migrate: values.migrate === 'yes' });
const sharedClock = sharedTestClock(storage.system, systemClock());
const gateway = sandboxGateway({ ledger: fileLedger(values.ledger) });
let paid = 0;
const heard = consoleLogger();
const silent = { debug: heard.debug, info: heard.info, warn: heard.debug, error: heard.debug };
const billing = await Billing.open({
  storage,
  testMode: true,
  logger: values.tells === 'nothing' ? silent : heard,
  clock: values.now === '' ? sharedClock : fakeClock(values.now),
  ...(values.name === '' ? {} : { nodeName: values.name }),
  configuration: {
    'org.service.persistent.bus.main.claim.time': values['claim-time'],
    'org.service.notificationq.main.claim.time': values['claim-time'],
  },
  gateways: [
    {
      ...gateway,
      purchase: async (request, context) => {
        paid += 1;
        // Who is stopped meanwhile has taken some of the money, and not yet the rest.
        await setTimeout(Number(values['purchase-ms']) / 2);
        const taken = await gateway.purchase(request, context);
        await setTimeout(Number(values['purchase-ms']) / 2);
        return taken;
      },
    },
  ],
});

process.on('message', (told) => {
  if (told === 'start') {
    billing.start();
    process.send?.('started');
    return;
  }
  void billing.close().then(() => {
    process.send?.({ paid });
    process.disconnect();
  });
});
process.send?.('ready');
