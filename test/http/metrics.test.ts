import { createKoaApp, listen } from '../../adapters/koa/index.ts';
import { HttpMetrics } from '../../adapters/koa/monitoring/http-metrics.ts';
import {
  collectMetrics,
  combineMetrics,
  metricsObject,
  prometheusText,
} from '../../adapters/koa/monitoring/metric-forms.ts';
import type { Measured } from '../../adapters/koa/monitoring/server-group.ts';
import type { Metric } from '../../lib/index.ts';
import { aliasHeaders, documentHeaders, populateOnce } from '../support/http/index.ts';
import { eachDatabaseByTurns, expect } from '../support/index.ts';

const anonymous = { authorization: undefined, 'x-service-apikey': undefined };

eachDatabaseByTurns.describe('metrics over HTTP', (open, kind) => {
  // With cells, the metrics of the engines have another label.
  const world = populateOnce(open, { areCells: false });

  const text = async (path = '/metrics', accept = 'text/plain'): Promise<string> =>
    (await world.serving.call('GET', path, { headers: { ...anonymous, accept } })).text;

  it('count requests by route, method, status and dialect, without ids', async () => {
    const { call, get } = world.serving;
    const path = `/1.0/kb/accounts/${world.accountId}`;
    await call('GET', path);
    await call('GET', path, { headers: aliasHeaders });
    await get(`/accounts/${world.unknownId}`);
    await get('/nonsense/1');
    const lines = (await text()).split('\n');
    const route = 'route="/1.0/kb/accounts/{accountId}",method="GET"';
    for (const series of [
      `billwright_http_requests_total{${route},status="200",dialect="D"} 1`,
      `billwright_http_requests_total{${route},status="200",dialect="K"} 1`,
      `billwright_http_requests_total{${route},status="404",dialect="D"} 1`,
      'billwright_http_requests_total{route="none",method="GET",status="404",dialect="D"} 1',
      `billwright_http_request_duration_seconds_bucket{le="+Inf",${route}} 3`,
      `billwright_http_request_duration_seconds_count{${route}} 3`,
    ])
      expect(lines).to.include(series);
  });

  it('include the queue, invoice runs, payments and the connection pool', async () => {
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
    for (const series of [
      'billwright_invoice_runs_total{outcome="invoiced"}',
      'billwright_payments_total{type="PURCHASE",outcome="success"}',
      'billwright_events_total{type="INVOICE_CREATION"}',
    ]) {
      const found = lines.find((each) => each.startsWith(`${series} `));
      expect(Number(found?.slice(series.length)), series).to.be.greaterThan(0);
    }
    const pool = lines.filter((line) => line.startsWith('billwright_database_connections{'));
    expect(pool).to.have.length(kind === 'postgresql' ? 3 : 0);
  });

  it('describe the processor, memory, heap and event loop of the process', async () => {
    const names = (await text()).split('\n').map((line) => line.split(/[ {]/)[0]);
    expect(names).to.include.members([
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_heap_size_used_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ]);
  });

  it('contain no tenant, account or caller', async () => {
    const all = await text();
    for (const id of [world.tenantId, world.accountId, world.subscriptionId, 'bob', 'admin'])
      expect(all).to.not.contain(id);
  });

  it('are JSON by default and text on request', async () => {
    const { json, headers } = await world.serving.call('GET', '/1.0/metrics');
    expect(json).to.have.all.keys('version', 'gauges', 'counters', 'histograms', 'meters', 'timers');
    expect(json).to.have.nested.property('gauges.billwright_queue_due_entries.value', 0);
    expect(headers.get('content-type')).to.equal('application/json');
    expect(await text('/1.0/metrics')).to.match(/^# HELP billwright_/);
    const scraper = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
    const scraped = await world.serving.call('GET', '/metrics', { headers: { accept: scraper } });
    expect(scraped.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
  });

  it('can be restricted to authenticated users by the operator', async () => {
    const { billing, log } = world.serving;
    const app = createKoaApp({ billing, logger: log, metricsRequireAuth: true });
    const listening = await listen(app, { port: 0 });
    const { authorization } = documentHeaders;
    const url = `http://127.0.0.1:${listening.port}/metrics`;
    const statuses = [await fetch(url), await fetch(url, { headers: { authorization } })];
    expect(statuses.map(({ status }) => status)).to.eql([401, 200]);
    await listening.close();
  });
});

describe('metric formats', () => {
  const http = new HttpMetrics();
  for (const seconds of [0.004, 0.03, 0.2, 90])
    http.observe({ route: '/a', method: 'GET', status: 200, dialect: 'D', seconds });
  const odd = { labels: { name: 'a"b\\c\nd' }, value: 1.5 };
  const metrics: readonly Metric[] = [
    { name: 'odd', help: 'Odd', kind: 'gauge', values: [odd] },
    { name: 'none_total', help: 'None', kind: 'counter', values: [] },
  ];
  const asText = async (): Promise<string> => prometheusText(await collectMetrics(metrics, http));

  it('count each request in every matching bucket', async () => {
    const lines = (await asText()).split('\n');
    const bucket = (le: string, count: number) =>
      `billwright_http_request_duration_seconds_bucket{le="${le}",route="/a",method="GET"} ${count}`;
    expect(lines).to.include.members([bucket('0.005', 1), bucket('0.05', 2), bucket('0.25', 3)]);
    expect(lines).to.include.members([bucket('60', 3), bucket('+Inf', 4)]);
  });

  it('escape label values', async () =>
    expect(await asText()).to.contain('billwright_odd{name="a\\"b\\\\c\\nd"} 1.5\n'));

  it('list a metric without a value by name only', async () => {
    const lines = (await asText()).split('\n').filter((line) => line.includes('none_total'));
    expect(lines).to.eql(['# HELP billwright_none_total None', '# TYPE billwright_none_total counter']);
  });

  it('include timers with count, mean and maximum', async () => {
    const { timers, histograms } = metricsObject(await collectMetrics(metrics, http));
    const timer = timers['billwright_http_request_duration_seconds{route="/a",method="GET"}'];
    expect(timer?.count).to.equal(4);
    expect(timer?.mean).to.be.closeTo(22.5585, 1e-9);
    expect(timer?.max).to.equal(90);
    expect(Object.keys(histograms).join()).to.not.contain('http_request');
  });

  it('never use text from a caller as a method name', async () => {
    const other = new HttpMetrics();
    other.observe({ route: 'none', method: 'X-EVIL', status: 404, dialect: 'D', seconds: 1 });
    const lines = (await prometheusText(await collectMetrics([], other))).split('\n');
    expect(lines).to.include(
      'billwright_http_requests_total{route="none",method="other",status="404",dialect="D"} 1',
    );
  });

  it('include all requests made before the first read', async () => {
    const busy = new HttpMetrics();
    const count = 2_345;
    for (let n = 0; n < count; n += 1)
      busy.observe({ route: '/b', method: 'PUT', status: 204, dialect: 'K', seconds: n });
    const lines = (await prometheusText(await collectMetrics([], busy))).split('\n');
    const route = 'route="/b",method="PUT"';
    expect(lines).to.include(`billwright_http_requests_total{${route},status="204",dialect="K"} ${count}`);
    expect(lines).to.include(`billwright_http_request_duration_seconds_count{${route}} ${count}`);
  });

  it('combine several processes by adding counts and taking the maximum of shared values', async () => {
    const of = async (seconds: number, count: number): Promise<Measured> => {
      const requests = new HttpMetrics();
      requests.observe({ route: '/a', method: 'GET', status: 200, dialect: 'D', seconds });
      const gauge = (name: string, labels: Metric['values'][number]['labels'] = {}): Metric => ({
        name,
        help: name,
        kind: 'gauge',
        values: [{ labels, value: count }],
      });
      const events: Metric = { ...gauge('events_total', { type: 'A' }), kind: 'counter' };
      const connections = gauge('database_connections', { state: 'idle' });
      return collectMetrics([events, gauge('queue_due_entries'), connections], requests);
    };
    const group = await combineMetrics([await of(0.2, 3), await of(7, 5)]);
    const lines = (await prometheusText(group)).split('\n');
    const route = 'route="/a",method="GET"';
    for (const line of [
      'billwright_events_total{type="A"} 8',
      'billwright_queue_due_entries 5',
      'billwright_database_connections{state="idle"} 8',
      `billwright_http_requests_total{${route},status="200",dialect="D"} 2`,
      `billwright_http_request_duration_seconds_bucket{le="0.25",${route}} 1`,
      `billwright_http_request_duration_seconds_count{${route}} 2`,
    ])
      expect(lines).to.include(line);
    const { gauges, timers } = metricsObject(group);
    expect(timers[`billwright_http_request_duration_seconds{${route}}`]).to.include({ count: 2, max: 7 });
    const own = metricsObject(await of(1, 1)).gauges.process_start_time_seconds;
    expect(gauges.process_start_time_seconds).to.eql(own);
  });
});
