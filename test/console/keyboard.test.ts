import { browserBefore } from '../support/console/chromium.ts';
import { consoleBefore } from '../support/console/serving.ts';
import { type Tab, tabBeforeEach } from '../support/console/tab.ts';
import { anyDatabase, expect } from '../support/index.ts';

/** More controls than a page has before its actions. */
const MAX_TABS = 60;

anyDatabase.describe('console keyboard control', (open) => {
  const browser = browserBefore();
  const server = consoleBefore(open);
  const current = tabBeforeEach(browser, server);

  it('moves the focus to the search field with a slash, and searches with Enter', async () => {
    const { tab } = current;
    await tab.visit('/accounts');
    await tab.page.keyboard.press('/');
    await tab.page.keyboard.type('Larsen');
    await tab.page.keyboard.press('Enter');
    await tab.settled();
    expect(tab.path()).to.equal('/t/meadow/search?text=Larsen');
    await tab.shows('Ada Larsen', 'main');
  });

  it('lets the user type a slash into a field', async () => {
    const { tab } = current;
    await tab.visit('/accounts');
    await tab.press('New account');
    await tab.fill('Name', '1/2 Road');
    expect(await tab.valueOf('Name')).to.equal('1/2 Road');
  });

  it('closes a dialog with Escape and returns the focus to the button that opened the dialog', async () => {
    const { tab } = current;
    await tab.visit('/accounts');
    await moveTo(tab, 'New account');
    await tab.page.keyboard.press('Enter');
    await tab.shows('New account', 'dialog[open]');
    await tab.page.keyboard.press('Escape');
    await tab.gone('dialog');
    expect(await tab.focused()).to.equal('New account');
  });

  it('is sufficient to complete an action', async () => {
    const { tab } = current;
    await tab.visit('/accounts');
    await moveTo(tab, 'New account');
    await tab.page.keyboard.press('Enter');
    await tab.shows('New account', 'dialog[open]');
    await moveTo(tab, 'Currency');
    await tab.page.keyboard.type('EUR');
    await moveTo(tab, 'Name');
    await tab.page.keyboard.type('KEYS');
    await tab.page.keyboard.press('Enter');
    await tab.shows('KEYS', 'h1');
    await tab.gone('dialog');
  });

  it('copies an account key and confirms the copy', async () => {
    const { tab } = current;
    await tab.page
      .browserContext()
      .overridePermissions(new URL(server.url).origin, ['clipboard-sanitized-write']);
    const { id } = await server.acme.accounts.getByKey('ada');
    await tab.visit(`/accounts/${id}`);
    await tab.press('Copy ada');
    await tab.shows('Copied', '.page-header [role=status]');
  });
});

/** Presses the Tab key until the control with this name has the focus. */
async function moveTo(tab: Tab, name: string): Promise<void> {
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    if ((await tab.focused()) === name) return;
    await tab.page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach "${name}"`);
}
