// A node that records the usage lines it receives and reports the outcome.
import { parseArgs } from 'node:util';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import { type NewUsageLine, OnDuplicate } from '../../lib/index.ts';
import { plainHasher } from '../support/plain-hasher.ts';
import { ACCEPTS_UNKNOWN_UNITS } from '../support/usage/unknown-units.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: '' },
    now: { type: 'string', default: '' },
    tenant: { type: 'string', default: '' },
  },
});

const billing = await Billing.open({
  storage: postgresql(values.database),
  clock: fakeClock(values.now),
  hasher: plainHasher(),
  configuration: ACCEPTS_UNKNOWN_UNITS,
});
const acme = billing.as({ tenant: values.tenant, user: 'node' });

/** Records all lines one by one, then in bulk. */
async function record(lines: readonly NewUsageLine[]): Promise<number> {
  const single = await Promise.all(
    lines.map((line) =>
      acme.usage.record(
        { ...line, subscriptionId: String(line.subscriptionId) },
        { onDuplicate: OnDuplicate.IGNORE },
      ),
    ),
  );
  const many = await Promise.all(Array.from({ length: 4 }, () => acme.usage.recordAll(lines)));
  for (const { failures } of many) if (failures.length > 0) throw new Error(JSON.stringify(failures[0]));
  return (
    single.filter(({ outcome }) => outcome === 'ACCEPTED').length +
    many.reduce((sum, { accepted }) => sum + accepted, 0)
  );
}

process.on('message', (message: 'stop' | readonly NewUsageLine[]) => {
  if (message === 'stop') {
    void billing.close().then(() => {
      process.send?.('closed');
      process.disconnect();
    });
    return;
  }
  void record(message).then((accepted) => process.send?.({ accepted }));
});
process.send?.('ready');
