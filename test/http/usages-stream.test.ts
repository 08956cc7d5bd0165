import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { createdId, expect } from '../support/http/index.ts';
import { documentHeaders, exampleCatalog, freshSqlite, serveOnce, xmlType } from '../support/http/serving.ts';

const MEBIBYTE = 1_048_576;

describe('streamed bulk usage', () => {
  const serving = serveOnce(freshSqlite);
  let subscriptionId: string;

  before(async () => {
    await serving.post('/catalog/xml', await exampleCatalog(), xmlType);
  });
  beforeEach(async () => {
    const account = await serving.post('/accounts', { currency: 'USD' });
    const body = { accountId: createdId(account), planName: 'canopy-monthly' };
    subscriptionId = createdId(await serving.post('/subscriptions', body));
  });

  const lineOf = (trackingId: number) => {
    const usageRecords = [{ recordDate: '2024-03-01', amount: 1 }];
    const line = { subscriptionId, trackingId, unitUsageRecords: [{ unitType: 'sms', usageRecords }] };
    return `${JSON.stringify(line)}\n`;
  };

  async function summed(): Promise<number> {
    const query = 'startDate=2024-01-01&endDate=2025-01-01';
    const { json } = await serving.get(`/usages/${subscriptionId}?${query}`);
    return (json as { rolledUpUnits: readonly { amount: number }[] }).rolledUpUnits[0]?.amount ?? 0;
  }

  function begin(): { readonly sending: ClientRequest; readonly answer: Promise<IncomingMessage> } {
    const { promise: answer, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const headers = { ...documentHeaders, 'content-type': 'application/x-ndjson' };
    const sending = startRequest(`${serving.url}/1.0/kb/usages/bulk`, { method: 'POST', headers });
    sending.on('response', resolve).on('error', reject);
    answer.catch(() => undefined);
    return { sending, answer };
  }

  async function untilSummed(wanted: number): Promise<void> {
    for (let tries = 0; (await summed()) < wanted; tries += 1) {
      if (tries > 6_000) throw new Error(`${await summed()} of ${wanted}`);
      await setTimeout(10);
    }
  }

  it('is stored in chunks while more data arrives, wherever the network splits the data (usage §2.5)', async () => {
    const { sending, answer } = begin();
    const text = Array.from({ length: 5_001 }, (_, index) => lineOf(index)).join('');
    for (let at = 0; at < text.length; at += 65_521) sending.write(text.slice(at, at + 65_521));
    await untilSummed(5_000);
    sending.end(lineOf(5_001).trim());
    const report = JSON.parse(await textOf(await answer));
    expect(report).to.include({ received: 5_002, accepted: 5_002, rejected: 0 });
    expect(await summed()).to.equal(5_002);
  });

  it('keeps the stored lines if the sender disconnects, and accepts the same lines again (usage §2.5)', async () => {
    const { sending } = begin();
    for (let index = 0; index < 5_500; index += 1) sending.write(lineOf(index));
    await untilSummed(5_000);
    sending.destroy();
    await setTimeout(50);
    expect(await summed()).to.equal(5_000);
    const again = begin();
    for (let index = 0; index < 5_500; index += 1) again.sending.write(lineOf(index));
    again.sending.end();
    const report = JSON.parse(await textOf(await again.answer));
    expect(report).to.include({ received: 5_500, accepted: 500, duplicates: 5_000 });
  });

  it('is cut off at 32 MiB, with status 413 and a report on the lines processed so far (usage §2.5)', async () => {
    const { sending, answer } = begin();
    sending.write(lineOf(1));
    const blank = Buffer.alloc(MEBIBYTE, ' ');
    for (let sent = 0; sent < 33; sent += 1) sending.write(blank);
    sending.end(`\n${lineOf(2)}`);
    const answered = await answer;
    expect(answered.statusCode).to.equal(413);
    expect(JSON.parse(await textOf(answered))).to.include({ received: 1, accepted: 1 });
    expect(await summed()).to.equal(1);
  });
});
