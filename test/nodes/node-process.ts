// One node of a deployment: opens the engine on the shared database at a fixed business time and works its queue until
// it is told to stop; prints which accounts' payments went through its gateway.
import { parseArgs } from 'node:util';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock, fileLedger, sandboxGateway } from '../../adapters/testing/index.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: '' },
    ledger: { type: 'string', default: '' },
    now: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
  },
});

const gateway = sandboxGateway({ ledger: fileLedger(values.ledger) });
let paid = 0;
const billing = await Billing.open({
  storage: postgresql(values.database),
  clock: fakeClock(values.now),
  nodeName: values.name,
  gateways: [
    {
      ...gateway,
      purchase: (request, context) => {
        paid += 1;
        return gateway.purchase(request, context);
      },
    },
  ],
});

process.once('message', () => {
  void billing.close().then(() => {
    process.send?.({ paid });
    process.disconnect();
  });
});
billing.start();
process.send?.('ready');
