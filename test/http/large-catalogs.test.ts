import { StoredCatalogs } from '../../lib/catalog/index.ts';
import { timeSlices } from '../../lib/runtime/index.ts';
import { instant } from '../../lib/values/time/index.ts';
import { expect, expectBelow, isLongRun } from '../support/http/index.ts';
import { documentHeaders, freshSqlite, serveOnce, xmlType } from '../support/http/serving.ts';

const core = '/1.0/kb';
/** Each commit uses a tenth of the maximum size, the long run all of it. */
const share = isLongRun ? 1 : 10;
const PRODUCTS = 5_000 / share;
const PLANS = Math.floor(9_999 / share);
const LISTS = 200 / share;
const PER_LIST = Math.ceil(PLANS / LISTS);
/** A yearly plan in its own list. */
const YEARLY = PRODUCTS + 5;
const CASES = 5_000 / share;
/** Products of a document far beyond the limits. */
const BEYOND = isLongRun ? 150_000 : 20_000;

/** Maximum processor time of one turn of the event loop (platform §16), with a margin for a busy machine. */
const LONGEST_TURN_MS = 200;

const repeat = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('\n');

function price(currency: string, value: string): string {
  return `<price><currency>${currency}</currency><value>${value}</value></price>`;
}

function planXml(index: number): string {
  const period = index < PRODUCTS ? 'MONTHLY' : 'ANNUAL';
  return `<plan name="plan-${index}"><product>Product-${index % PRODUCTS}</product>
<initialPhases><phase type="TRIAL"><duration><unit>DAYS</unit><number>30</number></duration>
<fixed><fixedPrice>${price('USD', '0')}</fixedPrice></fixed></phase></initialPhases>
<finalPhase type="EVERGREEN"><duration><unit>UNLIMITED</unit></duration><recurring><billingPeriod>${period}</billingPeriod>
<recurringPrice>${price('USD', `${index}.95`)}${price('EUR', `${index}.90`)}</recurringPrice></recurring></finalPhase></plan>`;
}

/** Returns a version of the maximum size, less one plan. */
function largestVersion(): string {
  const listed = (list: number) =>
    `<plans>${repeat(Math.min(PER_LIST, PLANS - list * PER_LIST), (index) => `<plan>plan-${list * PER_LIST + index}</plan>`)}</plans>`;
  const change = (index: number) =>
    `<changePolicyCase><fromProduct>Product-${index % PRODUCTS}</fromProduct><toProduct>Product-${(index + 1) % PRODUCTS}</toProduct><policy>IMMEDIATE</policy></changePolicyCase>`;
  return `<catalog><effectiveDate>2024-01-01T00:00:00Z</effectiveDate><catalogName>Large</catalogName>
<recurringBillingMode>IN_ADVANCE</recurringBillingMode>
<currencies><currency>USD</currency><currency>EUR</currency></currencies><units/>
<products>${repeat(PRODUCTS, (index) => `<product name="Product-${index}"><category>BASE</category></product>`)}</products>
<rules><changePolicy>${repeat(CASES - 2, change)}<changePolicyCase><policy>END_OF_TERM</policy></changePolicyCase></changePolicy>
<cancelPolicy><cancelPolicyCase><policy>IMMEDIATE</policy></cancelPolicyCase></cancelPolicy></rules>
<plans>${repeat(PLANS, planXml)}</plans>
<priceLists><defaultPriceList name="DEFAULT">${listed(0)}</defaultPriceList>
${repeat(LISTS - 1, (index) => `<childPriceList name="List-${index}">${listed(index + 1)}</childPriceList>`)}</priceLists></catalog>`;
}

/** Returns the longest turn of the event loop during `work`, in processor time of this thread. */
async function longestTurnOf(work: () => Promise<void>): Promise<number> {
  const threadMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let longest = 0;
  let last = threadMs();
  let isDone = false;
  const watch = (): void => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isDone) setImmediate(watch);
  };
  setImmediate(watch);
  try {
    await work();
    await new Promise(setImmediate);
  } finally {
    isDone = true;
  }
  return longest;
}

describe('very large catalogs over HTTP', () => {
  const serving = serveOnce(freshSqlite);
  let document: string;

  before(async () => {
    document = largestVersion();
  });

  /**
   * Expects short turns of the event loop during a request, including the work of the test to send and read the text.
   */
  async function expectShortTurns(request: string, body?: unknown, status = 200): Promise<string> {
    const [method = '', path = ''] = request.split(' ');
    const isXml = typeof body === 'string';
    let text = '';
    const longest = await longestTurnOf(async () => {
      const reply = await serving.call(method, `${core}${path}`, {
        ...(body === undefined ? {} : { body }),
        headers: isXml ? xmlType : {},
      });
      expect(reply.status, reply.text.slice(0, 300)).to.equal(status);
      text = reply.text;
    });
    expectBelow(LONGEST_TURN_MS, longest, `${request}, processor milliseconds of the longest turn`);
    return text;
  }

  it('are validated, stored, read, extended and sold without blocking the event loop', async () => {
    const validated = await expectShortTurns('POST /catalog/xml/validate', document);
    expect(JSON.parse(validated)).to.deep.include({ catalogValidationErrors: [] });
    await expectShortTurns('POST /catalog/xml', document, 201);
    const lamp = { planId: 'lamp-monthly', productName: 'Product-1', currency: 'USD', amount: 3 };
    await expectShortTurns('POST /catalog/simplePlan', { ...lamp, billingPeriod: 'MONTHLY' }, 201);
    expect(await expectShortTurns('GET /catalog/xml')).to.include('lamp-monthly');
    const account = await serving.post('/accounts', { currency: 'USD' });
    const accountId = String(account.headers.get('location')).split('/').at(-1);
    const bought = { productName: 'Product-5', productCategory: 'BASE', billingPeriod: 'MONTHLY' };
    await expectShortTurns('POST /subscriptions', { accountId, ...bought, priceList: 'DEFAULT' }, 201);

    let shown = '';
    const shownAsJson = await longestTurnOf(async () => {
      shown = await (await fetch(`${serving.url}${core}/catalog`, { headers: documentHeaders })).text();
    });
    expect(JSON.parse(shown)[0].products).to.have.length(PRODUCTS);
    expectBelow(LONGEST_TURN_MS, shownAsJson, 'processor milliseconds of the longest turn');
  }).timeout(300_000);

  it('are read and searched by a fresh process without blocking the event loop', async () => {
    const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
    const slices = timeSlices({ systemClock: { nowMs: () => performance.now(), nextTurn } });
    const ref = await serving.billing.tenants.refOf((await serving.billing.tenants.getByApiKey('bob')).id);
    const longest = await longestTurnOf(async () => {
      const catalog = await serving.storage.read(ref, (session) => new StoredCatalogs(slices).get(session));
      const version = catalog.resolveVersion(instant(Date.UTC(2024, 5, 1)));
      expect(
        version.selectPlan({
          productName: 'Product-5',
          billingPeriod: 'ANNUAL',
          priceListName: `List-${Math.floor(YEARLY / PER_LIST) - 1}`,
        }).name,
      ).to.equal(`plan-${YEARLY}`);
    });
    expectBelow(LONGEST_TURN_MS, longest, 'processor milliseconds of the longest turn');
  });

  it('are rejected immediately, with the exceeded limit in the message, if they have too many products', async () => {
    const products = repeat(
      BEYOND,
      (index) => `<product name="P${index}"><category>BASE</category></product>`,
    );
    const beyond = document
      .replace(/<products>[\s\S]*<\/products>/, `<products>${products}</products>`)
      .replace(/<plans>\s*<plan name[\s\S]*?<\/plans>/, '<plans/>');
    const text = await expectShortTurns('POST /catalog/xml', beyond, 400);
    expect(JSON.parse(text).message).to.include(`can have at most 5000 products, not ${BEYOND}`);
  }).timeout(300_000);
});
