// A node of a deployment. Works the queue between a start and a stop message, then reports its number of payments.
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
    /** Fixed business time; by default the shared clock. */
    now: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
    'purchase-ms': { type: 'string', default: '0' },
    'skew-ms': { type: 'string', default: '0' },
    /** `yes` migrates the schema. */
    migrate: { type: 'string', default: 'no' },
    /** `nothing` for a node that loses claims or its database. */
    logs: { type: 'string', default: 'warnings' },
    /** Lease of its claims; default as in production. */
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
  logger: values.logs === 'nothing' ? silent : heard,
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
        // A node stopped at any time has made only some of its charges.
        await setTimeout(Number(values['purchase-ms']) / 2);
        const taken = await gateway.purchase(request, context);
        await setTimeout(Number(values['purchase-ms']) / 2);
        return taken;
      },
    },
  ],
});

process.on('message', (command) => {
  if (command === 'start') {
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
