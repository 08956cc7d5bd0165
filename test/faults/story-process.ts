// Plays the demo story, prints the outcome, and kills itself at a chosen step.
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock, fileLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import { customers, playStory, STORY_BEGINS } from '../../examples/demo-story.ts';
import { formatDecimal, type TenantBilling } from '../../lib/index.ts';
import { plainHasher } from '../support/plain-hasher.ts';
import { storageOf } from '../support/storage.ts';
import { KillSwitch, killableGateway, killableStorage } from './killable.ts';

const { values } = parseArgs({
  options: {
    kind: { type: 'string', default: 'sqlite' },
    database: { type: 'string', default: '' },
    files: { type: 'string', default: '' },
    until: { type: 'string', default: '' },
    'kill-at': { type: 'string', default: '0' },
  },
});

const kill = new KillSwitch(Number(values['kill-at']));
const dayFile = `${values.files}.day`;
const clock = fakeClock(await readFile(dayFile, 'utf8').catch(() => STORY_BEGINS));
const storage = storageOf(
  values.kind === 'sqlite'
    ? { kind: 'sqlite', path: values.database }
    : { kind: 'postgresql', url: values.database },
);
const billing = await Billing.open({
  storage: killableStorage(storage, kill),
  clock,
  gateways: [killableGateway(sandboxGateway({ ledger: fileLedger(`${values.files}.ledger`) }), kill)],
  hasher: plainHasher(),
  nodeName: 'the-only-node',
});
const acme = await playStory(billing, clock, {
  until: values.until,
  onDay: (day) => writeFile(dayFile, day),
});
process.stdout.write(
  JSON.stringify({
    steps: kill.steps,
    purchases: kill.purchases,
    outcome: await outcomeOf(acme),
    numbers: await numbersOf(acme),
  }),
);
await billing.close();

async function outcomeOf(tenant: TenantBilling) {
  const outcome: Record<string, unknown> = {};
  for (const { key } of customers) {
    const account = await tenant.accounts.getByKey(key).catch(() => null);
    if (account === null) continue;
    const invoices = await tenant.invoices.ofAccount({
      accountId: account.id,
      withItems: true,
      includeVoided: true,
    });
    const payments = await tenant.payments.invoicePaymentsOfAccount(account.id);
    outcome[key] = invoices.map((invoice) => ({
      targetDate: invoice.targetDate === null ? null : invoice.targetDate,
      amount: formatDecimal(invoice.amount),
      balance: formatDecimal(invoice.balance),
      items: invoice.items.map((item) => [
        item.itemType,
        item.startDate === null ? null : item.startDate,
        item.endDate === null ? null : item.endDate,
        formatDecimal(item.amount),
      ]),
      paid: payments
        .filter((payment) => payment.targetInvoiceId === invoice.id)
        .map((payment) => formatDecimal(payment.totals.purchasedAmount)),
    }));
  }
  return outcome;
}

/** Sorted, since the order of customers can differ. */
async function numbersOf(tenant: TenantBilling): Promise<readonly number[]> {
  const { rows } = await tenant.invoices.page({ offset: 0, limit: 1_000 });
  return rows.map(({ invoiceNumber }) => invoiceNumber).sort((one, other) => one - other);
}
