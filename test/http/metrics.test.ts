import { expect } from 'chai';
import { createKoaApp, listen } from '../../adapters/koa/index.ts';
import { HttpMetrics } from '../../adapters/koa/monitoring/http-metrics.ts';
import { metricsObject, prometheusText } from '../../adapters/koa/monitoring/metric-forms.ts';
import { anyDatabase, onEachDatabase } from '../support/databases.ts';
import { aliasHeaders, documentHeaders, serve } from '../support/http/serving.ts';
import { populate, type World } from '../support/http/world.ts';
import { migrated } from '../support/storage.ts';

const anonymous = { authorization: undefined, 'x-service-apikey': undefined };

anyDatabase((kind, open) => {
  describe(`the metrics on ${kind}`, () => {
    let world: World;
    before(async () => {
      world = await populate(await serve(await open(migrated)));
    });
    after(() => world.serving.close());

    const text = async (path = '/metrics', accept = 'text/plain'): Promise<string> =>
      (await world.serving.call('GET', path, { headers: { ...anonymous, accept } })).text;

    it(
      'the metrics count requests by route, method, status and dialect, whatever their ids',
      onEachDatabase(async () => {
        const { call } = world.serving;
        const path = `/1.0/kb/accounts/${world.accountId}`;
        await call('GET', path);
        await call('GET', path, { headers: aliasHeaders });
        await call('GET', `/1.0/kb/accounts/${world.unknownId}`);
        await call('GET', '/1.0/kb/nonsense/1');
        const lines = (await text()).split('\n');
        const route = 'route="/1.0/kb/accounts/{accountId}",method="GET"';
        for (const series of [
          `billwright_http_requests_total{${route},status="200",dialect="D"} 1`,
          `billwright_http_requests_total{${route},status="200",dialect="K"} 1`,
          `billwright_http_requests_total{${route},status="404",dialect="D"} 1`,
          'billwright_http_requests_total{route="none",method="GET",status="404",dialect="D"} 1',
          `billwright_http_request_duration_seconds_bucket{${route},le="+Inf"} 3`,
          `billwright_http_request_duration_seconds_count{${route}} 3`,
        ])
          expect(lines).to.include(series);
      }),
    );

    it('the metrics tell of the queue, of invoice runs and payments, and of the pool', async () => {
      const lines = (await text()).split('\n');
      expect(lines).to.include('billwright_queue_due_entries 0');
      expect(lines).to.include('billwright_queue_oldest_due_seconds 0');
      expect(lines).to.include('billwright_push_due 0');
      expect(lines).to.include('billwright_push_oldest_due_seconds 0');
      expect(lines).to.include('billwright_push_attempts_total{outcome="given_up"} 0');
      for (const handler of ['invoice-service:run', 'payment-service:automatic-payment']) {
        const line = `billwright_queue_handled_total{handler="${handler}",outcome="done"} `;
        const found = lines.find((each) => each.startsWith(line));
        expect(Number(found?.slice(line.length)), handler).to.be.greaterThan(0);
      }
      const pool = lines.filter((line) => line.startsWith('billwright_database_connections{'));
      expect(pool).to.have.length(kind === 'postgresql' ? 3 : 0);
    });

    it('the metrics name no tenant, account or caller', async () => {
      const all = await text();
      for (const id of [world.tenantId, world.accountId, world.subscriptionId, 'bob', 'admin'])
        expect(all).to.not.contain(id);
    });

    it('the metrics come as JSON, or as text where that is asked for', async () => {
      const { json, headers } = await world.serving.call('GET', '/1.0/metrics');
      expect(json).to.have.all.keys('version', 'gauges', 'counters', 'histograms', 'meters', 'timers');
      expect(json).to.have.nested.property('gauges.billwright_queue_due_entries.value', 0);
      expect(headers.get('content-type')).to.equal('application/json');
      expect(await text('/1.0/metrics')).to.match(/^# HELP billwright_/);
      const scraper = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
      const scraped = await world.serving.call('GET', '/metrics', { headers: { accept: scraper } });
      expect(scraped.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
    });

    it('the metrics need a user where the operator says so', async () => {
      const { billing, log } = world.serving;
      const app = createKoaApp({ billing, logger: log, metricsRequireAuth: true });
      const listening = await listen(app, { port: 0 });
      const { authorization } = documentHeaders;
      const url = `http://127.0.0.1:${listening.port}/metrics`;
      const statuses = [await fetch(url), await fetch(url, { headers: { authorization } })];
      expect(statuses.map(({ status }) => status)).to.deep.equal([401, 200]);
      await listening.close();
    });
  });
});

describe('the forms of metrics', () => {
  const http = new HttpMetrics();
  for (const seconds of [0.004, 0.03, 0.2, 90])
    http.observe({ route: '/a', method: 'GET', status: 200, dialect: 'D', seconds });
  const odd = { labels: { name: 'a"b\\c\nd' }, value: 1.5 };
  const metrics = [{ name: 'odd', help: 'Odd', kind: 'gauge' as const, values: [odd] }, http.requests()];
  const measured = { metrics, latencies: http.latencies() };

  it('the metrics count each request in every bucket that it fits', () => {
    const lines = prometheusText(measured).split('\n');
    const bucket = (le: string, count: number) =>
      `billwright_http_request_duration_seconds_bucket{route="/a",method="GET",le="${le}"} ${count}`;
    expect(lines).to.include.members([bucket('0.005', 1), bucket('0.05', 2), bucket('0.25', 3)]);
    expect(lines).to.include.members([bucket('60', 3), bucket('+Inf', 4)]);
  });

  it('escape the values of labels', () =>
    expect(prometheusText(measured)).to.contain('billwright_odd{name="a\\"b\\\\c\\nd"} 1.5\n'));

  it('the metrics have timers with count, mean and maximum', () => {
    const timer = Object.values(metricsObject(measured).timers)[0];
    expect(timer?.count).to.equal(4);
    expect(timer?.mean).to.be.closeTo(22.5585, 1e-9);
    expect(timer?.max).to.equal(90);
  });

  it('the metrics take no text of a caller for a method', () => {
    const other = new HttpMetrics();
    other.observe({ route: 'none', method: 'X-EVIL', status: 404, dialect: 'D', seconds: 1 });
    expect(other.requests().values.map(({ labels }) => labels.method)).to.deep.equal(['other']);
  });
});
