// A process that kills itself during an invoice plugin call.
import { parseArgs } from 'node:util';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import { plainHasher } from '../support/plain-hasher.ts';
import { storageOf } from '../support/storage.ts';

const { values } = parseArgs({
  options: {
    kind: { type: 'string', default: 'sqlite' },
    database: { type: 'string', default: '' },
    now: { type: 'string', default: '' },
    tenant: { type: 'string', default: '' },
    /** The account to run; by default, completes the queue. */
    account: { type: 'string', default: '' },
  },
});

const billing = await Billing.open({
  storage: storageOf(
    values.kind === 'sqlite'
      ? { kind: 'sqlite', path: values.database }
      : { kind: 'postgresql', url: values.database },
  ),
  clock: fakeClock(values.now),
  hasher: plainHasher(),
  nodeName: 'the-dying-node',
  invoicePlugins: [
    {
      name: 'deadly',
      getAdditionalInvoiceItems: async () => {
        process.kill(process.pid, 'SIGKILL');
        return null;
      },
    },
  ],
});
if (values.account === '') await billing.settle();
else await billing.as({ tenant: values.tenant, user: 'me' }).generateInvoice({ accountId: values.account });
await billing.close();
