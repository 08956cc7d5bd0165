import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DocumentTextKind, ObjectType } from '../../lib/index.ts';
import { browserBefore } from '../support/console/chromium.ts';
import { consoleBefore } from '../support/console/serving.ts';
import { tabBeforeEach } from '../support/console/tab.ts';
import { anyDatabase, expect } from '../support/index.ts';

/** Sets a global of the page, or of a page above it, if it runs. */
const attack = (name: string) => `top.attacked='${name}'`;

const script = `<script>${attack('script')}</script>`;
const image = `<img src=x onerror="${attack('image')}">`;
const svg = `"><svg onload="${attack('svg')}">`;

anyDatabase.describe('console with hostile data', (open) => {
  const browser = browserBefore();
  const server = consoleBefore(open);
  const current = tabBeforeEach(browser, server);
  let foreign: Server;
  let foreignRequests: string[];
  let host: string;

  before(async () => {
    foreignRequests = [];
    foreign = createServer((request, response) => {
      foreignRequests.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
    host = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
  });
  after(() => foreign.close());

  /** Returns true if any of the attacks ran. */
  async function attacked(): Promise<unknown> {
    return current.tab.page.evaluate('globalThis.attacked ?? null');
  }

  it('shows names as text', async () => {
    const { tab } = current;
    const { acme } = server;
    const account = await acme.createAccount({
      externalKey: `key ${svg}`,
      name: `${image}${script}`,
      company: svg,
      address1: `javascript:${attack('address')}`,
      email: `mallory@example.com`,
      currency: 'USD',
      notes: script,
    });
    const object = { type: ObjectType.ACCOUNT, id: account.id };
    await acme.customFields.add(object, [{ name: 'link', value: `javascript:${attack('field')}` }]);
    await acme.customFields.add(object, [{ name: image.slice(0, 60), value: script }]);
    await acme.invoices.addCharges({
      accountId: account.id,
      autoCommit: true,
      items: [{ amount: '5', description: `${script}${image}` }],
    });
    await server.billing.settle();
    const [invoice] = await acme.invoices.ofAccount({ accountId: account.id });
    const paths = [
      '/accounts',
      `/accounts/${account.id}`,
      `/accounts/${account.id}?tab=details`,
      `/accounts/${account.id}?tab=history`,
      `/accounts/${account.id}?tab=payments`,
      '/invoices',
      `/invoices/${invoice?.id}`,
      `/search?text=${encodeURIComponent(image)}`,
      `/%3Cimg%20src=x%20onerror=alert(1)%3E`,
    ];
    for (const path of paths) {
      await tab.visit(path);
      expect(await attacked(), path).to.equal(null);
      expect(tab.takeProblems(), path).to.eql([]);
      expect(await unsafeLinks(), path).to.eql([]);
    }
    await tab.visit('/accounts');
    await tab.shows(image, 'table');
    await tab.visit(`/accounts/${account.id}`);
    await tab.shows(`${image}${script}`, 'h1');
  });

  it('shows an invoice with a hostile template, but runs no script and contacts no other host', async () => {
    const { tab } = current;
    const { acme } = server;
    await acme.invoiceTexts.upload({
      kind: DocumentTextKind.TEMPLATE,
      text: `<html><head>
        <script>${attack('template script')}</script>
        <script src="${host}/script.js"></script>
        <link rel="stylesheet" href="${host}/style.css">
        <meta http-equiv="refresh" content="0;url=${host}/refresh">
        <style>@import "${host}/import.css"; body { background: url("${host}/background.png") }</style>
        <base href="${host}/base/">
      </head><body onload="${attack('template onload')}">
        <h1>Invoice of Mallory</h1>
        ${image} ${svg}
        <img src="${host}/image.png">
        <p style="background-image: url('${host}/inline.png')">Styled</p>
        <iframe src="${host}/frame.html"></iframe>
        <iframe srcdoc="<script>${attack('srcdoc')}</script>"></iframe>
        <object data="${host}/object"></object><embed src="${host}/embed">
        <form action="${host}/form"><button>Send</button></form>
        <a href="javascript:${attack('link')}">Link</a>
        <video src="${host}/video.mp4" autoplay></video>
        <svg><use href="${host}/sprite.svg#x"></use><a href="javascript:${attack('svg link')}"><text y="20">S</text></a></svg>
      </body></html>`,
    });
    const ada = await acme.accounts.getByKey('ada');
    const [invoice] = await acme.invoices.ofAccount({ accountId: ada.id });
    await tab.visit(`/invoices/${invoice?.id}?tab=document`);
    const frame = await (await tab.page.waitForSelector('iframe.paper'))?.contentFrame();
    await frame?.waitForSelector('h1');
    await tab.settled();
    for (const link of (await frame?.$$('a, button')) ?? []) await link.click().catch(notClickable);
    await tab.settled();
    expect(await attacked()).to.equal(null);
    expect(foreignRequests).to.eql([]);
    expect(await frame?.evaluate('document.body.innerText')).to.include('Invoice of Mallory');
    expect(tab.path()).to.equal(`/t/meadow/invoices/${invoice?.id}?tab=document`);
  });

  /** Returns the addresses of links that run a script. */
  async function unsafeLinks(): Promise<unknown> {
    return current.tab.page.evaluate(
      `[...document.querySelectorAll('[href], [src], [action]')]
        .map((element) => element.href ?? element.src ?? element.action)
        .filter((address) => /^(javascript|data:text)/i.test(String(address)))`,
    );
  }
});

/** A link without a box cannot be clicked. */
function notClickable(error: Error): void {
  if (!/not clickable|not an Element|detached/i.test(error.message)) throw error;
}
